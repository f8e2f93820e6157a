package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// refs are IDs as they are given: UUIDs, or the short forms that texts show.
type refs struct {
	name string // of the argument
	list texts
}

// set implements [setter].
func (r *refs) set(name string, raw json.RawMessage) error {
	r.name = name
	if r.list = numbersOf(raw); r.list == nil {
		if err := set(name, raw, &r.list); err != nil {
			return err
		}
		for i := range r.list {
			r.list[i] = plainRef(r.list[i])
		}
	}
	if len(r.list) > hippo.MaxIDs {
		return hippo.Fieldf(name, "must have at most %d elements, got %d", hippo.MaxIDs, len(r.list))
	}
	return nil
}

// numbersOf returns the references for a number, or a list of numbers, by which other programs know memories; nil for
// anything else.
func numbersOf(raw json.RawMessage) texts {
	var list []int64
	if json.Unmarshal(raw, &list) != nil {
		list = make([]int64, 1)
		if string(raw) == "null" || json.Unmarshal(raw, &list[0]) != nil {
			return nil
		}
	}
	var out texts
	for _, n := range list {
		out = append(out, engine.NumberRef(n))
	}
	return out
}

// resolve returns the IDs, each once.
func (s *session) resolve(ctx context.Context, r refs, prefer api.Preference) ([]hippo.ID, error) {
	var out []hippo.ID
	for i, ref := range r.list {
		id, err := s.Resolve(ctx, ref, prefer)
		if err != nil {
			return nil, named(err, r.name, i, len(r.list))
		}
		if !slices.Contains(out, id) { // an ID given twice is meant once
			out = append(out, id)
		}
	}
	return out, nil
}

// short returns the short form of an ID.
func (s *session) short(id hippo.ID) string {
	return engine.ShortIDs(s.Memories, []hippo.ID{id}).Of(id)
}

// resolveOne is resolve for an argument that is one ID.
func (s *session) resolveOne(ctx context.Context, r refs) (hippo.ID, error) {
	ids, err := s.resolve(ctx, r, api.PreferLive)
	switch {
	case err != nil:
		return hippo.ID{}, err
	case len(ids) != 1:
		return hippo.ID{}, hippo.Fieldf(r.name, "must be one id, got %d", len(ids))
	}
	return ids[0], nil
}

// named names the argument of an error about reference i of n.
func named(err error, name string, i, n int) error {
	if n > 1 {
		name = fmt.Sprintf("%s[%d]", name, i)
	}
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return hippo.Fieldf(name, "%s", bad.Why)
	}
	if bad, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		return hippo.Fieldf(name, "%v", bad)
	}
	return err
}
