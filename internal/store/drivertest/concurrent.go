package drivertest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func concurrentChecks() []check {
	return []check{
		{"no_acknowledged_write_is_lost", noLostWrites},
		{"every_touch_is_counted", noLostTouches},
		{"read_then_write_excludes_others", counters},
		{"a_failing_writer_harms_no_other", failingWriters},
		{"a_panic_reaches_its_caller_and_harms_no_other", panickingWriters},
		{"readers_see_all_or_nothing", allOrNothing},
		{"a_follower_misses_nothing", follower},
	}
}

const (
	writers = 8
	rounds  = 15
)

// noLostWrites also checks that revisions are unique, and that a writer reads
// at once, on every handle, what was acknowledged to it.
func noLostWrites(t *testing.T, h Harness) {
	handles := h.handles(t)
	revisions := make([][]hippo.Revision, writers)
	together(t, writers, func(w int) (err error) {
		revisions[w], err = writeAndRead(t.Context(), handles, w)
		return err
	})
	used := make(map[hippo.Revision]bool)
	for w, list := range revisions {
		for i, rev := range list {
			if used[rev] || i > 0 && rev <= list[i-1] {
				t.Errorf("writer %d was given %v, of which %d is used or not above the one before", w, list, rev)
			}
			used[rev] = true
		}
	}
	for _, b := range handles {
		get(t, b, idRange(writers*rounds)...)
		if n := len(changes(t, b, 0)); n != writers*rounds {
			t.Errorf("changes has %d entries, want %d", n, writers*rounds)
		}
		if n := head(t, b).Memories; n != writers*rounds {
			t.Errorf("head counts %d memories, want %d", n, writers*rounds)
		}
	}
}

// writeAndRead is one writer of noLostWrites; it returns its revisions.
func writeAndRead(ctx context.Context, handles []driver.Backend, w int) ([]hippo.Revision, error) {
	var revisions []hippo.Revision
	for r := range rounds {
		m := plain(w*rounds + r)
		err := handles[w%len(handles)].Write(ctx, driver.Durability(r%2), func(tx driver.Tx) error {
			return tx.Put(m)
		})
		if err != nil {
			return nil, err
		}
		revisions = append(revisions, m.Revision)
		for _, other := range handles {
			got, err := other.Get(ctx, []hippo.ID{m.ID})
			if err != nil {
				return nil, err
			}
			if len(got) != 1 || got[0].Revision != m.Revision {
				return nil, fmt.Errorf("acknowledged at revision %d, but found %v", m.Revision, got)
			}
		}
	}
	return revisions, nil
}

