package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	in := func(project, content string) hippo.Memory {
		m := fact(content)
		m.Project = project
		return m
	}
	f.note(in("q", "The rate limit is 100 requests per minute"))
	f.note(in("p", "Ana wants table tests for the rate limit"))
	ended := in("p", "The rate limit is 50 requests per minute")
	ended.ValidUntil = f.now().AddDate(0, 0, 4)
	f.note(ended)
	first := f.note(in("p", "The rate limit is 100 requests per minute"))
	forgotten := f.note(in("p", "The rate limit is 150 requests per minute"))
	f.forget(forgotten.ID)
	second := f.note(in("p", "The rate limit is now 200 requests per minute."))
	again := f.note(in("p", "the rate limit is 100 requests per minute "))
	third := f.note(in("p", "The rate limit is 300 requests per minute"), second.ID, again.ID)
	for _, c := range []struct {
		of         *hippo.Memory
		duplicates []hippo.ID
		replaces   []string
	}{
		{first, nil, []string{"50 / 100"}},
		{again, []hippo.ID{first.ID}, nil},
		{third, nil, []string{"100 / 300"}},
	} {
		got, err := memory.Compare(t.Context(), f.Memories, c.of)
		if err != nil {
			t.Fatal(err)
		}
		var reasons []string
		for _, r := range got.Replaces {
			reasons = append(reasons, r.Reason)
		}
		if d := cmp.Diff(c.duplicates, got.Duplicates); d != "" {
			t.Errorf("%q, duplicates: %s", c.of.Content, d)
		}
		if cmp.Diff(c.replaces, reasons) != "" {
			t.Errorf("%q replaces %q, want %q", c.of.Content, reasons, c.replaces)
		}
	}
	if got, err := memory.Compare(t.Context(), f.Memories, f.note(fact("!!!"))); err != nil || len(got.Duplicates)+len(got.Replaces) > 0 {
		t.Errorf("!!! is like %+v (%v)", got, err)
	}
}

func TestCompare_NamesAFew(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for n := range 40 {
		f.note(fact(fmt.Sprintf("The rate limit is %d requests per minute", 10+n%20)))
	}
	got, err := memory.Compare(t.Context(), f.Memories, f.note(fact("The rate limit is 12 requests per minute")))
	if err != nil || len(got.Duplicates) != 2 || len(got.Replaces) != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestRecordCompared(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	record := func(content string, supersedes ...hippo.ID) (*hippo.Memory, *memory.Comparison) {
		t.Helper()
		draft := fact(content)
		m, same, err := memory.RecordCompared(t.Context(), f.Memories, &draft, supersedes...)
		if err != nil || same.Err != nil {
			t.Fatalf("%q: %v, comparison: %+v", content, err, same)
		}
		return m, same
	}
	first, same := record("The rate limit is 100 requests per minute")
	if len(same.Duplicates)+len(same.Replaces) > 0 {
		t.Errorf("the first memory is like %+v", same)
	}
	again, same := record("The rate limit is 100 requests per minute")
	if !cmp.Equal(same.Duplicates, []hippo.ID{first.ID}) || len(same.Replaces) > 0 {
		t.Errorf("the second one is like %+v, want a duplicate of %v", same, first.ID)
	}
	if _, same = record("The rate limit is 200 requests per minute", first.ID); len(same.Replaces) != 1 || same.Replaces[0].Memory.ID != again.ID {
		t.Errorf("what supersedes the first one is like %+v, want the second one only", same)
	}
	// Too long for its sentences to be compared.
	long := strings.Repeat("many words without any end ", 40)
	first, _ = record(long)
	if _, same = record(long); !cmp.Equal(same.Duplicates, []hippo.ID{first.ID}) {
		t.Errorf("a long memory is like %+v, want a duplicate of %v", same, first.ID)
	}
	used := fact("another text")
	used.ID = first.ID
	if _, _, err := memory.RecordCompared(t.Context(), f.Memories, &used); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("an ID in use: %v", err)
	}
}

// A comparison that is not permitted does not keep a memory from being recorded.
func TestRecordCompared_WithoutRead(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	draft := fact("The rate limit is 100 requests per minute")
	m, same, err := memory.RecordCompared(t.Context(), f.In(hippo.Scope{Rights: hippo.RightWrite}), &draft)
	if err != nil || !errors.Is(same.Err, hippo.ErrForbidden) {
		t.Fatalf("%v, comparison: %+v, want %v", err, same, hippo.ErrForbidden)
	}
	if f.get(m.ID).Content != draft.Content {
		t.Error("it was not recorded")
	}
}
