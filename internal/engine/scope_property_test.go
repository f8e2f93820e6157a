package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// A scope is a wall: whatever a caller does, with memories of his own or with the IDs of
// others, he cannot tell whether the store holds anything outside of his scope, and changes
// nothing of it.
func TestScope_IsAWall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, r)
		r.Repeat(map[string]func(*rapid.T){
			"new day":        func(*rapid.T) { w.newDay() },
			"others record":  w.othersRecord,
			"others change":  w.othersChange,
			"others relate":  w.othersRelate,
			"others search":  w.othersSearch,
			"record":         w.record,
			"record again":   w.recordAgain,
			"search":         w.search,
			"list":           w.list,
			"get":            w.get,
			"resolve":        w.resolve,
			"modify":         w.modify,
			"supersede":      w.supersede,
			"reinforce":      w.reinforce,
			"forget":         w.forget,
			"restore":        w.restore,
			"purge":          w.purge,
			"relate":         w.relate,
			"unrelate":       w.unrelate,
			"relations":      w.relations,
			"export":         w.export,
			"import":         w.importing,
			"import of used": w.importingUsed,
			"status":         w.status,
			"compare":        w.compare,
		})
	})
}

func (w *world) othersRecord(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace = rapid.SampledFrom(namespaces()).Draw(r, "namespace")
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	w.byOthers(r, m.Namespace, w.scope.Sees(m), func(x *engine.Memories) error {
		_, err := x.Record(context.Background(), m.Clone())
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
	w.byOthers(r, w.outside.Memories[id].Namespace, false, func(x *engine.Memories) error {
		if forget {
			_, err := x.Forget(context.Background(), []hippo.ID{id})
			return err
		}
		_, err := x.Reinforce(context.Background(), []hippo.ID{id}, nil)
		return err
	})
}

// othersRelate relates a memory that the caller may not see to another one.
func (w *world) othersRelate(r *rapid.T) {
	ids := w.hidden()
	if len(ids) == 0 {
		r.Skip("nothing is hidden")
	}
	x := hippo.Relation{From: rapid.SampledFrom(ids).Draw(r, "hidden"), To: w.anyID(r), Kind: "explains", Weight: 1}
	if rapid.Bool().Draw(r, "backwards") {
		x.From, x.To = x.To, x.From
	}
	w.byOthers(r, w.namespaceOf(x), false, func(m *engine.Memories) error {
		err := m.Relate(context.Background(), []hippo.Relation{x})
		if errors.Is(err, hippo.ErrNotFound) || errors.Is(err, hippo.ErrInvalid) { // of two tenants, or with itself
			return nil
		}
		return err
	})
}

func (w *world) namespaceOf(x hippo.Relation) string {
	for _, id := range []hippo.ID{x.From, x.To} {
		if m := w.outside.Memories[id]; m != nil {
			return m.Namespace
		}
	}
	return ""
}

// othersSearch counts the use of memories that the caller may not see, and learns from it.
func (w *world) othersSearch(r *rapid.T) {
	q := hippo.Query{Text: w.text(r)}
	for _, namespace := range namespaces() {
		scope := hippo.Scope{Namespace: namespace, Rights: hippo.AllRights, Projects: []string{}}
		for _, p := range projects() {
			if !w.scope.Contains(namespace, p) {
				scope.Projects = append(scope.Projects, p)
			}
		}
		if _, err := w.full.In(scope).Search(context.Background(), q); err != nil {
			r.Fatal(err)
		}
		w.full.flush()
	}
	w.outside = w.look(r)
}

func (*world) text(r *rapid.T) (text string) {
	for _, word := range rapid.SliceOfN(rapid.SampledFrom(vocabulary()), 0, 4).Draw(r, "text") {
		text += word + " "
	}
	return text
}

func (w *world) record(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace = w.scope.Namespace
	m.Project = rapid.SampledFrom(projects()).Draw(r, "project")
	var old []hippo.ID
	if rapid.IntRange(0, 3).Draw(r, "supersedes") == 0 {
		old = w.someIDs(r)
	}
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return x.Record(context.Background(), m.Clone(), old...) })
}

