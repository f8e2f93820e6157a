package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// span is when something holds, as hours since the beginning; 0: no bound.
type span struct{ from, until int }

// holds is the rule for validity, written down again.
func (s span) holds(hour int) bool {
	return (s.from == 0 || s.from <= hour) && (s.until == 0 || hour < s.until)
}

// meets reports whether both hold in some hour of the history.
func (s span) meets(other span) bool {
	for hour := range 26 {
		if s.holds(hour) && other.holds(hour) {
			return true
		}
	}
	return false
}

// naiveMemory and naiveState are what a history has made, without any of the machinery.
type naiveMemory struct {
	content   string
	span      span
	forgotten bool
	by        hippo.ID // what supersedes it
	// gave are the ends, by memory, of what it superseded until it was forgotten. The map is never changed.
	gave map[hippo.ID]int
}

type naiveState struct {
	memories map[hippo.ID]naiveMemory
	// relations are the periods of each, by their beginnings; the lists are never changed.
	relations map[[2]hippo.ID][]span
}

func (s naiveState) clone() naiveState {
	return naiveState{maps.Clone(s.memories), maps.Clone(s.relations)}
}

// chronicle is a random history: the engine, the naive model, and what the model was after each step.
type chronicle struct {
	*fixture
	r     *rand.Rand
	begin time.Time
	state naiveState
	at    []time.Time
	past  []naiveState
	n     int
}

func (c *chronicle) hour(h int) time.Time {
	if h == 0 {
		return time.Time{}
	}
	return c.begin.Add(time.Duration(h) * time.Hour)
}

// drawSpan returns a time in which something holds, which may be no time at all.
func (c *chronicle) drawSpan() span {
	return span{c.r.IntN(2) * (1 + c.r.IntN(20)), c.r.IntN(2) * (1 + c.r.IntN(24))}
}

// anyID returns one of the memories, or the zero ID.
func (c *chronicle) anyID() hippo.ID {
	ids := slices.SortedFunc(maps.Keys(c.state.memories), hippo.ID.Compare)
	if len(ids) == 0 {
		return hippo.ID{}
	}
	return ids[c.r.IntN(len(ids))]
}

func (c *chronicle) record(old ...hippo.ID) error {
	c.n++
	s := c.drawSpan()
	if len(old) > 0 {
		s = span{1 + c.r.IntN(20), 0}
	}
	m := &hippo.Memory{Content: fmt.Sprintf("fact %d", c.n), ValidFrom: c.hour(s.from), ValidUntil: c.hour(s.until), Importance: hippo.Importance{Base: .5}}
	m, err := memory.Record(c.t.Context(), c.Memories, m, old...)
	if err != nil {
		return err
	}
	for _, id := range old {
		o := c.state.memories[id]
		if o.by = m.ID; o.span.until == 0 || s.from < o.span.until {
			o.span.until = s.from
		}
		c.state.memories[id] = o
	}
	c.state.memories[m.ID] = naiveMemory{content: m.Content, span: s}
	return nil
}

func (c *chronicle) change(id hippo.ID) error {
	o := c.state.memories[id]
	if c.r.IntN(2) == 0 {
		c.n++
		o.content = fmt.Sprintf("fact %d", c.n)
		_, err := memory.Modify(c.t.Context(), c.Memories, id, api.Change{Content: &o.content})
		if err == nil {
			c.state.memories[id] = o
		}
		return err
	}
	o.span.until = 1 + c.r.IntN(24)
	until := c.hour(o.span.until)
	_, err := memory.Modify(c.t.Context(), c.Memories, id, api.Change{ValidUntil: &until})
	if err == nil {
		c.state.memories[id] = o
	}
	return err
}

func (c *chronicle) hide(id hippo.ID, hidden bool) error {
	verb := memory.Restore
	if hidden {
		verb = memory.Forget
	}
	_, err := verb(c.t.Context(), c.Memories, []hippo.ID{id})
	o := c.state.memories[id]
	if err != nil || o.forgotten == hidden {
		return err
	}
	if o.forgotten = hidden; hidden {
		o.gave = c.giveBack(id, o)
	} else {
		c.takeBack(id, o)
		o.gave = nil
	}
	c.state.memories[id] = o
	return nil
}

