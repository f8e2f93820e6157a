package pgstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	here, there := pgstore.Tokens{DB: openDB(t, url)}, pgstore.Tokens{DB: openDB(t, url)}
	for i, namespace := range []string{"b", "a"} {
		if err := here.Add(t.Context(), []byte{2 - byte(i)}, namespace, "ann", fmt.Appendf(nil, `{"n": %d}`, 2-i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := there.Add(t.Context(), []byte{3}, "a", "ann", []byte(`{}`)); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("the same name: %v", err)
	}
	if got, err := there.Find(t.Context(), []byte{1}); err != nil || string(got) != `{"n": 1}` {
		t.Errorf("got %s (%v)", got, err)
	}
	if got, err := there.Find(t.Context(), []byte{9}); err != nil || got != nil {
		t.Errorf("got %s (%v), want none", got, err)
	}
	list, err := there.List(t.Context())
	if err != nil || len(list) != 2 || string(list[0]) != `{"n": 2}` {
		t.Errorf("got %s (%v), want them in the order of their creation", list, err)
	}
	for _, want := range []bool{true, false} {
		if found, err := there.Remove(t.Context(), "a", "ann"); err != nil || found != want {
			t.Errorf("removed %t (%v), want %t", found, err, want)
		}
	}
	if got, err := here.Find(t.Context(), []byte{2}); err != nil || got == nil {
		t.Errorf("the token of another namespace is gone: %v", err)
	}
}
