package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the most bytes of one message: the largest memory, escaped, with
// room to spare.
const maxLine = 8 << 20

// stdio is the transport over standard input and output. Two things set it apart
// from the SDK's: what is no message is answered with an error and the session
// goes on; and when the input ends, requests that were received are still
// answered before the session does.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect implements [mcp.Transport].
func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	out := &lockedWriter{w: t.out}
	lines := &lineReader{r: bufio.NewReaderSize(t.in, 64<<10), out: out}
	inner := &mcp.IOTransport{Reader: io.NopCloser(lines), Writer: out, MaxLineLength: 2 * maxLine}
	c, err := inner.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{Connection: c, out: out, idle: make(chan struct{}, 1)}, nil
}

// lockedWriter writes whole messages, one after the other.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// Close implements [io.Closer]; the output is the caller's.
func (l *lockedWriter) Close() error { return nil }

// refuse answers what could not be read, and so has no id.
func (l *lockedWriter) refuse(code int, format string, args ...any) error {
	message, err := json.Marshal(fmt.Sprintf(format, args...))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(l, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", code, message)
	return err
}

// lineReader passes on the lines that are JSON and refuses the others.
type lineReader struct {
	r    *bufio.Reader
	out  *lockedWriter
	rest []byte // of the line that is being read
}

// Read implements [io.Reader].
func (l *lineReader) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, tooLong, err := l.line()
		line = bytes.TrimSpace(line)
		switch {
		case tooLong:
			err = errors.Join(err, l.out.refuse(jsonrpc.CodeInvalidRequest, "message must be at most %d bytes", maxLine))
		case len(line) == 0:
		case !json.Valid(line):
			err = errors.Join(err, l.out.refuse(jsonrpc.CodeParseError, "message is not JSON"))
		default:
			l.rest = append(line, '\n')
			err = nil // it comes again at the next line
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// line reads up to the next line break, keeping at most maxLine bytes.
func (l *lineReader) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := l.r.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			tooLong = len(line) > maxLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// conn counts the requests that wait for an answer.
type conn struct {
	mcp.Connection
	out *lockedWriter

	mu      sync.Mutex
	waiting map[any]bool
	idle    chan struct{} // a token when the last answer was written
}

// Read implements [mcp.Connection]. A message that is no valid request is
// refused; the end of the input is passed on once all requests are answered.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		m, err := c.Connection.Read(ctx)
		switch {
		case err == nil:
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				c.begin(r.ID)
			}
			return m, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, io.EOF), errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, io.ErrUnexpectedEOF):
			c.drain(ctx)
			return nil, io.EOF
		}
		if err := c.out.refuse(jsonrpc.CodeInvalidRequest, "message is not a JSON-RPC request: %v", err); err != nil {
			return nil, err
		}
	}
}

// Write implements [mcp.Connection].
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.end(r.ID)
	}
	return err
}

func (c *conn) begin(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = make(map[any]bool)
	}
	c.waiting[id.Raw()] = true
}

func (c *conn) end(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id.Raw())
	if len(c.waiting) == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// drain returns when no request waits for an answer.
func (c *conn) drain(ctx context.Context) {
	for {
		c.mu.Lock()
		n := len(c.waiting)
		c.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-c.idle:
		case <-ctx.Done():
			return
		}
	}
}
