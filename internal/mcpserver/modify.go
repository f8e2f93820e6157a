package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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
"supersedes":{"type":"array","items":{"type":"string"}}}}`

type modifyInput struct {
	uuid            refs
	content, kind   *string
	situation, tags texts
	importance      *float64
	pinned          *bool
	reinforce       keyword
	query           *string // that the vote is about, as in [reinforceInput]
	supersedes      refs
	metadata        metadata
	secret          secretInput
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
		{name: "reinforce", also: "vote", to: &in.reinforce},
		{name: "query", to: &in.query, unlisted: true},
		{name: "supersedes", to: &in.supersedes},
		{name: "metadata", to: &in.metadata, unlisted: true},
		{name: "allow_secret", to: &in.secret.allowed, unlisted: true},
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
		Content: in.content, Type: in.kind, Importance: in.importance, Pinned: in.pinned, Vote: engine.Vote(in.reinforce),
		Situation: list(in.situation), Tags: list(distinctTags(in.tags)),
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
	if in.query != nil {
		c.Query = *in.query
	} else if in.reinforce != "" {
		c.Query = conversationOf(ctx).found([]hippo.ID{id})[id]
	}
	m, err := in.secret.memories(s).Modify(ctx, id, c)
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Modified insight %s (importance %s)", s.short(m.ID), decimal(m.Importance.Value)),
		data: modified{UUID: m.ID, Importance: m.Importance.Value, Version: m.Version}, meta: wire.Meta{IDs: []hippo.ID{m.ID}}, count: 1,
	}, nil
}

// list returns nil for a list that was not given.
func list(t texts) *[]string {
	if t == nil {
		return nil
	}
	s := []string(t)
	return &s
}
