package ingest_test

import (
	"os"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// grow appends to a transcript.
func (f *fixture) grow(path, content string) {
	f.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// A hook captures after every answer, so that what the user takes back is stored already.
func TestFile_WhatTheUserTakesBackIsPurged(t *testing.T) {
	t.Parallel()
	f := open(t)
	texts := []string{"fix the build", "always use pnpm, never npm", "we never deploy on Fridays"}
	path := f.write("a", said("s1", texts...))
	wantActions(t, f.capture(path, ingest.Options{}), ingest.Added, ingest.Added)
	f.grow(path, said("s1", append(texts, "forget what I just said")...))
	r := f.capture(path, ingest.Options{})
	wantActions(t, r)
	if r.Withdrawn != 1 || r.Reason != "1 withdrawn: you asked not to keep them" {
		t.Errorf("got %+v", r)
	}
	if ms := f.memories(); len(ms) != 1 || ms[0].Content != "Always use pnpm, never npm." {
		t.Errorf("left: %v", ms)
	}
	wantActions(t, f.capture(path, ingest.Options{}))
}

// What somebody confirmed since is no longer for a rule to remove.
func TestFile_WhatWasConfirmedIsNotTakenBack(t *testing.T) {
	t.Parallel()
	f := open(t)
	path := f.write("a", said("s1", "fix the build", "always use pnpm, never npm"))
	r := f.capture(path, ingest.Options{})
	wantActions(t, r, ingest.Added)
	if _, err := memory.Reinforce(t.Context(), f.in("app"), []hippo.ID{r.Outcomes[0].Memory}, nil); err != nil {
		t.Fatal(err)
	}
	f.grow(path, said("s1", "fix the build", "always use pnpm, never npm", "don't keep what I just said"))
	if r := f.capture(path, ingest.Options{}); r.Withdrawn != 0 || len(f.memories()) != 1 {
		t.Errorf("got %+v", r)
	}
}
