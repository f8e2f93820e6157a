package dirstore

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Use is counted in the replica alone, so that a search leaves a directory that is under version
// control as it was. A file gets the counts with the next change of its memory, and metadata.json
// the active day with the next change of any file.

// Touch implements [driver.Tx]. No file changes.
func (t *tx) Touch(day hippo.Day, counts map[hippo.ID]int) error {
	if err := t.check(driver.Counted(counts)); err != nil {
		return err
	}
	return t.Tx.Touch(day, counts)
}

// putUses stores those of the memories in the replica whose file lacks nothing but their use, and
// returns the others.
func putUses(t *tx, ms []*hippo.Memory) (others []*hippo.Memory, err error) {
	for _, m := range ms {
		used, err := usedOnly(t, m)
		if err != nil {
			return nil, err
		}
		if !used {
			others = append(others, m)
			continue
		}
		if err := t.Tx.Put(m); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// usedOnly reports whether a memory differs from the stored one by its use alone, and has a sound file.
func usedOnly(t *tx, m *hippo.Memory) (bool, error) {
	files, err := t.files(m.ID)
	if err != nil || len(files) == 0 || !files[0].holder || files[0].fault != "" || files[0].name != nameOf(m.ID) {
		return false, err
	}
	before, err := t.Peek(m.ID)
	if err != nil || before == nil {
		return false, nil //nolint:nilerr // what cannot be read in the replica is written whole
	}
	return reflect.DeepEqual(withoutUse(before), withoutUse(m)), nil
}

// withoutUse returns a copy of a memory without what is counted when it is found or opened.
func withoutUse(m *hippo.Memory) *hippo.Memory {
	c := *m
	c.Revision, c.Accesses = 0, nil
	c.Feedback = slices.DeleteFunc(slices.Clone(m.Feedback), func(f hippo.Feedback) bool { return f.Kind == hippo.FeedbackOpened })
	if len(c.Feedback) == 0 {
		c.Feedback = nil
	}
	return &c
}

// mergeUse adds to the memory of a file what the replica counted of its use since the file was written.
// The larger count of a day holds: either has counted what the other one had before.
func mergeUse(m, before *hippo.Memory) {
	m.Accesses = mergeAccesses(m.Accesses, before.Accesses)
	for _, f := range before.Feedback {
		known := func(g hippo.Feedback) bool { return g.Kind == f.Kind && slices.Equal(g.Question, f.Question) }
		if f.Kind == hippo.FeedbackOpened && len(m.Feedback) < hippo.MaxFeedback && !slices.ContainsFunc(m.Feedback, known) {
			m.Feedback = append(slices.Clone(m.Feedback), f)
		}
	}
}

// mergeAccesses returns the accesses of two lists by day, the newest [hippo.MaxAccessDays].
func mergeAccesses(a, b []hippo.Access) []hippo.Access {
	if slices.Equal(a, b) {
		return a
	}
	all := slices.SortedStableFunc(slices.Values(slices.Concat(a, b)), func(x, y hippo.Access) int { return cmp.Compare(x.Day, y.Day) })
	merged := all[:0]
	for _, x := range all {
		if n := len(merged); n > 0 && merged[n-1].Day == x.Day {
			merged[n-1].Count = max(merged[n-1].Count, x.Count)
			continue
		}
		merged = append(merged, x)
	}
	return merged[max(0, len(merged)-hippo.MaxAccessDays):]
}
