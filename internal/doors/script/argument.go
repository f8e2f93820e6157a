package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/verb"
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
		return hippo.Fieldf(bad.Field, "must be %s, got %s", typeName(bad), bad.Value)
	}
	if err != nil {
		return hippo.Fieldf(c.Name, "%v", err)
	}
	return nil
}

// params are the parameters of a function for arguments of a verb. A program reads no explanation.
func params(args []verb.Arg) (out []string) {
	for i := range args {
		if name := args[i].NameAt(verb.Script); name != "explain" {
			out = append(out, name)
		}
	}
	return out
}

// decodeWith is [decode] for a call that has arguments of a verb as well.
func decodeWith(c *sandbox.Call, args []verb.Arg, to any) error {
	rest := maps.Clone(c.Args)
	for i := range args {
		name := args[i].NameAt(verb.Script)
		raw, ok := rest[name]
		if !ok {
			continue
		}
		delete(rest, name)
		if err := assign(name, raw, &args[i]); err != nil {
			return err
		}
	}
	return decode(&sandbox.Call{Name: c.Name, Args: rest}, to)
}

// assign reads the value of an argument.
func assign(name string, raw json.RawMessage, a *verb.Arg) error {
	to := a.To
	switch x := a.To.(type) {
	case *[]string:
		to = (*texts)(x)
	case *verb.Time:
		x.Name, to = name, &x.Text
	}
	err := json.Unmarshal(raw, to)
	if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return hippo.Fieldf(name, "must be %s, got %s", typeName(bad), bad.Value)
	}
	if text, ok := a.To.(*string); ok && err == nil && a.Values != nil && *text != "" {
		return hippo.OneOf(name, *text, a.Values...)
	}
	return err
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

// reading is a time in digits or in words, by the name of its parameter, and where it goes. Words like "in 2 days" are for the end of validity.
func reading(name, text string, to *time.Time) verb.Reading {
	return verb.Reading{Time: verb.Time{Name: name, Text: text}, To: to, Ahead: name == "valid_until"}
}

// clockOf returns the time in the zone of the store.
func clockOf(s *session) time.Time { return s.caller.Now().In(s.memories.Zone()) }

// fieldNames are the parameters that stand for fields of the domain.
func fieldNames() map[string]string {
	names := verb.Names(new(verb.Search).Args(), verb.Script)
	maps.Copy(names, map[string]string{
		"Text": "query", "Query": "query", "Relevance": "min_score", "Offset": "offset", "Count": "limit",
		"Projects": "project", "IDs": "ids", "Up": "up", "Down": "down", "Supersedes": "supersedes", "Vote": "vote",
		"Prompt": "prompt", "MaxTokens": "max_tokens", "ID": "id", "Relations": "relate", "Kind": "kind",
	})
	return names
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
