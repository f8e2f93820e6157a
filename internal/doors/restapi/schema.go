package restapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

type schema = verb.Schema

// ref refers to a component.
func ref(name string) schema { return schema{"$ref": "#/components/schemas/" + name} }

// components collects the schemas of responses by the types that they are encoded from.
type components map[string]schema

// of returns the schema of a type of responses.
func (c components) of(t reflect.Type) schema {
	if s, ok := known()[t]; ok {
		return maps.Clone(s)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.of(t.Elem())
	case reflect.Slice:
		return schema{"type": "array", "items": c.of(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": c.of(t.Elem())}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return schema{"type": "integer"}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Struct:
		name := componentName(t)
		if c[name] == nil {
			c[name] = schema{} // a type may hold itself
			c[name] = c.object(t)
		}
		return ref(name)
	default:
		panic(fmt.Sprintf("restapi: no schema of %v", t)) // a test makes the document
	}
}

func componentName(t reflect.Type) string {
	if t == reflect.TypeFor[wire.Problem]() {
		return "Damage" // Problem is an error
	}
	r := []rune(t.Name())
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// object describes a struct by its keys in JSON. Others may be added later.
func (c components) object(t reflect.Type) schema {
	properties := schema{}
	out := schema{"type": "object", "properties": properties}
	if required := c.properties(t, properties); required != nil {
		slices.Sort(required)
		out["required"] = required
	}
	return out
}

// properties adds the keys of a struct, those of embedded ones too, and returns which are always there.
func (c components) properties(t reflect.Type, to schema) (required []string) {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			required = append(required, c.properties(f.Type, to)...)
			continue
		}
		if name == "-" {
			continue
		}
		to[name] = c.of(f.Type)
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	return required
}

// known are the schemas of types whose JSON is not that of their kind.
func known() map[reflect.Type]schema {
	return map[reflect.Type]schema{
		reflect.TypeFor[hippo.ID]():        {"type": "string", "format": "uuid"},
		reflect.TypeFor[time.Time]():       {"type": "string", "format": "date-time"},
		reflect.TypeFor[hippo.Question]():  {"type": "string", "contentEncoding": "base64"},
		reflect.TypeFor[insight]():         ref("Insight"),
		reflect.TypeFor[wire.Insight]():    ref("Insight"),
		reflect.TypeFor[relation]():        ref("Relation"),
		reflect.TypeFor[json.RawMessage](): {},
	}
}

// insightSchema describes a memory, as [formats.EncodeInsight] writes it. A memory may have other keys.
func insightSchema(c components) schema {
	text, number, at, id := schema{"type": "string"}, schema{"type": "number", "minimum": 0, "maximum": 1}, schema{"type": "string", "format": "date-time"}, schema{"type": "string", "format": "uuid"}
	texts, count := schema{"type": "array", "items": text}, schema{"type": "integer", "minimum": 0}
	about := func(s schema, text string) schema {
		s = maps.Clone(s)
		s["description"] = text
		return s
	}
	return schema{
		"type": "object", "additionalProperties": true,
		"required": []string{"uuid", "content", "situation", "base_importance", "importance", "created_at", "importance_modified_at", "daily_access_counts"},
		"properties": schema{
			"uuid": id, "content": text, "situation": texts, "tags": texts, "type": text, "pinned": schema{"type": "boolean"},
			"base_importance":        about(number, "as it was set last"),
			"importance":             about(number, "after votes, as of importance_set_day; it decays from there"),
			"current_importance":     about(number, "decayed until today; in a search"),
			"created_at":             at,
			"importance_modified_at": at,
			"updated_at":             about(schema{"type": []string{"string", "null"}, "format": "date-time"}, "absent if it is created_at"),
			"event_time":             at,
			"valid_from":             at,
			"valid_until":            at,
			"forgotten_at":           at,
			"archived_at":            at,
			"superseded_by":          id,
			"version":                about(schema{"type": "integer", "minimum": 1}, "of the text; absent for 1"),
			"daily_access_counts":    about(schema{"type": "array", "items": schema{"type": "array", "items": count, "minItems": 2, "maxItems": 2}}, "active day and number of uses"),
			"importance_set_day":     count,
			"surprise":               schema{"type": "object", "additionalProperties": number},
			"source":                 sourceSchema(),
			"feedback":               about(c.of(reflect.TypeFor[[]hippo.Feedback]()), "votes and openings, the newest last, each with a sketch of the vector of its question"),
			"untied_importance":      about(c.of(reflect.TypeFor[hippo.Untied]()), "the importance without the votes on a question; absent if there are none"),
			"trust":                  about(schema{"type": "string", "enum": hippo.TrustNames()}, "absent for normal"),
			"project":                text,
			"namespace":              text,
			"metadata":               about(new(verb.Metadata).Schema(), "any JSON by key"),
			"degraded":               about(texts, "what the history lacks of it as it was known at known_at; absent if nothing"),
			"excerpt":                about(text, "the sentences of the content that answer the query, with … where some are left out; absent without a query, and of a content that is no longer"),
			"flags":                  about(texts, "why the texts could be taken for instructions to a model; absent if they could not"),
		},
	}
}

func sourceSchema() schema {
	out := verb.ObjectSchema(verb.REST, new(verb.Source).Args())
	delete(out, "additionalProperties")
	return out
}

// relationSchema describes a relation, as [wire.RelationOf] writes it.
func relationSchema() schema {
	at, id := schema{"type": "string", "format": "date-time"}, schema{"type": "string", "format": "uuid"}
	return schema{
		"type": "object", "required": []string{"from", "to", "kind", "weight"},
		"properties": schema{
			"from": id, "to": id, "kind": schema{"type": "string"}, "weight": schema{"type": "number", "exclusiveMinimum": 0, "maximum": 1},
			"valid_from": at, "valid_until": at, "last_reinforced": at,
			"state": schema{"type": "string", "enum": []hippo.State{hippo.Ended, hippo.NotYet}, "description": "absent for what holds"},
		},
	}
}
