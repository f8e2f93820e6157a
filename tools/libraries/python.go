package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// pythonName returns a name as Python writes it: words in lower case, and no keyword.
func pythonName(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case r == '-':
			b.WriteByte('_')
		case unicode.IsUpper(r):
			if i > 0 && name[i-1] != '-' && !unicode.IsUpper(rune(name[i-1])) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	if text := b.String(); !isPythonKeyword(text) {
		return text
	}
	return b.String() + "_"
}

// isPythonKeyword reports whether a name cannot be that of an argument or a method.
func isPythonKeyword(name string) bool {
	return slices.Contains([]string{
		"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
		"if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
	}, name)
}

// pythonType returns the annotation of a value. where precedes the names of shapes; list is the type of arrays.
func pythonType(s *schema, where, list string) string {
	if name := s.name(); name != "" {
		return where + name
	}
	if s.shape != "" {
		return where + s.shape
	}
	name, null := s.kind()
	text := "Any"
	switch {
	case s.Enum != nil:
		text = "Literal[" + strings.Join(quotedAll(s.Enum), ", ") + "]"
	case name == "array":
		text = list + "[" + pythonType(s.Items, where, list) + "]"
	case name == "object":
		text = "Mapping[str, Any]"
		if v := s.values(); v != nil {
			text = "Mapping[str, " + pythonType(v, where, list) + "]"
		}
	default:
		if known, ok := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[name]; ok {
			text = known
		}
	}
	if null {
		return "Optional[" + text + "]"
	}
	return text
}

func quotedAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = fmt.Sprintf("%q", t)
	}
	return out
}

// pythonShapes returns the module with the objects that verbs take and return.
func pythonShapes(api *document) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", notice)
	b.WriteString(`"""The objects that the verbs of RestClient take and return. The server may add keys to those that it returns."""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Optional, Sequence, TypedDict
`)
	for i := range api.shapes {
		writePythonShape(&b, &api.shapes[i])
	}
	return b.Bytes()
}

// writePythonShape writes a dictionary with types: a base with the keys that are always there, unless all are of one kind, and one with
// those that no class can have, since they are keywords.
func writePythonShape(b *bytes.Buffer, s *shape) {
	list := "List"
	if s.given {
		list = "Sequence"
	}
	split := slices.IndexFunc(s.fields, func(f field) bool { return !f.required })
	if split < 0 {
		split = len(s.fields)
	}
	always, other := s.fields[:split], s.fields[split:]
	bases := "TypedDict"
	switch words := hasKeyword(always); {
	case words:
		bases = writePythonBase(b, "_"+s.name+"Always", "", always, list)
	case len(always) > 0 && len(other) > 0:
		bases = "_" + s.name + "Always"
		fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", bases)
		writePythonFields(b, always, list)
	}
	if hasKeyword(other) {
		base := writePythonBase(b, "_"+s.name+"Also", ", total=False", other, list)
		bases, other = strings.TrimPrefix(bases+", "+base, "TypedDict, "), nil
	}
	if bases == "TypedDict" && len(other) == 0 {
		fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", s.name)
		writePythonFields(b, always, list)
		return
	}
	if len(other) == 0 {
		fmt.Fprintf(b, "\n\nclass %s(%s):\n    pass\n", s.name, bases)
		return
	}
	fmt.Fprintf(b, "\n\nclass %s(%s, total=False):\n", s.name, bases)
	writePythonFields(b, other, list)
}

func hasKeyword(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return isPythonKeyword(f.name) })
}

// writePythonBase writes a dictionary with types as a call, which may have keywords as keys, and returns its name.
func writePythonBase(b *bytes.Buffer, name, total string, fields []field, list string) string {
	fmt.Fprintf(b, "\n\n%s = TypedDict(\n    %q,\n    {\n", name, name)
	for _, f := range fields {
		writeComment(b, "        # ", f.schema.meaning())
		fmt.Fprintf(b, "        %q: %q,\n", f.name, strings.ReplaceAll(pythonType(f.schema, "", list), `"`, "'"))
	}
	fmt.Fprintf(b, "    }%s,\n)\n", strings.ReplaceAll(total, ", ", ",\n    "))
	return name
}

func writePythonFields(b *bytes.Buffer, fields []field, list string) {
	for _, f := range fields {
		writeComment(b, "    # ", f.schema.meaning())
		fmt.Fprintf(b, "    %s: %s\n", f.name, pythonType(f.schema, "", list))
	}
}

func writeComment(b *bytes.Buffer, before, text string) {
	if text != "" {
		b.WriteString(before + text + "\n")
	}
}
