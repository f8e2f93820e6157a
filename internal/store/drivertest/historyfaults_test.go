package drivertest_test

import (
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func historyFaults() map[string]fault {
	return map[string]fault{
		"a_former_text_is_that_of_now":       {"history", keepsAs(func(op *hippo.Operation, _ *hippo.Retention, v *hippo.Version) { v.Before = nil })},
		"nobody_knows_why":                   {"history", keepsAs(func(op *hippo.Operation, _ *hippo.Retention, _ *hippo.Version) { op.Reason = "" })},
		"what_was_undone_is_forgotten":       {"history", keepsAs(func(op *hippo.Operation, _ *hippo.Retention, _ *hippo.Version) { op.Undoes = hippo.ID{} })},
		"one_version_too_many":               {"history", keepsAs(func(_ *hippo.Operation, r *hippo.Retention, _ *hippo.Version) { r.Versions++ })},
		"old_versions_stay":                  {"history", keepsAs(func(_ *hippo.Operation, r *hippo.Retention, _ *hippo.Version) { r.Days = 1 << 30 })},
		"a_purged_memory_keeps_its_history":  {"history", func(b driver.Backend) driver.Backend { return &remembers{Backend: b} }},
		"history_is_kept_apart":              {"history", func(b driver.Backend) driver.Backend { return keepsLater{b} }},
		"a_page_is_one_short":                {"history", asksHistory(func(q *driver.OperationQuery, _ *driver.VersionQuery) { q.Limit-- })},
		"a_page_begins_anew":                 {"history", asksHistory(func(q *driver.OperationQuery, _ *driver.VersionQuery) { q.Offset = 0 })},
		"any_operation_matches":              {"history", asksHistory(func(q *driver.OperationQuery, _ *driver.VersionQuery) { q.Match = "" })},
		"namespaces_see_each_others_history": {"history", asksHistory(otherNamespace)},
		"projects_see_each_others_history":   {"history", asksHistory(otherProjects)},
		"the_last_version_is_the_last":       {"history", func(b driver.Backend) driver.Backend { return reverses{b} }},
		"history_is_lost_when_it_is_closed":  {"reopen", func(b driver.Backend) driver.Backend { return &forgets{Backend: b} }},
	}
}

func otherNamespace(q *driver.OperationQuery, v *driver.VersionQuery) {
	for _, s := range []**hippo.Scope{&q.Scope, &v.Scope} {
		if *s != nil {
			c := **s
			c.Namespace = strings.ToLower(c.Namespace)
			if c.Namespace == "nobody" {
				c.Namespace = ""
			}
			*s = &c
		}
	}
}

func otherProjects(q *driver.OperationQuery, v *driver.VersionQuery) {
	for _, s := range []**hippo.Scope{&q.Scope, &v.Scope} {
		if *s != nil {
			c := **s
			c.Projects = nil
			*s = &c
		}
	}
}

// keepsAs makes a store that keeps something else.
func keepsAs(alter func(*hippo.Operation, *hippo.Retention, *hippo.Version)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return altersKeep{b, alter} }
}

type altersKeep struct {
	driver.Backend
	alter func(*hippo.Operation, *hippo.Retention, *hippo.Version)
}

func (f altersKeep) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(altersKeepTx{tx, f}) })
}

type altersKeepTx struct {
	driver.Tx
	store altersKeep
}

func (f altersKeepTx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	vs = slices.Clone(vs)
	for i := range vs {
		f.store.alter(&op, &r, &vs[i])
	}
	return f.Tx.Keep(op, r, vs...)
}

// asksHistory makes a store that is asked for something else.
func asksHistory(alter func(*driver.OperationQuery, *driver.VersionQuery)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return asksOtherHistory{b, alter} }
}

type asksOtherHistory struct {
	driver.Backend
	alter func(*driver.OperationQuery, *driver.VersionQuery)
}

func (f asksOtherHistory) Operations(ctx context.Context, q driver.OperationQuery) ([]api.Operation, error) {
	f.alter(&q, &driver.VersionQuery{})
	return f.Backend.Operations(ctx, q)
}

func (f asksOtherHistory) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	f.alter(&driver.OperationQuery{}, &q)
	return f.Backend.Versions(ctx, q)
}

// reverses returns the oldest version first.
type reverses struct{ driver.Backend }

func (f reverses) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	vs, err := f.Backend.Versions(ctx, q)
	slices.Reverse(vs)
	slices.SortStableFunc(vs, func(a, b hippo.Version) int { return a.ID.Compare(b.ID) })
	return vs, err
}

// remembers returns versions of before a purge.
type remembers struct {
	driver.Backend
	past driver.Archive
}

func (f *remembers) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(remembersTx{tx, f}) })
}

func (f *remembers) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	if _, err := f.Backend.Versions(ctx, q); err != nil {
		return nil, err
	}
	return f.past.Versions(&q, func(id hippo.ID) *hippo.Memory {
		ms, err := f.Get(ctx, []hippo.ID{id})
		if err != nil || len(ms) == 0 {
			return nil
		}
		return ms[0]
	}), nil
}

type remembersTx struct {
	driver.Tx
	store *remembers
}

func (f remembersTx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	f.store.past.Keep(op, r, vs...)
	return f.Tx.Keep(op, r, vs...)
}

// keepsLater keeps versions in a transaction of their own, whatever becomes of the change.
type keepsLater struct{ driver.Backend }

func (f keepsLater) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	var later []func(driver.Tx) error
	err := f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(keepsLaterTx{tx, &later}) })
	if len(later) == 0 {
		return err
	}
	again := f.Backend.Write(ctx, d, func(tx driver.Tx) error {
		for _, keep := range later {
			if err := keep(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = again
	}
	return err
}

type keepsLaterTx struct {
	driver.Tx
	later *[]func(driver.Tx) error
}

func (f keepsLaterTx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	*f.later = append(*f.later, func(tx driver.Tx) error { return tx.Keep(op, r, vs...) })
	return nil
}

// forgets has the history of its own handle only.
type forgets struct {
	driver.Backend
	kept bool
}

func (f *forgets) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(forgetsTx{tx, f}) })
}

func (f *forgets) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	if !f.kept {
		return nil, nil
	}
	return f.Backend.Versions(ctx, q)
}

type forgetsTx struct {
	driver.Tx
	store *forgets
}

func (f forgetsTx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	f.store.kept = true
	return f.Tx.Keep(op, r, vs...)
}
