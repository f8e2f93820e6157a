package verb

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Table declares the arguments of an operation of another system: their values go into an [Input], because such operations read few of many. The To of
// each is a function that makes a place for a value, such as New[string].
type Table []Arg

// New makes a place for a value.
func New[T any]() any { return new(T) }

// Nested makes a place for an object with arguments of its own.
func Nested(t Table) func() any { return func() any { return &nested{table: t} } }

// Many makes a place for a list of such objects; without arguments they are any objects.
func Many(t Table) func() any { return func() any { return &many{nested: nested{table: t}} } }

// Between are the limits of a number, and its default if one is given.
func Between(least, most any, usual ...any) Schema {
	out := Schema{"minimum": least, "maximum": most}
	if usual != nil {
		out["default"] = usual[0]
	}
	return out
}

// With returns arguments followed by others.
func With(t Table, more ...Arg) Table { return slices.Concat(t, more) }

// Decode is [Decode] into an Input, which it returns with the arguments and what was said of each. All of them have the traits.
func (t Table) Decode(d Door, raw json.RawMessage, is Trait) (Input, []Arg, error) {
	args := t.places(is)
	if err := Decode(d, raw, args); err != nil {
		return nil, nil, err
	}
	return inputOf(args), args, nil
}

// Take is [Table.Decode] for the members of an object: it removes those that are known.
func (t Table) Take(d Door, members map[string]json.RawMessage) (Input, []Arg, error) {
	args := t.places(0)
	values, err := d.take("", members, args)
	if err == nil {
		err = d.readAll("", values, args)
	}
	if err != nil {
		return nil, nil, err
	}
	return inputOf(args), args, nil
}

// places returns the arguments with places for their values.
func (t Table) places(is Trait) []Arg {
	args := slices.Clone(t)
	for i := range args {
		a := &args[i]
		a.Is |= is | Listed
		a.To = placeOf(a.To)
		if x, ok := a.To.(interface{ inherit(is Trait) }); ok {
			x.inherit(is)
		}
	}
	return args
}

// placeOf returns the place that a function makes, or what is one.
func placeOf(to any) any {
	if place, ok := to.(func() any); ok {
		return place()
	}
	return to
}

// Value reads a value of an argument, which is not blank.
func (a *Arg) Value(d Door, name string, raw json.RawMessage) (any, error) {
	one := Arg{Values: a.Values, Rules: a.Rules, Is: a.Is, To: placeOf(a.To)}
	err := d.read(name, raw, &one)
	return valueAt(one.To), err
}

// Schema describes the arguments for a model.
func (t Table) Schema() Schema {
	properties, required := Schema{}, []string(nil)
	for i := range t {
		a := &t[i]
		if a.Is.Has(Unlisted) {
			continue
		}
		full, short := a.Schema(), Schema{}
		for _, key := range []string{"type", "items", "properties", "required", "enum", "minimum", "maximum", "default"} {
			if v := full[key]; v != nil {
				short[key] = v
			}
		}
		if a.About != "" {
			short["description"] = a.About
		}
		properties[a.Name] = short
		if a.Is.Has(Required) {
			required = append(required, a.Name)
		}
	}
	out := Schema{"type": "object", "properties": properties}
	if required != nil {
		out["required"] = required
	}
	return out
}

// nested is an object with arguments of its own.
type nested struct {
	table Table
	is    Trait
	in    Input
}

func (n *nested) inherit(is Trait) { n.is = is }

// ReadArg implements [Value].
func (n *nested) ReadArg(d Door, name string, raw json.RawMessage) error {
	if n.table == nil {
		return new(Metadata).ReadArg(d, name, raw)
	}
	args := n.table.places(n.is)
	err := d.object(name+".", raw, args)
	n.in = inputOf(args)
	return err
}

// Schema implements [Value].
func (n *nested) Schema() Schema {
	if n.table == nil {
		return Schema{"type": "object"}
	}
	return n.table.Schema()
}

// Plain returns where the values are.
func (n *nested) Plain() any { return &n.in }

// many is a list of objects with arguments of their own.
type many struct {
	nested
	list []Input
}

