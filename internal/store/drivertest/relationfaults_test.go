package drivertest_test

import (
	"context"
	"runtime"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func relationFaults() map[string]fault {
	return map[string]fault{
		"weights_are_of_single_precision":      {"relations", related(func(r *hippo.Relation) { r.Weight = float64(float32(r.Weight)) })},
		"a_reinforcement_is_forgotten":         {"relations", related(func(r *hippo.Relation) { r.LastReinforced = time.Time{} })},
		"the_time_of_a_relation_is_ignored":    {"relations", asks(func(a *asked) { a.at = time.Time{} })},
		"a_relation_too_many":                  {"relations", asks(func(a *asked) { a.most++ })},
		"relations_of_the_first_id_only":       {"relations", asks(func(a *asked) { a.ids = a.ids[:min(1, len(a.ids))] })},
		"relations_are_changed_without_a_lock": {"relations", func(b driver.Backend) driver.Backend { return relatesTwice{b} }},
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

// asked is what [driver.Relations.Relations] is asked for.
type asked struct {
	ids  []hippo.ID
	at   time.Time
	most int
}

// asks makes a store that is asked for something else.
func asks(alter func(*asked)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return asksOther{b, alter} }
}

type asksOther struct {
	driver.Backend
	alter func(*asked)
}

func (f asksOther) Relations(ctx context.Context, ids []hippo.ID, at time.Time, most int) ([]hippo.Relation, error) {
	a := asked{ids, at, most}
	f.alter(&a)
	return f.Backend.Relations(ctx, a.ids, a.at, a.most)
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
