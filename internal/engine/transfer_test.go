package engine_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
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
	r, err := f.Transfer().Import(t.Context(), hippo.Calendar{}, entries, nil)
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
	r, err := m.Transfer().Import(t.Context(), hippo.Calendar{}, entries, nil)
	if err != nil || r.Added != 2 || len(r.Rejected) != 1 || r.Rejected[0].Entry != 2 || !errors.Is(r.Rejected[0].Err, hippo.ErrInvalid) {
		t.Errorf("got %+v (%v)", r, err)
	}
	if a, err := m.Search(t.Context(), hippo.Query{Text: "zebra"}); err != nil || a.Total != 2 {
		t.Errorf("found %+v (%v), want two", a, err)
	}
	if s := f.status(); s.Memories != 0 {
		t.Errorf("the default namespace has %d memories", s.Memories)
	}
}
