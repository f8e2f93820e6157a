package engine_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/embedding"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// world is two stores: full holds the memories of everybody, alone only those that one caller
// may see. The caller must not be able to tell which of them answers.
type world struct {
	full, alone *fixture
	scope       hippo.Scope
	ids         []hippo.ID // of all memories that ever were, and of one that never was
	outside     outside    // as the others left it
}

// outside is what the caller must neither see nor change.
type outside struct {
	Memories  map[hippo.ID]*hippo.Memory
	Relations []hippo.Relation
}

// newWorld opens two stores of one kind: most in RAM, some in files.
func newWorld(t *testing.T, r *rapid.T) *world {
	var backend func(name string) (driver.Backend, error)
	switch rapid.IntRange(0, 31).Draw(r, "store") {
	case 30:
		backend = func(name string) (driver.Backend, error) {
			return sqlitestore.Open(context.WithoutCancel(r.Context()), filepath.Join(t.TempDir(), name), nil)
		}
	case 31:
		backend = func(name string) (driver.Backend, error) {
			return dirstore.Open(context.WithoutCancel(r.Context()), filepath.Join(t.TempDir(), name), nil)
		}
	default:
		backend = func(string) (driver.Backend, error) { return memstore.New(nil), nil }
	}
	w := &world{scope: drawScope(r), ids: []hippo.ID{{0x10, 0, 15: 0xff}}}
	c := newClock()
	for name, to := range map[string]**fixture{"full": &w.full, "alone": &w.alone} {
		b, err := backend(name)
		if err != nil {
			r.Fatal(err)
		}
		*to = open(r, options{
			backend: b, clock: c, tokens: &embedtest.Tokens{}, models: []embedding.Model{instant(embedtest.NewWords("words"))},
		})
	}
	w.newDay()
	w.outside = w.look(r)
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
		cmpopts.IgnoreFields(hippo.Memory{}, "Revision"), cmpopts.IgnoreFields(engine.Status{}, "Store"),
		cmp.Comparer(func(a, b error) bool {
			return (a == nil) == (b == nil) && (a == nil || a.Error() == b.Error() && hippo.CodeOf(a) == hippo.CodeOf(b))
		}),
	}
}

// try has the caller do the same in both stores, which needs some rights.
func (w *world) try(r *rapid.T, needs hippo.Rights, verb func(*engine.Memories) (any, error)) {
	r.Helper()
	got, want := w.do(w.full, verb), w.do(w.alone, verb)
	if d := cmp.Diff(want, got, same()); d != "" {
		r.Fatalf("the answer depends on what the caller may not see (-alone +among others):\n%s", d)
	}
	forbidden := errors.Is(got.Err, hippo.ErrForbidden)
	if may := w.scope.Allows(needs); may == forbidden && !errors.Is(got.Err, hippo.ErrInvalid) {
		r.Fatalf("the caller has rights %b and needs %b: got %v", w.scope.Rights, needs, got.Err)
	}
	w.unchanged(r)
}

// unchanged checks that nothing outside of the scope differs from what the others left.
func (w *world) unchanged(r *rapid.T) {
	r.Helper()
	if d := cmp.Diff(w.outside, w.look(r)); d != "" {
		r.Fatalf("the caller changed what lies outside of the scope (-before +after):\n%s", d)
	}
}

// do runs a verb as the caller. Accesses are stored at once, so that nothing depends on when.
func (w *world) do(f *fixture, verb func(*engine.Memories) (any, error)) outcome {
	defer f.flush()
	v, err := verb(f.In(w.scope))
	return outcome{v, err}
}

// byOthers has somebody else do something in the full store, and in the other one too if the
// caller may see it.
func (w *world) byOthers(r *rapid.T, namespace string, seen bool, verb func(*engine.Memories) error) {
	r.Helper()
	for _, f := range []*fixture{w.full, w.alone} {
		if f == w.alone && !seen {
			continue
		}
		if err := verb(f.In(hippo.Scope{Namespace: namespace, Rights: hippo.AllRights})); err != nil {
			r.Fatal(err)
		}
		f.flush()
	}
	w.outside = w.look(r)
}

// look returns what is outside of the scope, as it is stored.
func (w *world) look(r *rapid.T) outside {
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
		for x, err := range all.Transfer().ExportRelations(ctx) {
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
