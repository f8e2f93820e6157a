package verb

import (
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Ballot is votes on memories.
type Ballot struct {
	Up, Down Refs
	// Undo takes back the newest votes.
	Undo Refs
	// ids get the vote; another form of the lists.
	ids  Refs
	vote string
	// Query is the question that the votes are about; nil: none in particular.
	Query *string
}

// Args are the arguments that fill a Ballot.
func (b *Ballot) Args() []Arg {
	return []Arg{
		{Name: "upvotes", As: map[Door]string{Script: "up"}, Also: "upvote up", Field: "Up", About: "those that helped", Brief: "ids", Is: Listed, To: &b.Up},
		{Name: "downvotes", As: map[Door]string{Script: "down"}, Also: "downvote down", Field: "Down", About: "those that were wrong or misled", Is: Listed, To: &b.Down},
		QuestionArg(&b.Query),
		{Name: "undo", As: lacking(Script), Field: "Undo", About: "those whose newest vote is taken back", To: &b.Undo},
		{Name: "uuids", As: lacking(REST, Script, Shell), Also: "uuid ids id", To: &b.ids},
		{Name: "vote", As: lacking(REST, Script, Shell), Also: "reinforce", Values: ballots(), To: &b.vote},
	}
}

// ballots are the votes that a list of memories may get.
func ballots() []string { return words([]api.Vote{api.VoteUp, api.VoteDown, api.VoteUndo}) }

// named returns the votes with those on the memories that get one vote.
func (b *Ballot) named() (Ballot, error) {
	out := *b
	if b.ids.Texts == nil && b.vote == "" {
		return out, nil
	}
	lists := map[string]*Refs{string(api.VoteUp): &out.Up, string(api.VoteDown): &out.Down, string(api.VoteUndo): &out.Undo}
	to := lists[b.vote]
	if to == nil {
		return out, Misshapen("vote", "must be one of %s", strings.Join(ballots(), ", "))
	}
	to.Name, to.Texts = b.ids.Name, slices.Concat(to.Texts, b.ids.Texts)
	return out, nil
}

// QuestionArg is the question that votes are about.
func QuestionArg(to **string) Arg {
	return Arg{Name: "query", Also: "question", Field: "Query", About: "the question that they answer or fail to answer; the vote counts for similar questions", Brief: "default: last search", Is: Listed, To: to}
}

// Resolve returns the votes. Errors have the names that the caller used.
func (b *Ballot) Resolve(ctx context.Context, m *engine.Memories) (out api.Reinforce, err error) {
	given, err := b.named()
	if err != nil {
		return out, err
	}
	for _, list := range []struct {
		from *Refs
		to   *[]hippo.ID
	}{{&given.Up, &out.Up}, {&given.Down, &out.Down}, {&given.Undo, &out.Undo}} {
		if *list.to, err = list.from.Resolve(ctx, m, api.PreferLive); err != nil {
			return out, err
		}
	}
	out.Query, err = memory.Question(b.Query)
	return out, err
}
