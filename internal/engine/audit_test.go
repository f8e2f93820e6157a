package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func (f *fixture) audit(m *engine.Memories, o api.Audit) *api.AuditReport {
	f.t.Helper()
	r, err := upkeep.Audit(f.t.Context(), m, o)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// TestAudit: on each store, an audit finds what is wrong in the scope, and changes nothing.
func TestAudit(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		testAudit(t, memstore.New(nil))
	})
	for name, open := range inFiles(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := open(filepath.Join(t.TempDir(), "store"))
			if err != nil {
				t.Fatal(err)
			}
			testAudit(t, b)
		})
	}
}

func testAudit(t *testing.T, b driver.Backend) {
	f := open(t, options{backend: b, models: []embedding.Model{instant(embedtest.NewWords("w"))}})
	if r := f.audit(f.Memories, api.Audit{}); r.Memories != 0 || len(r.Findings) != 0 {
		t.Errorf("of an empty store: %+v", r)
	}
	long := "the nightly export of the ledger writes its files to the archive"
	unused := f.record("bread needs salt", .5)
	older, newer := f.record("The gateway timeout is 30 seconds", .5), f.record("The gateway timeout is 60 seconds", .5)
	twin, best := f.record(long, .5), f.record(long, .6)
	away := f.note(hippo.Memory{Content: long, Project: "elsewhere", Importance: hippo.Importance{Base: .5, Value: .5}}).ID
	ended := f.note(hippo.Memory{Content: "the office is closed", Importance: hippo.Importance{Base: .5, Value: .5}, ValidUntil: f.now().AddDate(0, 0, 1)}).ID
	gone := f.record("the printer is on floor two", .5)
	f.forget(gone)
	for range 30 {
		f.advance(1, 0)
		for _, q := range []string{"gateway timeout", "nightly export of the ledger", "office closed"} {
			f.search(hippo.Query{Text: q, Count: 3, Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}})
		}
	}
	f.flush()
	before, related := f.stored(), f.relations()
	all := f.audit(f.Memories, api.Audit{Projects: []string{hippo.AllProjects}})
	got := make(map[hippo.ID]string)
	for _, x := range all.Findings {
		got[x.ID] = fmt.Sprint(x.Problem, " ", x.Other, " ", x.Remedy, " ", x.Text)
	}
	none := hippo.ID{}
	want := map[hippo.ID]string{
		ended:  fmt.Sprint(api.ProblemStale, " ", none, " ", api.RemedyForget, " the office is closed"),
		older:  fmt.Sprint(api.ProblemContradictory, " ", newer, " ", api.RemedySupersede, " The gateway timeout is 30 seconds"),
		twin:   fmt.Sprint(api.ProblemRepeated, " ", best, " ", api.RemedyForget, " ", long),
		unused: fmt.Sprint(api.ProblemUnused, " ", none, " ", api.RemedyForget, " bread needs salt"),
	}
	if d := cmp.Diff(want, got); d != "" || all.Memories != 7 {
		t.Errorf("of %d memories: %s", all.Memories, d)
	}
	if r := f.audit(f.Memories, api.Audit{Projects: []string{"elsewhere"}}); r.Memories != 1 || len(r.Findings) != 0 {
		t.Errorf("of the project of %s: %+v", away, r)
	}
	if r := f.audit(f.In(hippo.Scope{Namespace: "other", Rights: hippo.RightRead}), api.Audit{}); r.Memories != 0 {
		t.Errorf("of another namespace: %+v", r)
	}
	if r := f.audit(f.Memories, api.Audit{Idle: 1000, Limit: 1}); r.Counts[api.ProblemUnused] != 0 || r.Counts[api.ProblemContradictory] != 1 {
		t.Errorf("of what is idle for 1000 days: %+v", r)
	}
	if d := cmp.Diff(before, f.stored()) + cmp.Diff(related, f.relations()); d != "" {
		t.Errorf("an audit has changed something: %s", d)
	}
}

func TestAudit_Refuses(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for field, o := range map[string]api.Audit{"idle": {Idle: -1}, "limit": {Limit: hippo.MaxCount + 1}} {
		_, err := upkeep.Audit(t.Context(), f.Memories, o)
		if bad, ok := errors.AsType[*hippo.FieldError](err); !ok || bad.Field != field {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := upkeep.Audit(t.Context(), f.In(hippo.Scope{Rights: hippo.RightWrite}), api.Audit{}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without the right to read: %v", err)
	}
}

// An audit of one project uses what the others say, and says nothing of them to a caller who may use one project alone.
func TestAudit_Misfiled(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	note := func(content, project string) hippo.ID {
		return f.note(hippo.Memory{Content: content, Project: project, Importance: hippo.Importance{Base: .5, Value: .5}}).ID
	}
	named, symbol := note("ledger: vouchers have seven digits", "shop"), note("PostingWriter.Flush must come first", "shop")
	for _, text := range []string{"PostingWriter.Flush returns the first error", "the batches of PostingWriter.Flush have 500 entries"} {
		note(text, "ledger")
	}
	moved := func(m *engine.Memories) map[hippo.ID]string {
		out := make(map[hippo.ID]string)
		for _, x := range f.audit(m, api.Audit{Projects: []string{"shop"}}).Findings {
			out[x.ID] = fmt.Sprint(x.Problem, " ", x.Remedy, " ", x.Project)
		}
		return out
	}
	want := "misfiled move ledger"
	if got := moved(f.Memories); len(got) != 2 || got[named] != want || got[symbol] != want {
		t.Errorf("got %v", got)
	}
	if got := moved(f.In(hippo.Scope{Rights: hippo.AllRights, Projects: []string{"shop", hippo.Unassigned}})); len(got) > 0 {
		t.Errorf("a caller of one project is told %v", got)
	}
}
