package shodh

import "fmt"

// Param is a parameter as tests compare it with the document.
type Param struct {
	Shape    string
	Required bool
}

// Params returns the parameters of each operation, by their names and aliases.
func Params() map[string]map[string]Param {
	out := make(map[string]map[string]Param)
	for _, op := range operations() {
		out[op.pattern] = make(map[string]Param)
		for i := range op.params {
			p := &op.params[i]
			for _, name := range append([]string{p.name}, p.aliases...) {
				out[op.pattern][name] = Param{p.describe(), p.required}
			}
		}
	}
	return out
}

// describe describes a parameter as a schema.
func (p *param) describe() string {
	choices := p.choices
	if p.name == "mode" {
		choices = choices[:3] // the others are not of the document
	}
	bounds := ""
	switch {
	case p.min == 0 && p.max == 0:
	case p.max == maxOffset:
		bounds = fmt.Sprintf(" from %v", p.min)
	default:
		bounds = fmt.Sprintf(" from %v to %v", p.min, p.max)
	}
	switch p.kind {
	case text:
		return "string"
	case texts:
		return fmt.Sprintf("array of string, at least %v", p.min)
	case whole:
		return "integer" + bounds
	case number:
		return "number" + bounds
	case flag:
		return "boolean"
	case members:
		return "object"
	case labels:
		return fmt.Sprintf("array of one of %v, at least %v", choices, p.min)
	default:
		return fmt.Sprintf("one of %v", choices)
	}
}

// FieldNames returns the names of all fields of a memory.
func FieldNames() []string {
	out := []string{"metadata"}
	for _, f := range shownFields() {
		out = append(out, f.name)
	}
	for _, f := range keptFields() {
		out = append(out, f.name)
	}
	return out
}
