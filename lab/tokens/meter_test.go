package main

import (
	"strings"
	"testing"
)

// The notes are what the measurement says: of 40 words, about the query.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, n := range notes() {
		if words := len(strings.Fields(n.content)); words != 40 || !strings.Contains(n.content, "gateway") || n.situation == "" {
			t.Errorf("%d words: %q", words, n.content)
		}
	}
	if len(notes()) < hits {
		t.Errorf("%d notes, want %d", len(notes()), hits)
	}
}
