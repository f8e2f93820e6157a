package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

// writeFunctions returns the functions that write.
func writeFunctions() []function {
	return []function{
		{name: "store", aliases: []string{"record"}, writes: true, call: store, params: []string{
			"content", "tags", "type", "metadata", "situation", "importance", "pinned", "event_time", "valid_from", "valid_until", "supersedes", "project",
		}},
		{name: "update", aliases: []string{"modify"}, writes: true, call: update, params: []string{
			"id", "tags", "type", "content", "situation", "importance", "pinned", "vote", "supersedes", "project", "clear",
		}},
		{name: "vote", aliases: []string{"reinforce"}, params: []string{"up", "down", "query"}, writes: true, call: vote},
		{name: "upvote", params: []string{"up", "query"}, writes: true, call: vote},
		{name: "downvote", params: []string{"down", "query"}, writes: true, call: vote},
		{name: "relate", params: []string{"source", "target", "kind", "weight", "valid_from", "valid_until"}, writes: true, call: relate},
		{name: "end_relation", params: []string{"source", "target", "kind", "valid_until", "reason"}, writes: true, call: endRelation},
		{name: "unrelate", params: []string{"source", "target", "kind"}, writes: true, call: unrelate},
		{name: "forget", aliases: []string{"delete"}, params: []string{"id"}, writes: true, call: forget},
		{name: "restore", params: []string{"id"}, writes: true, call: restore},
	}
}

type storeInput struct {
	Content    string                     `json:"content"`
	Tags       texts                      `json:"tags"`
	Type       string                     `json:"type"`
	Metadata   map[string]json.RawMessage `json:"metadata"`
	Situation  texts                      `json:"situation"`
	Importance *float64                   `json:"importance"`
	Pinned     bool                       `json:"pinned"`
	EventTime  string                     `json:"event_time"`
	ValidFrom  string                     `json:"valid_from"`
	ValidUntil string                     `json:"valid_until"`
	Supersedes texts                      `json:"supersedes"`
	Project    *string                    `json:"project"`
}

// store records a memory and returns its id.
func store(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	in := storeInput{}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	if err := required("content", in.Content != ""); err != nil {
		return nil, err
	}
	m, err := in.memory(ctx, s)
	if err != nil {
		return nil, err
	}
	old, err := s.resolve(ctx, "supersedes", in.Supersedes, api.PreferLive)
	if err != nil {
		return nil, err
	}
	if m, err = s.memories.Record(ctx, m, old...); err != nil {
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
	return engine.ShortIDs(s.memories, []hippo.ID{id}).Of(id)
}

// memory returns the new memory.
func (in *storeInput) memory(ctx context.Context, s *session) (*hippo.Memory, error) {
	m := &hippo.Memory{
		Content: in.Content, Situation: in.Situation, Tags: in.Tags, Type: in.Type, Pinned: in.Pinned, Metadata: in.Metadata,
		Importance: hippo.Importance{Base: hippo.DefaultImportance}, Namespace: s.caller.Scope.Namespace, Trust: hippo.TrustDefault,
	}
	if in.Importance != nil {
		m.Importance.Base = *in.Importance
	}
	if m.Project = s.caller.Scope.ProjectFor(m); in.Project != nil {
		if m.Project = *in.Project; m.Project != "" {
			var err error
			if m.Project, err = engine.NameProject(ctx, s.memories, m.Project); err != nil {
				return nil, err
			}
		}
	}
	err := verb.Read(clockOf(s), reading("event_time", in.EventTime, &m.EventTime),
		reading("valid_from", in.ValidFrom, &m.ValidFrom), reading("valid_until", in.ValidUntil, &m.ValidUntil))
	if err == nil && s.caller.Place != nil {
		s.caller.Place(m)
	}
	return m, err
}

// update changes a memory and returns it.
func update(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		ID         texts    `json:"id"`
		Tags       texts    `json:"tags"`
		Type       *string  `json:"type"`
		Content    *string  `json:"content"`
		Situation  texts    `json:"situation"`
		Importance *float64 `json:"importance"`
		Pinned     *bool    `json:"pinned"`
		Vote       string   `json:"vote"`
		Supersedes texts    `json:"supersedes"`
		Project    *string  `json:"project"`
		Clear      texts    `json:"clear"`
	}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	ids, err := s.resolveSome(ctx, in.ID, api.PreferLive)
	if err != nil {
		return nil, err
	}
	if len(ids) != 1 {
		return nil, hippo.Fieldf("id", "must be one memory, got %d: call update for each", len(ids))
	}
	old, err := s.resolve(ctx, "supersedes", in.Supersedes, api.PreferLive)
	if err != nil {
		return nil, err
	}
	change := api.Change{
		Content: given(in.Content), Situation: in.Situation.pointer(), Tags: in.Tags.pointer(), Type: given(in.Type), Importance: in.Importance, Pinned: in.Pinned, Project: given(in.Project),
		Vote: voteOf(in.Vote),
	}
	if len(old) > 0 {
		change.Supersedes = &old
	}
	if err := change.Clear(in.Clear); err != nil {
		return nil, err
	}
	m, err := s.memories.Modify(ctx, ids[0], change)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s %q", listed(m.ID), wire.Clip(m.Content, shownOfWrite/2))
	return s.values([]*hippo.Memory{m}, m.Importance.SetDay, nil)[0], nil
}

