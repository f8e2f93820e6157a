package verb

import (
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// Modify is what to change in a memory; nil and empty fields stay.
type Modify struct {
	ID              Ref
	Content, Type   *string
	Situation, Tags *[]string
	// AddSituation goes behind the situations that there are.
	AddSituation []string
	Importance   *float64
	Pinned       *bool
	Vote         string
	Query        *string
	Supersedes   Refs
	Validity     Validity
	Clear        []string
	Project      Project
	Metadata     Metadata
	Change
}

// Change is how a change is carried out, whatever it changes.
type Change struct {
	Reason      string
	AllowSecret bool
}

// Memories returns the memories that carry the change out.
func (c *Change) Memories(m *engine.Memories) *engine.Memories {
	if c.AllowSecret {
		return memory.AllowSecrets(m)
	}
	return m
}

// ReasonArg is the argument that says why something is changed.
func ReasonArg(to *string) Arg {
	return Arg{Name: "reason", As: lacking(Shell), About: "why, for the history", Rules: Schema{"maxLength": hippo.MaxName}, To: to}
}

// Votes are the votes on a memory.
func Votes() []string {
	return words([]api.Vote{api.VoteUp, api.VoteDown, api.VoteNone, api.VoteUndo})
}

// Args are the arguments that fill a Modify. The command line takes the ID as a word, and the project from a flag of all commands.
func (m *Modify) Args() []Arg {
	vote, validity := "reinforce", m.Validity.Args()
	validity[0].About += "; none: from ever"
	validity[1].About += "; none: without end"
	return slices.Concat([]Arg{
		{Name: "id", As: map[Door]string{MCP: "uuid", Shell: ""}, Also: "id ref uuids ids", Is: Required | Listed, To: &m.ID},
		{Name: "content", About: "the new text", Rules: Schema{"minLength": 1, "maxLength": hippo.MaxContent}, Is: Listed, To: &m.Content},
		{Name: "situation", Also: "situations context", About: "replaces all situations", Rules: Schema{"maxItems": hippo.MaxSituations}, Is: Listed, To: &m.Situation},
		{Name: "add_situation", As: lacking(REST, Script, Shell), Also: "add_situations", Is: Listed, To: &m.AddSituation},
		{Name: "importance", About: "0 to 1", Rules: Schema{"minimum": 0, "maximum": 1}, Is: Listed, To: &m.Importance},
		{Name: "tags", As: map[Door]string{Shell: "tag"}, About: "replaces all tags", Rules: Schema{"maxItems": hippo.MaxTags}, Is: Listed | Labels, To: &m.Tags},
		{Name: "type", Also: "types", About: "the new type", Rules: Schema{"maxLength": hippo.MaxType}, Is: Listed, To: &m.Type},
		{Name: "pinned", Also: "pin", About: "pin the memory, or unpin it with false", Is: Listed, To: &m.Pinned},
		{Name: "vote", As: map[Door]string{MCP: vote, REST: vote, Shell: vote}, Also: "vote", Field: "Vote", About: "upvote, downvote, none or undo; by default, new content or a new situation is an upvote, unless an importance is given", Values: Votes(), Rules: Schema{"enum": Votes()[:3]}, Is: Listed, To: &m.Vote},
		{Name: "query", As: lacking(Script, Shell), Field: "Query", About: "the question that the vote is about", To: &m.Query},
		{Name: "supersedes", Field: "Supersedes", About: "a memory (ID) that this one replaces", Is: Listed, To: &m.Supersedes},
	}, validity, []Arg{
		{Name: "clear", About: "empty these fields: situation, tags, type, valid_from, valid_until or metadata.KEY; a blank value of a field changes nothing", Is: Labels, To: &m.Clear},
		ReasonArg(&m.Reason),
		{Name: "project", As: lacking(Shell), About: "moves it: a project that is known, or an abbreviation of one; none: to no project; new:NAME: to a new one", Rules: Schema{"maxLength": hippo.MaxName}, To: &m.Project},
		{Name: "metadata", As: lacking(Shell), About: "sets these keys and keeps the others; clear removes one", To: &m.Metadata},
		{Name: "allow_secret", As: lacking(Script), Also: "allow_secrets", About: "store the text even if it looks like a key, a token or a password; only if a person agrees", To: &m.AllowSecret},
	})
}

// Modification returns the change without what it supersedes, for a time in the zone of its days. The error is a [*hippo.FieldError].
func (m *Modify) Modification(now time.Time) (c api.Change, err error) {
	c = api.Change{
		Content: m.Content, Situation: m.Situation, Type: m.Type, Importance: m.Importance, Pinned: m.Pinned, Vote: api.Vote(m.Vote),
	}
	if m.Tags != nil {
		tags := Distinct(*m.Tags)
		c.Tags = &tags
	}
	if m.Project.Given() {
		c.Project = &m.Project.Text
	}
	c.SetMetadata(m.Metadata)
	if c.ValidFrom, c.ValidUntil, err = m.Validity.Ends(now); err != nil {
		return c, err
	}
	if c.Query, err = memory.Question(m.Query); err != nil {
		return c, err
	}
	return c, c.Clear(m.Clear)
}
