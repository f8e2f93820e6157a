package restapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// place is where a field of a request is.
type place string

const (
	inBody   place = ""
	inQuery  place = "query"
	inPath   place = "path"
	inHeader place = "header"
)

// field is one value of a request. The decoder and the document both read it.
type field struct {
	name string
	// to is where the value goes: a pointer to a text, a number, a truth value or a list of texts, or to
	// a pointer to one, an [object] or a [value].
	to       any
	about    string // for the document
	in       place
	required bool
	words    []string // the only texts that are allowed; nil: any
	rules    schema   // what the engine checks, for the document
}

// object is a value with fields of its own.
type object interface {
	// fields lists the fields and where their values go. It changes nothing.
	fields() []field
}

// value is a value with a form of its own.
type value interface {
	// set reads the value of the field of a name.
	set(name string, raw json.RawMessage) error
	// schema describes the form.
	schema() schema
}

// decodeObject reads a JSON object, whose keys are distinct, into fields. prefix begins the names of the
// fields in errors.
func decodeObject(prefix string, raw json.RawMessage, fields []field) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(raw, &given); err != nil || given == nil {
		return hippo.Fieldf(strings.TrimSuffix(prefix, "."), "must be an object, got %s", kindOf(raw))
	}
	return decodeGiven(prefix, given, fields)
}

// decodeGiven sets fields to the values that are given. What is blank is as if it were absent, as at every front end.
func decodeGiven(prefix string, given map[string]json.RawMessage, fields []field) error {
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.name
	}
	var unknown []string
	for name := range given {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		slices.Sort(unknown)
		return hippo.Fieldf(prefix+clip(unknown[0]), "is unknown%s", nearest(unknown[0], known))
	}
	for _, f := range fields {
		raw, ok := given[f.name]
		ok = ok && !wire.IsBlank(raw)
		switch {
		case !ok && f.required:
			return hippo.Required(prefix + f.name)
		case ok:
			if err := f.set(prefix, raw); err != nil {
				return err
			}
		}
	}
	return nil
}

// clip shortens a name that a caller made up.
func clip(name string) string { return fmt.Sprintf("%.60s", strings.ToValidUTF8(name, "?")) }

func (f *field) set(prefix string, raw json.RawMessage) error {
	if err := set(prefix+f.name, raw, f.to); err != nil {
		return err
	}
	text, ok := f.to.(*string)
	if ok && f.words != nil {
		return hippo.OneOf(prefix+f.name, *text, f.words...)
	}
	return nil
}

// set decodes a value into to, a pointer as in [field].
func set(name string, raw json.RawMessage, to any) error {
	switch to := to.(type) {
	case value:
		return to.set(name, raw)
	case object:
		return decodeObject(name+".", raw, to.fields())
	case *[]string:
		return setTexts(name, raw, to)
	case **[]string:
		list := []string{}
		*to = &list
		return setTexts(name, raw, &list)
	}
	if err := json.Unmarshal(raw, to); err != nil || isNull(raw) {
		return mismatch(name, raw, to)
	}
	return nil
}

func setTexts(name string, raw json.RawMessage, to *[]string) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return mismatch(name, raw, to)
	}
	*to = make([]string, len(items))
	for i, item := range items {
		if err := set(fmt.Sprintf("%s[%d]", name, i), item, &(*to)[i]); err != nil {
			return err
		}
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// mismatch is the error for a value of another type.
func mismatch(name string, raw json.RawMessage, to any) error {
	return hippo.Fieldf(name, "must be %s, got %s", typeOf(to).name, kindOf(raw))
}

// kindOf names the type of a value: a number as it is, never a text.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '"':
		return "a text"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	default:
		return fmt.Sprintf("%.40s", raw)
	}
}

// jsonType is a type of values: for people, and for the document.
type jsonType struct {
	name   string
	schema schema
	// quoted: its value in a query is a text as it is, and not JSON.
	quoted, list bool
}

// typeOf returns the type of the values of a field that go to a pointer.
func typeOf(to any) jsonType {
	switch to := to.(type) {
	case value:
		s := to.schema()
		return jsonType{name: "as the OpenAPI document says", schema: s, quoted: s["type"] == "string", list: s["type"] == "array"}
	case object:
		return jsonType{name: "an object", schema: objectSchema(to.fields())}
	case *float64, **float64:
		return jsonType{name: "a number", schema: schema{"type": "number"}}
	case *int, **int:
		return jsonType{name: "a whole number", schema: schema{"type": "integer"}}
	case *bool, **bool:
		return jsonType{name: "true or false", schema: schema{"type": "boolean"}}
	case *[]string, **[]string:
		return jsonType{name: "a list of texts", schema: schema{"type": "array", "items": schema{"type": "string"}}, list: true}
	default:
		return jsonType{name: "a text", schema: schema{"type": "string"}, quoted: true}
	}
}

// errIs reports whether an error is of a type.
func errIs[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
