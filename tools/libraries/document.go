package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/restapi"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// prefix begins the path of every operation.
const prefix = "/api/v1"

// document is what the libraries need of an OpenAPI document.
type document struct {
	operations []operation
	shapes     []shape
}

// operation is one method of one path.
type operation struct {
	id, summary, about string
	// method and path are those of HTTP, the path without the prefix.
	method, path string
	arguments    []argument
	// answer is the type of the answer; nil: none.
	answer *schema
	// kind is the media type of the answer, and lines reports a body that is an export.
	kind  string
	lines bool
	// seconds is the time that the server takes at most; 0: the usual time.
	seconds int
}

// argument is a parameter, or a field of the body.
type argument struct {
	name, in string
	required bool
	schema   *schema
}

// Where an argument is.
const (
	inPath, inQuery, inHeader, inBody = "path", "query", "header", "body"
)

// of returns the arguments at a place, in their order.
func (o *operation) of(in string) []argument {
	return slices.DeleteFunc(slices.Clone(o.arguments), func(a argument) bool { return a.in != in })
}

// required returns the arguments that must be given, in their order.
func (o *operation) required() []argument {
	return slices.DeleteFunc(slices.Clone(o.arguments), func(a argument) bool { return !a.required })
}

// openAPI is the JSON of the document.
type openAPI struct {
	Paths      map[string]map[string]*described
	Components struct {
		Schemas map[string]*schema
	}
}

// described is the JSON of an operation.
type described struct {
	OperationID          string
	Summary, Description string
	Parameters           []struct {
		Name, In, Description string
		Required              bool
		Schema                *schema
	}
	RequestBody *struct {
		Content map[string]media
	}
	Responses map[string]struct {
		Content map[string]media
	}
}

type media struct {
	Schema *schema
}

// load asks the REST interface for its operations, in its order.
func load(ctx context.Context) (*document, error) {
	opener := app.NewOpener(
		config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.Static}, Ranker: hippo.RankerHippo}, &app.Options{Zone: time.UTC},
	)
	routes := restapi.Routes(opener.Engine, nil)
	raw, err := ask(ctx, routes)
	if err == nil {
		err = opener.Close(ctx)
	}
	if err != nil {
		return nil, err
	}
	var given openAPI
	if err := json.Unmarshal(raw, &given); err != nil {
		return nil, err
	}
	out := &document{}
	for i := range routes {
		method, path, _ := strings.Cut(routes[i].Pattern, " ")
		d := given.Paths[path][strings.ToLower(method)]
		if d == nil { // the route of all other paths
			continue
		}
		o := d.operation(given.Components.Schemas)
		o.method, o.path, o.seconds = method, strings.TrimPrefix(path, prefix), int(routes[i].Reply.Seconds())
		out.operations = append(out.operations, o)
	}
	out.shapes = shapesOf(given.Components.Schemas, out.operations)
	return out, nil
}

// ask returns the OpenAPI document.
func ask(ctx context.Context, routes []httpd.Route) ([]byte, error) {
	const path = prefix + "/openapi.json"
	i := slices.IndexFunc(routes, func(r httpd.Route) bool { return r.Pattern == http.MethodGet+" "+path })
	if i < 0 {
		return nil, fmt.Errorf("the REST interface has no %s", path)
	}
	ctx = httpd.WithCaller(ctx, httpd.Caller{Name: "libraries", Scope: hippo.LocalScope("")})
	answer := httptest.NewRecorder()
	routes[i].Handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("%s answers with status %d: %s", path, answer.Code, answer.Body)
	}
	return answer.Body.Bytes(), nil
}

// operation returns the operation that is described, with the arguments that must be given first.
func (d *described) operation(schemas map[string]*schema) operation {
	o := operation{id: d.OperationID, summary: d.Summary, about: d.Description}
	for _, p := range d.Parameters {
		p.Schema.Description = p.Description
		o.arguments = append(o.arguments, argument{p.Name, p.In, p.Required, p.Schema})
	}
	if d.RequestBody != nil {
		body, ok := d.RequestBody.Content["application/json"]
		o.lines = !ok
		if ok {
			whole := schemas[body.Schema.name()]
			for _, p := range whole.fields() {
				o.arguments = append(o.arguments, argument{p.name, inBody, p.required, p.schema})
			}
		}
	}
	slices.SortStableFunc(o.arguments, func(a, b argument) int { return o.rank(&a) - o.rank(&b) })
	for status, r := range d.Responses {
		for kind, m := range r.Content {
			if status[0] == '2' {
				o.kind, o.answer = kind, m.Schema
			}
		}
	}
	return o
}

// rank orders arguments: what the path has, what must be given, the subject, the rest.
func (o *operation) rank(a *argument) int {
	switch {
	case a.in == inPath:
		return 0
	case a.required:
		return 1
	case a.name == o.subject():
		return 2
	default:
		return 3
	}
}

// subject names the argument that an operation is about though it may be left out, such as the query of a search.
func (o *operation) subject() string {
	switch o.id {
	case "search", "searchSources":
		return "query"
	case "context":
		return "prompt"
	default:
		return ""
	}
}
