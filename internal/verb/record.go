package verb

import (
	"context"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Record is a memory to record.
type Record struct {
	Content         string
	Situation, Tags []string
	Type            string
	Importance      *float64
	Pinned          bool
	EventTime       Time
	Validity        Validity
	Supersedes      Refs
	Source          Source
	Project         Project
	Metadata        Metadata
	AllowSecret     bool
}

// Args are the arguments that fill a Record. The command line takes the content as words, and a model names only the kind of source.
func (r *Record) Args() []Arg {
	return slices.Concat([]Arg{
		{Name: "content", As: lacking(Shell), Also: "insight text memory note", About: "one idea", Brief: "one idea", Rules: Schema{"minLength": 1, "maxLength": hippo.MaxContent}, Is: Required | Listed, To: &r.Content},
		{Name: "situation", Also: "situations context", About: "when it applies", Brief: "2 to 4 phrases: when it applies", Rules: Schema{"maxItems": hippo.MaxSituations}, Is: Wanted | Listed, To: &r.Situation},
		{Name: "importance", About: "0 to 1", Brief: ".8 breakthrough, .6 decision, .4 incremental, .2 routine", Rules: Schema{"minimum": 0, "maximum": 1, "default": hippo.DefaultImportance}, Is: Wanted | Listed, To: &r.Importance},
		{Name: "tags", As: map[Door]string{Shell: "tag"}, Also: "tag", About: "a label", Rules: Schema{"maxItems": hippo.MaxTags}, Is: Listed | Labels, To: &r.Tags},
		{Name: "type", Also: "types kind category memory_type", About: "a kind: decision, error, preference, ...", Brief: "decision, error, preference", Rules: Schema{"maxLength": hippo.MaxType}, Is: Listed, To: &r.Type},
		{Name: "pinned", Also: "pin", About: "never fades", Brief: "never fades", Is: Listed, To: &r.Pinned},
		{Name: "event_time", About: "when it happened, if not now: yesterday, 2026-03-01, 2h", Brief: "if not now: 2026-03-01, yesterday", Is: Listed, To: &r.EventTime},
	}, r.Validity.Args(), []Arg{
		{Name: "supersedes", Field: "Supersedes", About: "a memory (ID) that this one replaces", Brief: "ids it replaces", Is: Listed, To: &r.Supersedes},
		{Name: "source", As: lacking(REST, Script, Shell), Field: "Source.Kind", Brief: "who said it", Values: []string{"user", "agent", "tool"}, Is: Listed, To: (*string)(&r.Source.Kind)},
		{Name: "source", As: lacking(MCP, Script, Shell), To: &r.Source},
		{Name: "project", As: lacking(Shell), About: `default: the current project; "none" is none`, Brief: "default: current; none", Rules: Schema{"maxLength": hippo.MaxName}, Is: Listed, To: &r.Project},
		{Name: "metadata", As: lacking(Shell), About: "any JSON by key", To: &r.Metadata},
		{Name: "allow_secret", As: lacking(Script), Also: "allow_secrets", About: "store the text even if it looks like a key, a token or a password; only if a person agrees", To: &r.AllowSecret},
	})
}

// In returns the memory for where a caller records it: in the project that was given, or else in the current one, or in none. Errors have the name
// that the caller used.
func (r *Record) In(ctx context.Context, m *engine.Memories, now time.Time) (*hippo.Memory, error) {
	x, err := r.Memory(now)
	if err != nil {
		return nil, err
	}
	x.Namespace, x.Project = m.Scope.Namespace, m.Scope.ProjectFor(x)
	return x, r.Project.Into(ctx, m, &x.Project)
}

// Memory returns the memory, without its project, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (r *Record) Memory(now time.Time) (*hippo.Memory, error) {
	m := &hippo.Memory{
		Content: r.Content, Situation: Given(r.Situation), Tags: Distinct(r.Tags), Type: r.Type, Pinned: r.Pinned, Metadata: r.Metadata, Source: hippo.Source(r.Source),
		Importance: hippo.Importance{Base: hippo.DefaultImportance}, Trust: hippo.TrustDefault,
	}
	if r.Importance != nil {
		m.Importance.Base = *r.Importance
	}
	return m, Read(now, append(r.Validity.Into(&m.ValidFrom, &m.ValidUntil), r.EventTime.Into(&m.EventTime))...)
}

// Source is where a memory comes from.
type Source hippo.Source

// Args implements [Object].
func (s *Source) Args() []Arg {
	name := Schema{"maxLength": hippo.MaxName}
	return []Arg{
		{Name: "kind", Field: "Source.Kind", Values: words(hippo.SourceKinds()), Rules: Schema{"default": hippo.SourceAgent}, To: (*string)(&s.Kind)},
		{Name: "author", Rules: name, To: &s.Author},
		{Name: "client", Rules: name, To: &s.Client},
		{Name: "session", Rules: name, To: &s.Session},
		{Name: "seq", About: "the position in the session", To: &s.Seq},
		{Name: "uri", Rules: name, To: &s.URI},
	}
}
