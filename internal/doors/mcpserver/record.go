package mcpserver

import (
	"context"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/verb"
)

const recordSchema = `{"type":"object","required":["content","situation","importance"],"properties":{
"content":{"type":"string","description":"one idea"},
"situation":{"type":"array","items":{"type":"string"},"description":"2 to 4 phrases: when it applies"},
"importance":{"type":"number","minimum":0,"maximum":1,"description":".8 breakthrough, .6 decision, .4 incremental, .2 routine"},
"tags":{"type":"array","items":{"type":"string"}},
"type":{"type":"string","description":"decision, error, preference"},
"pinned":{"type":"boolean","description":"never fades"},
"event_time":{"type":"string","description":"if not now: 2026-03-01, yesterday"},
"valid_until":{"type":"string"},
"supersedes":{"type":"array","items":{"type":"string"},"description":"ids it replaces"},
"source":{"type":"string","enum":["user","agent","tool"],"description":"who said it"},
"project":{"type":"string","description":"default: current; none"}}}`

// defaultImportance is that of an insight that is recorded without one.
const defaultImportance = 0.5

type recordInput struct {
	content    string
	situation  texts
	importance *float64
	tags       texts
	kind       string
	pinned     bool
	eventTime  moment
	valid      verb.Validity
	supersedes refs
	project    string
	metadata   metadata
	secret     secretInput
}

func (in *recordInput) fields() []field {
	return slices.Concat([]field{
		{name: "content", also: "insight text memory note", to: &in.content, required: true},
		{name: "situation", also: "situations context", to: &in.situation},
		{name: "importance", to: &in.importance},
		{name: "tags", also: "tag", to: &in.tags},
		{name: "type", also: "kind category memory_type", to: &in.kind},
		{name: "pinned", to: &in.pinned},
		{name: "event_time", to: &in.eventTime},
	}, fieldsOf(in.valid.Args()), []field{
		{name: "supersedes", to: &in.supersedes},
		{name: "source", to: &in.secret.source},
		{name: "project", to: &in.project},
		{name: "metadata", to: &in.metadata, unlisted: true},
		{name: "allow_secret", to: &in.secret.allowed, unlisted: true},
	})
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
	if err := in.metadata.forPrograms(s, in.fields()); err != nil {
		return reply{}, err
	}
	if err := oneOf("source", string(in.secret.source), "user", "agent", "tool"); err != nil {
		return reply{}, err
	}
	supersedes, err := s.resolve(ctx, in.supersedes, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	project, err := s.project(ctx, in.project)
	if err != nil {
		return reply{}, err
	}
	given := hippo.Memory{
		Content: in.content, Situation: in.situation, Tags: distinctTags(in.tags), Type: in.kind, Pinned: in.pinned, Importance: hippo.Importance{Base: defaultImportance},
		Namespace: s.scope.Namespace, Source: hippo.Source{Kind: hippo.SourceKind(in.secret.source)}, Project: project, Trust: hippo.TrustDefault,
		Metadata: in.metadata,
	}
	if in.importance != nil {
		given.Importance.Base = *in.importance
	}
	if err := verb.Read(s.now(), append(in.valid.Into(&given.ValidFrom, &given.ValidUntil), verb.Time(in.eventTime).Into(&given.EventTime))...); err != nil {
		return reply{}, err
	}
	if in.project == "" && project == s.scope.Project {
		given.Project = s.scope.ProjectFor(&given)
	}
	s.conversation.place(&given, s.server.Now())
	m, same, err := in.secret.memories(s).RecordCompared(ctx, &given, supersedes...)
	if err != nil {
		return reply{}, err
	}
	out := recorded{
		UUID: m.ID, Importance: m.Importance.Value, ActiveDay: m.Importance.SetDay,
		CreatedAt: m.CreatedAt, Project: m.Project, Supersedes: supersedes,
	}
	text := "Recorded insight " + s.short(m.ID)
	if in.importance == nil {
		text += ", importance " + decimal(m.Importance.Value)
	}
	if strayMarkup().MatchString(in.content) {
		text += "\nthe content has markup of a tool call: what follows in it may be arguments that did not arrive; hippo_get shows it, hippo_modify_insight mends it"
	}
	if project != "" && m.Project == "" {
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

// project returns the project that a memory is recorded for: a known one, or one that the caller says is new.
func (s *session) project(ctx context.Context, given string) (string, error) {
	switch given {
	case "none":
		return "", nil
	case "", "current", s.scope.Project:
		return s.scope.Project, nil
	}
	return engine.NameProject(ctx, s.Memories, given)
}
