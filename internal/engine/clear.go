package engine

import (
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// clearable are the fields that [Modification.Clear] empties.
func clearable() []string { return []string{"situation", "tags", "type", "valid_from", "valid_until"} }

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
			return hippo.Fieldf("clear", "must have only %s, got %.40q", inSentence(clearable()), name)
		}
		if given {
			return hippo.Fieldf("clear", "has %s, which is given a value, too: do one of them", name)
		}
	}
	return nil
}
