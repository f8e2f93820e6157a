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
		{Name: "uuids", As: lacking(REST, Script, Shell), Also: "uuid ids id", Field: "Up Down Undo", To: &b.ids},
		{Name: "vote", As: lacking(REST, Script, Shell), Also: "reinforce", Values: ballots(), To: &b.vote},
	}
}

// ballots are the votes that a list of memories may get.
func ballots() []string { return words([]api.Vote{api.VoteUp, api.VoteDown, api.VoteUndo}) }

// list is memories that get a vote, and where their IDs go.
type list struct {
	from *Refs
	to   *[]hippo.ID
}

// lists returns the memories of all votes: a list for each vote, and the memories that get one vote.
func (b *Ballot) lists(out *api.Reinforce) ([]list, error) {
	all := []list{{&b.Up, &out.Up}, {&b.Down, &out.Down}, {&b.Undo, &out.Undo}}
	if b.ids.Texts == nil && b.vote == "" {
		return all, nil
	}
	to := map[string]*[]hippo.ID{string(api.VoteUp): &out.Up, string(api.VoteDown): &out.Down, string(api.VoteUndo): &out.Undo}[b.vote]
	if to == nil {
		return nil, Misshapen("vote", "must be one of %s", strings.Join(ballots(), ", "))
	}
	return append(all, list{&b.ids, to}), nil
}

// QuestionArg is the question that votes are about.
func QuestionArg(to **string) Arg {
	return Arg{Name: "query", Also: "question", Field: "Query", About: "the question that they answer or fail to answer; the vote counts for similar questions", Brief: "default: last search", Is: Listed, To: to}
}

// Resolve returns the votes. Errors have the names that the caller used.
func (b *Ballot) Resolve(ctx context.Context, m *engine.Memories) (out api.Reinforce, err error) {
	lists, err := b.lists(&out)
	if err != nil {
		return out, err
	}
	for _, l := range lists {
		ids, err := l.from.Resolve(ctx, m, api.PreferLive)
		if err != nil {
			return out, err
		}
		for _, id := range ids {
			if !slices.Contains(*l.to, id) {
				*l.to = append(*l.to, id)
			}
		}
	}
	out.Query, err = memory.Question(b.Query)
	return out, err
}
