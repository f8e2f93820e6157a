package client_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
)

// TestFeedback: the votes on an insight are listed, and the newest one is taken back.
func TestFeedback(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:", client.Options{})
	id := recorded(t, c, api.Record{Content: "the pump needs oil"}).ID
	for _, b := range []api.Reinforce{{Up: []hippo.ID{id}}, {Down: []hippo.ID{id}}} {
		if _, err := c.Reinforce(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Feedback(t.Context(), id)
	if err != nil || len(got) != 2 || got[0].Kind != hippo.FeedbackUp || !got[0].At.IsZero() || got[1].Kind != hippo.FeedbackDown || got[1].At.IsZero() || got[1].Tied {
		t.Fatalf("votes are %+v, %v", got, err)
	}
	if _, err := c.Reinforce(t.Context(), api.Reinforce{Undo: []hippo.ID{id}}); err != nil {
		t.Fatal(err)
	}
	if got, err = c.Feedback(t.Context(), id); err != nil || len(got) != 1 || got[0].Kind != hippo.FeedbackUp {
		t.Errorf("votes are %+v, %v", got, err)
	}
	if _, err := c.Feedback(t.Context(), hippo.ID{1}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("of an unknown insight: %v", err)
	}
}
