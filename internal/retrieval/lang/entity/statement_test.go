package entity_test

import (
	"slices"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/entity"
)

func TestSubjects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want []string
	}{
		{"The gateway uses Postgres. Ana prefers tea; it is late.", []string{"gateway", "Ana"}},
		{"Our staging server has two disks", []string{"staging server"}},
		{"the build is broken\nThe build is green", []string{"build"}},
		{"We use tabs. They are fine. This is that.", nil},
		{"is it so?", nil},
		{"a very long list of words is no subject", nil},
		{"deploy, then run has no subject", nil},
		{"", nil},
	} {
		if got := entity.Subjects(tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("%q: %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{" uses Postgres": true, "Prefers tea": true, "is.": true, "and Ben": false, "": false, "'s cat": false} {
		if got := entity.States(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
