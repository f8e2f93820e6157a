package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

// noted is a memory of a topic, 60 days old and of little surprise.
func (f *fixture) noted(n int, topic string) *hippo.Memory {
	own := string([]rune{rune('a' + n/26), rune('a' + n%26)}) // no digits: other numbers say other things
	m := turn(n, "s", fmt.Sprintf("%s x%s y%s", topic, own, own))
	m.CreatedAt = f.now().AddDate(0, 0, -60).Add(time.Duration(n) * time.Second)
	m.UpdatedAt = m.CreatedAt
	m.Surprise = hippo.Surprise{Score: .1}
	return m
}

// openTidy opens an engine with two topics of twelve memories, a copy of one, and a learned relation that has faded.
func openTidy(t *testing.T) (f *fixture, all []hippo.ID) {
	t.Helper()
	f = open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}})
	var ms []*hippo.Memory
	for n := range 12 {
		ms = append(ms, f.noted(n, "gateway timeout keepalive frame idle connection upstream proxy retry"),
			f.noted(100+n, "invoice ledger export currency tax rounding customer payment refund"))
	}
	double := f.noted(200, "")
	double.Content, double.ContentHash = ms[0].Content, ms[0].ContentHash
	ms = append(ms, double)
	f.put(ms...)
	for _, m := range ms {
		all = append(all, m.ID)
	}
	r := hippo.CoRecall(all[0], all[1])
	r.Weight, r.LastReinforced = .3, f.now().AddDate(-5, 0, 0)
	if _, err := f.store.In(hippo.LocalScope("")).ImportRelations(t.Context(), []hippo.Relation{r}); err != nil {
		t.Fatal(err)
	}
	return f, all
}

// TestConsolidate_LetsSearchesPass plans beside a search that never ends: the plan waits, can be cancelled then, and ends.
func TestConsolidate_LetsSearchesPass(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	defer f.Embedding.Searching()()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond) // a sixth of the first wait
	defer cancel()
	if c, err := upkeep.Consolidate(ctx, f.Memories, upkeep.ConsolidateOptions{Horizon: api.Monthly}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%+v, error %v, want a plan that waits until its context ends", c, err)
	}
	if c := f.consolidate(api.Monthly, true); c.Memories != len(all) || c.Linked == 0 || c.Summarised == 0 {
		t.Errorf("%+v, want the plan for %d memories", c, len(all))
	}
}

func (f *fixture) consolidate(h api.Horizon, dry bool) *api.Consolidation {
	f.t.Helper()
	c, err := upkeep.Consolidate(f.t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: h, DryRun: dry})
	if err != nil {
		f.t.Fatal(err)
	}
	return c
}

