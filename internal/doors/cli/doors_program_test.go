package cli_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// programs is Starlark: each request is a program of one call.
type programs struct {
	*tools
	own spelling
}

func openPrograms(t *testing.T, dir string) door {
	return &programs{tools: newTools(t, dir), own: spelling{
		verbs: map[string]string{
			"search": "search", "list": "list_memories", "record": "store", "modify": "update", "upvote": "upvote", "downvote": "downvote", "forget": "forget", "restore": "restore", "get": "get",
			"context": "context", "relate": "relate", "fact": "relate", "relations": "related", "status": "stats", "code": "search",
		},
		names: map[string]string{
			"min_relevance": "min_score", "ids": "id", "upvote.ids": "up", "downvote.ids": "down", "from": "source", "to": "target", "import": "operation",
		},
	}}
}

func (d *programs) do(verb string, args map[string]any) (string, *refusal) {
	function, ok := d.own.verbs[verb]
	if !ok {
		return "", &refusal{Code: absent}
	}
	var list []string
	for _, arg := range sorted(args) {
		list = append(list, d.own.name(verb, arg)+"="+starlark(args[arg]))
	}
	if verb == "code" {
		list = append(list, `sources=["code"]`)
	}
	raw, failed, err := d.session.call("hippo_run", map[string]any{"program": function + "(" + strings.Join(list, ", ") + ")", "max_tokens": 4000})
	if err != nil {
		d.t.Fatal(err)
	}
	var r struct {
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		d.t.Fatal(err)
	}
	if !failed {
		return r.Content[0].Text, nil
	}
	e := &refusal{Code: "?", Message: r.Content[0].Text}
	if parts := programError().FindStringSubmatch(e.Message); parts != nil {
		if e = (&refusal{parts[1], parts[2], parts[3]}); e.Field == parts[1] { // "invalid: " is no field
			e.Field = ""
		}
	}
	if name, is := strings.CutPrefix(e.Message, "no parameter "); is {
		e.Field, _, _ = strings.Cut(name, ":")
		e.Message = "is unknown"
	}
	return "", d.own.refused(verb, args, e)
}

// programError matches the error of a program of one call: its code, and the field and the message of the call.
var programError = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^error \[(\w+)\] (?:line \d+, column \d+: )?\w+: (?:([\w.\[\]]+): )?(.*)`)
})

// starlark is a value in Starlark.
func starlark(value any) string {
	switch x := value.(type) {
	case nil:
		return "None"
	case bool:
		return map[bool]string{true: "True", false: "False"}[x]
	case []any:
		var list []string
		for _, y := range x {
			list = append(list, starlark(y))
		}
		return "[" + strings.Join(list, ", ") + "]"
	case string:
		return fmt.Sprintf("%q", x)
	default:
		b, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
}
