package engine_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// world is two stores: full holds the memories of everybody, alone only those that one caller
// may see. The caller must not be able to tell which of them answers.
type world struct {
	full, alone *fixture
	scope       hippo.Scope
	ids         []hippo.ID // of all memories that ever were, and of one that never was
	namespaces  map[hippo.ID]string
	outside     outside // as the others left it
	done        int     // how many operations there may be; see operationID
}

// outside is what the caller must neither see nor change.
type outside struct {
	Memories  map[hippo.ID]*hippo.Memory
	Past      []hippo.Version
	Relations []hippo.Relation
}

// newWorld opens two stores of one kind.
func newWorld(t *testing.T, r *rapid.T, backend func(path string) (driver.Backend, error)) *world {
	t.Helper()
	w := &world{scope: drawScope(r), namespaces: make(map[hippo.ID]string), ids: []hippo.ID{{0x10, 0, 15: 0xff}}}
	c := newClock()
	for name, to := range map[string]**fixture{"full": &w.full, "alone": &w.alone} {
		b, err := backend(filepath.Join(t.TempDir(), name))
		if err != nil {
			r.Fatal(err)
		}
		*to = open(r, options{
			backend: b, clock: c, tokens: &embedtest.Tokens{}, models: []embedding.Model{instant(embedtest.NewWords("words"))},
		})
	}
	w.newDay()
	w.outside = w.readOutside(r)
	return w
}

func drawScope(r *rapid.T) hippo.Scope {
	rights := hippo.AllRights
	if rapid.IntRange(0, 3).Draw(r, "all rights") == 0 {
		rights = hippo.Rights(rapid.IntRange(0, int(hippo.AllRights)).Draw(r, "rights"))
	}
	return hippo.Scope{
		Namespace: rapid.SampledFrom(namespaces()).Draw(r, "namespace"),
		Projects:  rapid.SampledFrom([][]string{nil, {"p"}, {"", "p"}, {"q", "p"}, {}}).Draw(r, "projects"),
		Rights:    rights,
		Project:   rapid.SampledFrom(projects()).Draw(r, "project"),
	}
}

func namespaces() []string { return []string{"", "tenant"} }

func projects() []string { return []string{"", "p", "q"} }

// outcome is what a verb answers.
type outcome struct {
	Value any
	Err   error
}

// same compares outcomes, but for revisions and the state of a whole store.
func same() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreFields(hippo.Memory{}, "Revision"), cmpopts.IgnoreFields(api.Status{}, "Store"),
		cmp.Comparer(func(a, b error) bool {
			return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error() && hippo.CodeOf(a) == hippo.CodeOf(b))
		}),
	}
}

// try has the caller do the same in both stores, which needs some rights.
func (w *world) try(r *rapid.T, needs hippo.Rights, verb func(*engine.Memories) (any, error)) {
	r.Helper()
	w.done++
	got, want := w.do(w.full, verb), w.do(w.alone, verb)
	if d := cmp.Diff(want, got, same()); d != "" {
		r.Fatalf("the answer depends on what the caller may not see (-alone +among others):\n%s", d)
	}
	if got.Err == nil {
		w.checkSuccessors(r, got.Value)
	}
	forbidden := errors.Is(got.Err, hippo.ErrForbidden)
	if may := w.scope.Allows(needs); may == forbidden && !errors.Is(got.Err, hippo.ErrInvalid) {
		r.Fatalf("the caller has rights %b and needs %b: got %v", w.scope.Rights, needs, got.Err)
	}
	if needs != hippo.RightRead {
		w.unchanged(r)
	}
}

// checkSuccessors checks that an answer names no successor that the caller may not see. An
// administrator of the namespace may export it.
func (w *world) checkSuccessors(r *rapid.T, value any) {
	r.Helper()
	var list []*hippo.Memory
	switch v := value.(type) {
	case *hippo.Memory:
		list = []*hippo.Memory{v}
	case []*hippo.Memory:
		list = v
	case *api.Listing:
		list = v.Memories
	case *hippo.Answer:
		for i := range v.Hits {
			list = append(list, v.Hits[i].Memory)
		}
	case exported:
		if w.scope.Projects != nil || !w.scope.Allows(hippo.RightAdmin) {
			list = slices.Collect(maps.Values(v.Memories))
		}
	}
	for _, m := range list {
		if w.outside.Memories[m.SupersededBy] != nil {
			r.Fatalf("the answer has %v, superseded by %v, which the caller may not see", m.ID, m.SupersededBy)
		}
	}
}

// unchanged checks that nothing outside of the scope differs from what the others left.
func (w *world) unchanged(r *rapid.T) {
	r.Helper()
	if d := cmp.Diff(w.outside, w.readOutside(r), cmpopts.EquateEmpty()); d != "" {
		r.Fatalf("the caller changed what lies outside of the scope (-before +after):\n%s", d)
	}
}

