package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the most bytes of one message: the largest memory, escaped, with
// room to spare.
const maxLine = 8 << 20

// stdio is the transport over standard input and output, a message a line. It
// sets itself apart from the SDK's: what is no message is refused and the session
// goes on; a batch is carried out whole or not at all; when the input ends, what
// was received is still answered; and when the context of Connect ends, so does
// the session, whatever the client does.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect implements [mcp.Transport]. It starts a goroutine, which ends with the
// connection and the next line or the end of the input.
func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	c := &conn{
		lines: make(chan line), closed: make(chan struct{}),
		replies: replies{out: t.out, stop: ctx.Done(), idle: make(chan struct{}, 1)},
	}
	go c.scan(bufio.NewReaderSize(t.in, 64<<10))
	return c, nil
}

// line is one line of the input, or what ended the input.
type line struct {
	text    []byte
	tooLong bool
	err     error
}

// conn is the connection of [stdio].
type conn struct {
	replies
	lines  chan line
	queue  []jsonrpc.Message // accepted, not yet read
	once   sync.Once
	closed chan struct{}
}

// scan passes on the lines of r until it ends.
func (c *conn) scan(r *bufio.Reader) {
	for {
		l := readLine(r)
		if len(l.text) > 0 && !c.pass(line{text: l.text, tooLong: l.tooLong}) {
			return
		}
		if l.err != nil {
			c.pass(line{err: l.err})
			return
		}
	}
}

// pass reports whether somebody took the line.
func (c *conn) pass(l line) bool {
	select {
	case c.lines <- l:
		return true
	case <-c.closed:
	case <-c.stop:
	}
	return false
}

// readLine reads up to the next line break, keeping at most maxLine bytes.
func readLine(r *bufio.Reader) line {
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
			l.tooLong = len(l.text) > maxLine
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.text, l.err = bytes.TrimSpace(l.text), err
			return l
		}
	}
}

// Read implements [mcp.Connection]. The end of the input is told once all
// requests are answered, or as a cancellation if the session has to end before.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case l := <-c.lines:
			if l.err != nil {
				return nil, c.end(l.err)
			}
			if err := c.accept(l); err != nil {
				return nil, err
			}
		case <-c.closed:
			return nil, io.EOF
		case <-c.stop:
			return nil, context.Canceled
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	return m, nil
}

// end returns why the session ends once the input did: that all requests were
// answered, or that it had to stop, which can leave some without.
func (c *conn) end(err error) error {
	c.drain(c.closed)
	select {
	case <-c.stop:
		return context.Canceled
	default:
		return err
	}
}

// accept queues the messages of a line, or refuses it.
func (c *conn) accept(l line) error {
	switch {
	case l.tooLong:
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "message must be at most %d bytes", maxLine)
	case !utf8.Valid(l.text):
		return c.refuse(idOf(l.text), jsonrpc.CodeParseError, "message is not UTF-8")
	case !json.Valid(l.text):
		return c.refuse(nil, jsonrpc.CodeParseError, "message is not JSON")
	}
	parts, isBatch := []json.RawMessage{l.text}, l.text[0] == '['
	if isBatch {
		if err := json.Unmarshal(l.text, &parts); err != nil {
			return c.refuse(nil, jsonrpc.CodeParseError, "message is not readable: %v", err)
		}
	}
	if len(parts) == 0 {
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "batch is empty")
	}
	messages := make([]jsonrpc.Message, len(parts))
	for i, part := range parts {
		if part[0] != '{' {
			return c.refuse(nil, jsonrpc.CodeInvalidRequest, "message must be an object")
		}
		m, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return c.refuse(idOf(part), jsonrpc.CodeInvalidRequest, "message is not a JSON-RPC request: %v", err)
		}
		messages[i] = m
	}
	if id, ok := c.begin(messages, isBatch); !ok {
		return c.refuse(nil, jsonrpc.CodeInvalidRequest, "id %v is in use", id.Raw())
	}
	c.queue = messages
	return nil
}

// idOf returns the id of a message that is no request; nil if there is none.
func idOf(message json.RawMessage) json.RawMessage {
	var m struct{ ID json.RawMessage }
	if json.Unmarshal(message, &m) != nil || len(m.ID) == 0 || !utf8.Valid(m.ID) || !bytes.ContainsAny(m.ID[:1], `"-0123456789`) {
		return nil
	}
	return m.ID
}

// Close implements [mcp.Connection].
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements [mcp.Connection]; there is one session only.
func (c *conn) SessionID() string { return "" }
