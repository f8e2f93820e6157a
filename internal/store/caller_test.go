package store_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// A write whose caller has left by the time that it holds the store writes nothing, and neither does what was held back for it.
func TestUnless(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, _ *clock, s *store.Store) {
		left := false
		ctx := driver.Unless(t.Context(), func() bool { return left })
		note := func() *hippo.Memory { return &hippo.Memory{Content: "a note", Importance: hippo.Importance{Base: .5}} }
		kept := note()
		if err := s.Add(ctx, kept); err != nil {
			t.Fatal(err)
		}
		held, err := store.Hold(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		if err := held.Add(ctx, note()); err != nil {
			t.Fatal(err)
		}
		left = true
		if err := s.Add(ctx, note()); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("a record: %v", err)
		}
		if err := held.Commit(ctx); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("a commit: %v", err)
		}
		in := s.In(hippo.LocalScope(""))
		if _, err := in.Update(ctx, []hippo.ID{kept.ID}, func(x *hippo.Memory, _ hippo.Day) error {
			x.Content = "changed"
			return nil
		}); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("a change: %v", err)
		}
		ms, err := in.Get(t.Context(), []hippo.ID{kept.ID})
		if err != nil || len(ms) != 1 || ms[0].Content != "a note" {
			t.Errorf("kept %v, %v", ms, err)
		}
		if c, err := s.Head(t.Context()); err != nil || c.Revision == 0 {
			t.Errorf("head %+v, %v", c, err)
		}
	})
}
