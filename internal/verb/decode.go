package verb

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/typo"
)

// Object is a value with arguments of its own.
type Object interface {
	// Args are the arguments and where their values go. It changes nothing.
	Args() []Arg
}

// Value is a value with a form of its own.
type Value interface {
	// ReadArg reads the value of the argument of a name as a front end takes it.
	ReadArg(d Door, name string, raw json.RawMessage) error
	// Schema describes the form. A value may also describe it in words, with an example, as Shape() string.
	Schema() Schema
}

// ShapeError is the error for arguments of another shape than a schema says.
type ShapeError struct{ *hippo.FieldError }

// Unwrap implements the interface of package errors.
func (e *ShapeError) Unwrap() error { return e.FieldError }

// Misshapen returns a [*ShapeError]; name and format as of [hippo.Fieldf].
func Misshapen(name, format string, args ...any) error {
	return &ShapeError{&hippo.FieldError{Field: name, Why: fmt.Sprintf(format, args...)}}
}

// Decode reads a JSON object into arguments, and notes what was said of each. An argument that is unknown, missing or of another type is a
// [*ShapeError] with the name that the caller used. What is blank is as if it were absent, see [IsBlank].
func Decode(d Door, raw json.RawMessage, args []Arg) error {
	if raw = bytes.TrimSpace(raw); d == MCP && (len(raw) == 0 || string(raw) == "null") {
		raw = json.RawMessage("{}")
	}
	return d.object("", raw, args)
}

// DecodeMembers is [Decode] for the members of an object.
func DecodeMembers(d Door, given map[string]json.RawMessage, args []Arg) error {
	return d.members("", maps.Clone(given), args)
}

// object reads an object. prefix is its path with a dot at the end, for errors; empty for the arguments themselves.
func (d Door) object(prefix string, raw json.RawMessage, args []Arg) error {
	if text, ok := textOf(raw); ok && d == MCP && strings.HasPrefix(text, "{") {
		raw = json.RawMessage(text)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		if prefix == "" {
			return Misshapen("arguments", "must be an object, got %s", d.kindOf(raw))
		}
		return Misshapen(strings.TrimSuffix(prefix, "."), "must be an object with %s, got %s", strings.Join(d.names(args), ", "), d.kindOf(raw))
	}
	return d.members(prefix, given, args)
}

// members takes the arguments out of given and reads them.
func (d Door) members(prefix string, given map[string]json.RawMessage, args []Arg) error {
	values, err := d.take(prefix, given, args)
	if err == nil {
		err = Unknown(d, prefix, given, args)
	}
	if err == nil {
		err = d.readAll(prefix, values, args)
	}
	return err
}

// readAll reads the values of arguments; nil for none.
func (d Door) readAll(prefix string, values []json.RawMessage, args []Arg) error {
	for i := range args {
		a := &args[i]
		switch {
		case values[i] == nil && a.Is.Has(Required) && a.NameAt(d) != "":
			return a.missing(prefix + a.NameAt(d))
		case values[i] != nil:
			if err := d.read(prefix+a.Given, values[i], a); err != nil {
				return err
			}
		}
	}
	return nil
}

// missing is the error for an argument that is required.
func (a *Arg) missing(name string) error {
	if x, ok := a.To.(interface{ Shape() string }); ok {
		return Misshapen(name, "is required: %s", x.Shape())
	}
	return Misshapen(name, "is required, and must not be blank")
}

// take removes arguments from given and returns their values; nil for those that are absent or blank.
func (d Door) take(prefix string, given map[string]json.RawMessage, args []Arg) (values []json.RawMessage, err error) {
	values = make([]json.RawMessage, len(args))
	for i := range args {
		if values[i], err = args[i].take(d, prefix, given); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// take is [Door.take] for one argument. Clients of SHODH may give several names for it with the same value.
func (a *Arg) take(d Door, prefix string, given map[string]json.RawMessage) (found json.RawMessage, err error) {
	names := []string{a.NameAt(d)}
	if names[0] == "" {
		return nil, nil
	}
	if d == MCP || d == SHODH {
		names = append(names, strings.Fields(a.Also)...)
	}
	for _, name := range names {
		raw, ok := given[name]
		if !ok {
			continue
		}
		delete(given, name)
		if null := string(bytes.TrimSpace(raw)) == "null"; null || d.isBlank(raw, a.Is) {
			a.Blank = a.Blank || !null
			continue
		}
		if found != nil && d == SHODH && bytes.Equal(found, raw) {
			continue
		}
		if found != nil {
			return nil, hippo.Fieldf(prefix+name, "is another name of %s: give one of them", a.Given)
		}
		found, a.Given = raw, name
	}
	a.Blank = a.Blank && found == nil
	return found, nil
}

// isBlank reports whether the value of an argument with some traits stands for none.
func (d Door) isBlank(raw json.RawMessage, is Trait) bool {
	return (!is.Has(Verbatim) || is.Has(Required)) && IsBlank(raw) || !d.strict() && is.Has(Count) && string(bytes.Trim(raw, "\" \t\r\n")) == "0"
}

// maxUnknown is how many unknown arguments an error names.
const maxUnknown = 5

// Unknown returns an error that names the arguments that are left, with those that were probably meant.
func Unknown[T any](d Door, prefix string, left map[string]T, args []Arg) error {
	if len(left) == 0 {
		return nil
	}
	given := make([]string, 0, len(left))
	for name := range left {
		given = append(given, fmt.Sprintf("%.60s", cmp.Or(strings.ToValidUTF8(name, "?"), `""`)))
	}
	slices.Sort(given)
	known := d.names(args)
	var more strings.Builder
	for _, name := range given[1:min(len(given), maxUnknown)] {
		more.WriteString(", so is " + name + typo.Suggestion(name, known))
	}
	if n := len(given) - maxUnknown; n > 0 {
		fmt.Fprintf(&more, ", so are %d more", n)
	}
	if len(known) == 0 {
		return Misshapen(prefix+given[0], "is unknown%s; no arguments are known here", more.String())
	}
	meant := typo.Suggestion(given[0], known)
	if d != MCP && meant != "" {
		return Misshapen(prefix+given[0], "is unknown%s%s", meant, more.String())
	}
	return Misshapen(prefix+given[0], "is unknown%s%s: known are %s", meant, more.String(), strings.Join(known, ", "))
}

// names are those of arguments: for a model those that it reads in the schema.
func (d Door) names(args []Arg) (out []string) {
	for i := range args {
		if name := args[i].NameAt(d); name != "" && (d != MCP || args[i].Is.Has(Listed)) {
			out = append(out, name)
		}
	}
	return out
}

// IsBlank reports whether a JSON value stands for none: null, a text of white space, or a list of nothing else. Clients and models
// fill in what they do not mean, so an argument that is blank is as if it were absent, at every front end.
func IsBlank(raw json.RawMessage) bool {
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0 || string(raw) == "null":
		return true
	case raw[0] == '"':
		var text string
		return json.Unmarshal(raw, &text) == nil && strings.TrimSpace(text) == ""
	case raw[0] == '[':
		var list []json.RawMessage
		return json.Unmarshal(raw, &list) == nil && !slices.ContainsFunc(list, func(x json.RawMessage) bool { return !IsBlank(x) })
	default:
		return false
	}
}

// Listing are the names of the arguments that a model reads in a schema.
func Listing(args []Arg) []string { return MCP.names(args) }
