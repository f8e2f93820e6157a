package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// A scope is a wall: whatever a caller does, with memories of his own or with the IDs of
// others, he cannot tell whether the store holds anything outside of his scope, and changes
// nothing of it.
func TestScope_IsAWall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, scopeIsAWall(t, func(string) (driver.Backend, error) { return memstore.New(nil), nil }))
}

// inFiles are the stores in files.
func inFiles(t *testing.T) map[string]func(path string) (driver.Backend, error) {
	return map[string]func(string) (driver.Backend, error){
		"sqlite": func(path string) (driver.Backend, error) { return sqlitestore.Open(t.Context(), path, nil) },
		"dir":    func(path string) (driver.Backend, error) { return dirstore.Open(t.Context(), path, nil) },
	}
}

// The same for stores in files, with a few random sequences.
func TestScope_IsAWallInFiles(t *testing.T) {
	t.Parallel()
	for name, open := range inFiles(t) {
		seeds := byte(4)
		if testing.Short() {
			seeds = 1
		}
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", name, seed), func(t *testing.T) {
				t.Parallel()
				data := make([]byte, 1<<20)
				_, _ = rand.NewChaCha8([32]byte{seed}).Read(data)
				rapid.MakeFuzz(scopeIsAWall(t, open))(t, data)
			})
		}
	}
}

// scopeIsAWall is the property, for a kind of store.
func scopeIsAWall(t *testing.T, open func(path string) (driver.Backend, error)) func(*rapid.T) {
	t.Helper()
	return func(r *rapid.T) {
		w := newWorld(t, r, open)
		for range rapid.IntRange(0, 8).Draw(r, "memories") {
			w.othersRecord(r)
		}
		r.Repeat(map[string]func(*rapid.T){
			"new day":        func(*rapid.T) { w.newDay() },
			"others record":  w.othersRecord,
			"others change":  w.othersChange,
			"others relate":  w.othersRelate,
			"others replace": w.othersSupersede,
			"others search":  w.othersSearch,
			"others name":    w.othersAddEntity,
			"record":         w.record,
			"record again":   w.recordAgain,
			"search":         w.search,
			"modify":         w.modify,
			"supersede":      w.supersede,
			"reinforce":      w.reinforce,
			"forget":         w.forget,
			"restore":        w.restore,
			"purge":          w.purge,
			"undo":           w.undo,
			"relate":         w.relate,
			"unrelate":       w.unrelate,
			"entities":       w.changeEntities,
			"names":          w.readEntities,
			"import":         w.importing,
			"import of used": w.importingUsed,
		})
		w.readAll(r)
		w.unchanged(r)
	}
}

// readAll reads everything in every way.
func (w *world) readAll(r *rapid.T) {
	for _, id := range w.ids {
		w.readOne(r, id)
	}
	for _, ranker := range hippo.Rankers() {
		w.searchAll(r, ranker)
	}
	for _, read := range []func(*rapid.T){w.search, w.list, w.export, w.status, w.compare, w.operations, w.readEntities} {
		read(r)
	}
}

// searchAll finds all that has any word.
func (w *world) searchAll(r *rapid.T, ranker hippo.Ranker) {
	q := hippo.Query{
		Text: strings.Join(vocabulary(), " "), Ranker: ranker, Relevance: &hippo.Range{Max: 10}, Detail: hippo.Detail{Explain: true}, NoTouch: true,
		Filter: hippo.Filter{Projects: []string{hippo.AllProjects}}, Count: hippo.MaxCount,
	}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return query.Search(context.Background(), x, q) })
}

// readOne reads what there is of one ID.
func (w *world) readOne(r *rapid.T, id hippo.ID) {
	ctx, ids := context.Background(), []hippo.ID{id}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.Get(ctx, x, ids) })
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return knowledge.RelationsOf(ctx, x, ids) })
	for _, at := range []hippo.Moment{{}, {ValidAt: w.full.now()}, {KnownAt: w.full.now().AddDate(0, 0, -1)}} {
		f := api.GraphFilter{Learned: true, At: at}
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return knowledge.Neighbours(ctx, x, api.Neighbours{ID: id, Depth: 4, GraphFilter: f})
		})
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return knowledge.Paths(ctx, x, api.Paths{From: id, To: w.ids[0], GraphFilter: f})
		})
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return knowledge.Communities(ctx, x, api.Communities{GraphFilter: f})
		})
	}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.Versions(ctx, x, api.Versions{Memory: id}) })
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
		return memory.Operations(ctx, x, api.Operations{Memory: id})
	})
	prefix, prefer := id.String()[:rapid.SampledFrom([]int{3, 4, 6, 35}).Draw(r, "length")], api.Preference(rapid.IntRange(0, 2).Draw(r, "preference"))
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.Resolve(ctx, x, prefix, prefer) })
}

