package verb

import (
	"bytes"
	"encoding/json"
	"maps"
)

// Schema is a JSON Schema of draft 2020-12, or some keywords of one.
type Schema map[string]any

// ObjectSchema describes an object with these arguments at a front end for programs: what is not listed is refused.
func ObjectSchema(d Door, args []Arg) Schema {
	properties, required := Schema{}, []string{}
	for i := range args {
		a := &args[i]
		name := a.NameAt(d)
		if name == "" {
			continue
		}
		properties[name] = a.Schema()
		if a.Is.Has(Required) {
			required = append(required, name)
		}
	}
	out := Schema{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// Schema describes the values of an argument.
func (a *Arg) Schema() Schema {
	out := schemaOf(a.To)
	maps.Copy(out, a.Rules)
	if a.Values != nil {
		out["enum"] = a.Values
	}
	if a.About != "" && out["description"] == nil {
		out["description"] = a.About
	}
	return out
}

// JSON returns what a query of a URL or a form says of an argument as the JSON that it takes.
func (a *Arg) JSON(texts ...string) json.RawMessage {
	switch kind := a.Schema()["type"]; {
	case kind == "array":
		return asJSON(texts)
	case kind != "string" && json.Valid([]byte(texts[0])):
		return json.RawMessage(texts[0])
	default:
		return asJSON(texts[0])
	}
}

// schemaOf describes the type of the values that go to a pointer.
func schemaOf(to any) Schema {
	switch to := placeOf(to).(type) {
	case Value:
		return maps.Clone(to.Schema())
	case Object:
		return ObjectSchema(REST, to.Args())
	case *float64, **float64:
		return Schema{"type": "number"}
	case *int, **int:
		return Schema{"type": "integer"}
	case *bool, **bool:
		return Schema{"type": "boolean"}
	case *[]string, **[]string:
		return Schema{"type": "array", "items": Schema{"type": "string"}}
	case *[]int:
		return Schema{"type": "array", "items": Schema{"type": "integer"}}
	default:
		return Schema{"type": "string"}
	}
}

// ToolSchema is the schema of arguments for a model, which reads it in every session: those that are listed, in their order, in as few bytes as
// they take. The limits of texts, lists and whole numbers are left to errors.
func ToolSchema(args []Arg) json.RawMessage {
	var properties, required []json.RawMessage
	for i := range args {
		a := &args[i]
		if !a.Is.Has(Listed) {
			continue
		}
		name := asJSON(a.NameAt(MCP))
		properties = append(properties, append(append(name, ':'), a.brief()...))
		if a.Is.Has(Required | Wanted) {
			required = append(required, asJSON(a.NameAt(MCP)))
		}
	}
	members := [][]byte{[]byte(`"type":"object"`)}
	if required != nil {
		members = append(members, listJSON(`"required":[`, required, "]"))
	}
	return listJSON("{", []json.RawMessage{bytes.Join(append(members, listJSON(`"properties":{`, properties, "}")), []byte(","))}, "}")
}

// brief is the schema of an argument for a model.
func (a *Arg) brief() json.RawMessage {
	full := a.Schema()
	kind := full["type"]
	var out []json.RawMessage
	add := func(key string, value any) {
		if value != nil {
			out = append(out, append(append(asJSON(key), ':'), asJSON(value)...))
		}
	}
	add("type", kind)
	if kind == "array" {
		add("items", Schema{"type": "string"})
	}
	if listed, ok := a.Rules["enum"]; ok { // fewer than it takes
		add("enum", listed)
	} else {
		add("enum", full["enum"])
	}
	if kind == "number" {
		add("minimum", full["minimum"])
		add("maximum", full["maximum"])
	}
	if full["default"] != 0 && !a.Is.Has(Wanted) {
		add("default", full["default"])
	}
	if a.Brief != "" {
		add("description", a.Brief)
	}
	return listJSON("{", out, "}")
}

// asJSON returns a text, a number or a schema as JSON.
func asJSON(v any) json.RawMessage {
	text, _ := json.Marshal(v) //nolint:errchkjson // these have a JSON form
	return text
}

// listJSON joins values with commas, between two texts.
func listJSON(before string, list []json.RawMessage, after string) json.RawMessage {
	parts := make([][]byte, len(list))
	for i, x := range list {
		parts[i] = x
	}
	return append(append([]byte(before), bytes.Join(parts, []byte(","))...), after...)
}