// voteOf takes the short names of votes, too.
func voteOf(name string) api.Vote {
	switch name {
	case "up":
		return api.VoteUp
	case "down":
		return api.VoteDown
	default:
		return api.Vote(name)
	}
}

// vote votes on memories and returns the effects.
func vote(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	var in struct {
		Up    texts   `json:"up"`
		Down  texts   `json:"down"`
		Query *string `json:"query"`
	}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	up, err := s.resolve(ctx, "up", in.Up, api.PreferLive)
	if err != nil {
		return nil, err
	}
	down, err := s.resolve(ctx, "down", in.Down, api.PreferLive)
	if err != nil {
		return nil, err
	}
	query, err := engine.Question(given(in.Query))
	if err != nil {
		return nil, err
	}
	effects, err := engine.Cast(ctx, s.memories, api.Reinforce{Up: up, Down: down, Query: query})
	if err != nil {
		return nil, err
	}
	s.remember(c, "up [%s] down [%s]", listed(up...), listed(down...))
	out := make([]map[string]any, len(effects))
	for i, e := range effects {
		out[i] = map[string]any{"$": "struct", "id": s.short(e.ID), "before": wire.Round(e.Before, 4), "after": wire.Round(e.After, 4)}
	}
	return out, nil
}

// relation reads the relation that a call is about, and the reason.
func (s *session) relation(ctx context.Context, c *sandbox.Call) (r hippo.Relation, reason string, err error) {
	in := struct {
		Source     string  `json:"source"`
		Target     string  `json:"target"`
		Kind       string  `json:"kind"`
		Weight     float64 `json:"weight"`
		ValidFrom  string  `json:"valid_from"`
		ValidUntil string  `json:"valid_until"`
		Reason     string  `json:"reason"`
	}{Kind: "related", Weight: 1}
	if err := decode(c, &in); err != nil {
		return r, "", err
	}
	r = hippo.Relation{Kind: in.Kind, Weight: in.Weight}
	for _, end := range []struct {
		name, ref string
		to        *hippo.ID
	}{{"source", in.Source, &r.From}, {"target", in.Target, &r.To}} {
		if err := required(end.name, strings.TrimSpace(end.ref) != ""); err != nil {
			return r, "", err
		}
		if *end.to, err = engine.ResolveNamed(ctx, s.memories, end.ref, api.PreferLive); err != nil {
			return r, "", wire.RenameField(err, map[string]string{"ID": end.name, "id": end.name})
		}
	}
	return r, in.Reason, verb.Read(clockOf(s), reading("valid_from", in.ValidFrom, &r.ValidFrom), reading("valid_until", in.ValidUntil, &r.ValidUntil))
}

// relate declares a relation and returns what that ended, and what it left in conflict.
func relate(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	r, _, err := s.relation(ctx, c)
	if err != nil {
		return nil, err
	}
	done, err := s.memories.Relations().Declare(ctx, []hippo.Relation{r})
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s %s %s", listed(r.From), r.Kind, listed(r.To))
	return map[string]any{
		"$": "struct", "replaced": s.relations(done.Replaced), "closed": s.relations(done.Closed), "conflicts": s.relations(done.Conflicts),
	}, nil
}

// endRelation ends a relation, by default now.
func endRelation(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	r, reason, err := s.relation(ctx, c)
	if err != nil {
		return nil, err
	}
	done, err := engine.Because(s.memories, reason).Relations().End(ctx, api.EndRelations{Relations: []hippo.Relation{r}, At: r.ValidUntil})
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s %s %s until %s", listed(r.From), r.Kind, listed(r.To), done[0].ValidUntil.In(s.memories.Zone()).Format(time.RFC3339))
	return true, nil
}

func unrelate(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	r, _, err := s.relation(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := s.memories.Relations().Remove(ctx, []hippo.Relation{r}); err != nil {
		return nil, err
	}
	s.remember(c, "%s %s %s", listed(r.From), r.Kind, listed(r.To))
	return true, nil
}

func forget(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	return s.mark(ctx, c, api.PreferLive, s.memories.Forget)
}

func restore(ctx context.Context, s *session, c *sandbox.Call) (any, error) {
	return s.mark(ctx, c, api.PreferForgotten, s.memories.Restore)
}

// mark forgets or restores memories and returns how many.
func (s *session) mark(ctx context.Context, c *sandbox.Call, prefer api.Preference, f func(context.Context, []hippo.ID) ([]*hippo.Memory, error)) (any, error) {
	var in struct {
		ID texts `json:"id"`
	}
	if err := decode(c, &in); err != nil {
		return nil, err
	}
	ids, err := s.resolveSome(ctx, in.ID, prefer)
	if err != nil {
		return nil, err
	}
	ms, err := f(ctx, ids)
	if err != nil {
		return nil, err
	}
	s.remember(c, "%s", listed(ids...))
	return len(ms), nil
}
