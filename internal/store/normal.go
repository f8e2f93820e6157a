package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// normalise puts m into its stored form: trimmed elements without duplicates, UTC times in
// whole microseconds, derived fields computed.
func normalise(m *hippo.Memory) {
	m.Situation = unique(m.Situation)
	m.Tags = unique(m.Tags)
	m.Type = strings.TrimSpace(m.Type)
	m.ContentHash = hippo.HashContent(m.Content)
	for _, t := range []*time.Time{
		&m.CreatedAt, &m.UpdatedAt, &m.EventTime, &m.ValidFrom, &m.ValidUntil, &m.ForgottenAt, &m.ArchivedAt, &m.Importance.SetAt,
	} {
		if !t.IsZero() {
			*t = t.UTC().Truncate(time.Microsecond)
		}
	}
	for i := range m.Feedback {
		if f := m.Feedback[i].Former; f != nil {
			f.At, f.SetAt = f.At.UTC().Truncate(time.Microsecond), f.SetAt.UTC().Truncate(time.Microsecond)
		}
	}
}

// unique trims the elements and drops duplicates; blank ones are kept, for validation to
// reject them.
func unique(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s == "" || !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func textChanged(a, b *hippo.Memory) bool {
	return a.Content != b.Content || a.Type != b.Type ||
		!slices.Equal(a.Situation, b.Situation) || !slices.Equal(a.Tags, b.Tags)
}

// at adds the index of an element to the field of an error.
func at(err error, i, n int) error {
	var f *hippo.FieldError
	if n > 1 && errors.As(err, &f) {
		return hippo.Fieldf(fmt.Sprintf("[%d].%s", i, f.Field), "%s", f.Why)
	}
	return err
}

// wrap adds the operation, except to errors that are already about the input.
func wrap(op string, err error) error {
	if err == nil || errors.Is(err, hippo.ErrInvalid) || errors.Is(err, hippo.ErrNotFound) || errors.Is(err, hippo.ErrConflict) {
		return err
	}
	return fmt.Errorf("store: %s: %w", op, err)
}
