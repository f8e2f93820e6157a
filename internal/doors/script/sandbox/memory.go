package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	starlarktime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// PreviewLength is how many characters of a content a preview has.
const PreviewLength = 200

// memory is a memory as a program sees it. It does not change. Two are equal if they have one UUID.
type memory struct{ record }

var (
	_ starlark.HasAttrs   = (*memory)(nil)
	_ starlark.Comparable = (*memory)(nil)
	_ json.Marshaler      = (*memory)(nil)
)

func (m *memory) texts(name string) (out []string) {
	list, ok := m.attrs[name].(starlark.Iterable)
	if !ok {
		return nil
	}
	for v := range starlark.Elements(list) {
		s, _ := starlark.AsString(v)
		out = append(out, s)
	}
	return out
}

// String returns the memory on one line: id, score, preview, situation, tags, date.
func (m *memory) String() string {
	var b strings.Builder
	b.WriteString(m.text("id"))
	if score, ok := m.attrs["score"].(starlark.Float); ok && score > 0 {
		fmt.Fprintf(&b, " %.2f", float64(score))
	}
	if state := m.text("state"); state != "" && state != "holds" {
		b.WriteString(" (" + strings.ReplaceAll(state, "_", " ") + ")")
	}
	b.WriteString(" " + m.preview())
	if list := m.texts("situation"); len(list) > 0 {
		b.WriteString(" (" + oneLine(strings.Join(list, "; ")) + ")")
	}
	for _, tag := range m.texts("tags") {
		b.WriteString(" #" + oneLine(tag))
	}
	if t, ok := m.attrs["created"].(starlarktime.Time); ok {
		b.WriteString(" " + day(t))
	}
	return b.String()
}

// preview returns what a search shows of the content, or the beginning of it, on one line.
func (m *memory) preview() string {
	if shown := m.text("preview"); shown != "" {
		return oneLine(shown)
	}
	return previewOf(oneLine(m.text("content")))
}

// Type implements [starlark.Value].
func (m *memory) Type() string { return "memory" }

// Hash implements [starlark.Value].
func (m *memory) Hash() (uint32, error) { return starlark.String(m.text("uuid")).Hash() }

// CompareSameType implements [starlark.Comparable].
func (m *memory) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other, ok := y.(*memory)
	return equality(op, ok && m.text("uuid") == other.text("uuid"), "memories have no order: sort them by key, like sorted(found, key=lambda m: m.score)")
}

// Attr implements [starlark.HasAttrs].
func (m *memory) Attr(name string) (starlark.Value, error) {
	switch name {
	case "preview":
		return starlark.String(m.preview()), nil
	case "date":
		t, ok := m.attrs["created"].(starlarktime.Time)
		if !ok {
			return starlark.None, nil
		}
		return starlark.String(day(t)), nil
	}
	return m.attrs[name], nil // nil: there is none
}

// AttrNames implements [starlark.HasAttrs].
func (m *memory) AttrNames() []string {
	names := append(m.attrs.Keys(), "preview", "date")
	slices.Sort(names)
	return slices.Compact(names)
}

// MarshalJSON implements [json.Marshaler]: the fields that are set, of those that a reader needs.
func (m *memory) MarshalJSON() ([]byte, error) {
	return marshalSet(m.attrs,
		"id", "score", "content", "situation", "tags", "type", "importance", "pinned", "created", "event_time", "valid_from", "valid_until",
		"state", "superseded_by", "same", "metadata")
}

// results is a list of memories that a search returned, with what the search says of all of them.
type results struct {
	list  []starlark.Value
	attrs starlark.StringDict
}

var (
	_ starlark.Sliceable = (*results)(nil)
	_ starlark.Sequence  = (*results)(nil)
	_ starlark.HasAttrs  = (*results)(nil)
	_ starlark.HasBinary = (*results)(nil)
)

// String returns a line for each memory.
func (r *results) String() string {
	lines := make([]string, len(r.list))
	for i, v := range r.list {
		lines[i] = v.String()
	}
	return strings.Join(lines, "\n")
}

// Type implements [starlark.Value].
func (r *results) Type() string { return "results" }

// Freeze implements [starlark.Value].
func (r *results) Freeze() {}

// Truth implements [starlark.Value].
func (r *results) Truth() starlark.Bool { return len(r.list) > 0 }

// Hash implements [starlark.Value].
func (r *results) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable: results") }

// Len implements [starlark.Sequence].
func (r *results) Len() int { return len(r.list) }

// Index implements [starlark.Indexable].
func (r *results) Index(i int) starlark.Value { return r.list[i] }

// Iterate implements [starlark.Iterable].
func (r *results) Iterate() starlark.Iterator { return starlark.NewList(r.list).Iterate() }

// Slice implements [starlark.Sliceable]; the result is a list.
func (r *results) Slice(start, end, step int) starlark.Value {
	return starlark.NewList(slices.Clone(r.list)).Slice(start, end, step)
}

// Binary implements [starlark.HasBinary]: results and lists add up to a list, and a memory may be in results.
func (r *results) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if op == syntax.IN && side == starlark.Right {
		same := func(v starlark.Value) bool {
			equal, err := starlark.Equal(v, y)
			return err == nil && equal
		}
		return starlark.Bool(slices.ContainsFunc(r.list, same)), nil
	}
	other, ok := y.(starlark.Sequence)
	if op != syntax.PLUS || !ok || y.Type() != "list" && y.Type() != "results" {
		return nil, nil // the operation is not supported
	}
	mine, more := slices.Clone(r.list), slices.Collect(starlark.Elements(other))
	if side == starlark.Right {
		return starlark.NewList(append(more, mine...)), nil
	}
	return starlark.NewList(append(mine, more...)), nil
}

// Attr implements [starlark.HasAttrs].
func (r *results) Attr(name string) (starlark.Value, error) {
	if name == "memories" {
		return starlark.NewList(slices.Clone(r.list)), nil
	}
	return r.attrs[name], nil
}

// AttrNames implements [starlark.HasAttrs].
func (r *results) AttrNames() []string { return append(r.attrs.Keys(), "memories") }
