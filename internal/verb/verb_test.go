package verb_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

func at() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// Every argument of a search reaches the query, and no two of them fill the same field.
func TestSearch_ArgumentsReachTheQuery(t *testing.T) {
	t.Parallel()
	none, err := new(verb.Search).Query(at())
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]string)
	for i := range new(verb.Search).Args() {
		var s verb.Search
		a := s.Args()[i]
		give(t, &a)
		q, err := s.Query(at())
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		changed := fieldsThatDiffer(reflect.ValueOf(none), reflect.ValueOf(q), "")
		if len(changed) != 1 || seen[changed[0]] != "" {
			t.Errorf("%s changes %v, want a field that no other one changes", a.Name, changed)
			continue
		}
		seen[changed[0]] = a.Name
		if f := a.Field; f != "" && f != a.Name && !strings.HasSuffix(changed[0], "."+f) {
			t.Errorf("%s: errors call it %s, and it changes %s", a.Name, f, changed[0])
		}
	}
}

// give sets an argument to something that it takes.
func give(t *testing.T, a *verb.Arg) {
	t.Helper()
	switch to := a.To.(type) {
	case *string:
		*to = "x"
		if a.Values != nil {
			*to = a.Values[len(a.Values)-1]
		}
	case *[]string:
		*to = []string{"x"}
	case *bool:
		*to = true
	case *verb.Time:
		*to = verb.Time{Name: a.Name, Text: "2026-02-01"}
	default:
		t.Fatalf("%s goes to a %T", a.Name, to)
	}
}

// fieldsThatDiffer returns the paths of the fields in which two structs differ.
func fieldsThatDiffer(a, b reflect.Value, path string) (out []string) {
	if a.Kind() != reflect.Struct || a.Type() == reflect.TypeFor[time.Time]() {
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return []string{path}
		}
		return nil
	}
	for i := range a.NumField() {
		out = append(out, fieldsThatDiffer(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)...)
	}
	return out
}

// At each front end an argument has one name, and no name means two. Each says what it means.
func TestSearch_NamesAreDistinct(t *testing.T) {
	t.Parallel()
	for _, door := range []verb.Door{verb.MCP, verb.REST, verb.Script, verb.Shell} {
		known := make(map[string]string)
		for _, a := range new(verb.Search).Args() {
			names := []string{a.NameAt(door)}
			if door == verb.MCP {
				names = append(names, strings.Fields(a.Also)...)
			}
			for _, n := range names {
				if known[n] != "" {
					t.Errorf("door %d: %s is %s and %s", door, n, known[n], a.Name)
				}
				known[n] = a.Name
			}
			if a.About == "" || strings.HasSuffix(a.About, ".") {
				t.Errorf("%s: about %q", a.Name, a.About)
			}
		}
	}
}

// What is set to a blank text is not given, and a time that is none is an error that has the name that the caller used.
func TestNarrow_Blank(t *testing.T) {
	t.Parallel()
	n := verb.Narrow{Tags: []string{" "}, Types: []string{""}, Situation: []string{""}, Created: verb.Span{After: verb.Time{Name: "since", Text: "  "}}}
	f, err := n.Filter(at())
	if err != nil || !reflect.DeepEqual(f, hippo.Filter{}) || n.Situations() != nil {
		t.Errorf("got %+v, %v and %v", f, n.Situations(), err)
	}
	n.Created.After.Text = "some day"
	if _, err := n.Filter(at()); err == nil || !strings.HasPrefix(err.Error(), "since: must be a time") {
		t.Errorf("got %v", err)
	}
	n = verb.Narrow{MinTrust: "total"}
	if _, err := n.Filter(at()); err == nil || err.Error() != `min_trust: must be one of none, low, normal, high, got "total"` {
		t.Errorf("got %v", err)
	}
}

// An end of a validity that is not given stays, none is no end, and a recurring end is the next one.
func TestValidity_Ends(t *testing.T) {
	t.Parallel()
	v := verb.Validity{From: verb.Time{Name: "valid_from", Text: verb.NoBound}}
	from, until, err := v.Ends(at())
	if err != nil || from == nil || !from.IsZero() || until != nil {
		t.Errorf("got %v, %v and %v", from, until, err)
	}
	v = verb.Validity{Until: verb.Time{Name: "valid_until", Text: "friday"}}
	if from, until, err = v.Ends(at()); err != nil || from != nil || until == nil || !until.After(at()) {
		t.Errorf("got %v, %v and %v", from, until, err)
	}
	v = verb.Validity{From: verb.Time{Name: "valid_from", Text: " "}, Until: verb.Time{Name: "valid_until"}}
	if from, until, err = v.Ends(at()); err != nil || from != nil || until != nil {
		t.Errorf("blank ends: got %v, %v and %v", from, until, err)
	}
	v.Until.Text = "whenever"
	if from, until, err = v.Ends(at()); err == nil || !strings.HasPrefix(err.Error(), "valid_until: must be a time") || from != nil || until != nil {
		t.Errorf("got %v, %v and %v", from, until, err)
	}
}

// input is an object of a few arguments of all types.
type input struct {
	text  string
	words string
	list  []string
	maybe *[]string
	count *int
	flag  bool
	kind  string
	ids   verb.Refs
	at    verb.Time
	data  verb.Metadata
	verb.Page
	verb.Relevance
}

