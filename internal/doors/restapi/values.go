package restapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/verb"
)

// moment is a time as it was given.
type moment verb.Time

// set implements [value].
func (m *moment) set(name string, raw json.RawMessage) error {
	if err := set(name, raw, &m.Text); err != nil {
		return err
	}
	if m.Text = strings.TrimSpace(m.Text); m.Text != "" { // a blank one is as if it were absent
		m.Name = name
	}
	return nil
}

// schema implements [value].
func (*moment) schema() schema {
	return schema{"type": "string", "description": "RFC 3339, a date, or words: " + when.Forms}
}

// now is the time in the zone of the store.
func (r *request) now() time.Time { return r.server.Now().In(r.Zone()) }

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
func (r *request) resolve(ctx context.Context, ref reference, prefer api.Preference) (hippo.ID, error) {
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
func (r *request) resolveAll(ctx context.Context, refs references, prefer api.Preference) ([]hippo.ID, error) {
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
type momentInput struct{ verb.Moment }

func (in *momentInput) fields(where place) []field { return fieldsOf(in.Args(), where) }

func (in *momentInput) value(r *request) (hippo.Moment, error) { return in.Moment.Moment(r.now()) }

// inProjects is the projects that a filter names.
type inProjects struct{ projects *[]string }

func (in *inProjects) fields(where place) []field {
	return []field{{
		name: "project", in: where, to: &in.projects,
		about: `one of these projects; "none" is none, "*" all. Default: the current project of the token and none, or all if it has no current one`,
	}}
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
