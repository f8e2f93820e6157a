package sandbox

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// record is what a memory and a piece of code have in common: attributes that do not change.
type record struct{ attrs starlark.StringDict }

func (r *record) text(name string) string {
	s, _ := starlark.AsString(r.attrs[name])
	return s
}

// Freeze implements [starlark.Value].
func (r *record) Freeze() { r.attrs.Freeze() }

// Truth implements [starlark.Value].
func (r *record) Truth() starlark.Bool { return true }

// equality is the result of a comparison of values that are the same or not, and have no order, which why says.
func equality(op syntax.Token, same bool, why string) (bool, error) {
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	default:
		return false, errors.New(why)
	}
}

// previewOf returns the beginning of a line, cut at a word if one ends in its second half.
func previewOf(text string) string {
	if utf8.RuneCountInString(text) <= PreviewLength {
		return text
	}
	cut := []rune(text)[:PreviewLength]
	if i := strings.LastIndexByte(string(cut), ' '); i > PreviewLength/2 {
		return string(cut)[:i] + "…"
	}
	return string(cut) + "…"
}

// oneLine returns a text with each run of white space as one space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// marshalSet returns those of some attributes that are set as a JSON object.
func marshalSet(attrs starlark.StringDict, names ...string) ([]byte, error) {
	out := make(map[string]any)
	for _, name := range names {
		v, ok := attrs[name]
		if !ok || !bool(v.Truth()) {
			continue
		}
		x, err := plain(v, 0)
		if err != nil {
			return nil, err
		}
		if f, ok := x.(float64); ok {
			x = math.Round(f*1e4) / 1e4
		}
		out[name] = x
	}
	return json.Marshal(out)
}
