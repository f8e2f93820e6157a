package api

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Vote is feedback on one memory.
type Vote string

// The votes. The zero value leaves the decision to the verb modify, see [Change.Vote].
const (
	VoteNone Vote = "none"
	VoteUp   Vote = "upvote"
	VoteDown Vote = "downvote"
	// VoteUndo takes back the newest vote.
	VoteUndo Vote = "undo"
)

// Reinforce asks to vote: up for memories that helped, down for those that were wrong or misleading. All votes are cast, or
// none. The answer has a [Reinforcement] for each memory, in the order of the lists. A repeated ID counts once; an ID in two
// lists is [hippo.ErrInvalid], to take back a vote that nobody cast [hippo.ErrConflict].
type Reinforce struct {
	Up, Down []hippo.ID
	// Undo takes back the newest vote on each of these.
	Undo []hippo.ID
	// Query is the question that the memories answer, or do not: the votes count for questions like it. Empty: none in
	// particular. Asked has the question of single memories where it is another one.
	Query string
	Asked map[hippo.ID]string
}

// Reinforcement is the effect of a vote on one memory.
type Reinforcement struct {
	ID hippo.ID
	// Before and After are the importance as of today, in [0, 1].
	Before, After float64
}

// Feedback is votes on a memory, or openings of it, of one kind for one question.
type Feedback struct {
	// Kind is up, down or opened.
	Kind hippo.FeedbackKind
	// Day is the active day of the newest one, Weight how many they are as of that day.
	Day    hippo.Day
	Weight float64
	// Tied: they count for questions like the one that was asked; otherwise for none in particular.
	Tied bool
	// At is when the newest vote on the memory was cast, which [Reinforce.Undo] takes back; zero for others.
	At time.Time
}

// Opened notes that memories were read whole as answers to a question: a weak vote for each of them as an answer to questions
// like it. Unknown IDs are skipped. It is stored within a second.
type Opened struct {
	Query string
	IDs   []hippo.ID
}
