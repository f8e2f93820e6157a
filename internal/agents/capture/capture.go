// Package capture finds what is worth remembering in the turns of a session: decisions, errors and
// what made them go away, conventions, preferences, corrections and facts. It works by rules on
// what the user said and on the results of tools; what an assistant only proposed is left out.
//
// The phrases that the rules look for are in cues.txt, by language. Every candidate says why it
// was chosen and from which turns, and has a score in [0, 1]; [MinScore] was chosen on the
// transcripts of testdata, see docs/capture.md.
//
// The package is pure: the result depends on the turns alone.
package capture

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// MinScore is the score from which on a candidate is worth keeping.
const MinScore = 0.5

// The types of candidates.
const (
	TypeDecision   = "decision"
	TypeError      = "error"
	TypeConvention = "convention"
	TypePreference = "preference"
	TypeCorrection = "correction"
	TypeFact       = "fact"
)

// Candidate is something that is worth remembering.
type Candidate struct {
	// Content is one to three sentences that can be understood without the session.
	Content string
	// Type is one of those above.
	Type string
	// Situation is that of the memory: the folder and the branch.
	Situation []string
	// Importance is in [0, 1].
	Importance float64
	// Score is how sure the rules are, in [0, 1].
	Score float64
	// Turns are the IDs of the turns it comes from, in their order; at least one.
	Turns []string
	// Time and Cwd are those of the first of them; either may be unset.
	Time time.Time
	Cwd  string
	// Reason says which rules matched, for people.
	Reason string
	// Said: it is an order, a preference or a choice that the user typed in plain words. What a turn of many lines says,
	// which may be pasted, what is in quotation marks, and what needs the rest of the session to be understood is not.
	Said bool
}

// Candidates returns what is worth keeping of a conversation, in its order. Each has a score of
// [MinScore] or more, and no two say the same. Injected text is ignored, and of subagents
// everything but their errors and the causes that they report, because it is an agent that speaks to them. Nothing comes from turns
// that are [Refused], or repeats them.
func Candidates(turns []transcript.Turn) []Candidate {
	turns, unwanted := allowed(turns)
	main := extractor{turns: slices.DeleteFunc(slices.Clone(turns), func(t transcript.Turn) bool { return t.Sidechain })}
	for i := range main.turns {
		if main.turns[i].Role == transcript.RoleUser {
			main.user(i)
		}
	}
	main.errors()
	sub := extractor{turns: slices.DeleteFunc(slices.Clone(turns), func(t transcript.Turn) bool { return !t.Sidechain })}
	sub.errors()
	sub.findings()
	found := slices.DeleteFunc(append(main.found, sub.found...), func(c placed) bool {
		return !c.own && slices.ContainsFunc(unwanted, func(text string) bool { return overlap(contentWords(c.Content), contentWords(text)) >= repeats })
	})
	return merged(found)
}

// extractor collects candidates from turns.
type extractor struct {
	turns []transcript.Turn
	found []placed
}

// placed is a candidate with the place of its first turn.
type placed struct {
	Candidate
	at int
	// own: it is what the user said, and nothing of the assistant.
	own bool
}

// repeats is the share of its words from which on what an assistant says repeats the user.
const repeats = 0.6

// add adds a candidate that was found in a turn, if its score suffices.
func (x *extractor) add(c Candidate, at int) {
	if c.Score < MinScore || c.Content == "" {
		return
	}
	c.Score = min(c.Score, 1)
	c.Content = clip(c.Content, maxContent)
	c.Importance = importance(c.Type)
	c.Situation, c.Time, c.Cwd = situation(&x.turns[at]), x.turns[at].Time, x.turns[at].Cwd
	x.found = append(x.found, placed{c, at, c.Type != TypeError && len(c.Turns) == 1 && c.Turns[0] == x.turns[at].ID})
}

// importance is what a memory of a type begins with.
func importance(kind string) float64 {
	switch kind {
	case TypeCorrection, TypeConvention:
		return 0.7
	case TypeDecision, TypePreference:
		return 0.65
	case TypeError:
		return 0.6
	default:
		return 0.55
	}
}

// situation names the folder of a turn and its branch, unless that is the main one.
func situation(t *transcript.Turn) []string {
	var out []string
	if base := path.Base(strings.ReplaceAll(t.Cwd, `\`, "/")); base != "." && base != "/" {
		out = append(out, "working on "+base)
	}
	switch t.Branch {
	case "", "main", "master", "develop", "trunk", "HEAD":
	default:
		out = append(out, "on branch "+t.Branch)
	}
	return out
}

// before returns the texts and calls of the assistant in the last n turns before a turn.
func (x *extractor) before(at, n int) string {
	var b strings.Builder
	for i := max(0, at-n); i < at; i++ {
		t := &x.turns[i]
		if t.Role != transcript.RoleAssistant {
			continue
		}
		b.WriteString(t.Text)
		for _, c := range t.Calls {
			b.WriteByte('\n')
			b.WriteString(c.Input)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
