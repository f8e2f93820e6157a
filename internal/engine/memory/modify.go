package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
)

// Modify changes one memory and returns it as stored. An unknown id is [hippo.ErrNotFound]; a
// modification without any field is [hippo.ErrInvalid]. One that sets the stored values changes
// nothing. A text that seems to hold a secret is a [*hippo.SecretError], unless [AllowSecrets] allows it.
func Modify(ctx context.Context, m *engine.Memories, id hippo.ID, c api.Change) (*hippo.Memory, error) {
	return engine.Perform(ctx, engine.Identified(m), api.Modify{ID: id, Change: portable(ctx, m, c)}, "modify", modify)
}

// portable returns a modification in a form that can travel: in JSON a pointer to a nil list or map is the
// same as no pointer, and another machine does not know the folders of this one.
func portable(ctx context.Context, m *engine.Memories, c api.Change) api.Change {
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

func modify(ctx context.Context, m *engine.Memories, a api.Modify) (*hippo.Memory, error) {
	id, c := a.ID, a.Change
	if done, err := engine.AppliedTo(ctx, m, id); err != nil || done != nil {
		return first(done), err
	}
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := screenedChange(&c, m.SecretsAllowed); err != nil {
		return nil, err
	}
	if err := placeChange(ctx, m, &c); err != nil {
		return nil, err
	}
	change := func(x *hippo.Memory, day hippo.Day) error { return applyIfVersion(&c, m, x, day) }
	if c.Supersedes == nil {
		verb := hippo.VerbModify
		if c.Forget {
			verb = hippo.VerbForget
		}
		ms, err := updateAndGiveBack(ctx, m, verb, []api.Modify{{ID: id, Change: c}}, change)
		if err != nil {
			return nil, err
		}
		noteVotes(m, ballotOf(&c, id))
		return ms[0], nil
	}
	old, err := SomeIDs("Supersedes", *c.Supersedes)
	if err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	x, err := store.As(m.Scoped, engine.Operation(m, hippo.VerbSupersede)).Supersede(ctx, id, old, func(x *hippo.Memory, day hippo.Day) error {
		if x.ID != id {
			return nil
		}
		return change(x, day)
	})
	if err != nil {
		return nil, err
	}
	noteVotes(m, ballotOf(&c, id))
	return x, nil
}

// updateAndGiveBack is [engine.Update] of modified memories that makes hold again, in the same operation, what those supersede that it
// forgets. It returns the former.
func updateAndGiveBack(ctx context.Context, m *engine.Memories, verb hippo.Verb, list []api.Modify, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	ids := make([]hippo.ID, len(list))
	var forgotten []hippo.ID
	for i := range list {
		if ids[i] = list[i].ID; list[i].Change.Forget {
			forgotten = append(forgotten, list[i].ID)
		}
	}
	if len(forgotten) == 0 {
		return engine.Update(ctx, m, verb, ids, fn)
	}
	h, err := SuccessionsOf(ctx, m, forgotten)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(h.Former, func(id hippo.ID) bool { return slices.Contains(ids, id) })
	out, err := engine.Update(ctx, m, verb, slices.Concat(ids, others), func(x *hippo.Memory, day hippo.Day) error {
		if slices.Contains(ids, x.ID) {
			if err := fn(x, day); err != nil {
				return err
			}
		}
		h.Release(x)
		return nil
	})
	return slices.DeleteFunc(out, func(x *hippo.Memory) bool { return !slices.Contains(ids, x.ID) }), err
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// ballotOf returns the vote on a question that goes with a modification.
func ballotOf(c *api.Change, id hippo.ID) *api.Reinforce {
	b := &api.Reinforce{Query: c.Query}
	switch c.Vote {
	case api.VoteUp:
		b.Up = []hippo.ID{id}
	case api.VoteDown, api.VoteUndo:
		b.Down = []hippo.ID{id}
	case api.VoteNone: // the ballot stays empty
	}
	return b
}

// placeChange replaces the project by the name to use, one that the caller may use.
func placeChange(ctx context.Context, m *engine.Memories, c *api.Change) error {
	if c.Project == nil {
		return nil
	}
	names, err := resolveProject(ctx, m, *c.Project)
	switch {
	case err != nil:
		return err
	case names[0] == hippo.AllProjects:
		return hippo.Fieldf("project", "must be one project, got %q", *c.Project)
	case !m.Scope.Contains(m.Scope.Namespace, names[0]):
		return hippo.Fieldf("project", "must be one of %q, which the caller may use, got %q", m.Scope.Projects, *c.Project)
	}
	c.Project = &names[0]
	return nil
}

// screenedChange is [Screened] for the new texts. Who modifies a memory is not its source.
func screenedChange(c *api.Change, allowed bool) error {
	var x hippo.Memory
	set(&x.Content, c.Content)
	set(&x.Situation, c.Situation)
	set(&x.Tags, c.Tags)
	set(&x.Type, c.Type)
	set(&x.Metadata, c.Metadata)
	return Screened(&x, allowed)
}

// applyIfVersion is apply for a memory that must still have the expected version.
func applyIfVersion(c *api.Change, m *engine.Memories, x *hippo.Memory, day hippo.Day) error {
	if c.IfVersion != 0 && c.IfVersion != x.Version {
		return fmt.Errorf("%w: %d, not %d; read it again", engine.ErrVersion, x.Version, c.IfVersion)
	}
	return applyModification(c, m.Engine, x, day)
}

// applyModification changes a memory on an active day.
func applyModification(c *api.Change, e *engine.Engine, x *hippo.Memory, day hippo.Day) error {
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
		x.ForgottenAt = e.Clock()
	}
	if c.Metadata != nil {
		x.Metadata = mergedMetadata(x.Metadata, *c.Metadata)
	}
	if c.Importance != nil {
		x.Importance = hippo.Importance{Base: *c.Importance, Value: *c.Importance, SetDay: day, SetAt: e.Clock()}
		x.Untied = nil
	}
	vote := c.Vote
	if vote == "" && reworked && c.Importance == nil {
		vote = api.VoteUp
	}
	_, err := voteOn(e, x, vote, c.Query, day)
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

// set copies a value that is given.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
