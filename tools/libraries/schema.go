package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// schema is a JSON Schema.
type schema struct {
	Ref                            string `json:"$ref"`
	Type                           any
	Description                    string
	Enum                           []string
	Items                          *schema
	Properties                     map[string]*schema
	Required                       []string
	AdditionalProperties           json.RawMessage
	Default                        any
	Minimum, Maximum               *float64
	MinLength, MaxLength, MaxItems *int
	// shape is the name of an object that is described in place.
	shape string
}

// name returns the name of the component that a schema refers to; empty: none.
func (s *schema) name() string {
	if s.Ref == "" {
		return ""
	}
	return path.Base(s.Ref)
}

// kind returns the type in JSON, and whether null is one.
func (s *schema) kind() (name string, null bool) {
	switch t := s.Type.(type) {
	case string:
		return t, false
	case []any:
		for _, x := range t {
			if text := fmt.Sprint(x); text == "null" {
				null = true
			} else {
				name = text
			}
		}
	}
	return name, null
}

// values returns the schema of the values of an object by key; nil: any.
func (s *schema) values() *schema {
	var out *schema
	if json.Unmarshal(s.AdditionalProperties, &out) != nil {
		return nil
	}
	return out
}

// field is a property of an object.
type field struct {
	name     string
	required bool
	schema   *schema
}

// fields returns the properties: those that are always there, then the others, each by name.
func (s *schema) fields() []field {
	var always, other []field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if f := (field{name, slices.Contains(s.Required, name), s.Properties[name]}); f.required {
			always = append(always, f)
		} else {
			other = append(other, f)
		}
	}
	return append(always, other...)
}

// shape is an object with a name.
type shape struct {
	name   string
	given  bool // by the caller; else the server returns it
	fields []field
}

// shapesOf returns the objects that operations take and return, by name, and names those that are described in place.
func shapesOf(schemas map[string]*schema, operations []operation) []shape {
	found := make(map[string]shape)
	var visit func(s *schema, owner string, given bool)
	visit = func(s *schema, owner string, given bool) {
		switch {
		case s == nil:
			return
		case s.Ref != "":
			owner = s.name()
			s = schemas[owner]
		case s.Properties != nil:
			s.shape = owner
		}
		if _, ok := found[owner]; s.Properties != nil && !ok {
			found[owner] = shape{owner, given, s.fields()}
			for name, p := range s.Properties {
				visit(p, owner+title(name), given)
			}
		}
		visit(s.Items, owner, given)
		visit(s.values(), owner, given)
	}
	for i := range operations {
		o := &operations[i]
		for _, a := range o.arguments {
			visit(a.schema, title(o.id)+title(a.name), true)
		}
		visit(o.answer, title(o.id)+"Answer", false)
	}
	out := make([]shape, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[name])
	}
	return out
}

// title returns a name as a part of the name of a type.
func title(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '_' || r == '-' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// meaning returns the description of a value with its limits; it may be empty.
func (s *schema) meaning() string {
	about := s.Description
	if about == "" && s.Items != nil {
		about = s.Items.Description
	}
	limits := s.limits()
	switch {
	case len(limits) == 0:
		return about
	case about == "":
		return strings.Join(limits, "; ")
	default:
		return about + " (" + strings.Join(limits, "; ") + ")"
	}
}

// limits returns the limits and the default of a value in words.
func (s *schema) limits() (out []string) {
	switch low, high := s.Minimum, s.Maximum; {
	case low != nil && high != nil:
		if text := fmt.Sprintf("%v to %v", *low, *high); text != s.Description {
			out = append(out, text)
		}
	case low != nil:
		out = append(out, fmt.Sprintf("at least %v", *low))
	case high != nil:
		out = append(out, fmt.Sprintf("at most %v", *high))
	}
	switch {
	case s.MaxLength != nil && s.MinLength != nil && *s.MinLength > 1:
		out = append(out, fmt.Sprintf("%d to %d characters", *s.MinLength, *s.MaxLength))
	case s.MaxLength != nil:
		out = append(out, fmt.Sprintf("at most %d characters", *s.MaxLength))
	}
	if s.MaxItems != nil {
		out = append(out, fmt.Sprintf("at most %d", *s.MaxItems))
	}
	if s.Default != nil && s.Default != "" && !strings.Contains(s.Description, "efault:") {
		out = append(out, fmt.Sprintf("default: %v", s.Default))
	}
	return out
}
