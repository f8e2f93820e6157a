package drivertest_test

import (
	"context"
	"iter"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// useFaults are mistakes in what a back end counts, and leaseFaults in its rights.
func useFaults() map[string]fault {
	return map[string]fault{
		"a_touch_is_a_change":       {"access", func(b driver.Backend) driver.Backend { return touchPuts{b} }},
		"uses_of_a_day_are_lost":    {"access", uses(func(u driver.Use) bool { return u.Day%7 != 0 })},
		"uses_before_the_day_come":  {"access", func(b driver.Backend) driver.Backend { return allUses{b} }},
		"everybody_has_a_right":     {"lease", func(b driver.Backend) driver.Backend { return generous{b} }},
		"a_right_is_never_released": {"lease", func(b driver.Backend) driver.Backend { return keeps{b} }},
		"looking_takes":             {"lease", func(b driver.Backend) driver.Backend { return takes{b} }},
	}
}

// touchPuts gives memories that are touched a new revision.
type touchPuts struct{ driver.Backend }

func (f touchPuts) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(touchTx{tx}) })
}

type touchTx struct{ driver.Tx }

func (f touchTx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	ms, err := f.Get(driver.Counted(counts)...)
	for _, m := range ms {
		m.Touch(day, counts[m.ID])
	}
	if err != nil {
		return err
	}
	return f.Put(ms...)
}

// uses makes a store that yields the uses for which keep is true.
func uses(keep func(driver.Use) bool) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return someUses{b, keep} }
}

type someUses struct {
	driver.Backend
	keep func(driver.Use) bool
}

func (f someUses) Uses(ctx context.Context, since hippo.Day) iter.Seq2[driver.Use, error] {
	return func(yield func(driver.Use, error) bool) {
		for u, err := range f.Backend.Uses(ctx, since) {
			if (err != nil || f.keep(u)) && !yield(u, err) {
				return
			}
		}
	}
}

type allUses struct{ driver.Backend }

func (f allUses) Uses(ctx context.Context, _ hippo.Day) iter.Seq2[driver.Use, error] {
	return f.Backend.Uses(ctx, -1<<31)
}

type generous struct{ driver.Backend }

func (f generous) Lease(ctx context.Context, name string, d time.Duration) (driver.Lease, error) {
	l, err := f.Backend.Lease(ctx, name, d)
	l.Held = true
	return l, err
}

type keeps struct{ driver.Backend }

func (keeps) Release(context.Context, string) error { return nil }

type takes struct{ driver.Backend }

func (f takes) Lease(ctx context.Context, name string, d time.Duration) (driver.Lease, error) {
	return f.Backend.Lease(ctx, name, max(d, time.Hour))
}
