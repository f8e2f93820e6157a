package shodh_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// document is the OpenAPI document that every answer of a test is checked against.
type document struct{ *openapi3.T }

func loadDocument(t testing.TB) document {
	t.Helper()
	d, err := openapi3.NewLoader().LoadFromFile(filepath.Join("testdata", "shodh.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return document{d}
}

// route returns the operation that a pattern of [http.ServeMux] is.
func (d document) route(pattern string) (*routers.Route, error) {
	method, path, _ := strings.Cut(pattern, " ")
	item := d.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		return nil, fmt.Errorf("the document has no operation %q", pattern)
	}
	return &routers.Route{Spec: d.T, Path: path, PathItem: item, Method: method, Operation: item.GetOperation(method)}, nil
}

// checkRequest reports in what a request does not conform to the document.
func (d document) checkRequest(r *http.Request, body []byte) error {
	in, err := d.input(r, body)
	if err != nil {
		return err
	}
	return openapi3filter.ValidateRequest(r.Context(), in)
}

// checkAnswer reports in what an answer does not conform to the document. An error that the document does not
// list for the operation, such as 403, must be an ErrorResponse with an error and a code.
func (d document) checkAnswer(r *http.Request, a *answer) error {
	in, err := d.input(r, nil)
	if err != nil {
		return err
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		return fmt.Errorf("the Content-Type is %q", got)
	}
	if in.Route.Operation.Responses.Status(a.status) == nil && a.status >= 400 {
		return d.checkError(a)
	}
	return openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: a.status, Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
}

func (d document) checkError(a *answer) error {
	var v map[string]any
	if err := json.Unmarshal(a.body, &v); err != nil {
		return err
	}
	if v["error"] == "" || v["error"] == nil || v["code"] == "" || v["code"] == nil {
		return fmt.Errorf("the error lacks a text or a code: %s", a.body)
	}
	return d.Components.Schemas["ErrorResponse"].Value.VisitJSON(v, openapi3.EnableJSONSchema2020())
}

func (d document) input(r *http.Request, body []byte) (*openapi3filter.RequestValidationInput, error) {
	route, err := d.route(r.Pattern)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: map[string]string{"id": r.PathValue("id")},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}, nil
}

// original is where the document itself lies beside the repository.
const original = "../../../../shared/specs/shodh-openapi-1.0.0.yaml"

// TestDocument: testdata/shodh.yaml has all operations, statuses and schemas of the original document.
func TestDocument(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(original)
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: it is compared with testdata/shodh.yaml where it is", original)
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile(filepath.Join("testdata", "shodh.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want, got := facts(t, raw), facts(t, own)
	paths, ok := got["paths"].(map[string]any)
	if !ok {
		t.Fatal("there are no paths")
	}
	delete(paths, "/api/clusters") // not of the document
	delete(want, "servers")
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-original +own\n%s", d)
	}
}

// facts returns a document without its texts and examples, and with a type with null for "nullable: true".
func facts(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := yaml.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, ok := withoutTexts(v, false).(map[string]any)
	if !ok {
		t.Fatal("it is not an object")
	}
	delete(out, "tags")
	return out
}

// withoutTexts removes texts and examples below v. named: the keys of v are names and no keywords.
func withoutTexts(v any, named bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any)
		for k, x := range v {
			if _, text := x.(string); named || !isText(k, text) {
				out[k] = withoutTexts(x, !named && (k == "properties" || k == "schemas" || k == "paths" || k == "responses"))
			}
		}
		if nullable, _ := out["nullable"].(bool); !named && nullable {
			delete(out, "nullable")
			out["type"] = []any{out["type"], "null"}
		}
		return out
	case []any:
		for i, x := range v {
			v[i] = withoutTexts(x, false)
		}
	}
	return v
}

// isText reports whether a keyword is for people.
func isText(keyword string, text bool) bool {
	switch keyword {
	case "description", "summary":
		return text
	case "example", "examples", "contact", "license", "tags":
		return true
	}
	return false
}
