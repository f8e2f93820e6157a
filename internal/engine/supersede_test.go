package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// note records a memory, which supersedes others, a day after the one before.
func (f *fixture) note(m hippo.Memory, old ...hippo.ID) *hippo.Memory {
	f.t.Helper()
	f.advance(1, 0)
	out, err := memory.Record(f.t.Context(), f.Memories, &m, old...)
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

func fact(content string) hippo.Memory { return hippo.Memory{Content: content} }

func TestRecord_Supersedes(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old := f.note(fact("the gateway timeout is thirty seconds, said the gateway team about the gateway timeout"))
	now := f.note(fact("sixty seconds since the move"), old.ID)
	f.wantOrder(hippo.Query{Text: "gateway timeout"}, now.Content, old.Content)
	a := f.search(hippo.Query{Text: "gateway timeout"})
	if a.Hits[1].Memory.SupersededBy != now.ID || a.Total != 2 || a.Distribution.Sum() != 2 || a.Hits[0].Relevance != a.Hits[1].Relevance {
		t.Errorf("got %+v", a)
	}
	before := hippo.Filter{Moment: hippo.Moment{ValidAt: now.CreatedAt.Add(-time.Hour)}}
	f.wantOrder(hippo.Query{Text: "gateway timeout", Filter: before}, old.Content)
	after := hippo.Filter{Moment: hippo.Moment{ValidAt: now.CreatedAt}}
	f.wantOrder(hippo.Query{Text: "gateway timeout", Filter: after})
	f.wantOrder(hippo.Query{Text: "sixty seconds", Filter: after}, now.Content)

	if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "ninety"}, old.ID); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), now.ID.String()) {
		t.Errorf("superseding what is superseded: %v", err)
	}
	if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: "ninety"}, now.ID, hippo.ID{1}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("superseding what is not there: %v", err)
	}
	if list, err := memory.List(t.Context(), f.Memories, api.List{}); err != nil || list.Total != 2 {
		t.Errorf("%d memories are stored (%v), want 2", list.Total, err)
	}
}