// ReadArg implements [Value].
func (m *many) ReadArg(d Door, name string, raw json.RawMessage) error {
	given := raw
	if text, ok := textOf(raw); ok && d == MCP {
		given = json.RawMessage(text)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(given, &items); err != nil || items == nil {
		return Misshapen(name, "must be a list of objects%s, got %s", m.fields(d), d.kindOf(raw))
	}
	m.list = make([]Input, len(items))
	for i, item := range items {
		if err := m.nested.ReadArg(d, fmt.Sprintf("%s[%d]", name, i), item); err != nil {
			return err
		}
		m.list[i] = m.in
	}
	return nil
}

// fields names the arguments of the objects.
func (m *many) fields(d Door) string {
	if m.table == nil {
		return ""
	}
	return " with " + strings.Join(d.names(m.table.places(0)), ", ")
}

// Schema implements [Value].
func (m *many) Schema() Schema { return Schema{"type": "array", "items": m.nested.Schema()} }

// Plain returns where the values are.
func (m *many) Plain() any { return &m.list }

// Input is the values of the arguments that were given, by name.
type Input map[string]any

// inputOf returns the values of arguments that were read.
func inputOf(args []Arg) Input {
	out := make(Input, len(args))
	for i := range args {
		if args[i].Given != "" {
			out[args[i].Name] = valueAt(args[i].To)
		}
	}
	return out
}

// valueAt returns the value at a place.
func valueAt(to any) any {
	if x, ok := to.(interface{ Plain() any }); ok {
		to = x.Plain()
	}
	return reflect.ValueOf(to).Elem().Interface()
}

// Has reports whether an argument was given.
func (in Input) Has(name string) bool { return in[name] != nil }

// Of returns a value of an input; otherwise is returned if it was not given.
func Of[T any](in Input, name string, otherwise T) T {
	if v, ok := in[name].(T); ok {
		return v
	}
	return otherwise
}

// Blank reports whether an argument was given a text, or a time, that is blank.
func (in Input) Blank(name string) bool {
	switch v := in[name].(type) {
	case string:
		return strings.TrimSpace(v) == ""
	case Time:
		return strings.TrimSpace(v.Text) == ""
	default:
		return false
	}
}

// Require refuses an input that lacks what something needs, or that has a blank text for it.
func (in Input) Require(purpose string, names ...string) error {
	for _, name := range names {
		switch {
		case !in.Has(name):
			return Misshapen(name, "is required for %s", purpose)
		case in.Blank(name):
			return Misshapen(name, "must not be blank for %s", purpose)
		}
	}
	return nil
}

// Text returns a text, or the text of a reference; absent: "".
func (in Input) Text(name string) string {
	if ref, ok := in[name].(Ref); ok {
		return ref.Texts[0]
	}
	return Of(in, name, "")
}

// Flag returns a flag; absent: false.
func (in Input) Flag(name string) bool { return Of(in, name, false) }

// Int returns a whole number; otherwise is returned if it was not given.
func (in Input) Int(name string, otherwise int) int { return Of(in, name, otherwise) }

// Number returns a number; otherwise is returned if it was not given.
func (in Input) Number(name string, otherwise float64) float64 { return Of(in, name, otherwise) }

// Time returns a time; absent: the zero value, which is read as none.
func (in Input) Time(name string) Time { return Of(in, name, Time{}) }

// Project returns a project; absent: one that was not given.
func (in Input) Project(name string) *Project { return &Project{Name: name, Text: in.Text(name)} }

// Object returns an object of any members; absent: nil.
func (in Input) Object(name string) map[string]json.RawMessage { return Of[Metadata](in, name, nil) }

// Inner returns an object with arguments of its own; absent: nil.
func (in Input) Inner(name string) Input { return Of[Input](in, name, nil) }

// Items returns a list of such objects; absent: nil.
func (in Input) Items(name string) []Input { return Of[[]Input](in, name, nil) }

// Texts returns a list of texts without white space around them, and without those that are blank; absent: nil.
func (in Input) Texts(name string) []string {
	list := Of[[]string](in, name, nil)
	if list == nil {
		return nil
	}
	out := make([]string, 0, len(list))
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
