package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of a connection. Together they bound the memory of a session whose client sends
// requests and does not read the answers: such a client is made to wait.
const (
	// maxLine is the most bytes of one line: the largest memory, escaped, with room to spare.
	maxLine = 8 << 20
	// maxActive is the most requests that are carried out at a time. A request is active
	// until its answer is written. Records that are active together share a commit.
	maxActive = 64
	// maxPings is how many pings may be active beside them, so that a ping is answered while
	// all others wait.
	maxPings = 16
	// maxUnsent is how many bytes of answers may wait to be written before no request
	// begins.
	maxUnsent = 4 << 20
	// maxHeld is how many bytes of received requests may wait for their turn before no line
	// is read.
	maxHeld = 1 << 20
)

// stdio is the transport over standard input and output, a message a line. It differs from
// the SDK's: a line that is no message is refused and the session goes on; ids are exact;
// a batch is carried out whole or not at all; a client that does not read the answers has
// to wait; when the input ends, what was received is still answered; and when the context
// of Connect ends, so does the session, whatever the client does.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect implements [mcp.Transport]. It starts a goroutine, which ends with the
// connection and the next line or the end of the input.
func (t *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	c := &conn{
		lines: make(chan line), closed: make(chan struct{}),
		replies: replies{
			out: t.out, stop: ctx.Done(), writing: make(chan struct{}, 1),
			waiting: make(map[jsonrpc.ID]pendingCall), written: make(chan struct{}, 1),
		},
	}
	go c.scan(bufio.NewReaderSize(t.in, 64<<10))
	return c, nil
}

// line is one line of the input, or what ended the input.
type line struct {
	text    []byte
	tooLong bool            // text is not kept
	id      json.RawMessage // of a message that is too long, if it was found
	err     error
}

// conn is the connection of [stdio]. Messages pass through it in the order in which they
// came, except that notifications, answers and pings pass requests that wait: a client can
// cancel requests while too many are active.
type conn struct {
	replies
	lines    chan line
	accepted []message // not yet looked at
	held     []message // requests that wait until fewer are active
	size     int       // bytes of both
	ended    error     // why the input ended; nil while it goes on
	once     sync.Once
	closed   chan struct{}
}

// scan passes on the lines of r until it ends.
func (c *conn) scan(r *bufio.Reader) {
	for {
		l := readLine(r)
		err := l.err
		l.err = nil
		if (len(l.text) > 0 || l.tooLong) && !c.pass(l) {
			return
		}
		if err != nil {
			c.pass(line{err: err})
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

// readLine reads up to the next line break. Of a line that is too long it keeps the id.
func readLine(r *bufio.Reader) line {
	var l line
	var f idFinder
	for {
		part, err := r.ReadSlice('\n')
		if !l.tooLong {
			l.text = append(l.text, part...)
			part = l.text
			l.tooLong = len(l.text) > maxLine
		}
		if l.tooLong {
			f.add(part)
			l.text = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.text, l.id, l.err = bytes.TrimSpace(l.text), f.found(), err
			return l
		}
	}
}

// Read implements [mcp.Connection]. It reads no line while too many requests wait. The end
// of the input is reported once all requests are answered, or as a cancellation if the
// session has to end before.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if m, err := c.next(); m != nil || err != nil {
			return m, err
		}
		if c.ended != nil && c.allAnswered() {
			return nil, c.ended
		}
		lines := c.lines
		if c.ended != nil || c.size >= maxHeld {
			lines = nil
		}
		select {
		case l := <-lines:
			if c.ended = l.err; c.ended != nil {
				continue
			}
			if err := c.accept(l); err != nil {
				return nil, err
			}
		case <-c.written:
		case <-c.closed:
			return nil, io.EOF
		case <-c.stop:
			return nil, context.Canceled
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next returns the next message that may pass; nil if there is none now.
func (c *conn) next() (jsonrpc.Message, error) {
	if len(c.held) > 0 && c.admit(c.held[0].call()) {
		return c.take(&c.held), nil
	}
	for len(c.accepted) > 0 {
		call := c.accepted[0].call()
		if call == nil {
			var err error
			if id, ok := cancelled(&c.accepted[0]); ok {
				err = c.cancelHeld(id)
			}
			return c.take(&c.accepted), err
		}
		if (len(c.held) == 0 || call.Method == methodPing) && c.admit(call) {
			return c.take(&c.accepted), nil
		}
		c.held, c.accepted = append(c.held, c.accepted[0]), c.accepted[1:]
	}
	return nil, nil
}

// take removes the first message of a list.
func (c *conn) take(list *[]message) jsonrpc.Message {
	m := (*list)[0]
	(*list)[0] = message{}
	*list = (*list)[1:]
	c.size -= m.size
	return m.Message
}

// accept queues the messages of a line, or refuses it.
func (c *conn) accept(l line) error {
	list, isBatch, err := parse(l)
	if bad, ok := errors.AsType[*malformed](err); ok {
		return c.refuse(bad)
	}
	if id, ok := c.begin(list, isBatch); !ok {
		return c.refuse(inUse(id))
	}
	for _, m := range list {
		c.accepted = append(c.accepted, m)
		c.size += m.size
	}
	return nil
}

// cancelHeld answers a request that has not begun, if there is one of that id, instead of
// carrying it out.
func (c *conn) cancelHeld(id jsonrpc.ID) error {
	i := slices.IndexFunc(c.held, func(m message) bool { return m.call().ID == id })
	if i < 0 {
		return nil
	}
	c.size -= c.held[i].size
	c.held = slices.Delete(c.held, i, i+1)
	return c.answer(&jsonrpc.Response{ID: id, Error: context.Canceled}, false)
}

// Close implements [mcp.Connection].
func (c *conn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// SessionID implements [mcp.Connection]; there is one session only.
func (c *conn) SessionID() string { return "" }
