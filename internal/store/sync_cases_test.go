package store_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// synced returns an in-memory store with sync on, its back end and its clock.
func synced(t *testing.T) (*store.Store, driver.Backend, *clock) {
	t.Helper()
	c, b := start(), memstore.New(nil)
	s := store.New(b, &store.Options{Now: c.now, Zone: time.UTC, Cast: castSimply})
	if err := store.EnableSync(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s, b, c
}

// segments returns the segments that from has and to lacks. It returns all segments if to is nil.
func segments(t *testing.T, from, to *store.Store) (list []*entry.Segment) {
	t.Helper()
	var seen entry.Vector
	if to != nil {
		var err error
		if _, seen, err = store.Replica(t.Context(), to); err != nil {
			t.Fatal(err)
		}
	}
	return segmentsAfter(t, from, seen)
}

func segmentsAfter(t *testing.T, from *store.Store, seen entry.Vector) (list []*entry.Segment) {
	t.Helper()
	for s, err := range store.Segments(t.Context(), from, seen) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func join(t *testing.T, to *store.Store, list ...*entry.Segment) store.Joined {
	t.Helper()
	joined, err := store.Join(t.Context(), to, list)
	if err != nil {
		t.Fatal(err)
	}
	return joined
}

// give sends a store every entry of another store that it lacks.
func give(t *testing.T, from, to *store.Store) store.Joined {
	t.Helper()
	return join(t, to, segments(t, from, to)...)
}

func edit(t *testing.T, s *store.Store, id hippo.ID, fn func(m *hippo.Memory)) {
	t.Helper()
	if _, err := local(s).Update(t.Context(), []hippo.ID{id}, func(m *hippo.Memory, _ hippo.Day) error { fn(m); return nil }); err != nil {
		t.Fatal(err)
	}
}

func setText(text string) func(m *hippo.Memory) { return func(m *hippo.Memory) { m.Content = text } }

// oneOnTwo returns two stores that share one memory.
func oneOnTwo(t *testing.T) (a, b *store.Store, id hippo.ID) {
	t.Helper()
	a, _, _ = synced(t)
	b, _, _ = synced(t)
	m := memory("first")
	add(t, a, m)
	give(t, a, b)
	return a, b, m.ID
}

func TestJoin_conflict_is_kept_and_undone(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	edit(t, a, id, setText("by a"))
	edit(t, b, id, setText("by b"))
	if j := give(t, a, b); !slices.Equal(j.Conflicts, []hippo.ID{id}) {
		t.Errorf("no conflict: %+v", j)
	}
	give(t, b, a)
	shown := get(t, a, id).Content
	if other := get(t, b, id).Content; shown != other {
		t.Fatalf("a shows %q, b %q", shown, other)
	}
	lost := map[string]string{"by a": "by b", "by b": "by a"}[shown]
	for name, s := range map[string]*store.Store{"a": a, "b": b} {
		ops, err := store.Operations(t.Context(), local(s), driver.OperationQuery{Limit: 1})
		if err != nil || len(ops) != 1 || ops[0].Verb != hippo.VerbSync || !strings.Contains(ops[0].Reason, "text") {
			t.Fatalf("%s: %+v, %v", name, ops, err)
		}
		vs, err := store.Versions(t.Context(), local(s), driver.VersionQuery{Operation: ops[0].ID})
		if err != nil || len(vs) != 1 || vs[0].Before.Content != lost {
			t.Errorf("%s keeps %+v, %v, want %q", name, vs, err, lost)
		}
	}
	ops, err := store.Operations(t.Context(), local(a), driver.OperationQuery{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Undo(t.Context(), local(a), ops[0].ID, nil, nil); err != nil {
		t.Fatal(err)
	}
	if j := give(t, a, b); len(j.Conflicts) > 0 || get(t, b, id).Content != lost {
		t.Errorf("after the undo b has %q, conflicts %v", get(t, b, id).Content, j.Conflicts)
	}
	if j := give(t, b, a); j.Entries > 0 || len(j.Changed) > 0 {
		t.Errorf("nothing is left to exchange, and %+v", j)
	}
}

func TestJoin_equal_changes_are_no_conflict(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	edit(t, b, id, setText("between"))
	for _, s := range []*store.Store{a, b} {
		edit(t, s, id, setText("the same"))
	}
	if j := give(t, a, b); len(j.Conflicts) > 0 {
		t.Errorf("a conflict: %+v", j)
	}
}

func TestJoin_forgotten_and_edited(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(m *hippo.Memory){
		"an edit": setText("edited"),
		"an upvote": func(m *hippo.Memory) {
			castSimply(m, hippo.Feedback{Kind: hippo.FeedbackUp, Day: 1, Former: &hippo.Former{At: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}})
		},
	} {
		a, b, id := oneOnTwo(t)
		edit(t, a, id, change)
		edit(t, b, id, func(m *hippo.Memory) { m.ForgottenAt = time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC) })
		j := give(t, a, b)
		give(t, b, a)
		if get(t, a, id).Forgotten() || get(t, b, id).Forgotten() || len(j.Conflicts) != 1 {
			t.Errorf("%s that was not seen stays forgotten; conflicts %v", name, j.Conflicts)
		}
		edit(t, b, id, func(m *hippo.Memory) { m.ForgottenAt = time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC) })
		edit(t, b, id, setText("edited while it is forgotten"))
		if give(t, b, a); !get(t, a, id).Forgotten() {
			t.Errorf("%s that was seen brings it back", name)
		}
	}
}

func TestJoin_purged_stays_purged(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	c, _, _ := synced(t)
	exported := get(t, a, id)
	edit(t, b, id, setText("a secret"))
	if err := local(a).Purge(t.Context(), []hippo.ID{id}); err != nil {
		t.Fatal(err)
	}
	give(t, a, b)
	give(t, a, c) // c never had the memory
	give(t, b, a)
	for name, s := range map[string]*store.Store{"a": a, "b": b, "c": c} {
		if ms, err := s.Get(t.Context(), []hippo.ID{id}); err != nil || len(ms) > 0 {
			t.Errorf("%s has it: %v", name, err)
		}
		for _, one := range segments(t, s, nil) {
			for _, e := range one.Entries {
				if line := string(e.Line()); strings.Contains(line, "first") || strings.Contains(line, "secret") {
					t.Errorf("%s: %s", name, line)
				}
			}
		}
		out, err := local(s).Import(t.Context(), driver.Calendar{}, []*hippo.Memory{exported.Clone()})
		if err != nil || !slices.Equal(out, []store.Outcome{store.Purged}) {
			t.Errorf("%s: an import brings it back: %v, %v", name, out, err)
		}
	}
}

func TestJoin_relation_waits_for_its_end(t *testing.T) {
	t.Parallel()
	a, _, _ := synced(t)
	b, back, _ := synced(t)
	x, y := memory("x"), memory("y")
	add(t, a, x)
	first := segments(t, a, nil)
	add(t, a, y)
	if _, err := local(a).Relate(t.Context(), []hippo.Relation{{From: y.ID, To: x.ID, Kind: "explains", Weight: .5}}, nil); err != nil {
		t.Fatal(err)
	}
	all := segments(t, a, nil)
	later := &entry.Segment{Replica: all[0].Replica, From: 2, To: 3, Vector: entry.Vector{}, Entries: all[0].Entries[1:]}
	count := func() (n int) {
		for _, err := range back.AllRelations(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	if join(t, b, later); count() != 0 || get(t, b, y.ID).Content != "y" {
		t.Errorf("%d relations before the end is there", count())
	}
	if _, seen, err := store.Replica(t.Context(), b); err != nil || len(seen) > 0 {
		t.Errorf("the vector says that the gap was seen: %v, %v", seen, err)
	}
	if join(t, b, first...); count() != 1 {
		t.Errorf("%d relations, want one", count())
	}
	if j := give(t, a, b); j.Entries != 2 || len(j.Changed) > 0 {
		t.Errorf("what came after the gap is asked for again, and changes nothing: %+v", j)
	}
}

func TestJoin_only_the_default_namespace(t *testing.T) {
	t.Parallel()
	a, back, _ := synced(t)
	x, y := memory("x"), memory("y")
	add(t, a, x, y)
	other := memory("of a tenant")
	other.Namespace = "tenant"
	add(t, a, other)
	if err := a.Reinforce(t.Context(), []hippo.Relation{hippo.CoRecall(x.ID, y.ID)}, false, func(_, _ hippo.Relation, _ time.Time) float64 { return .5 }); err != nil {
		t.Fatal(err)
	}
	for _, one := range segments(t, a, nil) {
		for _, e := range one.Entries {
			if e.Subject == other.ID || slices.ContainsFunc(e.Names(), func(name string) bool { return strings.HasPrefix(name, "relation:") }) {
				t.Errorf("is exchanged: %s", e.Line())
			}
		}
	}
	_ = back
}

func TestJoin_passes_on_what_it_does_not_know(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	_, seen, err := store.Replica(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	stream := `{"format":1,"replica":"cccccccccccccccccccccccccccccccc","from":1,"to":3,"vector":{}}
{"n":1,"t":"019acfe600000000","id":"` + id.String() + `","p":{"mood":  {"b":1,"a":[1.50]}},"later":"x"}
{"n":2,"t":"019acfe600010000","p":{"alias:x":"y"}}
{"n":3,"t":"7acfe60000010000","id":"` + id.String() + `","p":{"text":{"content":"` + strings.Repeat("x", hippo.MaxContent+1) + `","version":9}}}
`
	var list []*entry.Segment
	for s, err := range entry.Read(strings.NewReader(stream)) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	if j := join(t, a, list...); !slices.Equal(j.Invalid, []hippo.ID{id}) || get(t, a, id).Content != "first" {
		t.Errorf("a text that is too long: %+v, %.20q", j, get(t, a, id).Content)
	}
	var lines []string
	give(t, a, b)
	for _, one := range segmentsAfter(t, b, seen) {
		for _, e := range one.Entries {
			lines = append(lines, string(e.Line()))
		}
	}
	if got := strings.Join(lines, "\n"); !strings.Contains(stream, got) || len(lines) != 3 {
		t.Errorf("b passes on %.300s", got)
	}
	edit(t, b, id, setText("an edit repairs it"))
	if j := give(t, b, a); get(t, a, id).Content != "an edit repairs it" || len(j.Invalid) > 0 {
		t.Errorf("%+v, %.20q", j, get(t, a, id).Content)
	}
}

func TestJoin_writes_of_a_program_are_exchanged(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	h, err := store.Hold(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, h.Store, id, setText("by a program"))
	if j := give(t, a, b); j.Entries > 0 {
		t.Errorf("what is held back is exchanged: %+v", j)
	}
	if err := h.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if give(t, a, b); get(t, b, id).Content != "by a program" {
		t.Errorf("b has %q", get(t, b, id).Content)
	}
}

func TestJoin_own_id_in_use_elsewhere(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	own, _, err := store.Replica(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := &entry.Entry{Dot: entry.Dot{Origin: own, Seq: 2}, Time: 1, Subject: id}
	elsewhere.Set("tags", json.RawMessage(`{"tags":["by a clone"],"version":2}`))
	clone := &entry.Segment{Replica: own, From: 2, To: 2, Vector: entry.Vector{}, Entries: []*entry.Entry{elsewhere}}
	join(t, b, clone)
	if j := give(t, b, a); !j.Renewed || !slices.Equal(get(t, a, id).Tags, []string{"by a clone"}) {
		t.Errorf("%+v, tags %q", j, get(t, a, id).Tags)
	}
	edit(t, a, id, setText("after it"))
	give(t, a, b)
	if now, _, _ := store.Replica(t.Context(), a); now == own || get(t, b, id).Content != "after it" {
		t.Errorf("a is %v, b has %q", now, get(t, b, id).Content)
	}
}

func TestEnableSync_of_stores_with_the_same_memory(t *testing.T) {
	t.Parallel()
	ca, cb := start(), start()
	a, b := open(t, ca), open(t, cb)
	m := memory("from the same transcript")
	m.ID = hippo.ID{0: 7, 15: 1}
	for _, s := range []*store.Store{a, b} {
		add(t, s, m.Clone())
	}
	cb.advance(3)
	edit(t, b, m.ID, setText("edited three days later"))
	cb.advance(-3)
	ca.advance(10) // a enables sync later than b
	for _, s := range []*store.Store{b, a} {
		if err := store.EnableSync(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	give(t, a, b)
	give(t, b, a)
	for name, s := range map[string]*store.Store{"a": a, "b": b} {
		if got := get(t, s, m.ID).Content; got != "edited three days later" {
			t.Errorf("%s shows %q", name, got)
		}
	}
	if err := store.DisableSync(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	edit(t, a, m.ID, setText("alone again"))
	if err := store.EnableSync(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if give(t, a, b); get(t, b, m.ID).Content != "alone again" {
		t.Errorf("what was changed while a was alone: b has %q", get(t, b, m.ID).Content)
	}
}

func TestCopy_of_a_file_is_another_replica(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	openFile := func(name string) (*store.Store, *sqlitestore.Store) {
		b, err := sqlitestore.Open(t.Context(), filepath.Join(dir, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		s := store.New(b, &store.Options{Now: start().now, Zone: time.UTC})
		t.Cleanup(func() { _ = s.Close() })
		return s, b
	}
	a, back := openFile("a.db")
	if err := store.EnableSync(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	m := memory("before the copy")
	add(t, a, m)
	if err := back.CopyTo(t.Context(), filepath.Join(dir, "b.db")); err != nil {
		t.Fatal(err)
	}
	b, _ := openFile("b.db")
	x, y := memory("in the original"), memory("in the copy")
	add(t, a, x)
	add(t, b, y)
	give(t, a, b)
	give(t, b, a)
	one, seenByA, errA := store.Replica(t.Context(), a)
	other, seenByB, errB := store.Replica(t.Context(), b)
	if errA != nil || errB != nil || one == other || len(seenByA) != 2 || len(seenByB) != 2 {
		t.Errorf("a is %v and has seen %v, b is %v and has seen %v; %v %v", one, seenByA, other, seenByB, errA, errB)
	}
	for _, s := range []*store.Store{a, b} {
		for _, want := range []*hippo.Memory{m, x, y} {
			if got := get(t, s, want.ID); got.Content != want.Content {
				t.Errorf("got %q, want %q", got.Content, want.Content)
			}
		}
	}
}

func TestJoin_uses_add_up(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	use := func(s *store.Store, n int) {
		t.Helper()
		day, err := s.Today(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := store.Touch(t.Context(), s, day, map[hippo.ID]int{id: n}); err != nil {
			t.Fatal(err)
		}
	}
	total := func(s *store.Store) (n int) {
		for _, access := range get(t, s, id).Accesses {
			n += access.Count
		}
		return n
	}
	before := get(t, b, id).Revision
	use(a, 2)
	use(b, 3)
	use(a, 5)
	for range 2 {
		give(t, a, b)
		give(t, b, a)
	}
	if total(a) != 1+10 || total(b) != 1+10 {
		t.Errorf("a counts %d, b %d, want 11", total(a), total(b))
	}
	if got := get(t, b, id).Revision; got != before {
		t.Errorf("uses have a revision: %d after %d", got, before)
	}
	c, _, _ := synced(t)
	if give(t, a, c); total(c) != 11 {
		t.Errorf("a store that is new counts %d, want 11", total(c))
	}
}

// TestWrites_pass_one_function looks for writes that bypass write, because other replicas would never receive them.
func TestWrites_pass_one_function(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{"replicate.go": true, "sync.go": true, "join.go": true, "renew.go": true}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") || allowed[name] {
			continue
		}
		for _, call := range []string{"driver.Write(", "backend.Write("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s calls %s) in place of write()", name, call)
			}
		}
	}
}

func TestSegments_do_not_pile_up(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	back, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := store.New(back, &store.Options{Now: start().now, Zone: time.UTC})
	t.Cleanup(func() { _ = a.Close() })
	if err := store.EnableSync(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	b, _, _ := synced(t)
	m := memory("x")
	add(t, a, m)
	for n := range 40 {
		give(t, a, b)
		edit(t, b, m.ID, setText(fmt.Sprint("by b ", n)))
		give(t, b, a)
		edit(t, a, m.ID, setText(fmt.Sprint("by a ", n)))
	}
	segments, entries := 0, 0
	err = back.DB().View(t.Context(), func(f *sqlitex.File) error {
		_, err := sqlitex.First(t.Context(), f, "SELECT (SELECT count(*) FROM sync_segment), (SELECT count(*) FROM sync_entry)", nil, &segments, &entries)
		return err
	})
	if err != nil || segments > 3 || entries > 3 {
		t.Errorf("%d segments and %d entries of one memory (%v)", segments, entries, err)
	}
}

// What one machine has set of a memory and lost is one operation, whatever else was joined. Its undo takes all of it.
func TestJoin_one_operation_for_a_conflict(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	edit(t, a, id, func(m *hippo.Memory) { m.Content, m.Tags = "by a", []string{"a"} })
	edit(t, a, id, func(m *hippo.Memory) { m.Pinned = true })
	edit(t, b, id, func(m *hippo.Memory) { m.Content, m.Tags = "by b", []string{"b"} })
	give(t, a, b)
	give(t, b, a)
	shown := get(t, a, id)
	for name, s := range map[string]*store.Store{"a": a, "b": b} {
		ops, err := store.Operations(t.Context(), local(s), driver.OperationQuery{Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		var conflicts []hippo.ID
		for i := range ops {
			if ops[i].Verb == hippo.VerbSync && ops[i].By.Kind == hippo.SourceSync {
				conflicts = append(conflicts, ops[i].ID)
				if want := "set at once on several machines: tags, text"; ops[i].Reason != want {
					t.Errorf("%s: the reason is %q, want %q", name, ops[i].Reason, want)
				}
			}
		}
		if len(conflicts) != 1 {
			t.Errorf("%s has %d operations for one conflict: %+v", name, len(conflicts), ops)
		}
		if name == "b" {
			if _, err := store.Undo(t.Context(), local(s), conflicts[0], nil, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	give(t, b, a)
	if m := get(t, a, id); m.Content == shown.Content || slices.Equal(m.Tags, shown.Tags) {
		t.Errorf("after the undo it is %q, tags %q", m.Content, m.Tags)
	}
}

// A memory that a vote has brought back stays when the vote is withdrawn, on every replica.
func TestJoin_withdrawn_vote_on_a_forgotten_memory(t *testing.T) {
	t.Parallel()
	a, b, id := oneOnTwo(t)
	before := get(t, b, id)
	edit(t, a, id, func(m *hippo.Memory) { m.ForgottenAt = start().now() })
	edit(t, b, id, func(m *hippo.Memory) {
		castSimply(m, hippo.Feedback{Kind: hippo.FeedbackUp, Day: 1, Former: &hippo.Former{At: start().now()}})
	})
	give(t, a, b)
	give(t, b, a)
	if get(t, a, id).Forgotten() || get(t, b, id).Forgotten() {
		t.Fatal("the vote did not bring it back")
	}
	edit(t, b, id, func(m *hippo.Memory) { m.Importance, m.Feedback = before.Importance, before.Feedback })
	give(t, b, a)
	if x, y := get(t, a, id).Forgotten(), get(t, b, id).Forgotten(); x || y {
		t.Errorf("forgotten on a: %v, on b: %v", x, y)
	}
}