// relations returns all of the store.
func (f *fixture) relations() []hippo.Relation {
	f.t.Helper()
	var out []hippo.Relation
	for r, err := range f.store.In(hippo.LocalScope("")).AllRelations(f.t.Context()) {
		if err != nil {
			f.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// stored returns all memories of the store, by ID.
func (f *fixture) stored() []*hippo.Memory {
	f.t.Helper()
	var out []*hippo.Memory
	for m, err := range f.store.In(hippo.LocalScope("")).All(f.t.Context()) {
		if err != nil {
			f.t.Fatal(err)
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b *hippo.Memory) int { return a.ID.Compare(b.ID) })
	return out
}

// TestConsolidate_Constants: a plan has the constants of its call.
func TestConsolidate_Constants(t *testing.T) {
	t.Parallel()
	f, _ := openTidy(t)
	o := consolidate.Default()
	o.Archive.Below = 0
	c, err := upkeep.Consolidate(t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: api.Monthly, Constants: &o})
	if err != nil || c.Archived != 0 || c.Summarised == 0 {
		t.Errorf("archived %d below a surprise of 0, summarised %d (%v)", c.Archived, c.Summarised, err)
	}
	o.Archive.Below = 2
	if _, err = upkeep.Consolidate(t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: api.Monthly, Constants: &o}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a threshold of 2: %v", err)
	}
}

// TestConsolidate: a dry run proposes what the next run does, one operation does all of it, a second run does nothing, and an
// undo brings everything back.
func TestConsolidate(t *testing.T) {
	t.Parallel()
	f, _ := openTidy(t)
	before, related := f.stored(), f.relations()
	dry := f.consolidate(api.Monthly, true)
	if d := cmp.Diff(before, f.stored()); d != "" || !dry.DryRun || !dry.Operation.IsZero() {
		t.Errorf("a dry run has changed something: %s", d)
	}
	c := f.consolidate(api.Monthly, false)
	if c.Operation.IsZero() || c.Pruned != 1 || c.Linked != 1 || c.Summarised == 0 || c.Archived != 5 || c.Skipped != 0 || c.ConsolidationCounts != dry.ConsolidationCounts {
		t.Fatalf("got %+v, want what the dry run proposes: %+v", c, dry)
	}
	op, err := memory.Operations(t.Context(), f.Memories, api.Operations{})
	if err != nil || len(op.Operations) != 1 || op.Operations[0].ID != c.Operation || op.Operations[0].Verb != hippo.VerbConsolidate {
		t.Errorf("the history has %+v (%v)", op, err)
	}
	after, relatedAfter := f.stored(), f.relations()
	if again := f.consolidate(api.Monthly, false); again.ConsolidationCounts != (api.ConsolidationCounts{}) || !again.Operation.IsZero() {
		t.Errorf("a second run did %+v", again.ConsolidationCounts)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, c.Operation); err != nil {
		t.Fatal(err)
	}
	undone := slices.DeleteFunc(f.stored(), func(m *hippo.Memory) bool { return m.Type == consolidate.SummaryType && m.Forgotten() })
	later := cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt", "Revision")
	if d := cmp.Diff(before, undone, later) + cmp.Diff(related, f.relations()); d != "" {
		t.Errorf("after the undo: %s", d)
	}
	f.undo(f.archived(after)[0])
	if d := cmp.Diff(after, f.stored(), later) + cmp.Diff(relatedAfter, f.relations()); d != "" {
		t.Errorf("after the undo of the undo: %s", d)
	}
}

// archived returns the IDs of those that are.
func (*fixture) archived(ms []*hippo.Memory) (ids []hippo.ID) {
	for _, m := range ms {
		if m.Archived() {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// Archived memories are listed if they are asked for, and only then; a search that does not ask for them finds them behind the others, and
// a restore brings one back.
func TestConsolidate_Archived(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	c := f.consolidate(api.Monthly, false)
	ids := f.archived(f.stored())
	if len(ids) != c.Archived {
		t.Fatalf("%d are archived, want %d", len(ids), c.Archived)
	}
	relevance := make(map[hippo.ID][]float64)
	found := func(what string, ranker hippo.Ranker, filter hippo.Filter) (n int) {
		t.Helper()
		a := f.search(hippo.Query{Text: "gateway timeout", Count: 50, NoTouch: true, Ranker: ranker, Filter: filter, Relevance: &hippo.Range{Max: 10}})
		l, err := memory.List(t.Context(), f.Memories, api.List{Filter: filter, Count: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range a.Hits {
			if h.Memory.Archived() {
				relevance[h.Memory.ID] = append(relevance[h.Memory.ID], h.Relevance)
				n++
			}
		}
		listed := len(f.archived(l.Memories))
		labels, err := memory.Labels(t.Context(), f.Memories, filter)
		if err != nil || labels.Memories != l.Total || (listed == 0) == filter.Archived {
			t.Errorf("%s: %d archived hits, %d listed, %d of %d labels (%v)", what, n, listed, labels.Memories, l.Total, err)
		}
		return n
	}
	if n := found("bm25", hippo.RankerBM25, hippo.Filter{}); n != 0 {
		t.Errorf("ranker bm25 finds %d archived ones by default", n)
	}
	if n := found("default", "", hippo.Filter{}); n == 0 {
		t.Error("the default ranker finds no archived one")
	}
	if n := found("archived", "", hippo.Filter{Archived: true}); n == 0 {
		t.Error("none is found on request")
	}
	for id, x := range relevance {
		if len(x) != 2 || math.Abs(x[0]-rank.Archived*x[1]) > 1e-9 {
			t.Errorf("%s has the relevance %v by default and on request", id, x)
		}
	}
	b, err := query.Context(t.Context(), f.Memories, briefing.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Items {
		if slices.Contains(ids, i.Memory.ID) {
			t.Errorf("%s is in the session context", i.Memory.ID)
		}
	}
	if st, err := memory.Status(t.Context(), f.Memories); err != nil || st.Archived != len(ids) || st.Memories != len(all)+c.Summarised {
		t.Errorf("status: %d archived of %d (%v), want %d of %d", st.Archived, st.Memories, err, len(ids), len(all)+c.Summarised)
	}
	if ms, err := memory.Restore(t.Context(), f.Memories, ids[:1]); err != nil || ms[0].Archived() {
		t.Errorf("restored %+v (%v)", ms, err)
	}
	if st, err := memory.Status(t.Context(), f.Memories); err != nil || st.Archived != len(ids)-1 {
		t.Errorf("after a restore: %d archived (%v)", st.Archived, err)
	}
}

// An archived memory ranks behind only where one that is not archived says nearly the same.
func TestConsolidate_ArchivedUnsaid(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		other string
		want  float64
	}{
		{"gateway timeout keepalive frame idle", rank.Archived},
		{"gateway invoice ledger export currency tax rounding", 0},
	} {
		f := open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}, tokens: &embedtest.Tokens{}})
		gone, stays := turn(1, "", "gateway timeout keepalive frame idle connection"), turn(2, "", tc.other)
		gone.ArchivedAt = f.now()
		f.put(gone, stays)
		a := f.search(hippo.Query{Text: "gateway", NoTouch: true, Detail: hippo.Detail{Explain: true}})
		at := slices.IndexFunc(a.Hits, func(h hippo.Hit) bool { return h.Memory.ID == gone.ID })
		if at < 0 || a.Hits[at].Explanation.Factors.Archived != tc.want {
			t.Errorf("beside %q: hit %d of %+v, want the factor %v", tc.other, at, a.Hits, tc.want)
		}
	}
}

// Summaries of groups change no search of memories, neither its hits nor their relevance, and are no part of the session context.
// A search for their type finds them. What somebody recorded as a summary is a memory like others.
func TestConsolidate_SummariesChangeNoSearch(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	if _, err := memory.Forget(t.Context(), f.Memories, all[len(all)-1:]); err != nil { // what would be linked, which counts in searches
		t.Fatal(err)
	}
	q := hippo.Query{Text: "gateway timeout keepalive frame idle connection", Count: 50, NoTouch: true, Detail: hippo.Detail{Explain: true}}
	before := f.search(q)
	own := turn(300, "s", "gateway timeout keepalive frame idle connection")
	own.Type = hippo.SummaryType
	if c := f.consolidate(api.Weekly, false); len(before.Hits) == 0 || c.Summarised == 0 || c.Linked > 0 {
		t.Fatalf("%d hits, then %+v", len(before.Hits), c)
	}
	after := f.search(q)
	if d := cmp.Diff(before.Hits, after.Hits); d != "" || after.Total != before.Total {
		t.Errorf("%d and %d matches (-before +after):\n%s", before.Total, after.Total, d)
	}
	typed := q
	typed.Filter.Types = []string{hippo.SummaryType}
	if a := f.search(typed); len(a.Hits) == 0 || !a.Hits[0].Memory.IsSummary() {
		t.Errorf("summaries: %d hits, want those of the consolidation", len(a.Hits))
	}
	b, err := query.Context(t.Context(), f.Memories, briefing.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range b.Items {
		if i.Memory.IsSummary() {
			t.Errorf("%q is in the session context", i.Memory.Content)
		}
	}
	f.put(own)
	if h := f.search(q).Hits[0]; h.Memory.ID != own.ID {
		t.Errorf("the first hit is %q, want what was recorded as a summary", h.Memory.Content)
	}
}

// What was changed since makes an undo fail, which names it; what only uses, links or scores it does not. Purged members and
// summaries are left out.
func TestConsolidate_UndoAfterChanges(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	c := f.consolidate(api.Monthly, false)
	ids := f.archived(f.stored())
	summary := f.stored()[slices.IndexFunc(f.stored(), func(m *hippo.Memory) bool { return m.Type == consolidate.SummaryType })]
	if _, err := memory.Modify(t.Context(), f.Memories, ids[3], api.Change{Pinned: new(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, c.Operation); !errors.Is(err, hippo.ErrConflict) || !strings.Contains(err.Error(), ids[3].Short()) {
		t.Errorf("an undo after a change: %v", err)
	}
	f.undo(ids[3])
	// The better one of two copies has only a link: its change does not matter.
	if _, err := memory.Modify(t.Context(), f.Memories, all[len(all)-1], api.Change{Tags: &[]string{"x"}}); err != nil && !slices.Contains(ids, all[len(all)-1]) {
		t.Fatal(err)
	}
	if slices.Contains(ids, all[len(all)-1]) {
		f.undo(all[len(all)-1])
	}
	if err := memory.Purge(t.Context(), f.Memories, []hippo.ID{ids[0], summary.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, c.Operation); err != nil {
		t.Fatal(err)
	}
	if left := f.archived(f.stored()); len(left) != 0 {
		t.Errorf("%d are still archived", len(left))
	}
}

// A horizon that is not known, a caller without rights, and stores with nothing to do.
func TestConsolidate_BadInput(t *testing.T) {
	t.Parallel()
	f, _ := openTidy(t)
	field, ok := errors.AsType[*hippo.FieldError](func() error {
		_, err := upkeep.Consolidate(t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: "hourly"})
		return err
	}())
	if !ok || field.Field != "horizon" {
		t.Errorf("got %v, want an error about the horizon", field)
	}
	reader := f.In(hippo.Scope{Rights: hippo.RightRead})
	if _, err := upkeep.Consolidate(t.Context(), reader, upkeep.ConsolidateOptions{Horizon: api.Daily}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without the right to write: %v", err)
	}
	if _, err := upkeep.Consolidate(t.Context(), reader, upkeep.ConsolidateOptions{Horizon: api.Daily, DryRun: true}); err != nil {
		t.Errorf("a dry run without the right to write: %v", err)
	}
	for _, n := range []int{0, 1} {
		f := open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}})
		for i := range n {
			f.put(f.noted(i, "gateway"))
		}
		for _, h := range api.Horizons() {
			if c := f.consolidate(h, false); c.Memories != n || c.ConsolidationCounts != (api.ConsolidationCounts{}) {
				t.Errorf("%s of %d memories: %+v", h, n, c)
			}
		}
	}
}

// More equal memories than a run may link: it links as many as it may, summarises and archives nothing, and is undone. Package consolidate
// plans for a hundred thousand.
func TestConsolidate_EqualMemories(t *testing.T) {
	t.Parallel()
	const n = 1500
	f := open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}})
	ms := make([]*hippo.Memory, n)
	for i := range ms {
		ms[i] = &hippo.Memory{
			ID: hippo.ID{0: 1, 12: byte(i >> 16), 13: byte(i >> 8), 14: byte(i), 15: 1}, Content: "the gateway has a timeout of thirty seconds", Trust: hippo.TrustNormal,
			CreatedAt: f.now().AddDate(0, 0, -60).Add(time.Duration(i) * time.Second), Surprise: hippo.Surprise{Score: .1},
			Importance: hippo.Importance{Base: .5, Value: .5}, Source: hippo.Source{Kind: hippo.SourceAgent},
		}
	}
	f.put(ms...)
	o := consolidate.Default()
	o.Duplicates.Links = 1000
	c, err := upkeep.Consolidate(t.Context(), f.Memories, upkeep.ConsolidateOptions{Horizon: api.Weekly, Constants: &o})
	if err != nil || c.Memories != n || c.Linked != o.Duplicates.Links || c.Left != n-1-c.Linked || c.Summarised+c.Archived+c.Skipped != 0 {
		t.Fatalf("%d equal memories: %+v (%v)", n, c, err)
	}
	if _, err := memory.Undo(t.Context(), f.Memories, c.Operation); err != nil || len(f.relations()) != 0 {
		t.Fatalf("after the undo %d relations (%v)", len(f.relations()), err)
	}
}

