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
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type modifyInput struct{ verb.Modify }

// modified is the structured content of a modification.
type modified struct {
	UUID       hippo.ID `json:"uuid"`
	Importance float64  `json:"importance"`
	Version    int      `json:"version"`
}

func (in *modifyInput) call(ctx context.Context, s *session) (reply, error) {
	if err := forPrograms(s, in.Metadata); err != nil {
		return reply{}, err
	}
	c, err := in.Modification(s.now())
	if err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.Supersedes, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	if len(supersedes) > 0 {
		c.Supersedes = &supersedes
	}
	if in.AddSituation != nil && c.Situation != nil {
		return reply{}, hippo.Fieldf("add_situation", "adds to the list that situation replaces: give one of them")
	}
	if c == (api.Change{Query: c.Query}) && in.AddSituation == nil {
		return reply{}, verb.Misshapen("arguments", "must change at least one of %s%s", strings.Join(verb.Listing(s.args)[1:], ", "), kept(s.args, nil))
	}
	id, err := in.ID.Resolve(ctx, s.Memories, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	if in.Query == nil && in.Vote != "" {
		c.Query = s.conversation.found([]hippo.ID{id})[id]
	}
	m, err := in.modify(ctx, asAgent(in.Memories(s.Memories), in.Reason), id, c)
	if err != nil {
		return reply{}, err
	}
	return reply{
		text: fmt.Sprintf("Modified insight %s (importance %s)", s.short(m.ID), decimal(m.Importance.Value)) + kept(s.args, m),
		data: modified{UUID: m.ID, Importance: m.Importance.Value, Version: m.Version}, meta: wire.Meta{IDs: []hippo.ID{m.ID}}, count: 1,
	}, nil
}

// maxTries is how often a modification that adds to a list is tried while others change the memory.
const maxTries = 5

// modify changes a memory, with the added situations behind those that it has.
func (in *modifyInput) modify(ctx context.Context, memories *engine.Memories, id hippo.ID, c api.Change) (*hippo.Memory, error) {
	if in.AddSituation == nil {
		return memory.Modify(ctx, memories, id, c)
	}
	for try := 1; ; try++ {
		ms, err := memory.Get(ctx, memories, []hippo.ID{id})
		if err != nil {
			return nil, err
		}
		all := slices.Clone(ms[0].Situation)
		for _, x := range in.AddSituation {
			if !slices.ContainsFunc(all, func(old string) bool { return strings.EqualFold(old, x) }) {
				all = append(all, x)
			}
		}
		c.Situation, c.IfVersion = &all, ms[0].Version
		m, err := memory.Modify(ctx, memories, id, c)
		if try == maxTries || !errors.Is(err, engine.ErrVersion) {
			return m, err
		}
	}
}

// kept says which fields were given a blank value and stay, of a memory only those that it has; empty if there are none.
func kept(args []verb.Arg, m *hippo.Memory) string {
	var stays []string
	for i := range args {
		filled := false
		switch args[i].Name {
		case "situation":
			filled = m == nil || len(m.Situation) > 0
		case "tags":
			filled = m == nil || len(m.Tags) > 0
		case "type":
			filled = m == nil || m.Type != ""
		}
		if args[i].Blank && filled {
			stays = append(stays, args[i].Name)
		}
	}
	if stays == nil {
		return ""
	}
	text, _ := json.Marshal(stays) //nolint:errchkjson // texts always have a JSON form
	return fmt.Sprintf(`; a blank value changes nothing: "clear":%s empties`, text)
}
