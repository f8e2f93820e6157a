package verb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Refs are memories as they are named: UUIDs, or short forms of them.
type Refs struct {
	// Name is what the caller called them.
	Name  string
	Texts []string
}

// aboutID is the form of a reference.
const aboutID = "a UUID, or at least 4 digits of its end or beginning, or of the beginning of a content hash"

// maxReference is the length of the longest form, a whole content hash.
const maxReference = 64

// ReadArg implements [Value].
func (r *Refs) ReadArg(d Door, name string, raw json.RawMessage) error {
	r.Name = name
	if d == MCP {
		r.Texts = numbersOf(raw)
	}
	if r.Texts == nil {
		if err := d.texts(name, raw, &r.Texts); err != nil {
			return err
		}
		for i, text := range r.Texts {
			if d == MCP {
				r.Texts[i] = plainRef(text)
			}
		}
	}
	for i := range r.Texts {
		if n := len(r.Texts[i]); d == REST && n > maxReference {
			return hippo.Fieldf(r.nameOf(i), "must be %s, got %d characters", aboutID, n)
		}
	}
	if len(r.Texts) > hippo.MaxIDs {
		return hippo.Fieldf(name, "must have at most %d elements, got %d", hippo.MaxIDs, len(r.Texts))
	}
	return nil
}

// Schema implements [Value].
func (*Refs) Schema() Schema {
	return Schema{"type": "array", "maxItems": hippo.MaxIDs, "items": new(Ref).Schema()}
}

// nameOf is the name of one of the references, for errors.
func (r *Refs) nameOf(i int) string {
	if len(r.Texts) > 1 {
		return fmt.Sprintf("%s[%d]", r.Name, i)
	}
	return r.Name
}

// Resolve returns the IDs, each once. Errors have the name that the caller used.
func (r *Refs) Resolve(ctx context.Context, m *engine.Memories, prefer api.Preference) ([]hippo.ID, error) {
	out := make([]hippo.ID, 0, len(r.Texts))
	for i, text := range r.Texts {
		id, err := memory.Resolve(ctx, m, text, prefer)
		if err != nil {
			return nil, Renamed(err, r.nameOf(i))
		}
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// Renamed returns an error about a reference with the name of its argument.
func Renamed(err error, name string) error {
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return hippo.Fieldf(name, "%s", bad.Why)
	}
	if bad, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		return hippo.Fieldf(name, "%v", bad)
	}
	return err
}

// numbersOf returns the references for a number, or a list of numbers, by which other programs know memories; nil for
// anything else.
func numbersOf(raw json.RawMessage) (out []string) {
	var list []int64
	if json.Unmarshal(raw, &list) != nil {
		list = make([]int64, 1)
		if json.Unmarshal(raw, &list[0]) != nil {
			return nil
		}
	}
	for _, n := range list {
		out = append(out, memory.NumberRef(n))
	}
	return out
}

// plainRef returns a reference without what may stand around it, and a UUID with its hyphens.
func plainRef(ref string) string {
	ref = strings.Trim(ref, " \t\n[]()#\"'`")
	const digits = 32
	if len(ref) == digits && strings.Trim(ref, "0123456789abcdefABCDEF") == "" {
		return fmt.Sprintf("%s-%s-%s-%s-%s", ref[:8], ref[8:12], ref[12:16], ref[16:20], ref[20:])
	}
	return ref
}

// Ref is one memory as it is named.
type Ref struct{ Refs }

// ReadArg implements [Value].
func (r *Ref) ReadArg(d Door, name string, raw json.RawMessage) error {
	if d == REST {
		r.Texts = make([]string, 1)
		if err := d.readTo(name, raw, &r.Texts[0]); err != nil {
			return err
		}
		raw = asJSON(r.Texts)
	}
	err := r.Refs.ReadArg(d, name, raw)
	if bad, ok := errors.AsType[*ShapeError](err); ok && bad.Field == name {
		return Misshapen(name, "must be one id, got %s", d.kindOf(raw))
	}
	if err != nil {
		return err
	}
	if n := len(slices.Compact(slices.Clone(r.Texts))); n != 1 {
		return hippo.Fieldf(name, "must be one id, got %d", n)
	}
	if r.Texts[0] == "" {
		return hippo.Fieldf(name, "must be one id, got a blank text")
	}
	return nil
}

// Schema implements [Value].
func (*Ref) Schema() Schema {
	return Schema{"type": "string", "minLength": 4, "maxLength": maxReference, "description": aboutID}
}

// Resolve returns the ID. Errors have the name that the caller used.
func (r *Ref) Resolve(ctx context.Context, m *engine.Memories, prefer api.Preference) (id hippo.ID, err error) {
	ids, err := r.Refs.Resolve(ctx, m, prefer)
	if err == nil && len(ids) > 0 {
		id = ids[0]
	}
	return id, err
}

// Metadata is JSON by key, which programs keep with a memory.
type Metadata map[string]json.RawMessage

// ReadArg implements [Value].
func (m *Metadata) ReadArg(d Door, name string, raw json.RawMessage) error {
	given := raw
	if text, ok := textOf(raw); ok && d == MCP {
		given = json.RawMessage(text)
	}
	*m = nil
	if err := json.Unmarshal(given, m); err != nil || *m == nil {
		return Misshapen(name, "must be an object, such as {\"ticket\":\"OPS-7\"}, got %s", d.kindOf(raw))
	}
	return nil
}

// Schema implements [Value].
func (*Metadata) Schema() Schema { return Schema{"type": "object", "additionalProperties": true} }
