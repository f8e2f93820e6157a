package ingest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/engine/briefing"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// answered writes a turn of an agent.
func answered(session string, n int, text string) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"%s-aaaa-0000-%04d","sessionId":%q,"cwd":"/src/app","timestamp":"2026-11-01T10:00:00Z","message":{"role":"assistant","content":[{"type":"text","text":%q}]}}`+"\n", session, n, session, text)
}

// inOtherWords changes a text a little, as a model does that repeats it.
func inOtherWords(text string) string {
	return strings.NewReplacer("instead of", "rather than", "Never", "Do not ever", "because", "since", "is at", "lives at").Replace(strings.TrimSuffix(text, ".")) + "!"
}

// Memories that come back in the transcripts of later sessions, as hooks inject them, as the agent quotes, paraphrases or repeats
// them, and as the user says them again, are not recorded again.
func TestFile_WhatIsRememberedDoesNotMultiply(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.capture(f.write("first", said("s0", "fix the build", "No, always use podman instead of docker in this repo.", "btw the staging redis is at redis.internal:6380",
		"We decided to keep the retry limit at three because the bank throttles us.", "Never push to the branch release from now on.",
		"Please remember: the invoices table is partitioned by month.")), ingest.Options{})
	known := f.memories()
	if len(known) < 5 {
		t.Fatalf("%d memories at the beginning", len(known))
	}
	forms := map[string]func(text string) (user, agent string){
		"injected": func(x string) (string, string) { return "<system-reminder>\n- " + x + "\n</system-reminder>", "" },
		"briefing": func(x string) (string, string) {
			return "<hippo-memory>\n- " + x + " [12ab34cd, hook, 2 d]\n</hippo-memory>\ngo on", ""
		},
		"quoted":     func(x string) (string, string) { return "what do you know?", "From memory:\n- \"" + x + "\"" },
		"paraphrase": func(x string) (string, string) { return "what do you know?", "I see. " + inOtherWords(x) },
		"its own":    func(x string) (string, string) { return "do you have a rule?", "I found out: " + x },
		"user again": func(x string) (string, string) { return x, "Understood." },
		"user likes": func(x string) (string, string) { return inOtherWords(x), "Understood. " + inOtherWords(x) },
	}
	for n := range 30 {
		session := fmt.Sprintf("later%03d", n)
		var b strings.Builder
		for i, m := range f.memories() {
			for form, of := range forms {
				user, agent := of(m.Content)
				b.WriteString(said(fmt.Sprint(session, i, form), user))
				if agent != "" {
					b.WriteString(answered(session, i, agent))
				}
			}
		}
		f.capture(f.write(session, b.String()), ingest.Options{})
		if got := f.memories(); len(got) != len(known) {
			t.Fatalf("after session %d there are %d memories, %d before:\n%s", n+1, len(got), len(known), textsOf(got))
		}
	}
}

func textsOf(ms []*hippo.Memory) string {
	var b strings.Builder
	for _, m := range ms {
		fmt.Fprintf(&b, "%s: %s\n", m.Source.Session, m.Content)
	}
	return b.String()
}

// Two live sessions of one project share what the user said in plain words at once, and what waits for a confirmation reaches
// neither: docs/capture.md.
func TestFile_LiveSessionsShareWhatIsConfirmed(t *testing.T) {
	t.Parallel()
	f := open(t)
	one, other := f.write("one", said("one", "fix the build", "No, always use pnpm instead of npm here", "btw staging redis is at redis.internal:6380")), f.write("other", said("other", "write the docs"))
	f.capture(one, ingest.Options{})
	f.capture(other, ingest.Options{})
	b, err := query.Context(t.Context(), f.in("app"), briefing.Query{})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(shown); !strings.Contains(text, "pnpm instead of npm") || strings.Contains(text, "redis.internal") {
		t.Errorf("the other session is told %s", text)
	}
	// The end of either session changes nothing of the other's.
	before := f.memories()
	f.capture(f.write("other2", said("other", "write the docs", "No, always use British spelling in the docs")), ingest.Options{})
	for _, m := range before {
		if !slices.ContainsFunc(f.memories(), func(x *hippo.Memory) bool { return x.ID == m.ID && x.Content == m.Content && x.SupersededBy.IsZero() }) {
			t.Errorf("%q was changed by the other session", m.Content)
		}
	}
}
