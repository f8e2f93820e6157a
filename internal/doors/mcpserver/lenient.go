package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// Models give a number as a text, a list as JSON in a text or with commas, and one text as a list.
// What can only be meant in one way is taken in that way; the rest is an error that shows the form.

// plain returns a value in the form that to wants, if it was given as a text or a list of one: a
// number, a truth value or an object in a text, or the only text of a list.
func plain(raw json.RawMessage, to any) json.RawMessage {
	text, isText := textOf(raw)
	switch to.(type) {
	case *string, **string:
		var list []string
		if json.Unmarshal(raw, &list) == nil && len(list) == 1 {
			return quoted(list[0])
		}
	case *bool, **bool:
		if b := strings.ToLower(text); b == "true" || b == "false" {
			return json.RawMessage(b)
		}
	case *int, **int, *float64, **float64:
		if _, err := strconv.ParseFloat(text, 64); isText && err == nil && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	case input:
		if isText && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			return json.RawMessage(text)
		}
	}
	return raw
}

// textOf returns the text of a JSON value, without white space around it, if it is one.
func textOf(raw json.RawMessage) (text string, ok bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) || json.Unmarshal(raw, &text) != nil {
		return "", false
	}
	return strings.TrimSpace(text), true
}

// quoted returns a text as JSON.
func quoted(text string) json.RawMessage {
	b, _ := json.Marshal(text) //nolint:errchkjson // a text always has a JSON form
	return b
}

// listOf returns the texts of a text that holds a list: JSON, or separated by commas.
func listOf(text string) []string {
	var list []string
	if strings.HasPrefix(text, "[") && json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// words is a text that may be given as a list of words.
type words string

// set implements [setter].
func (w *words) set(name string, raw json.RawMessage) error {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		*w = words(strings.Join(list, " "))
		return nil
	}
	return set(name, raw, (*string)(w))
}

// keyword is a text of a fixed vocabulary, in which case does not matter.
type keyword string

// set implements [setter].
func (k *keyword) set(name string, raw json.RawMessage) error {
	err := set(name, raw, (*string)(k))
	*k = keyword(strings.ToLower(strings.TrimSpace(string(*k))))
	if word, ok := synonyms()[string(*k)]; ok {
		*k = keyword(word)
	}
	return err
}

// synonyms are other words for the values of arguments.
func synonyms() map[string]string {
	return map[string]string{
		"up": "upvote", "+1": "upvote", "down": "downvote", "-1": "downvote",
		"assistant": "agent", "model": "agent", "human": "user",
	}
}

// distinctTags returns tags without white space around them, each once whatever its case, as it
// was written first; nil for nil.
func distinctTags(tags []string) []string {
	var out []string
	for _, t := range tags {
		t = strings.TrimSpace(t)
		if !slices.ContainsFunc(out, func(x string) bool { return strings.EqualFold(x, t) }) {
			out = append(out, t)
		}
	}
	if tags != nil && out == nil {
		return []string{}
	}
	return out
}

// unixTime returns a number of seconds or milliseconds since 1970 as a time of RFC 3339, if that is
// a time of this century.
func unixTime(raw json.RawMessage) (text string, ok bool) {
	const seconds, milliseconds, scale = 4e9, 4e12, 1000
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || n < seconds/4 || n > milliseconds || n > seconds && n < milliseconds/4 {
		return "", false
	}
	if n > seconds {
		n /= scale
	}
	return time.Unix(int64(math.Floor(n)), 0).UTC().Format(time.RFC3339), true
}

// plainRef returns a reference without what may stand around it, and a UUID with its hyphens.
func plainRef(ref string) string {
	ref = strings.Trim(ref, " \t\n[]()#\"'`")
	const digits = 32
	if len(ref) == digits && strings.Trim(ref, "0123456789abcdefABCDEF") == "" {
		return fmt.Sprintf("%s-%s-%s-%s-%s", ref[:8], ref[8:12], ref[12:16], ref[16:20], ref[20:])
	}
	return ref
}

// shapeError is the error for arguments of another shape than the schema says. It is answered
// with an example.
type shapeError struct{ *hippo.FieldError }

// Unwrap implements the interface of package errors.
func (e *shapeError) Unwrap() error { return e.FieldError }

// misshapen returns a [*shapeError]; name and format as of [hippo.Fieldf].
func misshapen(name, format string, args ...any) error {
	return &shapeError{&hippo.FieldError{Field: name, Why: fmt.Sprintf(format, args...)}}
}
