package mcpserver

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

const recordSchema = `{"type":"object","additionalProperties":false,"required":["content","situation","importance"],"properties":{
"content":{"type":"string","description":"the insight, one idea"},
"situation":{"type":"array","items":{"type":"string"},"description":"when it applies, each aspect meaningful alone: the activity, the problem or goal, further details"},
"importance":{"type":"number","minimum":0,"maximum":1,"description":"0.8+ breakthrough, 0.6 useful decision, 0.4 incremental, 0.2 routine"},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"string","description":"e.g. decision, error, preference"},
"pinned":{"type":"boolean","description":"never fades"},
"event_time":{"type":"string","description":"when it happened, if not now: 2026-03-01, yesterday, 2h"},
"valid_from":{"type":"string","description":"the fact holds from then on"},
"valid_until":{"type":"string"},
"supersedes":{"type":"array","items":{"type":"string"},"description":"what this one replaces"},
"source":{"type":"string","enum":["user","agent","tool"],"default":"agent","description":"who said it"},
"project":{"type":"string","description":"default: the current project; none: no project"},
"allow_secret":{"type":"boolean","description":"only if the user agrees"}}}`

type recordInput struct {
	content    string
	situation  texts
	importance float64
	tags       texts
	kind       string
	pinned     bool
	eventTime  moment
	validFrom  moment
	validUntil moment
	supersedes refs
	project    string
	secret     secretInput
}

func (in *recordInput) fields() []field {
	return []field{
		{name: "content", to: &in.content, required: true},
		{name: "situation", alias: "context", to: &in.situation, required: true},
		{name: "importance", to: &in.importance, required: true},
		{name: "tags", to: &in.tags},
		{name: "type", to: &in.kind},
		{name: "pinned", to: &in.pinned},
		{name: "event_time", to: &in.eventTime},
		{name: "valid_from", to: &in.validFrom},
		{name: "valid_until", to: &in.validUntil},
		{name: "supersedes", to: &in.supersedes},
		{name: "source", to: &in.secret.source},
		{name: "project", to: &in.project},
		{name: "allow_secret", to: &in.secret.allowed},
	}
}

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
	if err := oneOf("source", in.secret.source, "user", "agent", "tool"); err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.supersedes, engine.PreferLive)
	if err != nil {
		return reply{}, err
	}
	given := hippo.Memory{
		Content: in.content, Situation: in.situation, Tags: in.tags, Type: in.kind, Pinned: in.pinned, Importance: hippo.Importance{Base: in.importance},
		Namespace: s.scope.Namespace, Source: hippo.Source{Kind: hippo.SourceKind(in.secret.source)}, Project: s.project(in.project), Trust: hippo.TrustDefault,
	}
	if err := s.times([]moment{in.eventTime, in.validFrom, in.validUntil}, &given.EventTime, &given.ValidFrom, &given.ValidUntil); err != nil {
		return reply{}, err
	}
	s.server.conversation.place(&given, s.server.Now())
	m, same, err := in.secret.memories(s).RecordCompared(ctx, &given, supersedes...)
	if err != nil {
		return reply{}, err
	}
	out := recorded{
		UUID: m.ID, Importance: m.Importance.Value, ActiveDay: m.Importance.SetDay,
		CreatedAt: m.CreatedAt, Project: m.Project, Supersedes: supersedes,
	}
	text := "Recorded insight with UUID: " + m.ID.String()
	if n := len(supersedes); n > 0 {
		text += "\nsuperseded " + insights(n)
	}
	text += out.compared(s, same)
	return reply{text: text, data: out, count: 1}, nil
}

// project returns the project that a memory is recorded for.
func (s *session) project(given string) string {
	switch given {
	case "none":
		return ""
	case "", "current":
		return s.scope.Project
	default:
		return given
	}
}
