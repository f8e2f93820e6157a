package api

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// Modify changes a memory. The answer is the memory after the change. The error for an unknown ID is [hippo.ErrNotFound], and
// for a request without any change [hippo.ErrInvalid]. Setting the stored values again changes nothing.
//
//	api.Modify{ID: id, Change: api.Change{Tags: &[]string{"incident"}, Pinned: new(true)}}
type Modify struct {
	ID     hippo.ID
	Change Change
}

// Change holds the new values of a memory. Nil fields keep their values.
type Change struct {
	// Content replaces the text, 1 to [hippo.MaxContent] bytes.
	Content *string
	// Situation and Tags replace the lists; empty ones clear them.
	Situation *[]string
	Tags      *[]string
	// Type replaces the type; an empty one clears it.
	Type *string
	// Importance is the importance as of today, in [0, 1].
	Importance *float64
	Pinned     *bool
	// Project moves the memory: a known name or an abbreviation of exactly one, "none", "current", or "new:" and a new name.
	Project *string
	// Forget forgets the memory, as the verb forget does: for a caller who gives IfVersion.
	Forget bool
	// ValidFrom and ValidUntil are the bounds of the time in which the fact holds; the zero time: there is none.
	ValidFrom  *time.Time
	ValidUntil *time.Time
	// Metadata sets these keys and keeps the others; the JSON value null removes a key.
	Metadata *map[string]json.RawMessage
	// Vote is cast after the other changes. Empty: an upvote if the content or the situation really changes and no importance
	// is given, because a memory that is revised is in use; otherwise none.
	Vote Vote
	// Query is the question that the vote is about; empty: none in particular.
	Query string
	// Supersedes are the memories that this one replaces, as in [Record].
	Supersedes *[]hippo.ID
	// IfVersion is the [hippo.Memory.Version] that the memory must still have; 0: any. With another one nothing changes, and
	// the error is [hippo.ErrConflict].
	IfVersion int
}

// clearable are the fields that [Change.Clear] empties.
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

// Clear empties fields by their names: situation, tags, type, valid_from, valid_until and metadata.KEY. It is how every
// front end erases: a value that is blank changes nothing there, because clients and models fill in what they do not mean. A
// field that is given a value as well is [hippo.ErrInvalid].
func (c *Change) Clear(names []string) error {
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

// SetMetadata sets keys of the metadata and keeps the others. A key whose value is null keeps its value, as a field with a
// blank value does.
func (c *Change) SetMetadata(given map[string]json.RawMessage) {
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
func (c *Change) removeKey(key string) (given bool) {
	if c.Metadata == nil {
		c.Metadata = &map[string]json.RawMessage{}
	}
	v, given := (*c.Metadata)[key]
	(*c.Metadata)[key] = json.RawMessage("null")
	return given && !isNull(v)
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// Validate reports the first rule that c breaks by itself, as a [*hippo.FieldError].
func (c *Change) Validate() error {
	if *c == (Change{IfVersion: c.IfVersion, Query: c.Query}) {
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