// do runs a verb as the caller. Accesses are stored at once, so that nothing depends on when.
func (w *world) do(f *fixture, verb func(*engine.Memories) (any, error)) outcome {
	defer f.flush()
	v, err := verb(engine.As(f.In(w.scope), hippo.Operation{ID: operationID(w.done)}))
	return outcome{v, err}
}

// operationID returns the ID of the nth operation, which is the same in both stores.
func operationID(n int) hippo.ID { return hippo.ID{0: 0x20, 14: byte(n >> 8), 15: byte(n)} }

// byOthers has somebody else do something in the full store, and in the other one too if the
// caller may see it.
func (w *world) byOthers(r *rapid.T, namespace string, seen bool, verb func(*engine.Memories) error) {
	r.Helper()
	w.done++
	for _, f := range []*fixture{w.full, w.alone} {
		if f == w.alone && !seen {
			continue
		}
		if err := verb(engine.As(f.In(hippo.Scope{Namespace: namespace, Rights: hippo.AllRights}), hippo.Operation{ID: operationID(w.done)})); err != nil {
			r.Fatal(err)
		}
		f.flush()
	}
	w.outside = w.readOutside(r)
}

// readOutside returns what is outside of the scope, as it is stored.
func (w *world) readOutside(r *rapid.T) outside {
	out := outside{Memories: make(map[hippo.ID]*hippo.Memory)}
	ctx := context.WithoutCancel(r.Context())
	for c, err := range w.full.store.Changes(ctx, 0) {
		if err != nil {
			r.Fatal(err)
		}
		if c.Memory != nil && !w.scope.Sees(c.Memory) {
			out.Memories[c.Memory.ID] = c.Memory
		}
	}
	for _, namespace := range namespaces() {
		all := w.full.In(hippo.Scope{Namespace: namespace, Rights: hippo.AllRights})
		past, err := store.Versions(ctx, w.full.store.In(all.Scope), driver.VersionQuery{Memories: slices.Collect(maps.Keys(out.Memories))})
		if err != nil {
			r.Fatal(err)
		}
		out.Past = append(out.Past, past...)
		for x, err := range transfer.New(all).ExportRelations(ctx) {
			if err != nil {
				r.Fatal(err)
			}
			if out.Memories[x.From] != nil || out.Memories[x.To] != nil {
				out.Relations = append(out.Relations, x)
			}
		}
	}
	return out
}

// newDay advances the active day of both stores. It is that of the store, not of a tenant.
func (w *world) newDay() {
	w.full.advance(1, 0)
	for _, f := range []*fixture{w.full, w.alone} {
		f.search(hippo.Query{Text: "zzzzunheardof"})
	}
}

// newID returns the ID of a new memory. Many begin alike, so that short ones are ambiguous.
func (w *world) newID() hippo.ID {
	n := len(w.ids)
	id := hippo.ID{0x10, byte(n % 4), 14: byte(n >> 8), 15: byte(n)}
	w.ids = append(w.ids, id)
	return id
}

func (w *world) anyID(r *rapid.T) hippo.ID { return rapid.SampledFrom(w.ids).Draw(r, "id") }

func (w *world) someIDs(r *rapid.T) []hippo.ID {
	return rapid.SliceOfN(rapid.SampledFrom(w.ids), 1, 3).Draw(r, "ids")
}

// hidden returns the IDs of memories that the caller may not see.
func (w *world) hidden() []hippo.ID {
	var out []hippo.ID
	for _, id := range w.ids {
		if w.outside.Memories[id] != nil {
			out = append(out, id)
		}
	}
	return out
}

// idsIn returns the IDs of the memories that were recorded in a namespace.
func (w *world) idsIn(namespace string) []hippo.ID {
	return slices.DeleteFunc(slices.Clone(w.ids), func(id hippo.ID) bool {
		in, ok := w.namespaces[id]
		return !ok || in != namespace
	})
}

// drawMemory returns a memory of few words, some of which are names.
func (w *world) drawMemory(r *rapid.T) *hippo.Memory {
	w.full.advance(0, 1e9)
	words := rapid.SliceOfN(rapid.SampledFrom(vocabulary()), 1, 5).Draw(r, "words")
	return &hippo.Memory{
		ID: w.newID(), Content: strings.Join(words, " "), CreatedAt: w.full.now(), Trust: hippo.TrustNormal,
		Situation:  rapid.SampledFrom([][]string{nil, {"at night"}, {"debugging", "at night"}}).Draw(r, "situation"),
		Tags:       rapid.SampledFrom([][]string{nil, {"x"}}).Draw(r, "tags"),
		Importance: hippo.Importance{Base: rapid.SampledFrom([]float64{.2, .5, 1}).Draw(r, "importance")},
		Source: hippo.Source{
			Kind: hippo.SourceAgent, Session: rapid.SampledFrom([]string{"", "s"}).Draw(r, "session"), Seq: len(w.ids),
			Author: rapid.SampledFrom([]string{"", "Ann"}).Draw(r, "author"),
		},
	}
}

