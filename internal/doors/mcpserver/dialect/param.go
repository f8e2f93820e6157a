package dialect

import (
	"encoding/json"
	"slices"
)

// Kind is the type of a parameter.
type Kind int

// The kinds, and what they take beside their own type in JSON.
const (
	// Text is a string; one with choices takes a number, too.
	Text Kind = iota
	// Whole is an integer, Number any number; both may be written as a string.
	Whole
	Number
	// Flag is a boolean, or "true" or "false".
	Flag
	// Texts is a list of strings, a string with commas, or a string that holds a JSON list.
	Texts
	// Object is an object, or a string that holds one.
	Object
	// Objects is a list of objects, or a string that holds one.
	Objects
	// Ref is a reference to a memory: a string, or a whole number, which becomes that of [engine.NumberRef].
	Ref
	// Wholes is a list of integers, or a string that holds one.
	Wholes
	// Record is a reference to a record of a SurrealDB: its key, TABLE:KEY, or {"tb": TABLE, "id": {"String": KEY}}. It
	// becomes the key.
	Record
)

// Param is one parameter of a tool.
type Param struct {
	Name, About string
	// Of are the fields of the domain that it stands for, separated by spaces: errors call it so.
	Of       string
	Kind     Kind
	Required bool
	// Unlisted: it is taken, and not in the schema, which a model reads in every session.
	Unlisted bool
	// Aliases are other names for it.
	Aliases []string
	// Choices are the values of a Text; none: any.
	Choices []string
	// Min and Max bound a Whole or a Number if Max is above Min.
	Min, Max float64
	// Default is listed in the schema; nil: absent.
	Default any
	// Fields are those of an Object or of each of Objects; none: any.
	Fields []Param
}

// Schema returns the JSON Schema of the parameters of a tool.
func (t *Tool) Schema() json.RawMessage {
	text, _ := json.Marshal(schemaOf(t.Params)) // maps of texts and numbers marshal
	return text
}

func schemaOf(params []Param) map[string]any {
	properties := make(map[string]any, len(params))
	var required []string
	for i := range params {
		p := &params[i]
		if p.Unlisted {
			continue
		}
		properties[p.Name] = p.schema()
		if p.Required {
			required = append(required, p.Name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if required != nil {
		out["required"] = required
	}
	return out
}

func (p *Param) schema() map[string]any {
	out := map[string]any{}
	switch p.Kind {
	case Text, Record, Ref: // a list of types, which a Ref could have, makes some clients refuse all tools
		out["type"] = "string"
	case Whole:
		out["type"] = "integer"
	case Number:
		out["type"] = "number"
	case Flag:
		out["type"] = "boolean"
	case Texts:
		out["type"], out["items"] = "array", map[string]any{"type": "string"}
	case Wholes:
		out["type"], out["items"] = "array", map[string]any{"type": "integer"}
	case Object:
		out = p.objectSchema()
	case Objects:
		out["type"], out["items"] = "array", p.objectSchema()
	}
	if p.About != "" {
		out["description"] = p.About
	}
	if p.Choices != nil {
		out["enum"] = p.Choices
	}
	if p.Max > p.Min {
		out["minimum"], out["maximum"] = p.Min, p.Max
	}
	if p.Default != nil {
		out["default"] = p.Default
	}
	return out
}

func (p *Param) objectSchema() map[string]any {
	if p.Fields == nil {
		return map[string]any{"type": "object"}
	}
	return schemaOf(p.Fields)
}

// names returns the names of parameters, in their order.
func names(params []Param) []string {
	out := make([]string, len(params))
	for i := range params {
		out[i] = params[i].Name
	}
	return out
}

// With returns parameters followed by others.
func With(params []Param, more ...Param) []Param { return slices.Concat(params, more) }