// recordAgain records a memory with the ID of another one that is there.
func (w *world) recordAgain(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, m.Project = w.scope.Namespace, rapid.SampledFrom(projects()).Draw(r, "project")
	m.ID = w.anyID(r)
	if w.outside.Memories[m.ID] == nil {
		w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return x.Record(context.Background(), m.Clone()) })
		return
	}
	w.refused(r, func(x *engine.Memories) error {
		_, err := x.Record(context.Background(), m.Clone())
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
		NoTouch: rapid.Bool().Draw(r, "no touch"), Explain: rapid.Bool().Draw(r, "explain"), Filter: w.filter(r),
		Situation: rapid.SampledFrom([][]string{nil, nil, {"at night"}}).Draw(r, "situation"),
	}
	if rapid.Bool().Draw(r, "all") {
		q.Relevance = &hippo.Range{Max: 10}
	}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.Search(context.Background(), q) })
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
	q := engine.ListQuery{Filter: w.filter(r), Forgotten: rapid.Bool().Draw(r, "forgotten"), Count: rapid.SampledFrom([]int{0, 2}).Draw(r, "count")}
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.List(context.Background(), q) })
}

func (w *world) get(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.Get(context.Background(), ids) })
}

func (w *world) resolve(r *rapid.T) {
	n := rapid.SampledFrom([]int{3, 4, 6, 34, 35}).Draw(r, "length")
	prefix, forgotten := w.anyID(r).String()[:n], rapid.Bool().Draw(r, "forgotten")
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.Resolve(context.Background(), prefix, forgotten) })
}

func (w *world) modify(r *rapid.T) {
	id, text := w.anyID(r), w.text(r)+"changed"
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) {
		return x.Modify(context.Background(), id, engine.Modification{Content: &text})
	})
}

func (w *world) supersede(r *rapid.T) {
	id, old := w.anyID(r), w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) {
		return x.Modify(context.Background(), id, engine.Modification{Supersedes: &old})
	})
}

func (w *world) reinforce(r *rapid.T) {
	up, down := w.someIDs(r), w.someIDs(r)[:rapid.IntRange(0, 1).Draw(r, "down")]
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return x.Reinforce(context.Background(), up, down) })
}

func (w *world) forget(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return x.Forget(context.Background(), ids) })
}

func (w *world) restore(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightWrite, func(x *engine.Memories) (any, error) { return x.Restore(context.Background(), ids) })
}

func (w *world) purge(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightPurge, func(x *engine.Memories) (any, error) { return nil, x.Purge(context.Background(), ids) })
}

func (w *world) drawRelation(r *rapid.T) hippo.Relation {
	return hippo.Relation{From: w.anyID(r), To: w.anyID(r), Kind: "explains", Weight: rapid.SampledFrom([]float64{.5, 1}).Draw(r, "weight")}
}

func (w *world) relate(r *rapid.T) {
	x := w.drawRelation(r)
	w.try(r, hippo.RightWrite, func(m *engine.Memories) (any, error) { return nil, m.Relate(context.Background(), []hippo.Relation{x}) })
}

func (w *world) unrelate(r *rapid.T) {
	x := w.drawRelation(r)
	if rapid.Bool().Draw(r, "learned") {
		x.Kind = hippo.CoRecalled
	}
	w.try(r, hippo.RightWrite, func(m *engine.Memories) (any, error) {
		return nil, m.Unrelate(context.Background(), []hippo.Relation{x})
	})
}

func (w *world) relations(r *rapid.T) {
	ids := w.someIDs(r)
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.Relations(context.Background(), ids) })
}

// export compares all memories and relations.
func (w *world) export(r *rapid.T) {
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) {
		memories := make(map[hippo.ID]*hippo.Memory)
		for m, err := range x.Transfer().Export(context.Background()) {
			if err != nil {
				return nil, err
			}
			memories[m.ID] = m
		}
		var relations []hippo.Relation
		for l, err := range x.Transfer().ExportRelations(context.Background()) {
			if err != nil {
				return nil, err
			}
			relations = append(relations, l)
		}
		return []any{memories, relations}, nil
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
		added, err := to.Transfer().ImportRelations(context.Background(), []hippo.Relation{x})
		return []any{report, added}, err
	})
}

func imported(to *engine.Memories, m *hippo.Memory) (engine.ImportReport, error) {
	return to.Transfer().Import(context.Background(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
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
		st, err := x.Status(context.Background())
		if err != nil {
			return nil, err
		}
		if (st.Store != nil) != w.scope.Allows(hippo.RightAdmin) {
			r.Fatalf("rights %b: the state of the store is %+v", w.scope.Rights, st.Store)
		}
		list, err := x.Projects(context.Background())
		return []any{st, list}, err
	})
}

func (w *world) compare(r *rapid.T) {
	m := w.drawMemory(r)
	m.Namespace, m.Project, m.ContentHash = w.scope.Namespace, rapid.SampledFrom(projects()).Draw(r, "project"), hippo.HashContent(m.Content)
	w.try(r, hippo.RightRead, func(x *engine.Memories) (any, error) { return x.Compare(context.Background(), m.Clone()) })
}