// giveBack makes hold again what a memory supersedes, until what supersedes that, and returns when it ended.
func (c *chronicle) giveBack(id hippo.ID, o naiveMemory) map[hippo.ID]int {
	gave := map[hippo.ID]int{}
	for former, x := range c.state.memories {
		if x.by != id {
			continue
		}
		gave[former] = x.span.until
		if x.by = o.by; x.span.until == o.span.from {
			if x.span.until = 0; !o.by.IsZero() {
				x.span.until = o.span.until
			}
		}
		c.state.memories[former] = x
	}
	return gave
}

// takeBack ends what a memory superseded, unless something else supersedes that since.
func (c *chronicle) takeBack(id hippo.ID, o naiveMemory) {
	for former, until := range o.gave {
		x := c.state.memories[former]
		if !x.by.IsZero() && x.by != o.by {
			continue
		}
		if x.by = id; x.span.until == 0 || until != 0 && until < x.span.until {
			x.span.until = until
		}
		c.state.memories[former] = x
	}
}

func (c *chronicle) link(a, b hippo.ID) error {
	r, key := hippo.Relation{From: a, To: b, Kind: "near", Weight: 1}, [2]hippo.ID{a, b}
	list := []hippo.Relation{r}
	switch c.r.IntN(4) {
	case 0:
		until := 1 + c.r.IntN(24)
		if _, err := knowledge.EndRelations(c.t.Context(), c.Memories, api.EndRelations{Relations: list, At: c.hour(until)}); err != nil {
			return err
		}
		periods, last := slices.Clone(c.state.relations[key]), 0
		for i, s := range periods {
			if s.from < until {
				last = i
			}
		}
		periods[last].until = until
		c.state.relations[key] = periods
	case 1:
		if err := knowledge.Unrelate(c.t.Context(), c.Memories, list); err != nil {
			return err
		}
		delete(c.state.relations, key)
	default:
		s := c.drawSpan()
		list[0].ValidFrom, list[0].ValidUntil = c.hour(s.from), c.hour(s.until)
		if _, err := knowledge.Relate(c.t.Context(), c.Memories, list); err != nil {
			return err
		}
		periods := slices.DeleteFunc(slices.Clone(c.state.relations[key]), s.meets)
		c.state.relations[key] = slices.SortedFunc(slices.Values(append(periods, s)), func(a, b span) int { return a.from - b.from })
	}
	return nil
}

// step does something at random, which may be refused: then nothing has changed.
func (c *chronicle) step() {
	c.advance(0, time.Minute)
	id := c.anyID()
	var err error
	switch c.r.IntN(8) {
	case 0, 1:
		err = c.record()
	case 2:
		err = c.record(id)
	case 3:
		err = c.change(id)
	case 4:
		err = c.hide(id, c.r.IntN(2) == 0)
	default:
		err = c.link(id, c.anyID())
	}
	if err != nil && !errors.Is(err, hippo.ErrInvalid) && !errors.Is(err, hippo.ErrConflict) && !errors.Is(err, hippo.ErrNotFound) {
		c.t.Fatal(err)
	}
	c.at, c.past = append(c.at, c.now()), append(c.past, c.state.clone())
}

// check compares what every way to read says of a moment with the model.
func (c *chronicle) check(known time.Time, s naiveState, hour int) {
	at := hippo.Moment{ValidAt: c.hour(hour), KnownAt: known}
	var want []string
	for _, m := range s.memories {
		if !m.forgotten && m.span.holds(hour) {
			want = append(want, m.content)
		}
	}
	slices.Sort(want)
	filter := hippo.Filter{Moment: at}
	l, err := memory.List(c.t.Context(), c.Memories, api.List{Filter: filter, Count: 100})
	if err != nil {
		c.t.Fatal(err)
	}
	var listed []string
	for _, m := range l.Memories {
		listed = append(listed, m.Content)
	}
	slices.Sort(listed)
	if d := cmp.Diff(want, listed); d != "" {
		c.t.Fatalf("list at %+v: %s", at, d)
	}
	found := contents(c.search(hippo.Query{Text: "fact", Filter: filter, Count: 100, Relevance: &hippo.Range{Max: 1}}))
	slices.Sort(found)
	if d := cmp.Diff(want, found); d != "" {
		c.t.Fatalf("search at %+v: %s", at, d)
	}
	c.checkByID(at, s, hour)
}

