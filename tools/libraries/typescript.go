package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// scriptName returns the name of an argument in TypeScript: that of the document, with no hyphen.
func scriptName(a *argument) string {
	return strings.ToLower(strings.ReplaceAll(a.name, "-", "_"))
}

// scriptUsual returns the arguments that a call must have, as the table of methods shows them.
func scriptUsual(o *operation) string {
	var names, out []string
	if o.lines {
		out = append(out, "lines")
	}
	for i := range o.arguments {
		if a := &o.arguments[i]; a.required || a.name == o.subject() {
			names = append(names, scriptName(a))
		}
	}
	if names != nil {
		out = append(out, "{ "+strings.Join(names, ", ")+" }")
	}
	return strings.Join(out, ", ")
}

// scriptType returns the type of a value.
func scriptType(s *schema) string {
	if name := s.name(); name != "" {
		return name
	}
	if s.shape != "" {
		return s.shape
	}
	name, null := s.kind()
	text := "unknown"
	switch {
	case s.Enum != nil:
		text = strings.Join(quotedAll(s.Enum), " | ")
	case name == "array":
		if text = scriptType(s.Items); strings.Contains(text, " ") {
			text = "(" + text + ")"
		}
		text = "readonly " + text + "[]"
	case name == "object":
		text = "Readonly<Record<string, unknown>>"
		if v := s.values(); v != nil {
			text = "Readonly<Record<string, " + scriptType(v) + ">>"
		}
	default:
		if known, ok := map[string]string{"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}[name]; ok {
			text = known
		}
	}
	if null {
		return text + " | null"
	}
	return text
}

// scriptTypes returns the declarations.
func scriptTypes(api *document) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n", notice)
	b.WriteString(`import { Rest } from "./rest.js";
import type { CallOptions, Lines, StreamEvent } from "./rest.js";

export { Rest } from "./rest.js";
export type { CallOptions, Lines, RestOptions, StreamEvent } from "./rest.js";
`)
	for i := range api.shapes {
		s := &api.shapes[i]
		fmt.Fprintf(&b, "\nexport interface %s {\n", s.name)
		for _, f := range s.fields {
			writeScriptField(&b, f.name, f.required, f.schema)
		}
		b.WriteString("}\n")
	}
	for i := range api.operations {
		writeScriptArguments(&b, &api.operations[i])
	}
	b.WriteString("\n/** Every verb of a server. An ID is a UUID, or at least four digits of its end or beginning. */\nexport declare class RestClient extends Rest {\n")
	for i := range api.operations {
		o := &api.operations[i]
		fmt.Fprintf(&b, "  /** %s. %s */\n  %s(%s): %s;\n", o.summary, o.about, o.id, scriptParameters(o), scriptAnswer(o))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func writeScriptArguments(b *bytes.Buffer, o *operation) {
	if len(o.arguments) == 0 {
		return
	}
	fmt.Fprintf(b, "\n/** What %s takes. */\nexport interface %sArguments {\n", o.id, title(o.id))
	for i := range o.arguments {
		a := &o.arguments[i]
		writeScriptField(b, scriptName(a), a.required, a.schema)
	}
	b.WriteString("}\n")
}

func writeScriptField(b *bytes.Buffer, name string, required bool, s *schema) {
	if text := s.meaning(); text != "" {
		fmt.Fprintf(b, "  /** %s */\n", text)
	}
	mark := "?"
	if required {
		mark = ""
	}
	fmt.Fprintf(b, "  readonly %s%s: %s;\n", name, mark, scriptType(s))
}

// scriptParameters returns the parameters of a method with their types.
func scriptParameters(o *operation) string {
	var out []string
	if o.lines {
		out = append(out, "lines: Lines")
	}
	switch {
	case len(o.required()) > 0:
		out = append(out, "args: "+title(o.id)+"Arguments")
	case len(o.arguments) > 0:
		out = append(out, "args?: "+title(o.id)+"Arguments")
	}
	return strings.Join(append(out, "options?: CallOptions"), ", ")
}

// scriptAnswer returns the type of what a method returns.
func scriptAnswer(o *operation) string {
	switch {
	case o.answer == nil:
		return "Promise<void>"
	case o.kind == "text/event-stream":
		return "AsyncGenerator<StreamEvent, void, undefined>"
	case o.kind != "application/json":
		return "AsyncGenerator<string, void, undefined>"
	default:
		return "Promise<" + scriptType(o.answer) + ">"
	}
}

// scriptVerbs returns the module with the class whose methods are the operations.
func scriptVerbs(api *document) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n", notice)
	b.WriteString("import { Rest, segment } from \"./rest.js\";\n\nexport { Rest } from \"./rest.js\";\n\nexport class RestClient extends Rest {")
	for i := range api.operations {
		writeScriptMethod(&b, &api.operations[i])
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func writeScriptMethod(b *bytes.Buffer, o *operation) {
	var parameters []string
	if o.lines {
		parameters = append(parameters, "lines")
	}
	switch {
	case len(o.required()) > 0:
		parameters = append(parameters, "args")
	case len(o.arguments) > 0:
		parameters = append(parameters, "args = {}")
	}
	parameters = append(parameters, "options")
	stream := o.answer != nil && o.kind != "application/json"
	word, call := "async ", "_json"
	switch {
	case stream && o.kind == "text/event-stream":
		word, call = "", "_events"
	case stream:
		word, call = "", "_lines"
	}
	fmt.Fprintf(b, "\n  %s%s(%s) {\n", word, o.id, strings.Join(parameters, ", "))
	parts := scriptParts(b, o)
	path := fmt.Sprintf("%q", o.path)
	if len(o.of(inPath)) > 0 {
		path = "`" + regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(o.path, "$${segment($1)}") + "`"
	}
	fmt.Fprintf(b, "    return this.%s(%q, %s, %s, options);\n  }\n", call, o.method, path, parts)
}

// scriptParts writes how the arguments are divided, and returns the object of what is sent.
func scriptParts(b *bytes.Buffer, o *operation) string {
	var taken, headers, parts []string
	for i := range o.arguments {
		switch a := &o.arguments[i]; a.in {
		case inPath:
			taken = append(taken, scriptName(a))
		case inHeader:
			taken = append(taken, scriptName(a))
			headers = append(headers, fmt.Sprintf("%q: %s", a.name, scriptName(a)))
		}
	}
	rest := "args"
	in := inQuery
	if len(o.of(inBody)) > 0 {
		in = inBody
	}
	if taken != nil {
		rest = in
		fmt.Fprintf(b, "    const { %s, ...%s } = args;\n", strings.Join(taken, ", "), rest)
	}
	switch {
	case rest == in:
		parts = append(parts, rest)
	case len(o.arguments) > 0:
		parts = append(parts, in+": "+rest)
	}
	if headers != nil {
		parts = append(parts, "headers: { "+strings.Join(headers, ", ")+" }")
	}
	if o.lines {
		parts = append(parts, "lines")
	}
	if o.seconds > 0 {
		parts = append(parts, fmt.Sprintf("least: %d", o.seconds*1000))
	}
	if parts == nil {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}
