package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/screen"
	"github.com/hippo-memory/hippo/internal/engine"
)

// AllowSecrets returns the memory in the same scope, but Record and Modify also store secrets from sources that a
// person controls. It is for a caller who was asked.
func AllowSecrets(m *engine.Memories) *engine.Memories {
	c := *m
	c.SecretsAllowed = true
	return &c
}

// Screened reports the first secret in the texts of a memory as a [*hippo.SecretError]. Every text
// that is stored goes through it. Sources that no person watches cannot be allowed to hold any.
func Screened(x *hippo.Memory, allowed bool) error {
	unattended := isUnattended(x.Source.Kind)
	if allowed && !unattended {
		return nil
	}
	err := FirstSecret(TextsOf(x))
	if err == nil {
		return nil
	}
	if unattended {
		err.Source = x.Source.Kind
	}
	return err
}

// Screen reports the first secret in the texts of a memory as a [*hippo.SecretError], as Record does for those of its
// source. It is for callers that show a memory, or search for it, before they record it.
func Screen(x *hippo.Memory) error { return Screened(x, false) }

// Redacted returns an error of a text from outside, which it may repeat, without the secrets in its message.
func Redacted(err error) error {
	if text := screen.Redact(err.Error()); text != err.Error() && !errors.Is(err, hippo.ErrSecret) {
		return &redactedError{err, text}
	}
	return err
}

// redactedError is an error with another message.
type redactedError struct {
	err  error
	text string
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// isUnattended reports whether memories of a kind are stored without a person who reads them first.
func isUnattended(k hippo.SourceKind) bool {
	switch k {
	case hippo.SourceTool, hippo.SourceImport, hippo.SourceHook, hippo.SourceSync:
		return true
	default:
		return false
	}
}

// FirstSecret returns the first secret of some fields, and counts the others; nil if there is none.
func FirstSecret(fields iter.Seq2[string, string]) *hippo.SecretError {
	var first *hippo.SecretError
	for field, text := range fields {
		if len(text) > hippo.MaxContent {
			continue // too long to be stored
		}
		for _, f := range screen.Secrets(text) {
			if first == nil {
				first = &hippo.SecretError{Field: field, Line: f.Line, Column: f.Column, Rule: f.Rule, Excerpt: f.Excerpt}
			} else {
				first.More++
			}
		}
	}
	return first
}

// TextsOf yields the fields of a memory that are texts from outside, by their keys in files.
func TextsOf(x *hippo.Memory) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		ok := yield("content", x.Content) && eachText("situation", x.Situation, yield) && eachText("tags", unlabelled(x.Tags), yield) &&
			yield("type", x.Type) && yield("source.author", x.Source.Author) && yield("source.client", x.Source.Client) &&
			yield("source.session", x.Source.Session) && yield("source.uri", x.Source.URI) &&
			yield("project", x.Project) && yield("namespace", x.Namespace)
		for _, key := range slices.Sorted(maps.Keys(x.Metadata)) {
			if !ok {
				return
			}
			ok = yield("metadata."+shownKey(key), metadataText(key, x.Metadata[key]))
		}
	}
}

// sessionLabel begins the tag of a memory that a session of an agent left. What follows is a name that its client made up, and
// looks as random as the cookie of a session.
const sessionLabel = "session:"

// unlabelled returns tags without the label of sessions.
func unlabelled(tags []string) []string {
	out := slices.Clone(tags)
	for i := range out {
		out[i] = strings.TrimPrefix(out[i], sessionLabel)
	}
	return out
}

func eachText(field string, list []string, yield func(string, string) bool) bool {
	for i, text := range list {
		if !yield(fmt.Sprintf("%s[%d]", field, i), text) {
			return false
		}
	}
	return true
}

// ScreenedImport is [Screened] for an import, which nobody watches, whatever the source of its memories was.
func ScreenedImport(x *hippo.Memory) error {
	if err := FirstSecret(TextsOf(x)); err != nil {
		err.Source = hippo.SourceImport
		return err
	}
	return nil
}

// ScreenedRelations returns the relations without secrets, and the error of the first of the others.
func ScreenedRelations(rs []hippo.Relation) (kept []hippo.Relation, refused error) {
	seen := make(map[string]error) // by kind; there are few
	for i, r := range rs {
		err, known := seen[r.Kind]
		if !known {
			err = ScreenedKind(i, r.Kind)
			seen[r.Kind] = err
		}
		if err == nil {
			kept = append(kept, r)
		} else if refused == nil {
			refused = err
		}
	}
	return kept, refused
}

// ScreenedKind reports a secret in the kind of a relation, the i-th of a list.
func ScreenedKind(i int, kind string) error {
	if err := FirstSecret(maps.All(map[string]string{fmt.Sprintf("relations[%d].kind", i): kind})); err != nil {
		return err
	}
	return nil
}

// shownKey is a key of the metadata as an error shows it: a key that holds a secret is not.
func shownKey(key string) string {
	if len(key) > 40 || len(screen.Secrets(key)) > 0 {
		return "(key)"
	}
	return key
}

// metadataText returns a value of the metadata behind its key, without escapes that could hide a secret.
func metadataText(key string, value json.RawMessage) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		v = string(value)
	}
	switch v.(type) {
	case string, map[string]any, []any:
		return fmt.Sprintf("%s: %s", key, plainJSON(v))
	default:
		return fmt.Sprintf("%s: %s", key, value)
	}
}

// plainJSON formats a value like JSON, with the texts as they are.
func plainJSON(v any) string {
	var list []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = append(list, k+": "+plainJSON(v[k]))
		}
	case []any:
		for _, x := range v {
			list = append(list, plainJSON(x))
		}
	default:
		return fmt.Sprint(v)
	}
	return strings.Join(list, "\n")
}
