package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// code is a piece of source code as a program sees it. It does not change. Two are equal if they have one place.
type code struct{ record }

var (
	_ starlark.HasAttrs   = (*code)(nil)
	_ starlark.Comparable = (*code)(nil)
	_ json.Marshaler      = (*code)(nil)
)

// String returns the code on one line: a mark that no id has, the place, the score, the name and the first line.
func (c *code) String() string {
	line := "[code] " + oneLine(c.text("id"))
	if score, ok := c.attrs["score"].(starlark.Float); ok && score > 0 {
		line += fmt.Sprintf(" %.2f", float64(score))
	}
	line += " " + c.preview()
	if stale := c.text("stale"); stale != "" {
		line += " [" + stale + "]"
	}
	return line
}

// preview returns the name and the first line.
func (c *code) preview() string { return previewOf(oneLine(c.text("title"))) }

// Type implements [starlark.Value].
func (c *code) Type() string { return "code" }

// Hash implements [starlark.Value].
func (c *code) Hash() (uint32, error) { return starlark.String(c.text("id")).Hash() }

// CompareSameType implements [starlark.Comparable].
func (c *code) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	other, ok := y.(*code)
	same := ok && c.text("root") == other.text("root") && c.text("id") == other.text("id")
	return equality(op, same, "code has no order: sort it by key, like sorted(found, key=lambda m: m.score)")
}

// Attr implements [starlark.HasAttrs].
func (c *code) Attr(name string) (starlark.Value, error) {
	if name == "preview" {
		return starlark.String(c.preview()), nil
	}
	return c.attrs[name], nil // nil: there is none
}

// AttrNames implements [starlark.HasAttrs].
func (c *code) AttrNames() []string {
	names := append(c.attrs.Keys(), "preview")
	slices.Sort(names)
	return names
}

// MarshalJSON implements [json.Marshaler]: the fields that are set, of those that a reader needs.
func (c *code) MarshalJSON() ([]byte, error) {
	return marshalSet(c.attrs, "id", "source", "score", "name", "kind", "language", "first_line", "last_line", "stale", "content")
}