func (*world) text(r *rapid.T) (text string) {
	for _, word := range rapid.SliceOfN(rapid.SampledFrom(vocabulary()), 0, 4).Draw(r, "text") {
		text += word + " "
	}
	return text
}

func (w *world) record(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, w.namespaces[m.ID] = w.scope.Namespace, w.scope.Namespace
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	var old []hippo.ID
	if rapid.IntRange(0, 3).Draw(r, "supersedes") == 0 {
		old = w.someIDs(r)
	}
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) {
		return memory.Record(context.Background(), x, m.Clone(), old...)
	})
}

// recordAgain records a memory with the ID of another one that is there.
func (w *world) recordAgain(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, m.Project = w.scope.Namespace, rapid.SampledFrom(projects()).Draw(r, "project")
	m.ID = w.anyID(r)
	if w.outside.Memories[m.ID] == nil {
		w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return memory.Record(context.Background(), x, m.Clone()) })
		return
	}
	w.refused(r, func(x *engine.Memories) error {
		_, err := memory.Record(context.Background(), x, m.Clone())
		return err
	})
}

// refused has the caller try what must be an error and change nothing.
func (w *world) refused(r *rapid.T, verb func(*engine.Memories) error) {
	r.Helper()
	if err := verb(w.full.In(w.scope)); err == nil {
		r.Fatal("an ID that is in use outside of the scope was taken")
	}
	w.full.flush()
	w.unchanged(r)
}

func (w *world) search(r *rapid.T) {
	q := hippo.Query{
		Text: w.text(r), Ranker: rapid.SampledFrom(append(hippo.Rankers(), "")).Draw(r, "ranker"),
		Offset: rapid.SampledFrom([]int{0, 0, 2}).Draw(r, "offset"), Count: rapid.SampledFrom([]int{0, 2}).Draw(r, "count"),
		NoTouch: rapid.Bool().Draw(r, "no touch"), Detail: hippo.Detail{Explain: rapid.Bool().Draw(r, "explain")}, Filter: w.filter(r),
		Situation: rapid.SampledFrom([][]string{nil, nil, {"at night"}}).Draw(r, "situation"),
	}
	if rapid.Bool().Draw(r, "all") {
		q.Relevance = &hippo.Range{Max: 10}
	}
	if q.Offset > 0 && rapid.Bool().Draw(r, "others ask the same") { // for the first page, which is kept
		first := q
		first.Offset = 0
		w.othersAsk(r, first)
	}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return query.Search(context.Background(), x, q) })
	w.unchanged(r) // hits are counted
}

func (w *world) filter(r *rapid.T) hippo.Filter {
	f := hippo.Filter{Projects: rapid.SampledFrom([][]string{nil, {"p"}, {"q"}, {"", "q"}, {hippo.AllProjects}}).Draw(r, "filter")}
	switch rapid.IntRange(0, 5).Draw(r, "filter by") {
	case 0:
		f.Tags = []string{"x"}
	case 1:
		f.Author = "Ann"
	case 2:
		f.Session = "s"
	case 3:
		f.ValidAt = w.full.now()
	}
	return f
}

func (w *world) list(r *rapid.T) {
	q := api.List{Filter: w.filter(r), Forgotten: rapid.Bool().Draw(r, "forgotten"), Count: rapid.SampledFrom([]int{0, 2}).Draw(r, "count")}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.List(context.Background(), x, q) })
}

func (w *world) modify(r *rapid.T) {
	id, text := w.anyID(r), w.text(r)+"changed"
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) {
		return memory.Modify(context.Background(), x, id, api.Change{Content: &text})
	})
}

func (w *world) supersede(r *rapid.T) {
	id, old := w.anyID(r), w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) {
		return memory.Modify(context.Background(), x, id, api.Change{Supersedes: &old})
	})
}

func (w *world) reinforce(r *rapid.T) {
	up, down := w.someIDs(r), w.someIDs(r)[:rapid.IntRange(0, 1).Draw(r, "down")]
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return memory.Reinforce(context.Background(), x, up, down) })
}

func (w *world) forget(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return memory.Forget(context.Background(), x, ids) })
}

func (w *world) restore(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return memory.Restore(context.Background(), x, ids) })
}

func (w *world) purge(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightPurge, func(x *engine.Memories) (any, error) {
		err := memory.Purge(context.Background(), x, ids)
		if err == nil { // their relations go with them, whoever declared those
			w.outside.Relations = slices.DeleteFunc(w.outside.Relations, func(l hippo.Relation) bool {
				return slices.Contains(ids, l.From) || slices.Contains(ids, l.To)
			})
		}
		return nil, err
	})
}