// A succession with a reason is one operation, and its undo takes all of it back.
func TestSupersede(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old, now := f.note(fact("port 80")), f.note(fact("port 8080"))
	why := map[string]json.RawMessage{"why": json.RawMessage(`"it moved"`)}
	got, err := memory.Supersede(t.Context(), engine.Because(f.Memories, "it moved"), memory.Succession{ID: old.ID, By: now.ID, Metadata: why})
	if err != nil || got.ID != now.ID || !got.ValidFrom.Equal(now.CreatedAt) {
		t.Fatalf("got %+v, %v", got, err)
	}
	if x := f.get(old.ID); x.SupersededBy != now.ID || !x.ValidUntil.Equal(now.CreatedAt) || string(x.Metadata["why"]) != `"it moved"` {
		t.Errorf("the superseded one is %+v", x)
	}
	log, err := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if err != nil || len(log.Operations) != 1 || log.Operations[0].Reason != "it moved" || log.Operations[0].Verb != hippo.VerbSupersede {
		t.Fatalf("the log is %+v, %v", log, err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, log.Operations[0].ID); err != nil {
		t.Fatal(err)
	}
	if x := f.get(old.ID); !x.SupersededBy.IsZero() || !x.ValidUntil.IsZero() || len(x.Metadata) > 0 {
		t.Errorf("after the undo it is %+v", x)
	}
	secret := map[string]json.RawMessage{"why": json.RawMessage(`"password = hunter2x9QzLw7Rt"`)}
	if _, err := memory.Supersede(t.Context(), f.Memories, memory.Succession{ID: old.ID, By: now.ID, Metadata: secret}); !errors.Is(err, hippo.ErrSecret) {
		t.Errorf("a secret: %v", err)
	}
	if _, err := memory.Supersede(t.Context(), f.Memories, memory.Succession{ID: old.ID, By: old.ID}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("by itself: %v", err)
	}
}

func TestModify_Supersedes(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	old, now := f.note(fact("port 80")), f.note(fact("port 8080"))
	list := []hippo.ID{old.ID, old.ID}
	m, err := memory.Modify(t.Context(), f.Memories, now.ID, api.Change{Supersedes: &list, Content: new("port 8081")})
	if err != nil || m.Content != "port 8081" || !m.ValidFrom.Equal(now.CreatedAt) {
		t.Fatalf("got %+v, %v", m, err)
	}
	if o := f.get(old.ID); o.SupersededBy != now.ID || !o.ValidUntil.Equal(now.CreatedAt) || o.Accesses[0].Count != 1 {
		t.Errorf("got %+v", o)
	}
	f.wantOrder(hippo.Query{Text: "port 80"}, "port 8081", "port 80")
	list = nil
	var field *hippo.FieldError
	if _, err := memory.Modify(t.Context(), f.Memories, now.ID, api.Change{Supersedes: &list}); !errors.As(err, &field) || field.Field != "Supersedes" {
		t.Errorf("no ids: %v", err)
	}
}

// What was recorded under a former name of the project contradicts what was recorded since; what is of another folder that one works in does
// not.
func TestSearch_ConflictsByFormerNames(t *testing.T) {
	t.Parallel()
	const web, local, other = "github.com/acme/web#11111111", "local#111111111111", "github.com/acme/app#22222222"
	for _, former := range []string{local, "github.com/old/web#11111111", other} {
		f := open(t, options{})
		for i, p := range []string{former, web} {
			f.note(hippo.Memory{Content: fmt.Sprintf("The gateway timeout is %d seconds", 30*(i+1)), Project: p, Importance: hippo.Importance{Base: .5, Value: .5}})
			f.advance(1, 0)
		}
		scope := hippo.Scope{Rights: hippo.AllRights, Project: web, Also: []string{former}}
		a, err := query.Search(t.Context(), f.In(scope), hippo.Query{Text: "gateway timeout"})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(a.Conflicts) == 1 && len(a.Hits) == 2; got != (former != other) {
			t.Errorf("%s: %d hits, conflicts %+v", former, len(a.Hits), a.Conflicts)
		}
	}
}

func TestSearch_Conflicts(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	start := f.now()
	by := func(author, content string) hippo.Memory {
		m := fact(content)
		m.Source.Author = author
		return m
	}
	ended := fact("The default branch is master")
	ended.ValidUntil = start.AddDate(0, 0, 10)
	f.note(ended)
	a := f.note(by("", "The default branch is main"))
	b := f.note(by("Ana", "The default branch is trunk"))
	f.note(by("Bob", "The default branch is develop"))
	elsewhere := fact("The default branch is stable")
	elsewhere.Project = "p"
	f.note(elsewhere)
	c := f.note(by("Ana", "The default branch is release"), b.ID)
	f.live(20)
	got := f.search(hippo.Query{Text: "default branch"})
	var reasons []string
	for _, x := range got.Conflicts {
		reasons = append(reasons, x.Reason)
	}
	if d := cmp.Diff([]string{"release / main", "develop / main"}, reasons); d != "" || len(got.Hits) != 6 {
		t.Errorf("%d hits, conflicts (-want +got):\n%s", len(got.Hits), d)
	}
	if x := got.Conflicts[0]; x.A != c.ID || x.B != a.ID {
		t.Errorf("got %+v, want %v and %v", x, c.ID, a.ID)
	}
	past := f.search(hippo.Query{Text: "default branch", Filter: hippo.Filter{Moment: hippo.Moment{ValidAt: start.AddDate(0, 0, 5)}}})
	if len(past.Conflicts) == 0 || past.Conflicts[0].Reason != "develop / main" {
		t.Errorf("as of then: %+v", past.Conflicts)
	}
	if none := f.search(hippo.Query{Text: "develop stable", Count: 1}); none.Conflicts != nil {
		t.Errorf("got %+v", none.Conflicts)
	}
}
