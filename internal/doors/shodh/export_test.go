package shodh

import (
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo/internal/verb"
)

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
			for _, name := range append(strings.Fields(p.Also), p.Name) {
				out[op.pattern][name] = Param{describe(p), p.Is.Has(verb.Required)}
			}
		}
	}
	return out
}

// describe describes a parameter as a schema.
func describe(p *verb.Arg) string {
	s := p.Schema()
	choices := p.Values
	if p.Name == "mode" {
		choices = choices[:3] // the others are not of the document
	}
	bounds := ""
	switch most, ok := s["maximum"]; {
	case ok:
		bounds = fmt.Sprintf(" from %v to %v", s["minimum"], most)
	case s["minimum"] != nil:
		bounds = fmt.Sprintf(" from %v", s["minimum"])
	}
	least := 0
	if p.Is.Has(verb.Required) {
		least = 1
	}
	switch kind := s["type"]; {
	case kind == "array" && choices != nil:
		return fmt.Sprintf("array of one of %v, at least %d", choices, least)
	case kind == "array":
		return fmt.Sprintf("array of string, at least %d", least)
	case choices != nil:
		return fmt.Sprintf("one of %v", choices)
	case p.Name == "created_at":
		return "one of []"
	default:
		return fmt.Sprint(kind, bounds)
	}
}

// FieldNames returns the names of all fields of a memory.
func FieldNames() []string {
	out := []string{"metadata"}
	for _, f := range shownFields() {
		out = append(out, f.name)
	}
	for _, f := range keptFields() {
		out = append(out, f.Name)
	}
	return out
}
