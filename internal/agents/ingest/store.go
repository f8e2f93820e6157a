package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

const (
	// author is the author of memories that are captured from the session of a user.
	author = "hook"
	// tag marks them.
	tag = "captured"
	// maxCompared is how many memories a candidate is compared with.
	maxCompared = 8
	// minAge is the age from which on a turn has an event time of its own, in hours.
	minAge = 1
)

// metadata is what a captured memory has under the key "capture".
type metadata struct {
	Turns  []string `json:"turns"`
	Score  float64  `json:"score"`
	Reason string   `json:"reason"`
}

// store stores a candidate. The error is one of the store; a candidate that the store refuses is
// an outcome.
func (s *session) store(ctx context.Context, c capture.Candidate) (Outcome, error) {
	o := Outcome{Candidate: c, Action: Found}
	if err := memory.Screen(s.memory(&c, "")); err != nil { // before a model sees the text
		return o.refuse(err), nil
	}
	if s.options.DryRun {
		return o, nil
	}
	m, name, err := s.memories(ctx, &c)
	if err != nil {
		return o, err
	}
	same, err := s.repeated(ctx, m, &c)
	if err != nil {
		return o, err
	}
	if same != nil {
		o.Memory, o.Action = same.ID, Known
		if !s.said(same, &c) {
			o.Action = Repeated
			_, err = memory.Reinforce(ctx, m, []hippo.ID{same.ID}, nil)
		}
		return o, err
	}
	r := s.memory(&c, name)
	if r.Trust == hippo.TrustNormal {
		r.Project = projectFor(m, r)
	}
	changes, err := memory.Compare(ctx, m, r)
	if err != nil {
		return o, err
	}
	for _, x := range changes.Replaces {
		if replaceable(x.Memory) {
			o.Supersedes = append(o.Supersedes, x.Memory.ID)
		}
	}
	stored, err := memory.Record(ctx, m, r, o.Supersedes...)
	switch {
	case err != nil && refused(err):
		return o.refuse(err), nil
	case err != nil:
		return o, err
	case len(o.Supersedes) > 0:
		o.Action = Changed
	default:
		o.Action = Added
	}
	o.Memory = stored.ID
	s.ledger.keep(&o, name)
	return o, nil
}

// refuse returns the outcome of a candidate that is not stored, without its texts, which may hold a secret.
func (o Outcome) refuse(err error) Outcome {
	turns := make([]string, len(o.Turns))
	for i, id := range o.Turns {
		turns[i] = screen.Redact(id)
	}
	o.Candidate = capture.Candidate{
		Content: "(not shown)", Type: o.Type, Importance: o.Importance, Score: o.Score, Reason: o.Reason, Turns: turns, Time: o.Time,
	}
	o.Action, o.Err, o.Supersedes = Refused, err, nil
	return o
}

// refused reports whether an error is about the candidate, so that trying again would not help: a
// secret, a rule that it breaks, a place that it may not be stored in.
func refused(err error) bool {
	const secret hippo.Code = "secret"
	c := hippo.CodeOf(err)
	return c == hippo.CodeInvalid || c == hippo.CodeForbidden || c == secret
}

// memories returns the memory in the project of a candidate.
func (s *session) memories(ctx context.Context, c *capture.Candidate) (*engine.Memories, string, error) {
	dir := c.Cwd
	if dir == "" {
		dir = s.options.Dir
	}
	id, ok := s.places[dir]
	if !ok {
		id = s.config.Project(ctx, dir)
		if s.places == nil {
			s.places = map[string]project.Identity{}
		}
		s.places[dir] = id
	}
	m, err := s.open(ctx, id)
	if err != nil {
		return nil, "", err
	}
	scope, _ := engine.CallerOf(m)
	return m, scope.Project, nil
}

