package restapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// relation is a relation as JSON, see [wire.RelationOf].
type relation struct{ json.RawMessage }

// relations is a list of relations.
type relations struct {
	Relations []relation `json:"relations"`
}

func relationsOf(r *request, list []hippo.Relation) (reply, error) {
	out, err := encodeRelations(r, list)
	return reply{status: http.StatusOK, data: relations{out}, count: len(list)}, err
}

func encodeRelations(r *request, list []hippo.Relation) ([]relation, error) {
	out := make([]relation, len(list))
	for i := range list {
		b, err := wire.RelationOf(&list[i], r.server.Now())
		if err != nil {
			return nil, err
		}
		out[i] = relation{b}
	}
	return out, nil
}

// relationInput is a relation to declare.
type relationInput struct {
	from, to              namedReference
	kind                  string
	weight                *float64
	validFrom, validUntil moment
}

func (in *relationInput) fields() []field {
	return []field{
		{name: "from", to: &in.from, required: true},
		{name: "to", to: &in.to, required: true},
		{name: "kind", to: &in.kind, required: true, about: "explains, contradicts, ...", rules: schema{"minLength": 1, "maxLength": hippo.MaxKind}},
		{name: "weight", to: &in.weight, rules: schema{"exclusiveMinimum": 0, "maximum": 1, "default": 1}},
		{name: "valid_from", to: &in.validFrom},
		{name: "valid_until", to: &in.validUntil},
	}
}

// relationInputs are several relations.
type relationInputs []relationInput

// set implements [value].
func (in *relationInputs) set(name string, raw json.RawMessage) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return hippo.Fieldf(name, "must be a list of objects, got %s", kindOf(raw))
	}
	if len(items) > hippo.MaxIDs {
		return hippo.Fieldf(name, "must have at most %d elements, got %d", hippo.MaxIDs, len(items))
	}
	*in = make(relationInputs, len(items))
	for i, item := range items {
		if err := set(fmt.Sprintf("%s[%d]", name, i), item, &(*in)[i]); err != nil {
			return err
		}
	}
	return nil
}

// schema implements [value].
func (*relationInputs) schema() schema {
	return schema{"type": "array", "minItems": 1, "maxItems": hippo.MaxIDs, "items": objectSchema((&relationInput{}).fields())}
}

type relateInput struct {
	relations relationInputs
	reason    string
}

func (in *relateInput) fields() []field {
	return []field{
		{name: "relations", to: &in.relations, required: true, about: "each in place of the one with its from, to and kind; all or none"}, reasonField(&in.reason),
	}
}

func (in *relateInput) call(ctx context.Context, r *request) (reply, error) {
	list := make([]hippo.Relation, len(in.relations))
	for i := range in.relations {
		var err error
		if list[i], err = in.relations[i].relation(ctx, r); err != nil {
			return reply{}, err
		}
	}
	done, err := changing(r.Memories, r.caller, in.reason).Relations().Declare(ctx, list)
	if err != nil {
		return reply{}, err
	}
	return relatedOf(r, done)
}

// related is the answer to a declaration: the relations, and what happened to others.
type related struct {
	Relations []relation `json:"relations"`
	Replaced  []relation `json:"replaced,omitempty"`
	Closed    []relation `json:"closed,omitempty"`
	Conflicts []relation `json:"conflicts,omitempty"`
}

func relatedOf(r *request, done *api.Related) (reply, error) {
	var out related
	for _, x := range []struct {
		to   *[]relation
		from []hippo.Relation
	}{{&out.Relations, done.Declared}, {&out.Replaced, done.Replaced}, {&out.Closed, done.Closed}, {&out.Conflicts, done.Conflicts}} {
		list, err := encodeRelations(r, x.from)
		if err != nil {
			return reply{}, err
		}
		*x.to = list
	}
	return reply{status: http.StatusOK, data: out, count: len(out.Relations)}, nil
}

// endInput is a relation to end.
type endInput struct {
	key    relationInput
	at     moment
	reason string
}

func (in *endInput) fields() []field {
	return append(in.key.fields()[:3],
		field{name: "valid_from", to: &in.key.validFrom, about: "of several periods, the one that begins then; default: the last one that begins before valid_until"},
		field{name: "valid_until", to: &in.at, about: "when it ceases to hold; default: now"}, reasonField(&in.reason))
}

func (in *endInput) call(ctx context.Context, r *request) (reply, error) {
	x, err := in.key.relation(ctx, r)
	if err != nil {
		return reply{}, err
	}
	e := api.EndRelations{Relations: []hippo.Relation{x}}
	if err := verb.Read(r.now(), verb.Time(in.at).AheadInto(&e.At)); err != nil {
		return reply{}, err
	}
	list, err := changing(r.Memories, r.caller, in.reason).Relations().End(ctx, e)
	if err != nil {
		return reply{}, err
	}
	return relationsOf(r, list)
}

func reasonField(to *string) field {
	return field{name: "reason", to: to, about: "why, for the history", rules: schema{"maxLength": hippo.MaxName}}
}

// relation returns the relation of the domain.
func (in *relationInput) relation(ctx context.Context, r *request) (out hippo.Relation, err error) {
	out = hippo.Relation{Kind: in.kind, Weight: 1}
	if in.weight != nil {
		out.Weight = *in.weight
	}
	if out.From, err = r.named(ctx, in.from); err != nil {
		return out, err
	}
	if out.To, err = r.named(ctx, in.to); err != nil {
		return out, err
	}
	return out, verb.Read(r.now(), verb.Time(in.validFrom).Into(&out.ValidFrom), verb.Time(in.validUntil).AheadInto(&out.ValidUntil))
}

// unrelateInput is the key of a relation to remove.
type unrelateInput struct {
	from, to  namedReference
	kind      string
	validFrom moment
}

func (in *unrelateInput) fields() []field {
	return []field{
		{name: "from", in: inQuery, to: &in.from, required: true},
		{name: "to", in: inQuery, to: &in.to, required: true},
		{name: "kind", in: inQuery, to: &in.kind, required: true, about: "co_recalled is what use taught"},
		{name: "valid_from", in: inQuery, to: &in.validFrom, about: "the period that begins then; default: all of them"},
	}
}

func (in *unrelateInput) call(ctx context.Context, r *request) (reply, error) {
	key := relationInput{from: in.from, to: in.to, kind: in.kind, validFrom: in.validFrom}
	x, err := key.relation(ctx, r)
	if err != nil {
		return reply{}, err
	}
	return reply{status: http.StatusNoContent, count: 1}, changing(r.Memories, r.caller, "").Relations().Remove(ctx, []hippo.Relation{x})
}

type relationsInput struct {
	id reference
	at momentInput
}

func (in *relationsInput) fields() []field {
	return append([]field{idField(&in.id)}, in.at.fields(inQuery)...)
}

func (in *relationsInput) call(ctx context.Context, r *request) (reply, error) {
	id, err := r.resolve(ctx, in.id, api.PreferLive)
	if err != nil {
		return reply{}, err
	}
	at, err := in.at.value(r)
	if err != nil {
		return reply{}, err
	}
	list, err := r.Relations().List(ctx, api.Relations{IDs: []hippo.ID{id}, At: at})
	if err != nil {
		return reply{}, err
	}
	return relationsOf(r, list)
}
