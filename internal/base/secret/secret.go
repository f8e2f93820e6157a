// Package secret keeps API keys, passwords and query parameters of URLs out of
// everything that is shown: output, results of tools, errors and logs.
package secret

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// redacted stands for a secret wherever it would be shown.
const redacted = "[redacted]"

// Value is a text that is not shown: formatted, logged or marshalled it is
// "[redacted]". The zero Value is empty, and shown as "". Two Values of equal texts
// are not equal as Go values.
type Value struct {
	// A pointer, because fmt prints unexported fields without calling their methods.
	text *string
}

// New returns a Value of s without the white space around it, which files and
// variables tend to have.
func New(s string) Value {
	s = strings.TrimSpace(s)
	if s == "" {
		return Value{}
	}
	return Value{&s}
}

// Reveal returns the secret itself. Only what sends it may call this.
func (v Value) Reveal() string {
	if v.text == nil {
		return ""
	}
	return *v.text
}

// String returns "[redacted]", or "" for an empty Value.
func (v Value) String() string {
	if v.text == nil {
		return ""
	}
	return redacted
}

// GoString is like String.
func (v Value) GoString() string { return v.String() }

// Format writes String, whatever the verb.
func (v Value) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, v.String()) // fmt ignores this error, too
}

// LogValue is like String.
func (v Value) LogValue() slog.Value { return slog.StringValue(v.String()) }

// MarshalText is like String; it returns no error.
func (v Value) MarshalText() ([]byte, error) { return []byte(v.String()), nil }
