package client_test

import (
	"errors"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/client"
)

// TestFeedbackOn: the votes on an insight are listed, and the newest one is taken back.
func TestFeedbackOn(t *testing.T) {
	t.Parallel()
	c := opened(t, "memory:")
	id := recorded(t, c, "the pump needs oil").ID
	for _, b := range []client.Ballot{{Up: []hippo.ID{id}}, {Down: []hippo.ID{id}}} {
		if _, err := client.Cast(t.Context(), c, b); err != nil {
			t.Fatal(err)
		}
	}
	got, err := client.FeedbackOn(t.Context(), c, id)
	if err != nil || len(got) != 2 || got[0].Kind != hippo.FeedbackUp || !got[0].At.IsZero() || got[1].Kind != hippo.FeedbackDown || got[1].At.IsZero() || got[1].Tied {
		t.Fatalf("votes are %+v, %v", got, err)
	}
	if _, err := client.Cast(t.Context(), c, client.Ballot{Undo: []hippo.ID{id}}); err != nil {
		t.Fatal(err)
	}
	if got, err = client.FeedbackOn(t.Context(), c, id); err != nil || len(got) != 1 || got[0].Kind != hippo.FeedbackUp {
		t.Errorf("votes are %+v, %v", got, err)
	}
	if _, err := client.FeedbackOn(t.Context(), c, hippo.ID{1}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("of an unknown insight: %v", err)
	}
}