// A clock that jumps by years, forwards or back, makes no run archive what was used or is new to the store.
func TestConsolidate_ClockJumps(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	f.search(hippo.Query{Text: "gateway timeout", Count: 50})
	f.search(hippo.Query{Text: "invoice ledger", Count: 50})
	f.advance(1, 0)
	f.search(hippo.Query{Text: "gateway timeout", Count: 50})
	f.search(hippo.Query{Text: "invoice ledger", Count: 50})
	f.advance(20*365, 0)
	if c := f.consolidate(api.Yearly, false); c.Archived != 0 {
		t.Errorf("twenty years later %d are archived that were used on the last active day", c.Archived)
	}
	f.advance(-40*365, 0)
	for _, h := range api.Horizons() {
		if c := f.consolidate(h, false); c.Archived != 0 {
			t.Errorf("%s, twenty years before: %d of %d are archived", h, c.Archived, len(all))
		}
	}
}

// Surprise is computed of what has none, so that it takes part some day.
func TestConsolidate_Rescores(t *testing.T) {
	t.Parallel()
	f := open(t, options{models: []embedding.Model{instant(embedtest.NewWords("w"))}, surprise: engine.Surprise{Options: surprise.Default(surprise.Nearest)}})
	for n := range 6 {
		m := f.noted(n, "gateway timeout")
		m.Surprise = hippo.Surprise{}
		f.put(m)
	}
	if err := upkeep.Scored(t.Context(), f.Memories); err != nil {
		t.Fatal(err)
	}
	c := f.consolidate(api.Weekly, false)
	for _, m := range f.stored() {
		if m.Surprise.Score == 0 && m.Type != consolidate.SummaryType {
			t.Errorf("%s has no surprise after %+v", m.ID.Short(), c)
		}
	}
}

func TestClusters(t *testing.T) {
	t.Parallel()
	f, all := openTidy(t)
	c, err := upkeep.ClustersOf(t.Context(), f.Memories)
	if err != nil || c.Memories != len(all) || len(c.Topics) < 2 || len(c.Groups) < len(c.Topics) {
		t.Fatalf("got %+v (%v)", c, err)
	}
	n := 0
	for _, x := range c.Topics {
		n += len(x.Members)
	}
	if n != len(all) {
		t.Errorf("%d memories are in a topic, want %d", n, len(all))
	}
}
