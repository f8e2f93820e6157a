package restapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/lang/when"
)

// moment is a time as it was given; empty is unset. When a date begins depends on the zone of the
// store, which opens after requests are checked.
type moment struct{ name, text string }

// set implements [value].
func (m *moment) set(name string, raw json.RawMessage) error {
	if err := set(name, raw, &m.text); err != nil {
		return err
	}
	if m.text = strings.TrimSpace(m.text); m.text != "" { // a blank one is as if it were absent
		m.name = name
	}
	return nil
}

// schema implements [value].
func (*moment) schema() schema {
	return schema{"type": "string", "description": "RFC 3339, a date, or words: " + when.Forms}
}

// instant is a moment and where its time goes. ahead: of a recurring one the next is meant.
type instant struct {
	moment
	to    *time.Time
	ahead bool
}

// times reads moments; an unset one leaves its time.
func (r *request) times(list ...instant) error {
	now := r.server.Now().In(r.Zone())
	for _, m := range list {
		if m.name == "" {
			continue
		}
		read := when.At
		if m.ahead {
			read = when.Ahead
		}
		var err error
		if *m.to, err = read(m.name, m.text, now); err != nil {
			return err
		}
	}
	return nil
}

// reference is a memory as it is named: a UUID, or a short form of one.
type reference struct{ name, text string }

// aboutID is the form of a reference.
const aboutID = "a UUID, or at least 4 digits of its end or beginning, or of the beginning of a content hash"

// set implements [value].
func (r *reference) set(name string, raw json.RawMessage) error {
	r.name = name
	if err := set(name, raw, &r.text); err != nil {
		return err
	}
	return r.valid()
}

// maxReference is the length of the longest form, a whole content hash.
const maxReference = 64

// valid refuses what is too long for any form.
func (r *reference) valid() error {
	if len(r.text) > maxReference {
		return hippo.Fieldf(r.name, "must be %s, got %d characters", aboutID, len(r.text))
	}
	return nil
}

// schema implements [value].
func (*reference) schema() schema {
	return schema{"type": "string", "minLength": 4, "maxLength": maxReference, "description": aboutID}
}

// references are several memories.
type references struct {
	name  string
	texts []string
}

// set implements [value].
func (r *references) set(name string, raw json.RawMessage) error {
	r.name = name
	if err := set(name, raw, &r.texts); err != nil {
		return err
	}
	if len(r.texts) > hippo.MaxIDs {
		return hippo.Fieldf(name, "must have at most %d elements, got %d", hippo.MaxIDs, len(r.texts))
	}
	return nil
}

// schema implements [value].
func (*references) schema() schema {
	return schema{"type": "array", "maxItems": hippo.MaxIDs, "items": (&reference{}).schema()}
}

// resolve returns the ID of a reference.
func (r *request) resolve(ctx context.Context, ref reference, prefer engine.Preference) (hippo.ID, error) {
	id, err := r.Resolve(ctx, ref.text, prefer)
	bad, ok := errors.AsType[*hippo.FieldError](err)
	switch {
	case ok:
		return id, hippo.Fieldf(ref.name, "%s", bad.Why)
	case errIs[*hippo.AmbiguousError](err):
		return id, hippo.Fieldf(ref.name, "%v", err)
	}
	return id, err
}