// open returns the memory with a project as the current one.
func (s *session) open(ctx context.Context, id project.Identity) (*engine.Memories, error) {
	if m := s.opened[id.Name]; m != nil {
		return m, nil
	}
	m, err := s.config.Memories(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.opened == nil {
		s.opened = map[string]*engine.Memories{}
	}
	s.opened[id.Name] = m
	return m, nil
}

// memory returns a candidate as a memory that is not stored yet.
func (s *session) memory(c *capture.Candidate, name string) *hippo.Memory {
	r := &hippo.Memory{
		Content: c.Content, Situation: c.Situation, Tags: []string{tag}, Type: c.Type, Project: name,
		Importance: hippo.Importance{Base: c.Importance}, Trust: hippo.TrustDefault,
		Source: hippo.Source{Kind: hippo.SourceHook, Author: cmp.Or(s.options.Agent, author), Client: string(s.report.Client), Session: s.report.Session},
	}
	if c.Said && len(screen.Instructions(c.Content)) == 0 { // the user's own words need no other to confirm them
		r.Trust = hippo.TrustNormal
	}
	if !c.Time.IsZero() && s.config.Now().Sub(c.Time).Hours() >= minAge {
		r.EventTime = c.Time
	}
	data, err := json.Marshal(metadata{c.Turns, c.Score, c.Reason})
	if err == nil { // strings and a number: always
		r.Metadata = map[string]json.RawMessage{"capture": data}
	}
	return r
}

// habit matches a rule about what to use or how to write, whatever one works on. Other rules may be those of one repository.
var habit = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?i)^(?:please |bitte )?(?:(?:always|never|immer|nie|niemals|siempre|nunca|toujours|jamais|sempre|mai) ` +
		`(?:use|prefer|write|answer|reply|respond|usa|utiliza|utilise[zr]?|nutze|verwende|nimm|benutze|usar)\b` +
		`|(?:use|nutze|verwende|nimm|benutze|usa|utiliza|utilisez?) .*\b(?:always|everywhere|immer|überall|siempre|toujours|partout|sempre)\b)`)
})

// projectFor returns the project of a memory that the user said in plain words: none for a preference, or a rule that is a habit, unless it
// is about this repository, see [hippo.Scope.ProjectFor].
func projectFor(m *engine.Memories, r *hippo.Memory) string {
	wish := *r
	if r.Type == capture.TypeConvention && habit().MatchString(r.Content) {
		wish.Type = capture.TypePreference
	}
	scope, _ := engine.CallerOf(m)
	return scope.ProjectFor(&wish)
}

// repeated returns the memory of the project, or of none, that says the same as a candidate.
func (s *session) repeated(ctx context.Context, m *engine.Memories, c *capture.Candidate) (*hippo.Memory, error) {
	scope, _ := engine.CallerOf(m)
	a, err := query.Search(ctx, m, hippo.Query{
		Text: c.Content, Count: maxCompared, Ranker: hippo.RankerBM25, NoTouch: true, Filter: hippo.Filter{Projects: scope.Current()},
	})
	if err != nil {
		return nil, err
	}
	hash := hippo.HashContent(c.Content)
	for _, h := range a.Hits {
		if h.Memory.ContentHash == hash || capture.Same(h.Memory.Content, c.Content) {
			return h.Memory, nil
		}
	}
	return nil, nil
}

// said reports whether a memory was captured from this session, or from a turn that a fork of
// the session repeats.
func (s *session) said(m *hippo.Memory, c *capture.Candidate) bool {
	if m.Source.Kind != hippo.SourceHook {
		return false
	}
	if m.Source.Session != "" && m.Source.Session == s.report.Session {
		return true
	}
	var data metadata
	if json.Unmarshal(m.Metadata["capture"], &data) != nil {
		return false
	}
	return slices.ContainsFunc(data.Turns, func(id string) bool { return len(id) > minForkID && slices.Contains(c.Turns, id) })
}

// minForkID is the length up to which the IDs of turns are not unique among sessions.
const minForkID = 16

// replaceable reports whether a memory may be superseded unattended: not what a user recorded or
// pinned.
func replaceable(m *hippo.Memory) bool { return m.Trust < hippo.TrustHigh && !m.Pinned }
