package mcpserver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// sessionPause is the time without a record after which the records of a connection begin
// another session: what follows is hardly about the same.
const sessionPause = time.Hour

// conversation numbers the turns that are recorded over one connection: the records without a
// situation, of which a search can use what was recorded before and after. A record with one says
// by itself what it is about. It also knows what was asked, for votes. It is safe for concurrent use.
type conversation struct {
	name string // empty: records carry no session

	mu    sync.Mutex
	parts int // sessions so far
	seq   int // turns of the last one
	last  time.Time
	asked []asked // the newest last
}

type conversationKey struct{}

// withConversation returns a context for the calls of a connection.
func withConversation(ctx context.Context, c *conversation) context.Context {
	return context.WithValue(ctx, conversationKey{}, c)
}

// conversationOf returns the conversation that a call belongs to; nil if there is none.
func conversationOf(ctx context.Context) *conversation {
	c, _ := ctx.Value(conversationKey{}).(*conversation)
	return c
}

// place sets the session and the position of a turn that is recorded now.
func (c *conversation) place(m *hippo.Memory, now time.Time) {
	if c == nil || c.name == "" || len(m.Situation) > 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts == 0 || now.Sub(c.last) > sessionPause {
		c.parts, c.seq = c.parts+1, 0
	}
	c.seq, c.last = c.seq+1, now
	m.Source.Session, m.Source.Seq = c.name, c.seq
	if c.parts > 1 {
		m.Source.Session = fmt.Sprintf("%s.%d", c.name, c.parts)
	}
}
