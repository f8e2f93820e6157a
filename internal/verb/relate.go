package verb

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
)

// End is a memory or an entity, as it is named.
type End struct{ Name, Text string }

// ReadArg implements [Value].
func (e *End) ReadArg(d Door, name string, raw json.RawMessage) error {
	e.Name = name
	if err := d.readTo(name, raw, &e.Text); err != nil {
		return err
	}
	if n := len(e.Text); n > hippo.MaxEntityName {
		return hippo.Fieldf(name, "must be at most %d bytes, got %d", hippo.MaxEntityName, n)
	}
	return nil
}

// Schema implements [Value].
func (*End) Schema() Schema {
	return Schema{"type": "string", "minLength": 1, "maxLength": hippo.MaxEntityName, "description": aboutID + ", or the name of an entity"}
}

// Resolve returns the ID. Errors have the name that the caller used.
func (e *End) Resolve(ctx context.Context, m *engine.Memories) (hippo.ID, error) {
	id, err := knowledge.ResolveNamed(ctx, m, e.Text, api.PreferLive)
	return id, Renamed(err, e.Name)
}

// Relation is a relation to declare.
type Relation struct {
	From, To End
	Kind     string
	Weight   *float64
	Validity Validity
}

// Args are the arguments that fill a Relation.
func (r *Relation) Args() []Arg {
	return append(r.Key(), Arg{Name: "weight", About: "the weight, above 0 and at most 1", Rules: Schema{"exclusiveMinimum": 0, "maximum": 1, "default": 1}, To: &r.Weight},
		r.ValidFrom("when it begins to hold"), Arg{Name: "valid_until", About: "when it ceases to hold", To: &r.Validity.Until})
}

// ValidFrom is the argument for when it begins to hold, or for which of its periods is meant.
func (r *Relation) ValidFrom(about string) Arg {
	return Arg{Name: "valid_from", About: about, To: &r.Validity.From}
}

// Key are the arguments that say which relation is meant.
func (r *Relation) Key() []Arg {
	return []Arg{
		{Name: "from", As: map[Door]string{Script: "source", Shell: ""}, Also: "from_id a", Is: Required, To: &r.From},
		{Name: "to", As: map[Door]string{Script: "target", Shell: ""}, Also: "to_id b", Is: Required, To: &r.To},
		{Name: "kind", As: lacking(Shell), About: "explains, contradicts, ...", Rules: Schema{"minLength": 1, "maxLength": hippo.MaxKind}, Is: Required, To: &r.Kind},
	}
}

// Between returns the relation of the domain between two memories, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (r *Relation) Between(from, to hippo.ID, now time.Time) (hippo.Relation, error) {
	out := hippo.Relation{From: from, To: to, Kind: r.Kind, Weight: 1}
	if r.Weight != nil {
		out.Weight = *r.Weight
	}
	return out, Read(now, r.Validity.Into(&out.ValidFrom, &out.ValidUntil)...)
}

// Resolve returns the relation of the domain, for a time in the zone of its days. Errors have the names that the caller used.
func (r *Relation) Resolve(ctx context.Context, m *engine.Memories, now time.Time) (out hippo.Relation, err error) {
	from, err := r.From.Resolve(ctx, m)
	if err != nil {
		return out, err
	}
	to, err := r.To.Resolve(ctx, m)
	if err != nil {
		return out, err
	}
	return r.Between(from, to, now)
}

// Relate is relations to declare.
type Relate struct {
	Relations Relations
	Reason    string
}

// Args are the arguments that fill a Relate.
func (r *Relate) Args() []Arg {
	return []Arg{
		{Name: "relations", Field: "Relations", About: "each in place of the one with its from, to and kind; all or none", Is: Required, To: &r.Relations}, ReasonArg(&r.Reason),
	}
}

// Resolve returns the relations of the domain, for a time in the zone of its days. Errors have the names that the caller used.
func (r *Relate) Resolve(ctx context.Context, m *engine.Memories, now time.Time) ([]hippo.Relation, error) {
	out := make([]hippo.Relation, len(r.Relations))
	for i := range r.Relations {
		var err error
		if out[i], err = r.Relations[i].Resolve(ctx, m, now); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Unrelate is a relation to remove.
type Unrelate struct{ Relation }

// Args are the arguments that fill an Unrelate.
func (u *Unrelate) Args() []Arg {
	return append(u.Key(), u.ValidFrom("the period that begins then; default: all of them"))
}

// EndRelation is a relation to end.
type EndRelation struct {
	Relation
	Reason string
	at     Time
}

// Args are the arguments that fill an EndRelation.
func (e *EndRelation) Args() []Arg {
	return append(e.Key(), e.ValidFrom("of several periods, the one that begins then; default: the last one that begins before valid_until"),
		Arg{Name: "valid_until", About: "when it ceases to hold; default: now", To: &e.at}, ReasonArg(&e.Reason))
}

// At returns when it ends, for a time in the zone of its days; the zero time: now. The error is a [*hippo.FieldError].
func (e *EndRelation) At(now time.Time) (at time.Time, err error) {
	return at, Read(now, e.at.AheadInto(&at))
}

// RelationsOf asks for the relations of a memory.
type RelationsOf struct {
	ID Ref
	At Moment
}

// Args are the arguments that fill a RelationsOf.
func (r *RelationsOf) Args() []Arg { return append([]Arg{IDArg(&r.ID)}, r.At.Args()...) }

// ListRelations asks for the relations of memories.
type ListRelations struct {
	IDs   Refs
	Kinds []string
	When  Moment
}

// Args are the arguments that fill a ListRelations.
func (l *ListRelations) Args() []Arg {
	return append([]Arg{IDsArg(&l.IDs), {Name: "kind", Also: "relation", About: "only relations of this kind (default: any)", To: &l.Kinds}}, l.When.Args()...)
}

// Relations are several relations.
type Relations []Relation

// ReadArg implements [Value].
func (r *Relations) ReadArg(d Door, name string, raw json.RawMessage) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return Misshapen(name, "must be a list of objects, got %s", d.kindOf(raw))
	}
	if len(items) > hippo.MaxIDs {
		return hippo.Fieldf(name, "must have at most %d elements, got %d", hippo.MaxIDs, len(items))
	}
	*r = make(Relations, len(items))
	for i, item := range items {
		if err := d.object(fmt.Sprintf("%s[%d].", name, i), item, (*r)[i].Args()); err != nil {
			return err
		}
	}
	return nil
}

// Schema implements [Value].
func (*Relations) Schema() Schema {
	return Schema{"type": "array", "minItems": 1, "maxItems": hippo.MaxIDs, "items": ObjectSchema(REST, new(Relation).Args())}
}
