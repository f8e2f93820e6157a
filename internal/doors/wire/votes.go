package wire

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Votes are the votes on a memory and its openings as JSON, the newest last.
type Votes struct {
	Votes []Vote `json:"votes"`
}

// Vote is one vote or opening, or several of one kind for one question.
type Vote struct {
	// Kind is up, down or opened, Day the active day of the newest, Weight how many they are, decayed as of that day.
	Kind   hippo.FeedbackKind `json:"kind"`
	Day    hippo.Day          `json:"day"`
	Weight float64            `json:"weight"`
	// Tied: they count for questions like the one that was asked.
	Tied bool `json:"tied"`
	// Newest: it is the newest vote, which can be taken back; At is when it was cast.
	Newest bool       `json:"newest"`
	At     *time.Time `json:"at,omitempty"`
}

// VotesOf returns the votes on a memory.
func VotesOf(m *hippo.Memory) Votes {
	out := Votes{make([]Vote, len(m.Feedback))}
	for i := range m.Feedback {
		f := &m.Feedback[i]
		out.Votes[i] = Vote{Kind: f.Kind, Day: f.Day, Weight: f.Weight, Tied: len(f.Question) > 0, Newest: f.Former != nil}
		if f.Former != nil {
			out.Votes[i].At = &f.Former.At
		}
	}
	return out
}
