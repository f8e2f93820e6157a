package verb

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// aboutEntity is how an entity is named.
const aboutEntity = "a name, an alias, a short form of a name that no other has, or an ID"

// named are the limits of a new name.
func named() Schema { return Schema{"minLength": 1, "maxLength": hippo.MaxEntityName} }

// EntityName is the argument that names an entity. The command line takes it as a word, as it does all names below.
func EntityName(to *string) Arg {
	return Arg{Name: "name", As: lacking(Shell), Is: Required, About: aboutEntity, Rules: named(), To: to}
}

// NewEntity is an entity to record.
type NewEntity struct{ hippo.Entity }

// Args are the arguments that fill a NewEntity.
func (e *NewEntity) Args() []Arg {
	return []Arg{
		{Name: "name", As: lacking(Shell), Is: Required, About: "the name of the new entity", Rules: named(), To: &e.Name},
		{Name: "kind", About: "person, project, file, ...", Rules: Schema{"maxLength": hippo.MaxEntityKind}, To: &e.Kind},
		{Name: "aliases", As: map[Door]string{Shell: "alias"}, About: "another name", Rules: Schema{"maxItems": hippo.MaxAliases}, To: &e.Aliases},
		{Name: "description", About: "what it is", Rules: Schema{"maxLength": hippo.MaxContent}, To: &e.Description},
	}
}

// ListEntities asks for a page of entities.
type ListEntities struct {
	Kind  string
	Found bool
	Page
}

// Args are the arguments that fill a ListEntities.
func (l *ListEntities) Args() []Arg {
	return append(l.Page.Args(),
		Arg{Name: "kind", About: "only those of this kind", To: &l.Kind},
		Arg{Name: "found", About: "list names found in two or more of the newest 2,000 memories that are not recorded as entities", To: &l.Found})
}

// Request returns the request.
func (l *ListEntities) Request() (q api.ListEntities, err error) {
	q = api.ListEntities{Kind: l.Kind, Found: l.Found, Offset: l.Offset}
	q.Count, err = l.Count()
	return q, err
}

// ShowEntity asks for what is known of an entity.
type ShowEntity struct {
	Entity    string
	MaxTokens *int
	At        Moment
}

// Args are the arguments that fill a ShowEntity.
func (e *ShowEntity) Args() []Arg {
	const usual = 1200
	return append([]Arg{EntityName(&e.Entity), {
		Name: "max_tokens", As: map[Door]string{Shell: "tokens"}, Field: "MaxTokens", About: "at most this many tokens of text",
		Rules: Schema{"minimum": api.MinTokens, "maximum": api.MaxTokens, "default": usual}, To: &e.MaxTokens,
	}}, e.At.Args()...)
}

// Request returns the request, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (e *ShowEntity) Request(now time.Time) (q api.ShowEntity, err error) {
	q.Entity = e.Entity
	if q.MaxTokens, err = tokensOf(e.MaxTokens); err == nil {
		q.At, err = e.At.Moment(now)
	}
	return q, err
}

// ListFacts asks for facts: of an entity, or else of a page of entities. Only the command line has it, which takes the entity as a word.
type ListFacts struct {
	Kinds  []string
	Former bool
	Page
}

// Args are the arguments that fill a ListFacts.
func (l *ListFacts) Args() []Arg {
	args := l.Page.Args()
	for i := range args {
		args[i].About = "without SUBJECT: " + args[i].About + " entities"
	}
	return append([]Arg{
		{Name: "kind", About: "only relations of this kind (default: any, and memories)", To: &l.Kinds},
		{Name: "former", About: "include what no longer holds", To: &l.Former},
	}, args...)
}

// ModifyEntity is what to change in an entity.
type ModifyEntity struct {
	api.ModifyEntity
	Reason string
}

// Args are the arguments that fill a ModifyEntity. The command line has a command for aliases.
func (e *ModifyEntity) Args() []Arg {
	return []Arg{
		EntityName(&e.Entity),
		{Name: "rename", As: map[Door]string{Shell: "name"}, About: "the new name", Rules: named(), To: &e.Name},
		{Name: "kind", About: "the new kind", Rules: Schema{"maxLength": hippo.MaxEntityKind}, To: &e.Kind},
		{Name: "description", About: "the new description", Rules: Schema{"maxLength": hippo.MaxContent}, To: &e.Description},
		{Name: "aliases", As: lacking(Shell), About: "names to add", To: &e.Aliases},
		{Name: "without", As: lacking(Shell), About: "aliases to take away", To: &e.Without},
		ReasonArg(&e.Reason),
	}
}

// MergeEntities says that two entities are one.
type MergeEntities struct {
	api.MergeEntities
	Reason string
}

// Args are the arguments that fill a MergeEntities.
func (e *MergeEntities) Args() []Arg {
	return []Arg{
		{Name: "from", Is: Required, About: "the entity that is forgotten: " + aboutEntity, To: &e.From},
		{Name: "into", Is: Required, About: "the entity that gets its names and its relations", To: &e.Into},
		ReasonArg(&e.Reason),
	}
}

// SplitEntity says that an entity is two.
type SplitEntity struct {
	Entity  string
	New     NewEntity
	Related Refs
	Reason  string
}

// Args are the arguments that fill a SplitEntity.
func (e *SplitEntity) Args() []Arg {
	return append(e.New.Args(),
		Arg{Name: "entity", As: lacking(Shell), Is: Required, About: "the one to split: " + aboutEntity, To: &e.Entity},
		Arg{Name: "related", About: "a memory or entity whose relations move to the new entity", To: &e.Related},
		ReasonArg(&e.Reason))
}
