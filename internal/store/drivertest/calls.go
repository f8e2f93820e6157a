package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// errWanted is the error with which checks end a transaction on purpose.
var errWanted = errors.New("wanted by the check")

// put writes ms durably.
func put(t testing.TB, b driver.Backend, ms ...*hippo.Memory) {
	t.Helper()
	write(t, b, func(tx driver.Tx) error { return tx.Put(ms...) })
}

// purge removes ids for good.
func purge(t testing.TB, b driver.Backend, ids ...hippo.ID) {
	t.Helper()
	write(t, b, func(tx driver.Tx) error { return tx.Purge(ids...) })
}

// write runs fn in a durable transaction that must succeed.
func write(t testing.TB, b driver.Backend, fn func(driver.Tx) error) {
	t.Helper()
	if err := b.Write(t.Context(), driver.Durable, fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// get returns the memories with these IDs; all of them must be there.
func get(t testing.TB, b driver.Backend, ids ...hippo.ID) []*hippo.Memory {
	t.Helper()
	ms := find(t, b, ids...)
	if len(ms) != len(ids) {
		t.Fatalf("get: found %d memories of %d", len(ms), len(ids))
	}
	return ms
}

// find returns those of the memories with these IDs that are there.
func find(t testing.TB, b driver.Backend, ids ...hippo.ID) []*hippo.Memory {
	t.Helper()
	ms, err := b.Get(t.Context(), ids)
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	if slices.Contains(ms, nil) {
		t.Fatal("get returns a nil memory")
	}
	return ms
}

func head(t testing.TB, b driver.Backend) driver.Head {
	t.Helper()
	h, err := b.Head(t.Context())
	if err != nil {
		t.Fatalf("head: %v", err)
	}
	return h
}

// changes returns what changed after since, having checked that the revisions
// ascend from there and that no memory comes twice.
func changes(t testing.TB, b driver.Backend, since hippo.Revision) []driver.Change {
	t.Helper()
	list, err := readChanges(t.Context(), b, since)
	if err != nil {
		t.Fatalf("changes since %d: %v", since, err)
	}
	return list
}

func readChanges(ctx context.Context, b driver.Backend, since hippo.Revision) ([]driver.Change, error) {
	var list []driver.Change
	seen := make(map[hippo.ID]bool)
	last := since
	for c, err := range b.Changes(ctx, since) {
		if err != nil {
			return nil, err
		}
		if c.Revision <= last {
			return nil, fmt.Errorf("revision %d comes after %d", c.Revision, last)
		}
		if seen[c.ID] {
			return nil, fmt.Errorf("memory %s comes twice", c.ID)
		}
		if c.Memory != nil && (c.Memory.ID != c.ID || c.Memory.Revision != c.Revision) {
			return nil, fmt.Errorf("change of %s at %d carries memory %s at %d",
				c.ID, c.Revision, c.Memory.ID, c.Memory.Revision)
		}
		seen[c.ID] = true
		last = c.Revision
		list = append(list, c)
	}
	return list, nil
}

// existing drops the tombstones.
func existing(list []driver.Change) []*hippo.Memory {
	var ms []*hippo.Memory
	for _, c := range list {
		if c.Memory != nil {
			ms = append(ms, c.Memory)
		}
	}
	return ms
}

func idsOf(ms []*hippo.Memory) []hippo.ID {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}

func cloneAll(ms []*hippo.Memory) []*hippo.Memory {
	cs := make([]*hippo.Memory, len(ms))
	for i, m := range ms {
		cs[i] = m.Clone()
	}
	return cs
}

// same reports a difference between what was read and what was expected.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := diff(got, want); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, d)
	}
}

// diff compares values: nil and empty lists are equal, times are compared as instants,
// JSON as values, with numbers by their literals.
func diff(got, want any) string {
	switch want := want.(type) {
	case []*hippo.Memory:
		if got, ok := got.([]*hippo.Memory); ok {
			return diffList(got, want)
		}
	case []driver.Change:
		if got, ok := got.([]driver.Change); ok {
			return diffList(got, want)
		}
	case everything:
		if got, ok := got.(everything); ok {
			return diffAny(got.Head, want.Head) + diffList(got.Changes, want.Changes)
		}
	}
	return diffAny(got, want)
}

// diffList shows the first difference only: there may be thousands.
func diffList[T any](got, want []T) string {
	if len(got) != len(want) {
		return fmt.Sprintf("length is %d, want %d", len(got), len(want))
	}
	for i := range got {
		if d := diffAny(got[i], want[i]); d != "" {
			return fmt.Sprintf("element %d is the first of %d that differs:\n%s", i, len(got), d)
		}
	}
	return ""
}

func diffAny(got, want any) string {
	if reflect.DeepEqual(got, want) {
		return "" // most often so, and cmp is slow
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty(),
		cmp.Transformer("json", func(raw json.RawMessage) any {
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil || d.More() {
				return fmt.Sprintf("not JSON: %q", raw)
			}
			return v
		}))
}

// together runs fn(0) to fn(n-1) at the same time and reports their errors.
func together(t testing.TB, n int, fn func(i int) error) {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = fn(i) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("goroutine %d: %v", i, err)
		}
	}
}
