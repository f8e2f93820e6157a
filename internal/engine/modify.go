package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// Modification is what to change in a memory; nil fields stay.
type Modification struct {
	Content    *string
	Situation  *[]string
	Tags       *[]string
	Type       *string
	Importance *float64
	Marks
	Validity
	// Metadata sets these keys and keeps the others; null removes a key. Front ends call [Modification.SetMetadata].
	Metadata *map[string]json.RawMessage
	// Vote is applied after the rest. Empty: an upvote if content or situation really
	// change and no importance is given (a revised memory is in use), else none.
	Vote Vote
	// Query is the question that the vote is about; empty: none in particular.
	Query string
	// Supersedes are memories that this one supersedes, as in [Memories.Record].
	Supersedes *[]hippo.ID
	// IfVersion is the [hippo.Memory.Version] that the memory must still have; 0: any. With
	// another one nothing changes, and the error is [ErrVersion].
	IfVersion int
}

// Modified is a modification: the memory, and what to change of it.
type Modified struct {
	ID     hippo.ID
	Change Modification
}

// Marks are how a memory is kept.
type Marks struct {
	Pinned *bool
	// Project is where it moves to, as [ResolveProject] reads it.
	Project *string
	// Forget forgets it, as [Memories.Forget] does: for a caller who gives IfVersion.
	Forget bool
}

// Validity is the bounds of the time in which a fact holds, as those of a [hippo.Memory]. Nil: the bound
// stays. The zero time: there is none.
type Validity struct{ ValidFrom, ValidUntil *time.Time }

// Modify changes one memory and returns it as stored. An unknown id is [hippo.ErrNotFound]; a
// modification without any field is [hippo.ErrInvalid]. One that sets the stored values changes
// nothing. A text that seems to hold a secret is a [*hippo.SecretError], unless [AllowSecrets] allows it.
func (m *Memories) Modify(ctx context.Context, id hippo.ID, c Modification) (*hippo.Memory, error) {
	return perform(ctx, identified(m), Modified{id, portable(ctx, m, c)}, "modify", modify)
}

// portable returns a modification in a form that can travel: in JSON a pointer to a nil list or map is the
// same as no pointer, and another machine does not know the folders of this one.
func portable(ctx context.Context, m *Memories, c Modification) Modification {
	if c.Project != nil {
		name := byFolder(ctx, m, *c.Project)
		c.Project = &name
	}
	for _, list := range []**[]string{&c.Situation, &c.Tags} {
		if *list != nil && **list == nil {
			*list = &[]string{}
		}
	}
	if c.Supersedes != nil && *c.Supersedes == nil {
		c.Supersedes = &[]hippo.ID{}
	}
	if c.Metadata != nil && *c.Metadata == nil {
		c.Metadata = &map[string]json.RawMessage{}
	}
	return c
}

