package mcpserver

import (
	"reflect"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// openSession is a session over HTTP and the caller that opened it.
type openSession struct {
	*mcp.ServerSession
	owner httpd.Caller
	used  uint64 // the value of the clock at its last request
}

// sessionTable knows who opened the sessions over HTTP, and bounds their number. It is safe for concurrent use.
type sessionTable struct {
	limit int

	mu    sync.Mutex
	clock uint64 // counts requests
	open  map[string]*openSession
}

func newSessionTable(limit int) *sessionTable {
	return &sessionTable{limit: limit, open: make(map[string]*openSession)}
}

// add notes a session. If there are too many, one is closed: of the caller with the most sessions, the one whose
// last request is the oldest. So a caller who opens too many harms only itself.
func (t *sessionTable) add(id string, owner httpd.Caller, s *mcp.ServerSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock++
	t.open[id] = &openSession{ServerSession: s, owner: owner, used: t.clock}
	if len(t.open) <= t.limit {
		return
	}
	oldest := t.oldest()
	session := t.open[oldest]
	delete(t.open, oldest)
	go session.Close() //nolint:errcheck // it waits for the calls of the session, and nobody waits for it
}

// oldest returns the session to close. Cost: O(sessions).
func (t *sessionTable) oldest() string {
	counts := make(map[string]int)
	for _, s := range t.open {
		counts[s.owner.Name]++
	}
	var found string
	for id, s := range t.open {
		best := t.open[found]
		if best == nil {
			found = id
			continue
		}
		more := counts[s.owner.Name] - counts[best.owner.Name]
		if more > 0 || more == 0 && s.used < best.used {
			found = id
		}
	}
	return found
}

// use notes a request and reports whether the session is open and the caller has opened it.
func (t *sessionTable) use(id string, caller httpd.Caller) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.open[id]
	if s == nil || !reflect.DeepEqual(s.owner, caller) {
		return false
	}
	t.clock++
	s.used = t.clock
	return true
}

// remove forgets a session that was closed.
func (t *sessionTable) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}