func vocabulary() []string {
	return strings.Fields("cache timeout 30 60 seconds Zanzibar Huber Ann zebra car petrol repair rollout")
}

func (w *world) othersRecord(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace = rapid.SampledFrom(append(namespaces(), w.scope.Namespace)).Draw(r, "namespace")
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	w.namespaces[m.ID] = m.Namespace
	w.byOthers(r, m.Namespace, w.scope.Sees(m), func(x *engine.Memories) error {
		_, err := memory.Record(context.Background(), x, m.Clone())
		return err
	})
}

// othersChange forgets or votes on a memory that the caller may not see.
func (w *world) othersChange(r *rapid.T) {
	ids := w.hidden()
	if len(ids) == 0 {
		r.Skip("nothing is hidden")
	}
	id := rapid.SampledFrom(ids).Draw(r, "hidden")
	forget := rapid.Bool().Draw(r, "forget")
	all, err := w.full.store.Get(context.Background(), w.ids)
	if err != nil {
		r.Fatal(err)
	}
	if forget && slices.ContainsFunc(all, func(m *hippo.Memory) bool { return m.SupersededBy == id }) {
		r.Skip("it would give back what the caller may see")
	}
	w.byOthers(r, w.outside.Memories[id].Namespace, false, func(x *engine.Memories) error {
		if forget {
			_, err := memory.Forget(context.Background(), x, []hippo.ID{id})
			return err
		}
		_, err := memory.Reinforce(context.Background(), x, []hippo.ID{id}, nil)
		return err
	})
}

// othersSupersede supersedes a memory that the caller may see by one that he may not. Alone, the
// successor is purged at once: a caller cannot tell the two apart.
func (w *world) othersSupersede(r *rapid.T) {
	m, old := w.drawMemory(r), w.anyID(r)
	m.Namespace, w.namespaces[m.ID] = w.scope.Namespace, w.scope.Namespace
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	was, err := w.alone.store.Get(context.Background(), []hippo.ID{old})
	if err != nil {
		r.Fatal(err)
	}
	if w.scope.Sees(m) || len(was) == 0 || !was[0].SupersededBy.IsZero() || was[0].Forgotten() {
		r.Skip("there is nothing to supersede, or the caller may see the successor")
	}
	w.byOthers(r, m.Namespace, true, func(x *engine.Memories) error {
		_, err := memory.Record(context.Background(), x, m.Clone(), old)
		if err == nil && x.Engine == w.alone.Engine {
			err = w.alone.store.In(x.Scope).Purge(context.Background(), []hippo.ID{m.ID}) // the engine would give back what it supersedes
		}
		return err
	})
}

// othersRelate relates a memory that the caller may not see to one that he may, or to another.
func (w *world) othersRelate(r *rapid.T) {
	hidden := w.hidden()
	if len(hidden) == 0 {
		r.Skip("nothing is hidden")
	}
	x := hippo.Relation{From: rapid.SampledFrom(hidden).Draw(r, "hidden"), Kind: "explains", Weight: 1}
	namespace := w.namespaces[x.From]
	x.To = rapid.SampledFrom(w.idsIn(namespace)).Draw(r, "other")
	if rapid.Bool().Draw(r, "backwards") {
		x.From, x.To = x.To, x.From
	}
	w.byOthers(r, namespace, false, func(m *engine.Memories) error {
		_, err := knowledge.Relate(context.Background(), m, []hippo.Relation{x})
		if errors.Is(err, hippo.ErrNotFound) || errors.Is(err, hippo.ErrInvalid) { // purged, or with itself
			return nil
		}
		return err
	})
}

// othersSearch counts the use of memories that the caller may not see, and learns from it.
func (w *world) othersSearch(r *rapid.T) { w.othersAsk(r, hippo.Query{Text: w.text(r)}) }

func (w *world) othersAsk(r *rapid.T, q hippo.Query) {
	for _, namespace := range namespaces() {
		scope := hippo.Scope{Namespace: namespace, Rights: hippo.AllRights, Projects: []string{}}
		for _, p := range projects() {
			if !w.scope.Contains(namespace, p) {
				scope.Projects = append(scope.Projects, p)
			}
		}
		if _, err := query.Search(context.Background(), w.full.In(scope), q); err != nil {
			r.Fatal(err)
		}
		w.full.flush()
	}
	w.outside = w.readOutside(r)
}
