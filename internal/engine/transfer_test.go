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
