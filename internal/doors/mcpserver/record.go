package mcpserver

import (
	"context"
	"regexp"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

type recordInput struct{ verb.Record }

// recorded is the structured content of a record.
type recorded struct {
	UUID       hippo.ID  `json:"uuid"`
	Importance float64   `json:"importance"`
	ActiveDay  hippo.Day `json:"active_day"`
	CreatedAt  time.Time `json:"created_at"`
	Project    string    `json:"project,omitempty"`
	// Supersedes are those that it replaced, as asked; the rest is what it seems to be.
	Supersedes     []hippo.ID           `json:"supersedes,omitempty"`
	LikelyReplaces []supersedeCandidate `json:"likely_replaces,omitempty"`
	DuplicateOf    []hippo.ID           `json:"duplicate_of,omitempty"`
	Degraded       []string             `json:"degraded,omitempty"`
}

func (in *recordInput) call(ctx context.Context, s *session) (reply, error) {
	if err := forPrograms(s, in.Metadata); err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.Supersedes, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	given, err := in.In(ctx, s.Memories, s.now())
	if err != nil {
		return reply{}, err
	}
	s.conversation.place(given, s.server.Now())
	m, same, err := memory.RecordCompared(ctx, allowing(s, in.AllowSecret), given, supersedes...)
	if err != nil {
		return reply{}, err
	}
	out := recorded{
		UUID: m.ID, Importance: m.Importance.Value, ActiveDay: m.Importance.SetDay,
		CreatedAt: m.CreatedAt, Project: m.Project, Supersedes: supersedes,
	}
	text := "Recorded insight " + s.short(m.ID)
	if in.Importance == nil {
		text += ", importance " + decimal(m.Importance.Value)
	}
	if strayMarkup().MatchString(in.Content) {
		text += "\nthe content has markup of a tool call: what follows in it may be arguments that did not arrive; hippo_get shows it, hippo_modify_insight mends it"
	}
	if !in.Project.Given() && s.scope.Project != m.Project {
		text += "\na preference of the user: it holds in every project; project \"current\" keeps one in this project"
	}
	if n := len(supersedes); n > 0 {
		text += "\nsuperseded " + insights(n)
	}
	text += out.compared(s, same)
	return reply{text: text, data: out, meta: wire.Meta{IDs: []hippo.ID{m.ID}}, count: 1}, nil
}

// strayMarkup matches what the arguments of a call look like when they end up in the text of the first one.
var strayMarkup = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?i)</(?:\w+:)?(?:content|parameter|invoke|arguments)>\s*(?:<|$)|<(?:\w+:)?parameter name=`)
})

// forPrograms returns an error if a model gave metadata, as for an argument that is unknown: it should use
// tags, which searches filter by. Programs ask for JSON.
func forPrograms(s *session, given verb.Metadata) error {
	if given == nil || s.json {
		return nil
	}
	return verb.Unknown(verb.MCP, "", map[string]bool{"metadata": true}, s.args)
}

// allowing returns the memories of a session, which store secrets if an argument allows it.
func allowing(s *session, secrets bool) *engine.Memories {
	return (&verb.Change{AllowSecret: secrets}).Memories(s.Memories)
}
