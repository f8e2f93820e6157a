package drivertest_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// fault is a mistake of a back end, as a wrapper of a correct one.
type fault struct {
	// topic is the part of the suite that has to detect it.
	topic string
	plant func(driver.Backend) driver.Backend
}

func faults() map[string]fault {
	return map[string]fault{
		"tombstones_are_dropped":              {"changes", drops(func(c driver.Change) bool { return c.Memory == nil })},
		"changes_are_skipped_now_and_then":    {"changes", drops(func(c driver.Change) bool { return c.Revision%1001 == 0 })},
		"get_sorts_by_id":                     {"crud", gets(sortByID)},
		"forgotten_ones_are_hidden":           {"reopen", gets(hideForgotten)},
		"an_error_is_swallowed_and_committed": {"transaction", func(b driver.Backend) driver.Backend { return commitsAnyway{b} }},
		"a_panic_is_swallowed":                {"concurrent", func(b driver.Backend) driver.Backend { return swallowsPanic{b} }},
		"an_error_is_not_returned":            {"transaction", func(b driver.Backend) driver.Backend { return losesError{b} }},
		"purge_is_not_undone":                 {"transaction", func(b driver.Backend) driver.Backend { return purgesAtOnce{b} }},
		"memories_are_cached_and_shared":      {"ownership", func(b driver.Backend) driver.Backend { return &caches{Backend: b} }},
		"a_handle_reads_stale_data":           {"handles", func(b driver.Backend) driver.Backend { return &stale{Backend: b} }},
		"a_canceled_context_is_ignored":       {"cancel", func(b driver.Backend) driver.Backend { return ignoresContext{b} }},
		"an_update_is_lost":                   {"concurrent", func(b driver.Backend) driver.Backend { return racy{b} }},
		"one_field_is_lost":                   {"fields", puts(func(m *hippo.Memory) { m.Surprise.Loss = 0 })},
		"big_numbers_are_rounded":             {"fields", puts(roundNumbers)},
		"tags_are_sorted":                     {"fields", puts(func(m *hippo.Memory) { slices.Sort(m.Tags) })},
		"times_are_milliseconds":              {"times", puts(cutTimes)},
		"the_epoch_means_unset":               {"times", puts(dropEpoch)},
		"lists_are_joined_by_commas":          {"content", puts(joinSituation)},
		"line_ends_are_unified":               {"content", puts(unifyLines)},
		"old_accesses_are_cut":                {"access", puts(func(m *hippo.Memory) { m.Accesses = m.Accesses[max(0, len(m.Accesses)-60):] })},
	}
}

func sortByID(ms []*hippo.Memory) []*hippo.Memory {
	slices.SortFunc(ms, func(a, b *hippo.Memory) int { return a.ID.Compare(b.ID) })
	return ms
}

func hideForgotten(ms []*hippo.Memory) []*hippo.Memory {
	return slices.DeleteFunc(ms, (*hippo.Memory).Forgotten)
}

func roundNumbers(m *hippo.Memory) {
	if string(m.Metadata["just too big"]) == "9007199254740993" {
		m.Metadata["just too big"] = []byte("9007199254740992")
	}
}

func cutTimes(m *hippo.Memory) { m.UpdatedAt = m.UpdatedAt.Truncate(time.Millisecond) }

func dropEpoch(m *hippo.Memory) {
	if m.EventTime.UnixMicro() == 0 {
		m.EventTime = time.Time{}
	}
}

func joinSituation(m *hippo.Memory) {
	if len(m.Situation) > 0 {
		m.Situation = strings.Split(strings.Join(m.Situation, ","), ",")
	}
}

func unifyLines(m *hippo.Memory) { m.Content = strings.ReplaceAll(m.Content, "\r\n", "\n") }

// drops makes a store that does not yield the changes for which drop is true.
func drops(drop func(driver.Change) bool) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return dropsChanges{b, drop} }
}

// gets makes a store that alters what it found.
func gets(alter func([]*hippo.Memory) []*hippo.Memory) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return altersGet{b, alter} }
}

// puts makes a store that alters every memory it is asked to put.
func puts(alter func(*hippo.Memory)) func(driver.Backend) driver.Backend {
	return func(b driver.Backend) driver.Backend { return altersPut{b, alter} }
}

type dropsChanges struct {
	driver.Backend
	drop func(driver.Change) bool
}

