package restapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/verb"
)

// documentOf returns the OpenAPI document of operations.
func documentOf(list []operation, version string) []byte {
	c := components{"Relation": relationSchema()}
	c["Insight"] = insightSchema(c)
	c.of(reflect.TypeFor[httpd.Problem]())
	c.of(reflect.TypeFor[changed]())
	paths := schema{}
	for i := range list {
		op := &list[i]
		item, ok := paths[prefix+op.path].(schema)
		if !ok {
			item = schema{}
			paths[prefix+op.path] = item
		}
		item[strings.ToLower(op.method)] = op.describe(c)
	}
	b, err := json.Marshal(schema{
		"openapi": "3.1.0",
		"info": schema{
			"title": "Hippo", "version": cmp.Or(version, "unknown"), "summary": "A memory for AI agents",
			"license": schema{"name": "Apache 2.0", "identifier": "Apache-2.0"},
		},
		"paths":    paths,
		"security": []schema{{"bearer": []string{}}, {"key": []string{}}},
		"components": schema{
			"schemas": c,
			"responses": schema{"Problem": schema{
				"description": "An error, see code and field",
				"content":     schema{"application/problem+json": schema{"schema": ref("Problem")}},
			}},
			"securitySchemes": schema{
				"bearer": schema{"type": "http", "scheme": "bearer"},
				"key":    schema{"type": "apiKey", "in": "header", "name": "X-API-Key"},
			},
		},
	})
	if err != nil {
		panic(err) // texts and numbers have a JSON form
	}
	return b
}

// describe returns the operation as the document has it, and adds the schemas that it needs.
func (op *operation) describe(c components) schema {
	out := schema{
		"operationId": op.id, "summary": op.summary, "description": "Needs the right to " + rightName(op.rights) + ".",
		"responses": op.responses(c),
	}
	var parameters []schema
	var body []verb.Arg
	for _, a := range op.input().Args() {
		name := a.NameAt(verb.REST)
		if name == "" {
			continue
		}
		where := op.place(name)
		if where == inBody {
			body = append(body, a)
			continue
		}
		s := a.Schema()
		p := schema{"name": name, "in": where, "schema": s, "required": a.Is.Has(verb.Required)}
		if text, ok := s["description"]; ok {
			p["description"] = text
			delete(s, "description")
		}
		parameters = append(parameters, p)
	}
	if parameters != nil {
		out["parameters"] = parameters
	}
	switch {
	case op.body != "":
		out["requestBody"] = schema{"required": true, "content": schema{op.body: schema{"schema": bytesSchema()}}}
	case body != nil:
		name := strings.ToUpper(op.id[:1]) + op.id[1:] + "Request"
		c[name] = verb.ObjectSchema(verb.REST, body)
		out["requestBody"] = schema{"required": true, "content": schema{"application/json": schema{"schema": ref(name)}}}
	}
	return out
}

// responses describes the responses of an operation.
func (op *operation) responses(c components) schema {
	success := schema{"description": "Success"}
	switch {
	case op.stream != "":
		success["content"] = schema{op.stream: schema{"schema": bytesSchema()}}
	case op.answer != nil:
		answer := schema{"type": "object"}
		if t := reflect.TypeOf(op.answer); t.Kind() == reflect.Struct {
			answer = c.of(t)
		}
		success["content"] = schema{"application/json": schema{"schema": answer}}
	}
	problem := schema{"$ref": "#/components/responses/Problem"}
	status := cmp.Or(op.status, http.StatusOK)
	out := schema{strconv.Itoa(status): success, "default": problem}
	if op.id == "record" { // with an Idempotency-Key that was used
		out[strconv.Itoa(http.StatusOK)] = success
	}
	for _, code := range []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound} {
		out[strconv.Itoa(code)] = problem
	}
	return out
}

// bytesSchema is that of a body which clients take and give as it is.
func bytesSchema() schema { return schema{"type": "string", "format": "binary"} }

// rightName names a right as tokens do.
func rightName(r hippo.Rights) string {
	switch r {
	case hippo.RightWrite:
		return "write"
	case hippo.RightPurge:
		return "purge"
	case operator:
		return "administer the server"
	default:
		return "read"
	}
}