func modify(ctx context.Context, m *Memories, a Modified) (*hippo.Memory, error) {
	id, c := a.ID, a.Change
	if done, err := appliedTo(ctx, m, id); err != nil || done != nil {
		return first(done), err
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := c.screened(m.secretsAllowed); err != nil {
		return nil, err
	}
	if err := c.place(ctx, m); err != nil {
		return nil, err
	}
	change := func(x *hippo.Memory, day hippo.Day) error { return c.applyTo(m, x, day) }
	if c.Supersedes == nil {
		verb := hippo.VerbModify
		if c.Forget {
			verb = hippo.VerbForget
		}
		ms, err := updateAndGiveBack(ctx, m, verb, []Modified{{id, c}}, change)
		if err != nil {
			return nil, err
		}
		noteVotes(m, c.ballot(id))
		return ms[0], nil
	}
	old, err := someIDs("Supersedes", *c.Supersedes)
	if err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	x, err := store.As(m.scoped, as(m, hippo.VerbSupersede)).Supersede(ctx, id, old, func(x *hippo.Memory, day hippo.Day) error {
		if x.ID != id {
			return nil
		}
		return change(x, day)
	})
	if err != nil {
		return nil, err
	}
	noteVotes(m, c.ballot(id))
	return x, nil
}

// updateAndGiveBack is [update] of modified memories that makes hold again, in the same operation, what those supersede that it
// forgets. It returns the former.
func updateAndGiveBack(ctx context.Context, m *Memories, verb hippo.Verb, list []Modified, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	ids := make([]hippo.ID, len(list))
	var forgotten []hippo.ID
	for i := range list {
		if ids[i] = list[i].ID; list[i].Change.Forget {
			forgotten = append(forgotten, list[i].ID)
		}
	}
	if len(forgotten) == 0 {
		return update(ctx, m, verb, ids, fn)
	}
	h, err := successionsOf(ctx, m, forgotten)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(h.former, func(id hippo.ID) bool { return slices.Contains(ids, id) })
	out, err := update(ctx, m, verb, slices.Concat(ids, others), func(x *hippo.Memory, day hippo.Day) error {
		if slices.Contains(ids, x.ID) {
			if err := fn(x, day); err != nil {
				return err
			}
		}
		h.release(x)
		return nil
	})
	return slices.DeleteFunc(out, func(x *hippo.Memory) bool { return !slices.Contains(ids, x.ID) }), err
}

// clearable are the fields that [Modification.Clear] empties.
func clearable() []string {
	return []string{"situation", "tags", "type", "valid_from", "valid_until", metadataKey + "KEY"}
}

// metadataKey begins the name of a field that is a key of the metadata.
const metadataKey = "metadata."

// inSentence returns names as a list in a sentence.
func inSentence(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Clear empties fields by their names. It is how every front end erases: a value that is blank changes nothing there, because
// clients and models fill in what they do not mean. A field that is given a value as well is [hippo.ErrInvalid].
func (c *Modification) Clear(names []string) error {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		given := false
		switch name {
		case "situation":
			given, c.Situation = c.Situation != nil, &[]string{}
		case "tags":
			given, c.Tags = c.Tags != nil, &[]string{}
		case "type":
			given, c.Type = c.Type != nil, new(string)
		case "valid_from":
			given, c.ValidFrom = c.ValidFrom != nil, &time.Time{}
		case "valid_until":
			given, c.ValidUntil = c.ValidUntil != nil, &time.Time{}
		default:
			key, ok := strings.CutPrefix(name, metadataKey)
			if ok && key != "" {
				given = c.removeKey(key)
				break
			}
			return hippo.Fieldf("clear", "must have only %s, got %.40q", inSentence(clearable()), name)
		}
		if given {
			return hippo.Fieldf("clear", "empties %s, which the same call gives a value: do one of them", name)
		}
	}
	return nil
}

// SetMetadata sets keys of the metadata and keeps the others. One whose value is null stays what it was, as a field that is given a
// blank value does.
func (c *Modification) SetMetadata(given map[string]json.RawMessage) {
	out := make(map[string]json.RawMessage, len(given))
	for key, v := range given {
		if !isNull(v) {
			out[key] = v
		}
	}
	if len(out) > 0 {
		c.Metadata = &out
	}
}

// removeKey removes a key of the metadata, and reports whether it is given a value as well.
func (c *Modification) removeKey(key string) (given bool) {
	if c.Metadata == nil {
		c.Metadata = &map[string]json.RawMessage{}
	}
	v, given := (*c.Metadata)[key]
	(*c.Metadata)[key] = json.RawMessage("null")
	return given && !isNull(v)
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// ballot returns the vote on a question that goes with a modification.
func (c *Modification) ballot(id hippo.ID) *Ballot {
	b := &Ballot{Query: c.Query}
	switch c.Vote {
	case VoteUp:
		b.Up = []hippo.ID{id}
	case VoteDown, VoteUndo:
		b.Down = []hippo.ID{id}
	case VoteNone: // the ballot stays empty
	}
	return b
}

func (c *Modification) validate() error {
	if *c == (Modification{IfVersion: c.IfVersion, Query: c.Query}) {
		return hippo.Fieldf("changes", "at least one is required; a blank value changes nothing: clear empties %s", inSentence(clearable()))
	}
	if err := hippo.ValidQuery("Query", c.Query); err != nil {
		return err
	}
	if c.Importance != nil {
		if err := hippo.ValidUnit("importance", *c.Importance); err != nil {
			return err
		}
	}
	if c.Vote == "" {
		return nil
	}
	return hippo.OneOf("Vote", c.Vote, VoteUp, VoteDown, VoteNone, VoteUndo)
}

// place replaces the project by the name to use, one that the caller may use.
func (c *Modification) place(ctx context.Context, m *Memories) error {
	if c.Project == nil {
		return nil
	}
	names, err := resolveProject(ctx, m, *c.Project)
	switch {
	case err != nil:
		return err
	case names[0] == hippo.AllProjects:
		return hippo.Fieldf("project", "must be one project, got %q", *c.Project)
	case !m.scope.Contains(m.scope.Namespace, names[0]):
		return hippo.Fieldf("project", "must be one of %q, which the caller may use, got %q", m.scope.Projects, *c.Project)
	}
	c.Project = &names[0]
	return nil
}

// screened is [screened] for the new texts. Who modifies a memory is not its source.
func (c *Modification) screened(allowed bool) error {
	var x hippo.Memory
	set(&x.Content, c.Content)
	set(&x.Situation, c.Situation)
	set(&x.Tags, c.Tags)
	set(&x.Type, c.Type)
	set(&x.Metadata, c.Metadata)
	return screened(&x, allowed)
}

// applyTo is apply for a memory that must still have the expected version.
func (c *Modification) applyTo(m *Memories, x *hippo.Memory, day hippo.Day) error {
	if c.IfVersion != 0 && c.IfVersion != x.Version {
		return fmt.Errorf("%w: %d, not %d; read it again", ErrVersion, x.Version, c.IfVersion)
	}
	return c.apply(m.Engine, x, day)
}

// apply changes a memory on an active day.
func (c *Modification) apply(e *Engine, x *hippo.Memory, day hippo.Day) error {
	reworked := c.Content != nil && *c.Content != x.Content ||
		c.Situation != nil && !slices.Equal(*c.Situation, x.Situation)
	set(&x.Content, c.Content)
	set(&x.Situation, c.Situation)
	set(&x.Tags, c.Tags)
	set(&x.Type, c.Type)
	set(&x.Pinned, c.Pinned)
	set(&x.Project, c.Project)
	set(&x.ValidFrom, c.ValidFrom)
	set(&x.ValidUntil, c.ValidUntil)
	if c.Forget && !x.Forgotten() {
		x.ForgottenAt = e.now()
	}
	if c.Metadata != nil {
		x.Metadata = mergedMetadata(x.Metadata, *c.Metadata)
	}
	if c.Importance != nil {
		x.Importance = hippo.Importance{Base: *c.Importance, Value: *c.Importance, SetDay: day, SetAt: e.now()}
		x.Untied = nil
	}
	vote := c.Vote
	if vote == "" && reworked && c.Importance == nil {
		vote = VoteUp
	}
	_, err := e.vote(x, vote, c.Query, day)
	return err
}

// mergedMetadata returns old with the keys of given set, and those removed whose value is null.
func mergedMetadata(old, given map[string]json.RawMessage) map[string]json.RawMessage {
	out := maps.Clone(old)
	if out == nil {
		out = make(map[string]json.RawMessage, len(given))
	}
	maps.Copy(out, given)
	maps.DeleteFunc(out, func(_ string, v json.RawMessage) bool { return isNull(v) })
	return out
}