func (f dropsChanges) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		for c, err := range f.Backend.Changes(ctx, since) {
			if err == nil && f.drop(c) {
				continue
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

type altersGet struct {
	driver.Backend
	alter func([]*hippo.Memory) []*hippo.Memory
}

func (f altersGet) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := f.Backend.Get(ctx, ids)
	return f.alter(ms), err
}

// commitsAnyway reports the error, but keeps what was written before it.
type commitsAnyway struct{ driver.Backend }

func (f commitsAnyway) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	var failed error
	if err := f.Backend.Write(ctx, d, func(tx driver.Tx) error { failed = fn(tx); return nil }); err != nil {
		return err
	}
	return failed
}

type losesError struct{ driver.Backend }

func (f losesError) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	var failed error
	err := f.Backend.Write(ctx, d, func(tx driver.Tx) error { failed = fn(tx); return failed })
	if failed != nil {
		return nil
	}
	return err
}

type swallowsPanic struct{ driver.Backend }

func (f swallowsPanic) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = errors.New("panic")
			}
		}()
		return fn(tx)
	})
}

// caches gives everybody the same pointer until the memory changes.
type caches struct {
	driver.Backend
	mu    sync.Mutex
	known map[hippo.ID]*hippo.Memory
}

func (f *caches) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	ms, err := f.Backend.Get(ctx, ids)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil {
		f.known = make(map[hippo.ID]*hippo.Memory)
	}
	for i, m := range ms {
		if old := f.known[m.ID]; old != nil && old.Revision == m.Revision {
			ms[i] = old
		}
		f.known[m.ID] = ms[i]
	}
	return ms, err
}

// stale keeps its head until it writes itself.
type stale struct {
	driver.Backend
	mu   sync.Mutex
	head *driver.Head
}

func (f *stale) Head(ctx context.Context) (driver.Head, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head != nil {
		return *f.head, ctx.Err()
	}
	h, err := f.Backend.Head(ctx)
	if err == nil {
		f.head = &h
	}
	return h, err
}

func (f *stale) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	err := f.Backend.Write(ctx, d, fn)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.head = nil
	return err
}

// ignoresContext writes although the context has ended.
type ignoresContext struct{ driver.Backend }

func (f ignoresContext) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	return f.Backend.Write(ctx, d, fn)
}

type altersPut struct {
	driver.Backend
	alter func(*hippo.Memory)
}

func (f altersPut) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(altersTx{tx, f.alter}) })
}

// altersTx stores an altered copy.
type altersTx struct {
	driver.Tx
	alter func(*hippo.Memory)
}

func (f altersTx) Put(ms ...*hippo.Memory) error {
	for _, m := range ms {
		c := m.Clone()
		f.alter(c)
		if err := f.Tx.Put(c); err != nil {
			return err
		}
		m.Revision = c.Revision
	}
	return nil
}

// purgesAtOnce commits purges even when the transaction fails later.
type purgesAtOnce struct{ driver.Backend }

func (f purgesAtOnce) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	var purged []hippo.ID
	err := f.Backend.Write(ctx, d, func(tx driver.Tx) error { return fn(notesPurges{tx, &purged}) })
	if err == nil || len(purged) == 0 {
		return err
	}
	if again := f.Backend.Write(ctx, d, func(tx driver.Tx) error { return tx.Purge(purged...) }); again != nil {
		return again
	}
	return err
}

type notesPurges struct {
	driver.Tx
	purged *[]hippo.ID
}

func (n notesPurges) Purge(ids ...hippo.ID) error {
	*n.purged = append(*n.purged, ids...)
	return n.Tx.Purge(ids...)
}

// racy runs the function on a draft and commits the draft in a second
// transaction: another writer may have come in between.
type racy struct{ driver.Backend }

func (f racy) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	errDraft := errors.New("draft")
	var drafted []*hippo.Memory
	err := f.Backend.Write(ctx, d, func(tx driver.Tx) error {
		notes := &notesPuts{Tx: tx}
		if err := fn(notes); err != nil || notes.other {
			return err
		}
		drafted = notes.puts
		return errDraft
	})
	if !errors.Is(err, errDraft) {
		return err
	}
	runtime.Gosched()
	return f.Backend.Write(ctx, d, func(tx driver.Tx) error { return tx.Put(drafted...) })
}

// notesPuts keeps what was put, and whether anything else was changed.
type notesPuts struct {
	driver.Tx
	puts  []*hippo.Memory
	other bool
}

func (n *notesPuts) Put(ms ...*hippo.Memory) error {
	n.puts = append(n.puts, ms...)
	return n.Tx.Put(ms...)
}

func (n *notesPuts) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	n.other = true
	return n.Tx.Touch(day, counts)
}

func (n *notesPuts) Purge(ids ...hippo.ID) error {
	n.other = true
	return n.Tx.Purge(ids...)
}

func (n *notesPuts) SetCalendar(c driver.Calendar) error {
	n.other = true
	return n.Tx.SetCalendar(c)
}
