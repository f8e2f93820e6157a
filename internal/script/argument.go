package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/lang/when"
	"github.com/hippo-memory/hippo/internal/script/sandbox"
)

// texts is a list of texts; a single text is a list of one, and one blank text is none.
type texts []string

// UnmarshalJSON implements [json.Unmarshaler].
func (t *texts) UnmarshalJSON(b []byte) error {
	var err error
	if bytes.HasPrefix(b, []byte(`"`)) {
		*t = make(texts, 1)
		err = json.Unmarshal(b, &(*t)[0])
	} else {
		err = json.Unmarshal(b, (*[]string)(t))
	}
	if len(*t) == 1 && strings.TrimSpace((*t)[0]) == "" {
		*t = nil
	}
	return err
}

// pointer returns nil for a list that has no text.
func (t texts) pointer() *[]string {
	list := []string(t)
	if strings.TrimSpace(strings.Join(list, "")) == "" {
		return nil
	}
	return &list
}

// given returns nil for a text that is blank.
func given(text *string) *string {
	if text == nil || strings.TrimSpace(*text) == "" {
		return nil
	}
	return text
}

// decode reads the arguments of a call into to, a pointer to a struct whose keys are the parameters.
func decode(c *sandbox.Call, to any) error {
	for _, raw := range c.Args {
		if !json.Valid(raw) {
			return hippo.Fieldf(c.Name, "has an argument that is no JSON")
		}
	}
	object, err := json.Marshal(c.Args)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(object))
	d.DisallowUnknownFields()
	err = d.Decode(to)
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return hippo.Fieldf(parameterOf(bad.Field), "must be %s, got %s", typeName(bad), bad.Value)
	}
	if err != nil {
		return hippo.Fieldf(c.Name, "%v", err)
	}
	return nil
}

// parameterOf returns the parameter of a field that may be of an embedded struct.
func parameterOf(field string) string {
	for _, embedded := range []string{"filterInput.", "spanInput.", "momentInput."} {
		field = strings.TrimPrefix(field, embedded)
	}
	return field
}

// typeName names the type that an argument must have, in the terms of Starlark.
func typeName(e *json.UnmarshalTypeError) string {
	switch name := strings.TrimPrefix(e.Type.String(), "*"); {
	case strings.HasPrefix(name, "int"):
		return "an int"
	case strings.HasPrefix(name, "float"):
		return "a number"
	case name == "bool":
		return "True or False"
	case strings.HasPrefix(name, "[]") || strings.HasSuffix(name, "texts"):
		return "a string or a list of strings"
	case strings.HasPrefix(name, "map"):
		return "a dict"
	default:
		return "a string"
	}
}

// required returns an error for an argument that was not given.
func required(name string, given bool) error {
	if given {
		return nil
	}
	return hippo.Required(name)
}

// moment is a time in digits or in words, by the name of its parameter.
type moment struct {
	name, text string
	to         *time.Time
}

// times sets those that were given. Words like "in 2 days" are for the end of validity.
func times(now time.Time, list ...moment) error {
	for _, m := range list {
		if m.text == "" {
			continue
		}
		read := when.At
		if m.name == "valid_until" {
			read = when.Ahead
		}
		var err error
		if *m.to, err = read(m.name, m.text, now); err != nil {
			return err
		}
	}
	return nil
}

// fieldNames are the parameters that stand for fields of the domain.
func fieldNames() map[string]string {
	return map[string]string{
		"Text": "query", "Query": "query", "Situation": "situation", "Tags": "tags", "When": "when", "Relevance": "min_score", "Offset": "offset", "Count": "limit", "CreatedBefore": "created_before", "EventBefore": "event_before", "Mode": "mode",
		"Ranker": "ranker", "Projects": "project", "IDs": "ids", "Up": "up", "Down": "down", "Supersedes": "supersedes", "Vote": "vote",
		"Prompt": "prompt", "MaxTokens": "max_tokens", "ID": "id", "Relations": "relate", "Kind": "kind",
	}
}

// number returns a count that may be absent.
func number(n *int, otherwise int) int {
	if n == nil {
		return otherwise
	}
	return *n
}

// listed formats ids.
func listed(ids ...hippo.ID) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = id.Short()
	}
	return fmt.Sprint(strings.Join(out, " "))
}
