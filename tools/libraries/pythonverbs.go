package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// pythonVerbs returns the module with the class whose methods are the operations.
func pythonVerbs(api *document) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n", notice)
	b.WriteString(`"""Every verb of a server, over its REST interface."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Generator, Literal, Mapping, Optional, Sequence, Type, cast

from . import shapes
from ._rest import Lines, Rest, StreamEvent, quoted

__all__ = ["Lines", "RestClient", "StreamEvent"]


class RestClient(Rest):
    """A server of Hippo: "hippo serve --http". Its methods may be called from any thread.

    url is its address, such as http://127.0.0.1:8420, and token the text of a token; without them HIPPO_URL and
    HIPPO_TOKEN apply. timeout is in seconds, for each part of an answer; None: none. A verb for which the server takes
    longer waits at least as long as the server does, and an import without a limit. http: to another machine needs insecure_http: anyone on the network
    path could read the token and the memories.

    An ID is a UUID, or at least four digits of its end or beginning. An argument that is None is not sent. Every error is
    a HippoError with code and field.
    """

    def __enter__(self) -> "RestClient":
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()
`)
	for i := range api.operations {
		writePythonMethod(&b, &api.operations[i])
	}
	return b.Bytes()
}

// positional returns how many arguments may be given without their names: those of the path, one that must be given, or the subject.
func (o *operation) positional() int {
	path := len(o.of(inPath))
	switch n := len(o.required()); {
	case n == path && o.subject() != "":
		return path + 1
	case n == path+1 && path == 0:
		return n
	default:
		return path
	}
}

// pythonUsual returns the arguments that a call must have, as the table of methods shows them.
func pythonUsual(o *operation) string {
	var out []string
	if o.lines {
		out = append(out, "lines")
	}
	for i, a := range o.arguments {
		name := pythonName(a.name)
		switch {
		case i < o.positional():
			out = append(out, name)
		case a.required:
			out = append(out, name+"=…")
		}
	}
	return strings.Join(out, ", ")
}

func writePythonMethod(b *bytes.Buffer, o *operation) {
	fmt.Fprintf(b, "\n    def %s(\n        self,\n", pythonName(o.id))
	if o.lines {
		b.WriteString("        lines: Lines,\n")
	}
	for i, a := range o.arguments {
		if i == o.positional() {
			b.WriteString("        *,\n")
		}
		kind := pythonType(a.schema, "shapes.", "Sequence")
		if a.required {
			fmt.Fprintf(b, "        %s: %s,\n", pythonName(a.name), kind)
		} else {
			fmt.Fprintf(b, "        %s: Optional[%s] = None,\n", pythonName(a.name), kind)
		}
	}
	fmt.Fprintf(b, "    ) -> %s:\n", pythonAnswer(o))
	writePythonDoc(b, o)
	writePythonCall(b, o)
}

// pythonAnswer returns the annotation of what a method returns.
func pythonAnswer(o *operation) string {
	switch {
	case o.answer == nil:
		return "None"
	case o.kind == "text/event-stream":
		return "Generator[StreamEvent, None, None]"
	case o.kind != "application/json":
		return "Generator[bytes, None, None]"
	default:
		return pythonType(o.answer, "shapes.", "List")
	}
}

func writePythonDoc(b *bytes.Buffer, o *operation) {
	fmt.Fprintf(b, "        \"\"\"%s.\n\n        %s\n", o.summary, o.about)
	if o.lines {
		b.WriteString("\n        lines: an export, or its lines\n")
	} else if len(o.arguments) > 0 {
		b.WriteString("\n")
	}
	for _, a := range o.arguments {
		if text := a.schema.meaning(); text != "" {
			fmt.Fprintf(b, "        %s: %s\n", pythonName(a.name), strings.ReplaceAll(text, `\`, `\\`))
		}
	}
	b.WriteString("        \"\"\"\n")
}

func writePythonCall(b *bytes.Buffer, o *operation) {
	var c bytes.Buffer
	path := strconv.Quote(o.path)
	for _, a := range o.of(inPath) {
		path = "f" + strings.TrimPrefix(strings.ReplaceAll(path, "{"+a.name+"}", "{quoted("+pythonName(a.name)+")}"), "f")
	}
	stream := o.answer != nil && o.kind != "application/json"
	if !stream {
		fmt.Fprintf(&c, "            %q,\n", o.method)
	}
	fmt.Fprintf(&c, "            %s,\n", path)
	for _, part := range []struct{ in, name string }{{inQuery, "query"}, {inHeader, "headers"}, {inBody, "body"}} {
		if list := o.of(part.in); len(list) > 0 {
			fmt.Fprintf(&c, "            %s={\n", part.name)
			for _, a := range list {
				fmt.Fprintf(&c, "                %q: %s,\n", a.name, pythonName(a.name))
			}
			c.WriteString("            },\n")
		}
	}
	if o.lines {
		c.WriteString("            lines=lines,\n")
	}
	if o.seconds > 0 {
		fmt.Fprintf(&c, "            least=%d,\n", o.seconds)
	}
	switch {
	case o.kind == "text/event-stream":
		fmt.Fprintf(b, "        return self._events(\n%s        )\n", c.String())
	case stream:
		fmt.Fprintf(b, "        return self._lines(\n%s        )\n", c.String())
	case o.answer == nil:
		fmt.Fprintf(b, "        self._json(\n%s        )\n", c.String())
	default:
		fmt.Fprintf(b, "        answer = self._json(\n%s        )\n        return cast(%q, answer)\n", c.String(), pythonAnswer(o))
	}
}