func (in *input) Args() []verb.Arg {
	return append(append([]verb.Arg{
		{Name: "text", Also: "q", Is: verb.Required | verb.Listed, To: &in.text},
		{Name: "words", Is: verb.Words | verb.Listed, To: &in.words},
		{Name: "list", As: map[verb.Door]string{verb.Script: "list_of"}, Field: "List", Is: verb.Listed, To: &in.list},
		{Name: "maybe", To: &in.maybe},
		{Name: "size", Is: verb.Count | verb.Listed, To: &in.count},
		{Name: "flag", Is: verb.Listed, To: &in.flag},
		{Name: "kind", Values: []string{"upvote", "agent"}, To: &in.kind},
		{Name: "ids", To: &in.ids},
		{Name: "at", To: &in.at},
		{Name: "data", To: &in.data},
	}, in.Page.Args()...), in.Relevance.Args()...)
}

// What can only be meant in one way is taken by a door for models; a door for programs takes what its document says.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		door      verb.Door
		raw, want string
	}{
		{verb.MCP, `{"q":"a","words":["b","c"],"list":"d, e","size":"3","flag":"TRUE","kind":" Up ","ids":7,"at":1772000000}`, ""},
		{verb.MCP, `"{\"text\":\"a\"}"`, ""},
		{verb.MCP, `{"text":["a"],"size":0,"limit":{"limit":2},"relevance_range":[0,1]}`, ""},
		{verb.MCP, `{"text":"a","q":"b"}`, "q: is another name of text: give one of them"},
		{verb.MCP, `{"text":"a","list":["b",null]}`, "list[1]: must be a text, got null"},
		{verb.MCP, `{"text":"a","lst":1}`, "lst: is unknown (did you mean list?): known are text, words, list, size, flag, limit, offset"},
		{verb.MCP, `{"text":"a","relevance_range":[0,1],"min_relevance":0.5}`, "min_relevance: is another name of relevance_range.min: give one of them"},
		{verb.MCP, `7`, "arguments: must be an object, got 7"},
		{verb.MCP, `null`, "text: is required, and must not be blank"},
		{verb.REST, `{"text":"a","list":["d"],"size":3,"kind":"agent","at":"2026-03-01"}`, ""},
		{verb.REST, `{"text":"a","list":"d"}`, "list: must be a list of texts, got a text"},
		{verb.REST, `{"text":"a","size":1.5}`, "size: must be a whole number, got 1.5"},
		{verb.REST, `{"text":"a","kind":"Agent"}`, `kind: must be one of upvote, agent, got "Agent"`},
		{verb.REST, `{"text":"a","q":"b"}`, "q: is unknown: known are text, words, list, maybe, size, flag, kind, ids, at, data, limit, offset, relevance_range, min_relevance"},
		{verb.REST, `{"text":"a","data":[1]}`, `data: must be an object, such as {"ticket":"OPS-7"}, got a list`},
		{verb.REST, `{"text":"a","relevance_range":[0,1]}`, "relevance_range: must be an object with min, max, got a list"},
		{verb.REST, `{"text":"a","ids":[1]}`, "ids[0]: must be a text, got 1"},
		{verb.REST, `{"text":"a","limit":1e30}`, "limit: must be a whole number, got 1e30"},
		{verb.REST, `{"text":"a","list":["x",[]]}`, "list[1]: must be a text, got a list"},
		{verb.REST, `{"text":"a","txt":"b"}`, "txt: is unknown (did you mean text?)"},
		{verb.REST, `{"text":" "}`, "text: is required, and must not be blank"},
		{verb.REST, `null`, "arguments: must be an object, got null"},
		{verb.Script, `{"text":"a","list_of":"d, e","maybe":[]}`, ""},
		{verb.Script, `{"text":3}`, "text: must be a string, got 3"},
		{verb.Script, `{"text":"a","list_of":{}}`, "list_of: must be a string or a list of strings, got dict"},
	} {
		var in input
		err := verb.Decode(c.door, json.RawMessage(c.raw), in.Args())
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want {
			t.Errorf("door %d, %s: got %v, want %q", c.door, c.raw, err, c.want)
		}
	}
}

// An error of the domain gets the name that the caller used, at any door.
func TestNamed(t *testing.T) {
	t.Parallel()
	var in input
	for _, c := range []struct {
		door             verb.Door
		raw, field, want string
	}{
		{verb.MCP, `{"q":"a","top_k":3}`, "Count", "top_k"},
		{verb.MCP, `{"q":"a"}`, "Count", "limit"},
		{verb.Script, `{"text":"a","list_of":["b"]}`, "List[0]", "list_of[0]"},
		{verb.REST, `{"text":"a"}`, "elsewhere", "elsewhere"},
		{verb.Shell, `{}`, "Relevance", "min"},
	} {
		args := in.Args()
		_ = verb.Decode(c.door, json.RawMessage(c.raw), args)
		if got := verb.Named(hippo.Fieldf(c.field, "is wrong"), c.door, args); got.Error() != c.want+": is wrong" {
			t.Errorf("door %d, %s: %v, want %s", c.door, c.field, got, c.want)
		}
	}
}
