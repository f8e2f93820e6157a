package script

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// writeFunctions returns the functions that write.
func writeFunctions() []function {
	voting := func(lists ...string) func() input { return func() input { return &voteInput{lists: lists} } }
	about := func(f func(context.Context, *session, *sandbox.Call, *relationInput) (any, error)) func() input {
		return func() input { return &relationInput{run: f} }
	}
	return []function{
		{name: "store", aliases: []string{"record"}, writes: true, first: "content tags type metadata", input: func() input { return &storeInput{} }},
		{name: "update", aliases: []string{"modify"}, writes: true, first: "id tags type", input: func() input { return &updateInput{} }},
		{name: "vote", aliases: []string{"reinforce"}, writes: true, input: voting("upvotes", "downvotes")},
		{name: "upvote", writes: true, input: voting("upvotes")},
		{name: "downvote", writes: true, input: voting("downvotes")},
		{name: "relate", writes: true, input: about(relate)},
		{name: "end_relation", writes: true, first: "source target kind valid_until", input: about(endRelation)},
		{name: "unrelate", writes: true, input: about(unrelate)},
		{name: "forget", aliases: []string{"delete"}, writes: true, input: func() input { return &markInput{} }},
		{name: "restore", writes: true, input: func() input { return &markInput{restore: true} }},
	}
}

type storeInput struct{ verb.Record }

// call records a memory and returns its id.
func (in *storeInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	m, err := in.memory(ctx, s)
	if err != nil {
		return nil, err
	}
	old, err := in.Supersedes.Resolve(ctx, s.memories, api.PreferLive)
	if err != nil {
		return nil, err
	}
	if m, err = memory.Record(ctx, s.memories, m, old...); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%q", wire.Clip(m.Content, shownOfWrite/2))
	if len(m.Tags) > 0 {
		text += fmt.Sprintf(" tags %v", m.Tags)
	}
	if len(old) > 0 {
		text += " instead of " + listed(old...)
	}
	s.remember(c, "%s", text)
	return s.short(m.ID), nil
}

func (s *session) short(id hippo.ID) string {
	return memory.ShortIDs(s.memories, []hippo.ID{id}).Of(id)
}

// memory returns the new memory.
func (in *storeInput) memory(ctx context.Context, s *session) (*hippo.Memory, error) {
	m, err := in.In(ctx, s.memories, clockOf(s))
	if err == nil && s.caller.Place != nil {
		s.caller.Place(m)
	}
	return m, err
}

type updateInput struct{ verb.Modify }

// call changes a memory and returns it.
func (in *updateInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	id, err := in.ID.Resolve(ctx, s.memories, api.PreferLive)
	if err != nil {
		return nil, err
	}
	old, err := in.Supersedes.Resolve(ctx, s.memories, api.PreferLive)
	if err != nil {
		return nil, err
	}
	change, err := in.Modification(clockOf(s))
	if err != nil {
		return nil, err
	}
	if len(old) > 0 {
		change.Supersedes = &old
	}
	m, err := memory.Modify(ctx, engine.Because(s.memories, in.Reason), id, change)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s %q", listed(m.ID), wire.Clip(m.Content, shownOfWrite/2))
	return s.values([]*hippo.Memory{m}, m.Importance.SetDay, nil)[0], nil
}

// voteInput votes on memories.
type voteInput struct {
	verb.Ballot
	lists []string
}

// Args implements [verb.Object].
func (in *voteInput) Args() []verb.Arg {
	return slices.DeleteFunc(in.Ballot.Args(), func(a verb.Arg) bool { return a.Name != "query" && !slices.Contains(in.lists, a.Name) })
}

// call returns the effects.
func (in *voteInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	b, err := in.Resolve(ctx, s.memories)
	if err != nil {
		return nil, err
	}
	effects, err := memory.Cast(ctx, s.memories, b)
	if err != nil {
		return nil, err
	}
	s.remember(c, "up [%s] down [%s]", listed(b.Up...), listed(b.Down...))
	out := make([]map[string]any, len(effects))
	for i, e := range effects {
		out[i] = map[string]any{"$": "struct", "id": s.short(e.ID), "before": wire.Round(e.Before, 4), "after": wire.Round(e.After, 4)}
	}
	return out, nil
}

// relationInput is a relation, what to do about it, and why.
type relationInput struct {
	verb.Relation
	reason string
	run    func(context.Context, *session, *sandbox.Call, *relationInput) (any, error)
	given  hippo.Relation
}

// Args implements [verb.Object]. A relation is by default of the kind related.
func (in *relationInput) Args() []verb.Arg {
	args := append(in.Relation.Args(), verb.ReasonArg(&in.reason))
	for i := range args {
		if args[i].Name == "kind" {
			args[i].Is, args[i].Also = 0, "relation"
		}
	}
	return args
}

func (in *relationInput) call(ctx context.Context, s *session, c *sandbox.Call) (_ any, err error) {
	in.Kind = cmp.Or(in.Kind, "related")
	if in.given, err = in.Resolve(ctx, s.memories, clockOf(s)); err != nil {
		return nil, err
	}
	return in.run(ctx, s, c, in)
}

// relate declares a relation and returns what that ended, and what it left in conflict.
func relate(ctx context.Context, s *session, c *sandbox.Call, in *relationInput) (any, error) {
	done, err := knowledge.Relate(ctx, engine.Because(s.memories, in.reason), []hippo.Relation{in.given})
	if err != nil {
		return nil, err
	}
	s.noteRelation(c, in.given, "")
	return map[string]any{
		"$": "struct", "replaced": s.relations(done.Replaced), "closed": s.relations(done.Closed), "conflicts": s.relations(done.Conflicts),
	}, nil
}

// endRelation ends a relation, by default now.
func endRelation(ctx context.Context, s *session, c *sandbox.Call, in *relationInput) (any, error) {
	done, err := knowledge.EndRelations(ctx, engine.Because(s.memories, in.reason), api.EndRelations{Relations: []hippo.Relation{in.given}, At: in.given.ValidUntil})
	if err != nil {
		return nil, err
	}
	s.noteRelation(c, in.given, " until "+done[0].ValidUntil.In(s.memories.Zone()).Format(time.RFC3339))
	return true, nil
}

func unrelate(ctx context.Context, s *session, c *sandbox.Call, in *relationInput) (any, error) {
	if err := knowledge.Unrelate(ctx, engine.Because(s.memories, in.reason), []hippo.Relation{in.given}); err != nil {
		return nil, err
	}
	s.noteRelation(c, in.given, "")
	return true, nil
}

// noteRelation keeps what was done to a relation for the report.
func (s *session) noteRelation(c *sandbox.Call, r hippo.Relation, more string) {
	s.remember(c, "%s %s %s%s", listed(r.From), r.Kind, listed(r.To), more)
}

// markInput forgets or restores memories.
type markInput struct {
	verb.Forget
	restore bool
}

// call returns how many.
func (in *markInput) call(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	prefer, mark := api.PreferLive, memory.Forget
	if in.restore {
		prefer, mark = api.PreferForgotten, memory.Restore
	}
	ids, err := in.IDs.Resolve(ctx, s.memories, prefer)
	if err != nil {
		return nil, err
	}
	ms, err := mark(ctx, s.memories, ids)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s", listed(ids...))
	return len(ms), nil
}
