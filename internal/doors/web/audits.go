package web

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
)

const (
	// auditTime is how long an audit may take by default.
	auditTime = 8 * time.Minute
	// maxAudits is the number of scopes whose last audit is kept.
	maxAudits = 8
)

// doneAudit is an audit that was made, with a key of its own and when it began.
type doneAudit struct {
	*api.AuditReport
	key string
	at  time.Time
}

// audits are the last audits by scope, in RAM: pages and changes after an audit do not repeat it. One is made at a time.
// It is safe for concurrent use.
type audits struct {
	// turn is held by who makes an audit.
	turn chan struct{}

	mu      sync.Mutex
	byScope map[string]*doneAudit
}

func newAudits() *audits {
	return &audits{turn: make(chan struct{}, 1), byScope: make(map[string]*doneAudit)}
}

// last returns the last audit of a scope; nil if there is none, or only the one with a key that is not wanted any more.
func (a *audits) last(scope *hippo.Scope, unwanted string) *doneAudit {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d := a.byScope[auditKey(scope)]; d != nil && d.key != unwanted {
		return d
	}
	return nil
}

// keep keeps the audit of a scope, in place of the oldest if there are too many.
func (a *audits) keep(scope *hippo.Scope, d *doneAudit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := auditKey(scope)
	if _, ok := a.byScope[key]; !ok && len(a.byScope) >= maxAudits {
		delete(a.byScope, earliest(a.byScope, func(d *doneAudit) time.Time { return d.at }))
	}
	a.byScope[key] = d
}

// auditKey names what a scope can see.
func auditKey(s *hippo.Scope) string {
	if s.Projects == nil {
		return strconv.Quote(s.Namespace)
	}
	return fmt.Sprintf("%q %q", s.Namespace, s.Projects)
}

// make makes an audit of what the caller sees, unless the one that is there is wanted, or another request has made one by
// its turn. Cost: that of [upkeep.Audit].
func (a *audits) make(ctx context.Context, v *visit, unwanted string) error {
	ctx, cancel := context.WithTimeout(ctx, v.options.AuditTime)
	defer cancel()
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if a.last(&v.caller.Scope, unwanted) != nil {
		return nil
	}
	at := v.options.Now()
	report, err := upkeep.Audit(ctx, v.memories, api.Audit{Projects: []string{hippo.AllProjects}, Limit: hippo.MaxCount})
	if err != nil {
		return err
	}
	a.keep(&v.caller.Scope, &doneAudit{report, rand.Text(), at})
	return nil
}

// makeAudit waits for an audit and leads back to the page that shows it.
func (s *server) makeAudit(w http.ResponseWriter, r *http.Request) {
	v, err := s.begin(w, r, hippo.RightRead)
	if err == nil {
		err = s.audits.make(r.Context(), v, r.URL.Query().Get("instead"))
	}
	switch {
	case r.Context().Err() != nil: // nobody waits any more
	case errors.Is(err, context.DeadlineExceeded):
		s.fail(v, fmt.Errorf("%w: the audit took longer than %s and was stopped; hippo audit on the command line takes its time",
			hippo.ErrUnavailable, s.options.AuditTime))
	case err != nil:
		s.fail(v, err)
	default:
		q := r.URL.Query()
		q.Set("part", "audit")
		http.Redirect(w, r, "/ui/review?"+q.Encode(), http.StatusSeeOther)
	}
}
