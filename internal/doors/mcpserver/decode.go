package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/typo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// input is the arguments of a tool, or an object inside of them.
type input interface {
	// fields returns the arguments and where their values go. It changes nothing.
	fields() []field
}

// setter is a value with a form of its own in JSON.
type setter interface {
	// set reads the value of the argument name.
	set(name string, raw json.RawMessage) error
}

// field is one argument.
type field struct {
	name     string
	to       any // a pointer to a value, an [input] or a [setter]
	required bool
	also     string // other names for it, separated by spaces
	unlisted bool   // the schema does not name it: models do not need it
	count    bool   // a number, of which 0 is none: it is blank
}

// blanker is an input that wants to know which of its arguments were blank.
type blanker interface{ blank(name string) }

// decode reads JSON into in. An argument that is unknown, missing or of another type is a
// [*hippo.FieldError] that names it. What is blank (null, a text of white space, a list without a text) is as if it were
// absent: clients and models fill in what they do not mean.
func decode(raw json.RawMessage, in input) error { return decodeAt("", plain(raw, in), in) }

func decodeAt(prefix string, raw json.RawMessage, in input) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	fields := in.fields()
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil {
		why := "must be an object"
		if prefix != "" { // of the arguments the schema says all
			why += " with " + strings.Join(names(fields), ", ")
		}
		return misshapen(objectName(prefix), "%s", why)
	}
	values := make([]json.RawMessage, len(fields))
	for i, f := range fields {
		var err error
		blank := false
		if values[i], blank, err = takeValue(given, f, prefix); err != nil {
			return err
		}
		if b, ok := in.(blanker); ok && blank {
			b.blank(f.name)
		}
	}
	if err := refuseUnknown(given, fields, prefix); err != nil {
		return err
	}
	for i, f := range fields {
		switch {
		case values[i] == nil && f.required:
			return misshapen(prefix+f.name, "is required, and must not be blank")
		case values[i] != nil:
			if err := set(prefix+f.name, values[i], f.to); err != nil {
				return err
			}
		}
	}
	return nil
}

// objectName returns the name of the object whose fields have a prefix: "limit" for
// "limit.".
func objectName(prefix string) string {
	if prefix == "" {
		return "arguments"
	}
	return strings.TrimSuffix(prefix, ".")
}

// takeValue removes a field from given and returns its value; nil if there is none. blank is set if there is one that is
// blank, but not null.
func takeValue(given map[string]json.RawMessage, f field, prefix string) (found json.RawMessage, blank bool, err error) {
	for _, name := range append([]string{f.name}, strings.Fields(f.also)...) {
		v, ok := given[name]
		if !ok {
			continue
		}
		delete(given, name)
		if isBlank(v, f.count) {
			blank = blank || string(bytes.TrimSpace(v)) != "null"
			continue
		}
		if found != nil {
			return nil, false, hippo.Fieldf(prefix+name, "is another name of %s: give one of them", f.name)
		}
		found = v
	}
	return found, blank && found == nil, nil
}

// isBlank reports whether a value is blank, or the 0 of a count.
func isBlank(raw json.RawMessage, count bool) bool {
	return wire.IsBlank(raw) || count && string(bytes.Trim(raw, "\" \t\r\n")) == "0"
}

// maxUnknown is how many unknown arguments an error names.
const maxUnknown = 5

// refuseUnknown returns an error that names the arguments that no field took.
func refuseUnknown(left map[string]json.RawMessage, fields []field, prefix string) error {
	if len(left) == 0 {
		return nil
	}
	given := make([]string, 0, len(left))
	for name := range left {
		given = append(given, fmt.Sprintf("%.60s", cmp.Or(name, `""`)))
	}
	slices.Sort(given)
	known := names(fields)
	var more strings.Builder
	for _, name := range given[1:min(len(given), maxUnknown)] {
		more.WriteString(", so is " + name + typo.Suggestion(name, known))
	}
	if n := len(given) - maxUnknown; n > 0 {
		fmt.Fprintf(&more, ", so are %d more", n)
	}
	if len(known) == 0 {
		return misshapen(prefix+given[0], "is unknown%s; no arguments are known here", more.String())
	}
	return misshapen(prefix+given[0], "is unknown%s%s: known are %s", typo.Suggestion(given[0], known), more.String(), strings.Join(known, ", "))
}

// names returns the names of the arguments that the schema has.
func names(fields []field) []string {
	var out []string
	for _, f := range fields {
		if !f.unlisted {
			out = append(out, f.name)
		}
	}
	return out
}

// texts is a list of texts. A single text is a list, too, see [listOf].
type texts []string

// set decodes one value into to, a pointer as in [field].
func set(name string, raw json.RawMessage, to any) error {
	switch to := to.(type) {
	case setter:
		return to.set(name, raw)
	case input:
		return decodeAt(name+".", plain(raw, to), to)
	case *texts:
		return setTexts(name, raw, to)
	}
	raw = plain(raw, to)
	if err := json.Unmarshal(raw, to); err != nil {
		return mismatch(name, raw, to, err)
	}
	return nil
}

func setTexts(name string, raw json.RawMessage, to *texts) error {
	if text, ok := textOf(raw); ok {
		*to = append(texts{}, listOf(text)...)
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return mismatch(name, raw, to, err)
	}
	*to = make(texts, len(items))
	for i, item := range items {
		name := fmt.Sprintf("%s[%d]", name, i)
		if string(item) == "null" {
			return misshapen(name, "must be a text, got null")
		}
		if err := setText(name, item, &(*to)[i]); err != nil {
			return err
		}
	}
	if len(*to) == 1 && strings.HasPrefix((*to)[0], "[") {
		*to = listOf((*to)[0])
	}
	return nil
}

// setText reads a text, in no other form.
func setText(name string, raw json.RawMessage, to *string) error {
	if err := json.Unmarshal(raw, to); err != nil {
		return mismatch(name, raw, to, err)
	}
	return nil
}

// mismatch returns the error for a value of the wrong type.
func mismatch(name string, raw json.RawMessage, to any, err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return misshapen(name, "is not readable: %v", err)
	}
	if strings.HasPrefix(e.Value, "number") && wantsNumber(to) {
		return misshapen(name, "must be %s, got %.40s", typeName(to), raw)
	}
	return misshapen(name, "must be %s, got %s", typeName(to), e.Value)
}

func wantsNumber(to any) bool {
	switch to.(type) {
	case *float64, **float64, *int, **int:
		return true
	default:
		return false
	}
}

// typeName names the type of a field in the terms of JSON.
func typeName(to any) string {
	switch to.(type) {
	case *float64, **float64:
		return "a number"
	case *int, **int:
		return "a whole number"
	case *bool, **bool:
		return "true or false"
	case *texts:
		return "a list of texts"
	default:
		return "a text"
	}
}

// oneOf checks that a text is one of several; empty means absent.
func oneOf(name, got string, allowed ...string) error {
	if got == "" {
		return nil
	}
	return hippo.OneOf(name, got, allowed...)
}
