package verb_test

import (
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