// checkByID compares a memory and its relations with the model.
func (c *chronicle) checkByID(at hippo.Moment, s naiveState, hour int) {
	id := c.anyID()
	m, there := s.memories[id]
	read, err := query.GetAt(c.t.Context(), c.Memories, api.Get{IDs: []hippo.ID{id}, At: at})
	if want := there && m.span.holds(hour); (err == nil) != want || err == nil && (read.Memories[0].Content != m.content || read.Memories[0].Forgotten() != m.forgotten) {
		c.t.Fatalf("get at %+v: %v (%v), want %v %+v", at, read, err, want, m)
	}
	if !there {
		return
	}
	want := make(map[[2]hippo.ID]bool)
	for key, periods := range s.relations {
		holds := slices.ContainsFunc(periods, func(p span) bool { return p.holds(hour) })
		if (key[0] == id || key[1] == id) && holds && !s.memories[key[0]].forgotten && !s.memories[key[1]].forgotten {
			want[key] = true
		}
	}
	list, err := knowledge.ListRelations(c.t.Context(), c.Memories, api.Relations{IDs: []hippo.ID{id}, At: at})
	if err != nil {
		c.t.Fatal(err)
	}
	got := make(map[[2]hippo.ID]bool)
	for _, r := range list {
		got[[2]hippo.ID{r.From, r.To}] = true
	}
	if d := cmp.Diff(want, got); d != "" {
		c.t.Fatalf("relations at %+v: %s", at, d)
	}
}

// TestKnownAt_AsANaiveModel: of random histories, every way to read says for any two times, when it was known and when it held,
// what a model says that keeps a copy of everything.
func TestKnownAt_AsANaiveModel(t *testing.T) {
	t.Parallel()
	histories := 1000
	if testing.Short() {
		histories = 50
	}
	for n := range histories {
		f := open(t, options{})
		c := &chronicle{fixture: f, r: rand.New(rand.NewPCG(uint64(n), 7)), begin: f.now(), state: naiveState{map[hippo.ID]naiveMemory{}, map[[2]hippo.ID][]span{}}}
		for len(c.state.memories) == 0 {
			c.step()
		}
		for range 4 + c.r.IntN(12) {
			c.step()
		}
		for range 3 {
			i := c.r.IntN(len(c.at))
			known := c.at[i].Add(time.Duration(c.r.IntN(60)) * time.Second)
			c.check(known, c.past[i], 1+c.r.IntN(24))
		}
		f.end()
	}
}

