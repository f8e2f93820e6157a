package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

const modifySchema = `{"type":"object","required":["uuid"],"properties":{
"uuid":{"type":"string"},
"content":{"type":"string"},
"situation":{"type":"array","items":{"type":"string"}},
"add_situation":{"type":"array","items":{"type":"string"}},
"importance":{"type":"number","minimum":0,"maximum":1},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"string"},
"pinned":{"type":"boolean"},
"reinforce":{"type":"string","enum":["upvote","downvote","none"]},
"supersedes":{"type":"array","items":{"type":"string"}},
"valid_until":{"type":"string"}}}`

type modifyInput struct {
	uuid       refs
	content    *string
	importance *float64
	pinned     *bool
	vote       voteInput
	supersedes refs
	valid      verb.Validity
	metadata   metadata
	operation  operationInput
	labels
}

// labels are the fields of a modification that may be emptied, by their names in clear: a blank value empties nothing.
type labels struct {
	kind            *string
	situation, tags texts
	// added goes behind the situations that there are.
	added, clear texts
	blanks       []string
}

// blank implements [blanker].
func (in *labels) blank(name string) { in.blanks = append(in.blanks, name) }

// voteInput is a vote and the question that it is about, as in [reinforceInput].
type voteInput struct {
	reinforce keyword
	query     *string
}

// operationInput is how a change is carried out, whatever it changes.
type operationInput struct {
	secret secretInput
	reason string
	// project is where a modification moves the memory to.
	project *string
}

// memories returns the memories of a session for the operation.
func (in *operationInput) memories(s *session) *engine.Memories {
	return asAgent(in.secret.memories(s), in.reason)
}

func (in *modifyInput) fields() []field {
	return slices.Concat([]field{
		{name: "uuid", also: "id ref uuids ids", to: &in.uuid, required: true},
		{name: "content", to: &in.content},
		{name: "situation", also: "situations context", to: &in.situation},
		{name: "add_situation", also: "add_situations", to: &in.added},
		{name: "importance", to: &in.importance},
		{name: "tags", to: &in.tags},
		{name: "type", to: &in.kind},
		{name: "pinned", to: &in.pinned},
		{name: "reinforce", also: "vote", to: &in.vote.reinforce},
		{name: "query", to: &in.vote.query, unlisted: true},
		{name: "supersedes", to: &in.supersedes},
	}, fieldsOf(in.valid.Args()), []field{
		{name: "clear", to: &in.clear, unlisted: true},
		{name: "reason", to: &in.operation.reason, unlisted: true},
		{name: "project", to: &in.operation.project, unlisted: true},
		{name: "metadata", to: &in.metadata, unlisted: true},
		{name: "allow_secret", to: &in.operation.secret.allowed, unlisted: true},
	})
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
	c := api.Change{
		Content: in.content, Type: in.kind, Importance: in.importance, Pinned: in.pinned, Project: in.operation.project, Vote: api.Vote(in.vote.reinforce),
		Situation: list(in.situation), Tags: list(distinctTags(in.tags)),
	}
	var err error
	if c.ValidFrom, c.ValidUntil, err = in.valid.Ends(s.now()); err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.supersedes, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	if len(supersedes) > 0 {
		c.Supersedes = &supersedes
	}
	c.SetMetadata(in.metadata)
	if err := in.apply(&c); err != nil {
		return reply{}, err
	}
	if c == (api.Change{}) && in.added == nil {
		return reply{}, misshapen("arguments", "must change at least one of %s%s", strings.Join(names(in.fields()[1:]), ", "), in.kept(nil))
	}
	id, err := s.resolveOne(ctx, in.uuid)
	if err != nil {
		return reply{}, err
	}
	if c.Query, err = engine.Question(in.vote.query); err != nil {
		return reply{}, err
	}
	if in.vote.query == nil && in.vote.reinforce != "" {
		c.Query = s.conversation.found([]hippo.ID{id})[id]
	}
	m, err := in.modify(ctx, in.operation.memories(s), id, c)
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Modified insight %s (importance %s)", s.short(m.ID), decimal(m.Importance.Value)) + in.kept(m),
		data: modified{UUID: m.ID, Importance: m.Importance.Value, Version: m.Version}, meta: wire.Meta{IDs: []hippo.ID{m.ID}}, count: 1,
	}, nil
}

// apply clears fields.
func (in *labels) apply(c *api.Change) error {
	if err := c.Clear(in.clear); err != nil {
		return err
	}
	if in.added != nil && c.Situation != nil {
		return hippo.Fieldf("add_situation", "adds to the list that situation replaces: give one of them")
	}
	return nil
}

// maxTries is how often a modification that adds to a list is tried while others change the memory.
const maxTries = 5

// modify changes a memory, with the added situations behind those that it has.
func (in *labels) modify(ctx context.Context, memories *engine.Memories, id hippo.ID, c api.Change) (*hippo.Memory, error) {
	if in.added == nil {
		return memories.Modify(ctx, id, c)
	}
	for try := 1; ; try++ {
		ms, err := memories.Get(ctx, []hippo.ID{id})
		if err != nil {
			return nil, err
		}
		all := slices.Clone(ms[0].Situation)
		for _, x := range in.added {
			if !slices.ContainsFunc(all, func(old string) bool { return strings.EqualFold(old, x) }) {
				all = append(all, x)
			}
		}
		c.Situation, c.IfVersion = &all, ms[0].Version
		m, err := memories.Modify(ctx, id, c)
		if try == maxTries || !errors.Is(err, engine.ErrVersion) {
			return m, err
		}
	}
}

// kept says which fields were given a blank value and stay, of a memory only those that it has; empty if there are none.
func (in *labels) kept(m *hippo.Memory) string {
	stays := slices.DeleteFunc(slices.Clone(in.blanks), func(name string) bool {
		switch name {
		case "situation":
			return m != nil && len(m.Situation) == 0
		case "tags":
			return m != nil && len(m.Tags) == 0
		case "type":
			return m != nil && m.Type == ""
		default:
			return true
		}
	})
	if len(stays) == 0 {
		return ""
	}
	text, _ := json.Marshal(stays) //nolint:errchkjson // texts always have a JSON form
	return fmt.Sprintf(`; a blank value changes nothing: "clear":%s empties`, text)
}

// list returns nil for a list that was not given.
func list(t texts) *[]string {
	if t == nil {
		return nil
	}
	s := []string(t)
	return &s
}
