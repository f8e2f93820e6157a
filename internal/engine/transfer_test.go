package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

func TestImport_RejectsAndGoesOn(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	broken := errors.New("line 2: broken")
	entries := func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{Content: "one"}, nil) &&
			yield(nil, broken) &&
			yield(&hippo.Memory{Content: ""}, nil) &&
			yield(&hippo.Memory{Content: "two"}, nil)
	}
	r, err := transfer.New(f.Memories).Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Added != 2 || len(r.Rejected) != 2 || r.Rejected[0].Entry != 2 || !errors.Is(r.Rejected[0].Err, broken) || !errors.Is(r.Rejected[1].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v", r)
	}
}

// Whatever namespace an entry names, it comes into that of the caller, who finds it.
func TestImport_IntoTheNamespaceOfTheCaller(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	m := f.In(hippo.Scope{Namespace: "mine", Rights: hippo.AllRights, Projects: []string{"p"}})
	entries := func(yield func(*hippo.Memory, error) bool) {
		_ = yield(&hippo.Memory{Content: "a zebra", Namespace: "theirs", Project: "p"}, nil) &&
			yield(&hippo.Memory{Content: "a zebra of another project", Project: "q"}, nil) &&
			yield(&hippo.Memory{Content: "a zebra at last", Project: "p"}, nil)
	}
	r, err := transfer.New(m).Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil || r.Added != 2 || len(r.Rejected) != 1 || r.Rejected[0].Entry != 2 || !errors.Is(r.Rejected[0].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v (%v)", r, err)
	}
	if a, err := query.Search(t.Context(), m, hippo.Query{Text: "zebra"}); err != nil || a.Total != 2 {
		t.Errorf("found %+v (%v), want two", a, err)
	}
	if s := f.status(); s.Memories != 0 {
		t.Errorf("the default namespace has %d memories", s.Memories)
	}
}

// An import is one operation however many batches it has: one undo forgets all of it, and the undo of that brings all back.
func TestImport_IsUndoneAndDoneAgain(t *testing.T) {
	t.Parallel()
	const n = 1100 // more than two batches
	f := open(t, options{})
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			if !yield(&hippo.Memory{Content: fmt.Sprintf("a zebra with %d stripes", i)}, nil) {
				return
			}
		}
	}
	r, err := transfer.New(f.Memories).Logged(transfer.Origin{Path: "/zebras.csv"}).Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil || r.Added != n {
		t.Fatalf("got %+v (%v)", r, err)
	}
	live := func() int {
		l, err := memory.List(t.Context(), f.Memories, api.List{})
		if err != nil {
			t.Fatal(err)
		}
		return l.Total
	}
	for _, want := range []int{0, n, 0} {
		page, err := memory.Operations(t.Context(), f.Memories, api.Operations{Count: 1})
		if err != nil || len(page.Operations) != 1 || len(page.Operations[0].Memories) != n {
			t.Fatalf("got %d operations (%v), want one of %d memories", len(page.Operations), err, n)
		}
		ms, err := memory.Undo(t.Context(), f.Memories, page.Operations[0].ID)
		if err != nil || len(ms) != n || live() != want {
			t.Fatalf("the undo changed %d memories (%v), and %d are left, want %d", len(ms), err, live(), want)
		}
	}
}
