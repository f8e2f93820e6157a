package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/wire"
)

const modifySchema = `{"type":"object","required":["uuid"],"properties":{
"uuid":{"type":"string","description":"an id"},
"content":{"type":"string"},
"situation":{"type":"array","items":{"type":"string"}},
"importance":{"type":"number","minimum":0,"maximum":1},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"string"},
"pinned":{"type":"boolean"},
"reinforce":{"type":"string","enum":["upvote","downvote","none"]},
"supersedes":{"type":"array","items":{"type":"string"}},
"valid_until":{"type":"string"}}}`

type modifyInput struct {
	uuid            refs
	content, kind   *string
	situation, tags texts
	importance      *float64
	pinned          *bool
	vote            voteInput
	supersedes      refs
	valid           period
	metadata        metadata
	operation       operationInput
}

// voteInput is a vote and the question that it is about, as in [reinforceInput].
type voteInput struct {
	reinforce keyword
	query     *string
}

// operationInput is how a change is carried out, whatever it changes.
type operationInput struct {
	secret secretInput
	reason string
}

// memories returns the memories of a session for the operation.
func (in *operationInput) memories(s *session) *engine.Memories {
	return asAgent(in.secret.memories(s), in.reason)
}

func (in *modifyInput) fields() []field {
	return []field{
		{name: "uuid", also: "id ref uuids ids", to: &in.uuid, required: true},
		{name: "content", to: &in.content},
		{name: "situation", also: "situations context", to: &in.situation},
		{name: "importance", to: &in.importance},
		{name: "tags", to: &in.tags},
		{name: "type", to: &in.kind},
		{name: "pinned", to: &in.pinned},
		{name: "reinforce", also: "vote", to: &in.vote.reinforce},
		{name: "query", to: &in.vote.query, unlisted: true},
		{name: "supersedes", to: &in.supersedes},
		{name: "valid_from", to: &in.valid.from, unlisted: true},
		{name: "valid_until", to: &in.valid.until},
		{name: "reason", to: &in.operation.reason, unlisted: true},
		{name: "metadata", to: &in.metadata, unlisted: true},
		{name: "allow_secret", to: &in.operation.secret.allowed, unlisted: true},
	}
}

// modified is the structured content of a modification.
type modified struct {
	UUID       hippo.ID `json:"uuid"`
	Importance float64  `json:"importance"`
	Version    int      `json:"version"`
}

func (in *modifyInput) call(ctx context.Context, s *session) (reply, error) {
	if err := in.metadata.forPrograms(s, in.fields()); err != nil {
		return reply{}, err
	}
	c := engine.Modification{
		Content: in.content, Type: in.kind, Importance: in.importance, Pinned: in.pinned, Vote: engine.Vote(in.vote.reinforce),
		Situation: list(in.situation), Tags: list(distinctTags(in.tags)),
	}
	var err error
	if c.Validity, err = in.valid.bounds(s); err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.supersedes, engine.PreferLive)
	if err != nil {
		return reply{}, err
	}
	if len(supersedes) > 0 {
		c.Supersedes = &supersedes
	}
	if in.metadata != nil {
		c.Metadata = (*map[string]json.RawMessage)(&in.metadata)
	}
	if c == (engine.Modification{}) {
		return reply{}, hippo.Fieldf("arguments", "must change at least one of %s", strings.Join(names(in.fields()[1:]), ", "))
	}
	id, err := s.resolveOne(ctx, in.uuid)
	if err != nil {
		return reply{}, err
	}
	if c.Query, err = engine.Question(in.vote.query); err != nil {
		return reply{}, err
	}
	if in.vote.query == nil && in.vote.reinforce != "" {
		c.Query = conversationOf(ctx).found([]hippo.ID{id})[id]
	}
	m, err := in.operation.memories(s).Modify(ctx, id, c)
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Modified insight %s (importance %s)", s.short(m.ID), decimal(m.Importance.Value)),
		data: modified{UUID: m.ID, Importance: m.Importance.Value, Version: m.Version}, meta: wire.Meta{IDs: []hippo.ID{m.ID}}, count: 1,
	}, nil
}

// noBound stands for a time that is no bound.
const noBound = "none"

// bounds returns the bounds that were given.
func (in *period) bounds(s *session) (v engine.Validity, err error) {
	for _, b := range []struct {
		given moment
		to    **time.Time
	}{{in.from, &v.ValidFrom}, {in.until, &v.ValidUntil}} {
		if b.given.name == "" {
			continue
		}
		*b.to = new(time.Time)
		if b.given.text == noBound {
			continue
		}
		if err := s.times([]moment{b.given}, *b.to); err != nil {
			return v, err
		}
	}
	return v, nil
}

// list returns nil for a list that was not given.
func list(t texts) *[]string {
	if t == nil {
		return nil
	}
	s := []string(t)
	return &s
}
