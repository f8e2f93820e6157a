package openai

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// redacted stands for a secret wherever it would be shown.
const redacted = "[redacted]"

// Secret is a text that is not shown: formatted, logged or marshalled it is
// "[redacted]". The zero Secret is empty, and shown as "". Whoever makes one has
// read it from where it is kept.
type Secret struct {
	// A pointer, because fmt looks into unexported fields without asking methods.
	value *string
}

// NewSecret returns a Secret of s without the space around it, which files and
// variables tend to have.
func NewSecret(s string) Secret {
	s = strings.TrimSpace(s)
	if s == "" {
		return Secret{}
	}
	return Secret{&s}
}

func (s Secret) reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// String returns "[redacted]", or "" for an empty Secret.
func (s Secret) String() string {
	if s.value == nil {
		return ""
	}
	return redacted
}

// GoString is like String.
func (s Secret) GoString() string { return s.String() }

// Format writes String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, s.String()) // fmt keeps no error either
}

// LogValue is like String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText is like String; it returns no error.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// scrub returns text without the secret.
func (s Secret) scrub(text string) string {
	if s.value == nil {
		return text
	}
	return strings.ReplaceAll(text, *s.value, redacted)
}