// What the history does not reach is as of the oldest version that is kept, and the answer says so.
func TestKnownAt_SaysWhereTheHistoryEnds(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id, other := f.record("port 0", .5), f.record("sewing", .5)
	f.advance(0, time.Minute)
	known := f.now()
	for n := range hippo.DefaultRetention().Versions + 2 {
		f.advance(0, time.Minute)
		f.modify(id, api.Change{Content: new(fmt.Sprintf("port %d", n+1))})
	}
	a := f.search(hippo.Query{Text: "port", Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: known}}})
	if len(a.Hits) != 1 || a.Hits[0].Memory.Content != "port 2" || len(a.Degraded) != 1 {
		t.Errorf("found %q, %q", contents(a), a.Degraded)
	}
	if now := f.search(hippo.Query{Text: "port"}); contents(now)[0] != "port 22" {
		t.Errorf("now %q", contents(now))
	}
	if got := f.get(id); len(got.Accesses) != 1 {
		t.Errorf("the uses are %+v", got.Accesses)
	}
	for _, x := range []struct {
		id   hippo.ID
		note string
	}{{id, "the history of 1 memory does not reach back to " + known.Format(time.RFC3339) + ": it is as of the oldest version that is kept"}, {other, ""}} {
		got, err := query.GetAt(t.Context(), f.Memories, api.Get{IDs: []hippo.ID{x.id}, At: hippo.Moment{KnownAt: known}})
		if err != nil || strings.Join(got.Degraded, "; ") != x.note {
			t.Errorf("read by its id: %+v (%v), want %q", got, err, x.note)
		}
	}
	if l, err := knowledge.ListEntities(t.Context(), f.Memories, api.ListEntities{KnownAt: known}); err != nil || len(l.Degraded) != 1 || l.Degraded[0] != a.Degraded[0] {
		t.Errorf("entities: %+v (%v), want %q", l, err, a.Degraded)
	}
	early := f.search(hippo.Query{Text: "port", Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: known.AddDate(0, 0, -1)}}})
	if len(early.Hits) != 0 {
		t.Errorf("before it was recorded: %q", contents(early))
	}
	later := f.search(hippo.Query{Text: "port", Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: f.now().AddDate(1, 0, 0)}}})
	if len(later.Hits) != 1 {
		t.Errorf("in the future: %q", contents(later))
	}
}

// What a caller may not see now is not seen in the past either: neither a memory of another project, nor its relations, nor how many
// there are whose history ends.
func TestKnownAt_WithinTheScope(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	mine := f.note(hippo.Memory{Content: "port 80", Project: "p"})
	hidden := f.note(hippo.Memory{Content: "port of the other project", Project: "q"})
	f.declare(hippo.Relation{From: mine.ID, To: hidden.ID, Kind: "near", Weight: 1})
	f.advance(0, time.Minute)
	at := hippo.Moment{KnownAt: f.now()}
	f.advance(0, time.Minute)
	for n := range hippo.DefaultRetention().Versions + 2 {
		f.modify(hidden.ID, api.Change{Content: new(fmt.Sprintf("port %d of the other project", n))})
	}
	f.modify(mine.ID, api.Change{Content: new("port 81")})
	if err := knowledge.Unrelate(t.Context(), f.Memories, []hippo.Relation{{From: mine.ID, To: hidden.ID, Kind: "near"}}); err != nil {
		t.Fatal(err)
	}
	m := f.In(hippo.Scope{Projects: []string{"p"}, Rights: hippo.RightRead})
	a, err := query.Search(t.Context(), m, hippo.Query{Text: "port", Filter: hippo.Filter{Moment: at}})
	if err != nil || len(a.Hits) != 1 || a.Hits[0].Memory.Content != "port 80" || a.Degraded != nil {
		t.Errorf("found %+v (%v)", a, err)
	}
	if list, err := knowledge.ListRelations(t.Context(), m, api.Relations{IDs: []hippo.ID{mine.ID}, At: at}); err != nil || list != nil {
		t.Errorf("relations %v (%v)", list, err)
	}
	if _, err := query.GetAt(t.Context(), m, api.Get{IDs: []hippo.ID{hidden.ID}, At: at}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("the hidden one: %v", err)
	}
	if _, err := query.Search(t.Context(), f.In(hippo.Scope{}), hippo.Query{Filter: hippo.Filter{Moment: at}}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without rights: %v", err)
	}
}

func BenchmarkKnownAt(b *testing.B) {
	f := open(b, options{})
	var ids []hippo.ID
	for range 10_000 {
		ids = append(ids, f.record("port 80 of a gateway", .5))
	}
	at := f.now()
	f.advance(0, time.Second)
	for n := range 1_000 {
		f.advance(0, time.Second)
		f.modify(ids[n], api.Change{Content: new(fmt.Sprintf("port %d", n))})
	}
	b.ResetTimer()
	for b.Loop() {
		f.search(hippo.Query{Text: "gateway", Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: at}}})
	}
}