func noLostTouches(t *testing.T, h Harness) {
	handles := h.handles(t)
	put(t, handles[0], plains(0, 4)...)
	together(t, writers, func(w int) error {
		for r := range rounds {
			err := handles[w%len(handles)].Write(t.Context(), driver.Lazy, func(tx driver.Tx) error {
				return rewriteIn(tx, hippo.Day(1+r/5), id(r%4), id(4+w))
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, b := range handles {
		total := 0
		for _, m := range get(t, b, idRange(4)...) {
			for _, a := range m.Accesses {
				total += a.Count
			}
		}
		if want := 4 + writers*rounds; total != want {
			t.Errorf("%d accesses are counted, want %d", total, want)
		}
	}
}

func counters(t *testing.T, h Harness) {
	handles := h.handles(t)
	put(t, handles[0], withText(0, "0"))
	together(t, writers, func(w int) error {
		for range rounds {
			if err := handles[w%len(handles)].Write(t.Context(), driver.Durable, countUp); err != nil {
				return err
			}
		}
		return nil
	})
	want := strconv.Itoa(writers * rounds)
	for _, b := range handles {
		if got := get(t, b, id(0))[0].Content; got != want {
			t.Errorf("%s increments are counted, want %s", got, want)
		}
		if got := head(t, b).Calendar.Day; got != writers*rounds {
			t.Errorf("the calendar is at day %d, want %s", got, want)
		}
	}
}

// countUp adds one to the number in memory 0, and to the active day. It invites
// others to come in between reading and writing.
func countUp(tx driver.Tx) error {
	ms, err := tx.Get(id(0))
	if err != nil {
		return err
	}
	if len(ms) != 1 {
		return errors.New("the counter is not there")
	}
	n, err := strconv.Atoi(ms[0].Content)
	if err != nil {
		return err
	}
	setText(ms[0], strconv.Itoa(n+1))
	c, err := tx.Calendar()
	if err != nil {
		return err
	}
	runtime.Gosched()
	if err := tx.SetCalendar(driver.Calendar{Day: c.Day + 1, Date: "2025-01-01"}); err != nil {
		return err
	}
	return tx.Put(ms...)
}

// failingWriters are where a group commit goes wrong first.
func failingWriters(t *testing.T, h Harness) {
	handles := h.handles(t)
	put(t, handles[0], withText(0, "0"))
	together(t, writers, func(w int) error {
		for r := range rounds {
			if err := writeOrFail(t.Context(), handles[w%len(handles)], 1+w*rounds+r, fails(w, r)); err != nil {
				return err
			}
		}
		return nil
	})
	for _, b := range handles {
		commits := 0
		for w := range writers {
			for r := range rounds {
				there := len(find(t, b, id(1+w*rounds+r)))
				if fails(w, r) == (there == 1) {
					t.Errorf("write %d of writer %d failed: %t, but left %d memories", r, w, fails(w, r), there)
				}
				commits += there
			}
		}
		counted, n := get(t, b, id(0))[0].Content, head(t, b).Memories-1
		if counted != strconv.Itoa(commits) || n != commits || len(changes(t, b, 0))-1 != commits {
			t.Errorf("%s commits are counted, head says %d, %d are there", counted, n, commits)
		}
	}
}

// fails says which writes are to fail: half of them on each handle.
func fails(writer, round int) bool { return (writer/2+round)%2 == 0 }

// writeOrFail puts memory n and counts up, and undoes both if it is to fail.
func writeOrFail(ctx context.Context, b driver.Backend, n int, fail bool) error {
	err := b.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		if err := tx.Put(plain(n)); err != nil {
			return err
		}
		if err := countUp(tx); err != nil || !fail {
			return err
		}
		return errWanted
	})
	if fail && errors.Is(err, errWanted) {
		return nil
	}
	if fail {
		return fmt.Errorf("write that fails returned: %v", err) //nolint:errorlint // err may be nil
	}
	return err
}

// panickingWriters writes from several goroutines, half of whose transactions panic
// after they changed something.
func panickingWriters(t *testing.T, h Harness) {
	handles := h.handles(t)
	together(t, writers, func(w int) error {
		for r := range rounds {
			n, panics := w*rounds+r, (w+r)%2 == 0
			got, err := writeAndRecover(t.Context(), handles[w%len(handles)], n, panics)
			if panics && got != n || !panics && (got != nil || err != nil) {
				return fmt.Errorf("write %d of writer %d should panic: %t; it panicked with %v and returned: %v", r, w, panics, got, err) //nolint:errorlint // err may be nil
			}
		}
		return nil
	})
	for _, b := range handles {
		if n := len(find(t, b, idRange(writers*rounds)...)); n != writers*rounds/2 || head(t, b).Memories != n {
			t.Errorf("%d memories are there, head counts %d, want %d", n, head(t, b).Memories, writers*rounds/2)
		}
	}
}

// writeAndRecover puts memory n, and panics then if it is to. It returns what it
// recovered in the goroutine of the caller.
func writeAndRecover(ctx context.Context, b driver.Backend, n int, panics bool) (recovered any, err error) {
	defer func() { recovered = recover() }()
	return nil, b.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		if err := tx.Put(plain(n)); err != nil {
			return err
		}
		if panics {
			panic(n)
		}
		return nil
	})
}

// allOrNothing writes the same text to several memories in each transaction,
// every other of which fails, while readers look for a mixture.
func allOrNothing(t *testing.T, h Harness) {
	handles := h.handles(t)
	ids := idRange(5)
	write(t, handles[0], func(tx driver.Tx) error { return putAll(tx, ids, "text 0") })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	together(t, 1+2*len(handles), func(i int) error {
		if i == 0 {
			defer stop()
			return writeUniform(t.Context(), handles[0], ids)
		}
		for ctx.Err() == nil {
			if err := readUniform(t.Context(), handles[i%len(handles)], ids); err != nil {
				return err
			}
		}
		return nil
	})
}

func writeUniform(ctx context.Context, b driver.Backend, ids []hippo.ID) error {
	for r := range many(4, 2) * rounds {
		err := b.Write(ctx, driver.Lazy, func(tx driver.Tx) error {
			if r%2 == 0 {
				return putAll(tx, ids, fmt.Sprintf("text %d", r))
			}
			if err := putAll(tx, ids, "never committed"); err != nil {
				return err
			}
			return errWanted
		})
		if (r%2 == 1) != errors.Is(err, errWanted) || r%2 == 0 && err != nil {
			return fmt.Errorf("write %d returned: %v", r, err) //nolint:errorlint // err may be nil
		}
	}
	return nil
}

func putAll(tx driver.Tx, ids []hippo.ID, text string) error {
	for i := range ids {
		m := withText(i, text)
		m.ID = ids[i]
		if err := tx.Put(m); err != nil {
			return err
		}
	}
	return nil
}

func readUniform(ctx context.Context, b driver.Backend, ids []hippo.ID) error {
	ms, err := b.Get(ctx, ids)
	if err != nil {
		return err
	}
	if len(ms) != len(ids) {
		return fmt.Errorf("found %d memories of %d", len(ms), len(ids))
	}
	for _, m := range ms {
		if m.Content != ms[0].Content || m.Content == "never committed" {
			return fmt.Errorf("read %q beside %q", m.Content, ms[0].Content)
		}
	}
	return nil
}

// follower keeps a replica by revision, as an index does, while others write.
func follower(t *testing.T, h Harness) {
	handles := h.handles(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	f := replica{memories: make(map[hippo.ID]*hippo.Memory)}
	last := handles[len(handles)-1]
	together(t, 2, func(i int) error {
		if i == 0 {
			defer stop()
			return churn(t.Context(), handles)
		}
		for ctx.Err() == nil {
			if err := f.catchUp(t.Context(), last); err != nil {
				return err
			}
		}
		return f.catchUp(t.Context(), last)
	})
	want := existing(changes(t, last, 0))
	if len(want) != len(f.memories) {
		t.Errorf("the follower has %d memories, the store %d", len(f.memories), len(want))
	}
	for _, m := range want {
		same(t, "memory", f.memories[m.ID], m)
	}
}

// churn adds, changes and purges memories on all handles in turn.
func churn(ctx context.Context, handles []driver.Backend) error {
	for n := range many(6, 3) * rounds {
		b := handles[n%len(handles)]
		err := b.Write(ctx, driver.Lazy, func(tx driver.Tx) error {
			if err := tx.Put(plain(n), withText(n/2, "changed")); err != nil {
				return err
			}
			return tx.Purge(id(n / 3))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
