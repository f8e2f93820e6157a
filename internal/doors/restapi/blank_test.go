package restapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// blanks are the values that stand for none.
func blanks() []string { return []string{`null`, `" "`, `[]`, `[""]`} }

// TestBlanks: every optional field and parameter of every operation of the document is absent if it is blank, and what is required
// is missing.
func TestBlanks(t *testing.T) {
	t.Parallel()
	document, table := start(t).document, requests("ID", "OTHER")
	fields := 0
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			request, ok := table[method+" "+path]
			if !ok || strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/import") { // a stream, and lines that are not fields
				continue
			}
			for _, p := range operation.Parameters {
				if p.Value.In == openapi3.ParameterInQuery && !p.Value.Required {
					fields++
					blankParameter(t, method, request, p.Value.Name)
				}
			}
			if body := operation.RequestBody; body != nil && request[1] != "" {
				schema := body.Value.Content.Get("application/json").Schema.Value
				fields += blankFields(t, method, request, schema, nil)
			}
		}
	}
	if fields < 100 {
		t.Errorf("only %d fields were tried", fields)
	}
}

// blankParameter compares a request without a parameter with those that give it a blank value.
func blankParameter(t *testing.T, method string, request [2]string, name string) {
	t.Helper()
	path, query, _ := strings.Cut(request[0], "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	values.Del(name)
	want := answered(t, method, path+"?"+values.Encode(), request[1])
	for _, blank := range []string{"", " "} {
		values.Set(name, blank)
		if got := answered(t, method, path+"?"+values.Encode(), request[1]); got != want {
			t.Errorf("%s %s with %s=%q:\n%s\nwithout it:\n%s", method, path, name, blank, got, want)
		}
	}
}

// blankFields does so for the fields of the object that a path leads to in the body of a request, and of the objects in it.
func blankFields(t *testing.T, method string, request [2]string, s *openapi3.Schema, path []string) (n int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		field := s.Properties[name].Value
		at := append(slices.Clone(path), name)
		n += blankFields(t, method, request, field, at)
		required := slices.Contains(s.Required, name)
		want := ""
		if !required {
			n++
			want = answered(t, method, request[0], with(t, request[1], at, ""))
		}
		for _, blank := range blanks() {
			got := answered(t, method, request[0], with(t, request[1], at, blank))
			if !required && got != want {
				t.Errorf("%s %s with %v %s:\n%s\nwithout it:\n%s", method, request[0], at, blank, got, want)
			}
			if required && (!strings.HasPrefix(got, "400") || !strings.Contains(got, "is required")) {
				t.Errorf("%s %s with %v %s: %s", method, request[0], at, blank, got)
			}
		}
	}
	return n
}

// with returns a JSON object with another value at a path; without it if the value is empty.
func with(t *testing.T, object string, path []string, value string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatal(err)
	}
	switch {
	case len(path) > 1:
		inner := string(members[path[0]])
		if inner == "" {
			inner = "{}"
		}
		members[path[0]] = json.RawMessage(with(t, inner, path[1:], value))
	case value == "":
		delete(members, path[0])
	default:
		members[path[0]] = json.RawMessage(value)
	}
	b, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// answered returns the answer to a request about two memories of a new server, whose IDs are ID and OTHER, and what it stores then.
func answered(t *testing.T, method, path, body string) string {
	t.Helper()
	s := startWith(t, options{quick: true})
	m := s.record(`{"content":"a secret plan","project":"p","tags":["weir"],"type":"decision","situation":["planning"],"valid_until":"2030-01-01"}`)
	o := s.record(`{"content":"another plan of the heron","project":"p"}`)
	s.do(http.MethodPost, "/relations", `{"relations":[{"from":"`+m.UUID+`","to":"`+o.UUID+`","kind":"explains"}]}`).want(http.StatusOK)
	named := strings.NewReplacer("ID", m.UUID, "OTHER", o.UUID)
	r := s.do(method, named.Replace(path), named.Replace(body))
	if err := s.engine.Flush(t.Context()); err != nil { // the counts of uses
		t.Fatal(err)
	}
	kept := s.do(http.MethodGet, "/memories?project=*", "").want(http.StatusOK)
	return withoutIDs(fmt.Sprintf("%d %s\nstored: %s", r.status, r.body, kept.body))
}
