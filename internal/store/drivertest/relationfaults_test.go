package drivertest_test

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func relationFaults() map[string]fault {
	return map[string]fault{
		"weights_are_of_single_precision":             {"relations", related(func(r *hippo.Relation) { r.Weight = float64(float32(r.Weight)) })},
		"a_reinforcement_is_forgotten":                {"relations", related(func(r *hippo.Relation) { r.LastReinforced = time.Time{} })},
		"the_time_of_a_relation_is_ignored":           {"relations", asks(func(q *driver.RelationQuery) { q.At = time.Time{} })},
		"one_relation_too_many":                       {"relations", asks(func(q *driver.RelationQuery) { q.Limit++ })},
		"relations_of_the_first_id_only":              {"relations", asks(func(q *driver.RelationQuery) { q.IDs = q.IDs[:min(1, len(q.IDs))] })},
		"namespaces_see_each_other":                   {"relations", asks(func(q *driver.RelationQuery) { q.Scope.Namespace = strings.ToLower(q.Scope.Namespace) })},
		"an_empty_list_of_projects_is_all":            {"relations", asks(allProjects)},
		"invisible_relations_count_towards_the_limit": {"relations", func(b driver.Backend) driver.Backend { return scopesLate{b} }},
		"relations_are_changed_without_a_lock":        {"relations", func(b driver.Backend) driver.Backend { return relatesTwice{b} }},
	}
}

// related makes a store that alters every relation it is asked to store.
func related(alter func(*hippo.Relation)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return altersRelations{b, alter} }
}

type altersRelations struct {
	driver.Backend
	alter func(*hippo.Relation)
}

func (f altersRelations) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	return f.Backend.Relate(ctx, d, rs, func(old, r hippo.Relation) hippo.Relation {
		next := fn(old, r)
		f.alter(&next)
		return next
	})
}

// asks makes a store that is asked for something else.
func asks(alter func(*driver.RelationQuery)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return asksOther{b, alter} }
}

type asksOther struct {
	driver.Backend
	alter func(*driver.RelationQuery)
}

func (f asksOther) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	f.alter(&q)
	return f.Backend.Relations(ctx, q)
}

func allProjects(q *driver.RelationQuery) {
	if len(q.Scope.Projects) == 0 {
		q.Scope.Projects = nil
	}
}

// scopesLate looks at the projects after it chose the strongest relations.
type scopesLate struct{ driver.Backend }

func (f scopesLate) Relations(ctx context.Context, q driver.RelationQuery) ([]hippo.Relation, error) {
	scope := q.Scope
	q.Scope.Projects = nil
	rs, err := f.Backend.Relations(ctx, q)
	return slices.DeleteFunc(rs, func(r hippo.Relation) bool {
		ms, err := f.Get(ctx, []hippo.ID{r.From, r.To})
		return err != nil || len(ms) != 2 || !scope.Sees(ms[0]) || !scope.Sees(ms[1])
	}), err
}

// relatesTwice computes in one transaction and stores in another.
type relatesTwice struct{ driver.Backend }

func (f relatesTwice) Relate(ctx context.Context, d driver.Durability, rs []hippo.Relation, fn func(old, r hippo.Relation) hippo.Relation) error {
	next := make(map[driver.RelationKey]hippo.Relation)
	err := f.Backend.Relate(ctx, d, rs, func(old, r hippo.Relation) hippo.Relation {
		k := driver.KeyOf(&r)
		if seen, ok := next[k]; ok {
			old = seen
		}
		next[k] = fn(old, r)
		return old
	})
	if err != nil {
		return err
	}
	runtime.Gosched()
	return f.Backend.Relate(ctx, d, rs, func(_, r hippo.Relation) hippo.Relation { return next[driver.KeyOf(&r)] })
}
