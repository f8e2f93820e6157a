package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("resolvable", .5)
	hash := fmt.Sprintf("%x", hippo.HashContent("resolvable"))
	for _, ref := range []string{id.String(), id.String()[:13], hash[:8]} {
		if got, err := f.Resolve(t.Context(), ref, false); err != nil || got != id {
			t.Errorf("%s: got %v (%v)", ref, got, err)
		}
	}
	for ref, want := range map[string]error{"abc": hippo.ErrInvalid, "ffffffff": hippo.ErrNotFound} {
		if _, err := f.Resolve(t.Context(), ref, false); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", ref, err, want)
		}
	}
}