// operations reads all operations in pages, and each of those that ever were by its ID.
func (w *world) operations(r *rapid.T) {
	ctx, done := context.Background(), w.done
	count := rapid.IntRange(1, 3).Draw(r, "page")
	for offset := 0; offset <= done; offset += count {
		q := api.Operations{Offset: offset, Count: count}
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.Operations(ctx, x, q) })
	}
	for n := range done {
		id := operationID(n + 1)
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
			return memory.Versions(ctx, x, api.Versions{Operation: id})
		})
		part := id.String()[28:]
		w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.ResolveOperation(ctx, x, part) })
	}
}

func (w *world) undo(r *rapid.T) {
	if w.done == 0 {
		r.Skip("nothing was done")
	}
	id := operationID(rapid.IntRange(max(1, w.done-9), w.done).Draw(r, "operation"))
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return memory.Undo(context.Background(), x, id) })
}

func (w *world) drawRelation(r *rapid.T) hippo.Relation {
	return hippo.Relation{From: w.anyID(r), To: w.anyID(r), Kind: "explains", Weight: rapid.SampledFrom([]float64{.5, 1}).Draw(r, "weight")}
}

func (w *world) relate(r *rapid.T) {
	x := w.drawRelation(r)
	w.try(r, hippo.RightWrite, func(m *engine.Memories) (any, error) {
		return knowledge.Relate(context.Background(), m, []hippo.Relation{x})
	})
}

func (w *world) unrelate(r *rapid.T) {
	x := w.drawRelation(r)
	if rapid.Bool().Draw(r, "learned") {
		x.Kind = hippo.CoRecalled
	}
	w.try(r, hippo.RightWrite, func(m *engine.Memories) (any, error) {
		return nil, knowledge.Unrelate(context.Background(), m, []hippo.Relation{x})
	})
}

// exported is what an export yields.
type exported struct {
	Memories  map[hippo.ID]*hippo.Memory
	Relations []hippo.Relation
}

// export compares all memories and relations.
func (w *world) export(r *rapid.T) {
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
		memories := make(map[hippo.ID]*hippo.Memory)
		for m, err := range transfer.New(x).Export(context.Background()) {
			if err != nil {
				return nil, err
			}
			memories[m.ID] = m
		}
		var relations []hippo.Relation
		for l, err := range transfer.New(x).ExportRelations(context.Background()) {
			if err != nil {
				return nil, err
			}
			relations = append(relations, l)
		}
		return exported{memories, relations}, nil
	})
}

func (w *world) importing(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, m.Project = rapid.SampledFrom(namespaces()).Draw(r, "namespace"), rapid.SampledFrom(projects()).Draw(r, "project")
	m.Importance.Value = m.Importance.Base
	if rapid.Bool().Draw(r, "superseded") {
		m.SupersededBy = w.anyID(r)
	}
	if rapid.Bool().Draw(r, "was forgotten") {
		m.ForgottenAt = m.CreatedAt.Add(time.Hour)
	}
	x := w.drawRelation(r)
	w.try(r, hippo.RightWrite, func(to *engine.Memories) (any, error) {
		report, err := imported(to, m)
		if err != nil {
			return nil, err
		}
		added, err := transfer.New(to).ImportRelations(context.Background(), []hippo.Relation{x})
		return []any{report, added}, err
	})
}

func imported(to *engine.Memories, m *hippo.Memory) (api.ImportReport, error) {
	return transfer.New(to).Import(context.Background(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		yield(m.Clone(), nil)
	}, nil)
}

// importingUsed imports a memory with an ID that is in use outside of the scope.
func (w *world) importingUsed(r *rapid.T) {
	ids := w.hidden()
	if len(ids) == 0 {
		r.Skip("nothing is hidden")
	}
	m := w.drawMemory(r)
	m.ID = rapid.SampledFrom(ids).Draw(r, "used")
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	w.refused(r, func(to *engine.Memories) error {
		report, err := imported(to, m)
		if report.Added > 0 || report.Present > 0 {
			r.Fatalf("%+v: it is neither added nor there", report)
		}
		for _, x := range report.Rejected {
			err = errors.Join(err, x.Err)
		}
		return err
	})
}

func (w *world) status(r *rapid.T) {
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
		st, err := memory.Status(context.Background(), x)
		if err != nil {
			return nil, err
		}
		if (st.Store != nil) != w.scope.Allows(hippo.RightAdmin) {
			r.Fatalf("rights %b: the state of the store is %+v", w.scope.Rights, st.Store)
		}
		list, err := memory.Projects(context.Background(), x)
		return []any{st, list}, err
	})
}

func (w *world) compare(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, m.Project, m.ContentHash = w.scope.Namespace, rapid.SampledFrom(projects()).Draw(r, "project"), hippo.HashContent(m.Content)
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return memory.Compare(context.Background(), x, m.Clone()) })
}
