package briefing

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// Types returns the types of memories that belong to a section, which serve as tags and labels as well.
// The sections [Recent] and [Related] have none.
func Types(section string) []string {
	switch section {
	case Rules:
		return []string{"preference", "convention", "rule", "guideline", "instruction", "standard", "policy", "workflow", "style", "correction"}
	case Tasks:
		return []string{"task", "todo", "open", "reminder", "next", "next-step", "action", "followup", "follow-up"}
	case Decisions:
		return []string{"decision", "adr", "architecture", "design", "choice"}
	default:
		return nil
	}
}

// sectionOf returns the section of a memory: by its type, its tags, or a label before its text, as
// in "TODO: rotate the keys". What belongs to none is recent work, or related to the prompt.
func sectionOf(c *Candidate) string {
	m := c.Memory
	names := append([]string{m.Type, label(m.Content)}, m.Tags...)
	for i, n := range names {
		names[i] = strings.ToLower(n)
	}
	if m.Pinned {
		return Rules
	}
	for _, s := range []string{Rules, Tasks, Decisions} {
		for _, t := range Types(s) {
			if slices.Contains(names, t) {
				return s
			}
		}
	}
	if c.Prompt > 0 {
		return Related
	}
	return Recent
}

// label is the word before a colon at the beginning of a text; empty if there is none.
func label(text string) string {
	const longest = 16
	word, _, ok := strings.Cut(text[:min(len(text), longest)], ":")
	if !ok || strings.ContainsAny(word, " \t\n") {
		return ""
	}
	return word
}

// done reports whether a memory is a task that was completed.
func done(m *hippo.Memory) bool {
	for _, t := range append([]string{m.Type}, m.Tags...) {
		switch strings.ToLower(t) {
		case "done", "closed", "completed", "resolved", "cancelled":
			return true
		}
	}
	return false
}

// Trusted reports whether a memory may be injected without a person asking for it. Memories of
// [hippo.TrustNone] never are. Those of [hippo.TrustLow] must have been confirmed: pinned or
// upvoted; what a hook captured may also have been used since the day of its capture.
func Trusted(m *hippo.Memory) bool {
	switch {
	case m.Trust <= hippo.TrustNone:
		return false
	case m.Trust >= hippo.TrustNormal:
		return true
	}
	confirmed := m.Pinned || m.Importance.Value > m.Importance.Base
	return confirmed || m.Source.Kind == hippo.SourceHook && uses(m) > 0
}

// uses counts the accesses after the one that recording a memory counts as.
func uses(m *hippo.Memory) int {
	n := -1
	for _, a := range m.Accesses {
		n += a.Count
	}
	return n
}
