package verb_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// A project means the same wherever it is an argument, for somebody who works in one and for somebody who works in none. A program names one of its
// own, which may be new.
func TestProject(t *testing.T) {
	t.Parallel()
	e := enginetest.Open(t, enginetest.Options{})
	yard, none := hippo.LocalScope("Yard"), hippo.LocalScope("")
	yard.Also = []string{"Old Yard"}
	for _, p := range []string{"Shop", "Yard"} {
		if _, err := memory.Record(t.Context(), e.In(none), &hippo.Memory{Content: "in " + p, Project: p, Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	const (
		one      = `p: must be one project, none or current, got "all"`
		unknown  = `not found: no project "shed"; known: Shop, Yard`
		toRecord = "p: must be a known one (" + unknown + `); leave it out for the current project, or write "new:shed" for a new one`
	)
	for _, c := range []struct {
		door                verb.Door
		scope               hippo.Scope
		raw                 string
		filter, into, works string
	}{
		{verb.MCP, yard, `""`, "[]", "unset", "Yard [Old Yard]"},
		{verb.MCP, yard, `" "`, "[]", "unset", "Yard [Old Yard]"},
		{verb.MCP, yard, `null`, "[]", "unset", "Yard [Old Yard]"},
		{verb.MCP, yard, `"none"`, `[""]`, "", " []"},
		{verb.MCP, yard, `" current "`, `["Yard" "Old Yard" ""]`, "Yard", "Yard [Old Yard]"},
		{verb.MCP, none, `"current"`, `[""]`, "", " []"},
		{verb.MCP, yard, `"all"`, `["*"]`, one, one},
		{verb.MCP, yard, `"SHOP"`, `["Shop"]`, "Shop", "Shop []"},
		{verb.Script, none, `"sho"`, `["Shop"]`, "Shop", "Shop []"},
		{verb.Script, none, `"shed"`, unknown, toRecord, unknown},
		{verb.MCP, none, `["new:shed"]`, `["shed"]`, "shed", "shed []"},
		{verb.REST, none, `"new: shop"`, `["Shop"]`, "Shop", "Shop []"},
		{verb.REST, none, `"shed"`, unknown, "shed", "shed []"},
		{verb.REST, none, `"sho"`, `["Shop"]`, "sho", "sho []"},
		{verb.REST, none, `"none"`, `[""]`, "", " []"},
		{verb.REST, yard, `"current"`, `["Yard" "Old Yard" ""]`, "Yard", "Yard [Old Yard]"},
		{verb.REST, none, `"all"`, `["*"]`, one, one},
	} {
		var p verb.Project
		if err := verb.Decode(c.door, json.RawMessage(`{"p":`+c.raw+`}`), []verb.Arg{{Name: "p", To: &p}}); err != nil {
			t.Fatal(err)
		}
		m, into := e.In(c.scope), "unset"
		names, err := p.Filter(t.Context(), m)
		filter := orError(fmt.Sprintf("%q", names), err)
		err = p.Into(t.Context(), m, &into)
		into = orError(into, err)
		works := ""
		if m, err = p.In(t.Context(), m); err == nil {
			works = fmt.Sprint(m.Scope.Project, " ", m.Scope.Also)
		}
		if works = orError(works, err); filter != c.filter || into != c.into || works != c.works {
			t.Errorf("door %d, %s: filter %s, want %s; records for %s, want %s; works for %s, want %s", c.door, c.raw, filter, c.filter, into, c.into, works, c.works)
		}
	}
}

// orError is a text, or that of an error in place of it.
func orError(text string, err error) string {
	if err != nil {
		return err.Error()
	}
	return text
}

// Several projects are kept by all of their names, and those that the store does not know are asked of others.
func TestProjects(t *testing.T) {
	t.Parallel()
	m := enginetest.Open(t, enginetest.Options{}).In(hippo.LocalScope("Yard"))
	for _, c := range []struct{ raw, want string }{
		{`["none","Yard"," "]`, `["" "Yard"]`},
		{`[""]`, "[]"},
		{`["current","mill"]`, `["Yard" "" "mill"]`},
		{`["Yard","shed"]`, `not found: no project "shed"; known: Yard`},
		{`"Yard"`, "p: must be a list of texts, got a text"},
		{`["Yard",7]`, "p[1]: must be a text, got 7"},
	} {
		var p verb.Projects
		err := verb.Decode(verb.REST, json.RawMessage(`{"p":`+c.raw+`}`), []verb.Arg{{Name: "p", To: &p}})
		var names []string
		if err == nil {
			names, err = p.Filter(t.Context(), m, func(name string) bool { return name == "mill" })
		}
		if got := orError(fmt.Sprintf("%q", names), err); got != c.want {
			t.Errorf("%s: got %s, want %s", c.raw, got, c.want)
		}
	}
}