// resolveAll returns the IDs of references, each once.
func (r *request) resolveAll(ctx context.Context, refs references, prefer engine.Preference) ([]hippo.ID, error) {
	ids := make([]hippo.ID, 0, len(refs.texts))
	seen := make(map[hippo.ID]bool, len(refs.texts))
	for i, text := range refs.texts {
		ref := reference{fmt.Sprintf("%s[%d]", refs.name, i), text}
		if err := ref.valid(); err != nil {
			return nil, err
		}
		id, err := r.resolve(ctx, ref, prefer)
		if err != nil {
			return nil, err
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// metadata is JSON by key.
type metadata map[string]json.RawMessage

// set implements [value].
func (m *metadata) set(name string, raw json.RawMessage) error {
	if err := json.Unmarshal(raw, m); err != nil || *m == nil {
		return hippo.Fieldf(name, "must be an object, got %s", kindOf(raw))
	}
	return nil
}

// schema implements [value].
func (*metadata) schema() schema { return schema{"type": "object", "additionalProperties": true} }

// momentInput is the moment as of which something is read.
type momentInput struct{ asOf, knownAt moment }

func (in *momentInput) fields(where place) []field {
	return []field{{name: "as_of", in: where, to: &in.asOf, about: "only what holds at this time"}, {name: "known_at", in: where, to: &in.knownAt, about: "what was known at this time, as far back as the history goes"}}
}

func (in *momentInput) value(r *request) (at hippo.Moment, err error) {
	return at, r.times(in.instants(&at)...)
}

// instants are its times, and where they go.
func (in *momentInput) instants(at *hippo.Moment) []instant {
	return []instant{{moment: in.asOf, to: &at.ValidAt}, {moment: in.knownAt, to: &at.KnownAt}}
}

// filterInput is what narrows a search or a list.
type filterInput struct {
	situation, tags, kinds []string
	projects               *[]string
	author, session, when  string
	created, event         [2]moment // after, before
	at                     momentInput
	minTrust               string
	marks                  struct{ pinned, archived bool }
}

// fields lists the fields, which are in the query of a list and in the body of a search.
func (in *filterInput) fields(where place) []field {
	list := []field{
		{name: "situation_filter", to: &in.situation, about: "when and where the memories apply", rules: schema{"maxItems": hippo.MaxSituations}},
		{name: "tags", to: &in.tags, about: "all of these", rules: schema{"maxItems": hippo.MaxTags}},
		{name: "type", to: &in.kinds, about: "one of these types"},
		{name: "project", to: &in.projects, about: `one of these projects; "none" is none, "*" all. Default: the current project of the token and none, or all if it has no current one`},
		{name: "author", to: &in.author},
		{name: "session", to: &in.session},
		{name: "when", to: &in.when, about: "a time in English, such as last week", rules: schema{"maxLength": hippo.MaxQuery}},
		{name: "created_after", to: &in.created[0], about: "inclusive"},
		{name: "created_before", to: &in.created[1], about: "exclusive"},
		{name: "event_after", to: &in.event[0], about: "inclusive; compared with event_time, or else created_at"},
		{name: "event_before", to: &in.event[1], about: "exclusive"},
		{name: "min_trust", to: &in.minTrust, words: hippo.TrustNames()},
		{name: "pinned", to: &in.marks.pinned, about: "only pinned ones"},
		{name: "archived", to: &in.marks.archived, about: "archived ones, too"},
	}
	for i := range list {
		list[i].in = where
	}
	return append(list, in.at.fields(where)...)
}

// noProject stands for no project.
const noProject = "none"

// projectsOf returns the projects that were given; nil for none given.
func projectsOf(given *[]string) (out []string) {
	if given == nil {
		return nil
	}
	for _, name := range *given {
		if name == noProject {
			name = ""
		}
		out = append(out, name)
	}
	return out
}

// knownProjects returns the projects that a filter names: those of insights, or else of source trees.
func (r *request) knownProjects(ctx context.Context, given []string) (out []string, err error) {
	for _, name := range given {
		names, err := engine.KnownProjects(ctx, r.Memories, name)
		if errors.Is(err, hippo.ErrNotFound) && r.ofTree(name) {
			names, err = []string{name}, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, names...)
	}
	return out, nil
}

// ofTree reports whether a source tree that the caller sees is of a project.
func (r *request) ofTree(project string) bool {
	if r.server.Trees == nil || !r.server.Trees.Indexed() {
		return false
	}
	l, err := r.server.Trees.Library()
	if err != nil {
		return false
	}
	trees, err := l.OfProjects(&r.scope, []string{project}, "")
	return err == nil && len(trees) > 0
}

// filter returns the filter of the domain.
func (in *filterInput) filter(ctx context.Context, r *request) (hippo.Filter, error) {
	f := hippo.Filter{Tags: in.tags, Types: in.kinds, Origin: hippo.Origin{Author: in.author, Session: in.session}, Pinned: in.marks.pinned, Archived: in.marks.archived}
	var err error
	if f.Projects, err = r.knownProjects(ctx, projectsOf(in.projects)); err != nil {
		return f, err
	}
	if in.minTrust != "" { // one of the names
		f.MinTrust, _ = hippo.ParseTrust("min_trust", in.minTrust)
	}
	return f, r.times(append(in.at.instants(&f.Moment),
		instant{moment: in.created[0], to: &f.CreatedAfter}, instant{moment: in.created[1], to: &f.CreatedBefore},
		instant{moment: in.event[0], to: &f.EventAfter}, instant{moment: in.event[1], to: &f.EventBefore},
	)...)
}

// pageInput is the page of a search or a list.
type pageInput struct {
	offset int
	limit  *int
}

func (in *pageInput) fields(where place) []field {
	return []field{
		{name: "offset", in: where, to: &in.offset, about: "where the page begins; next_offset of the page before", rules: schema{"minimum": 0, "default": 0}},
		{name: "limit", in: where, to: &in.limit, rules: schema{"minimum": 1, "maximum": hippo.MaxCount, "default": hippo.DefaultCount}},
	}
}

// count returns the size of the page.
func (in *pageInput) count() (int, error) {
	switch {
	case in.limit == nil:
		return hippo.DefaultCount, nil
	case *in.limit < 1 || *in.limit > hippo.MaxCount:
		return 0, hippo.Fieldf("limit", "must be between 1 and %d, got %d", hippo.MaxCount, *in.limit)
	default:
		return *in.limit, nil
	}
}
