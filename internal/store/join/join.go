// Package join merges two versions of a memory that two stores hold. It has no timestamp for each write. It reads only what the memory
// records: when it last changed, how often its text changed, and what its newest vote replaced. If the clocks are right, this orders any two
// changes when one was made with knowledge of the other. Two changes made without knowledge of each other both take effect if only one of them
// changes the text, or if one is a vote and the other is a vote or sets the importance. Otherwise the later change wins, and the caller keeps
// the other one.
package join

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Two merges two versions of a memory into a new memory. The order of the arguments does not matter, except that the accesses, surprise,
// namespace and revision come from the first version, because they belong to its store. Merging the result with either version again changes
// nothing. Both versions must count active days by the calendar of the same store.
//
//   - The later version wins, unless a rule below says otherwise.
//   - The text comes from the version whose text changed more often: each change of the text increments the version number of the memory. If the
//     numbers are equal, the text of the later version wins.
//   - A vote cast without knowledge of the other version's importance or votes counts in addition to them. So does a vote on the importance
//     that the other version has, because a memory does not record whether a vote was taken back.
//   - An edit brings a forgotten memory back if its author did not know that the memory was forgotten.
func Two(a, b *hippo.Memory, w *rank.Weights) *hippo.Memory {
	n, o := latest(a, b), a
	if n == a {
		o = b
	}
	m := n.Clone()
	if o.Version > n.Version {
		setText(m, o)
		if !o.Forgotten() {
			m.ForgottenAt = time.Time{}
		}
	}
	if first, second := apart(n, o); first != nil {
		castBoth(m, first, second, w)
	} else if v := newestVote(o); v != nil && v.Former.SetAt.Equal(n.Importance.SetAt) {
		c := o.Clone()
		m.Importance, m.Untied, m.Feedback = c.Importance, c.Untied, c.Feedback
	}
	m.Feedback = withOpenings(withOpenings(m.Feedback, o.Feedback), n.Feedback)
	m.Accesses, m.Surprise, m.Namespace, m.Revision = slices.Clone(a.Accesses), a.Surprise, a.Namespace, a.Revision
	if o.CreatedAt.Before(m.CreatedAt) {
		m.CreatedAt = o.CreatedAt
	}
	return m
}

// later compares two versions and returns a positive number if the first is later. A merged memory is later than both of its sources.
func later(a, b *hippo.Memory) int {
	return cmp.Or(
		a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.Version, b.Version), a.Importance.SetAt.Compare(b.Importance.SetAt),
		replaced(a).Compare(replaced(b)), cmp.Compare(votes(a), votes(b)),
		a.ForgottenAt.Compare(b.ForgottenAt), a.ArchivedAt.Compare(b.ArchivedAt), strings.Compare(Text(a), Text(b)), strings.Compare(Settings(a), Settings(b)),
		strings.Compare(key(a.Feedback, a.Untied), key(b.Feedback, b.Untied)),
	)
}

// replaced returns the time at which somebody set the importance that the newest vote replaced.
func replaced(m *hippo.Memory) time.Time {
	if v := newestVote(m); v != nil {
		return v.Former.SetAt
	}
	return time.Time{}
}

// votes returns the total weight of the votes on a memory.
func votes(m *hippo.Memory) (n float64) {
	for _, f := range m.Feedback {
		if f.Kind != hippo.FeedbackOpened {
			n += f.Weight
		}
	}
	return n
}

// newestVote returns the newest vote on a memory. It returns nil if the importance was set again after that vote, or if a clock went back
// before it.
func newestVote(m *hippo.Memory) *hippo.Feedback {
	i := slices.IndexFunc(m.Feedback, func(f hippo.Feedback) bool { return f.Former != nil && f.Kind != hippo.FeedbackOpened })
	if i < 0 {
		return nil
	}
	v := &m.Feedback[i]
	if !m.Importance.SetAt.Equal(v.Former.At) || !v.Former.SetAt.Before(v.Former.At) {
		return nil
	}
	return v
}

// apart returns the versions in the order in which their importance was set if the newest vote on the later one was cast without knowledge
// of the earlier one: the vote replaced an importance older than the earlier version's. Otherwise it returns nil.
func apart(a, b *hippo.Memory) (first, second *hippo.Memory) {
	if b.Importance.SetAt.Before(a.Importance.SetAt) {
		a, b = b, a
	}
	v := newestVote(b)
	if v == nil || !a.Importance.SetAt.Before(b.Importance.SetAt) || !v.Former.SetAt.Before(a.Importance.SetAt) {
		return nil, nil
	}
	return a, b
}

// castBoth gives m the importance and the votes of the first version, then casts the newest vote of the second on it.
func castBoth(m, first, second *hippo.Memory, w *rank.Weights) {
	v := newestVote(second)
	c := first.Clone()
	m.Importance, m.Untied, m.Feedback = c.Importance, c.Untied, c.Feedback
	w.Vote(m, hippo.Feedback{Kind: v.Kind, Question: slices.Clone(v.Question), Day: max(v.Day, m.Importance.SetDay)}, v.Former.At)
}

// withOpenings returns a list of feedback and adds the openings that only the other list contains.
func withOpenings(list, other []hippo.Feedback) []hippo.Feedback {
	var more []hippo.Feedback
	for _, f := range other {
		same := func(g hippo.Feedback) bool { return g.Kind == f.Kind && bytes.Equal(g.Question, f.Question) }
		if f.Kind == hippo.FeedbackOpened && !slices.ContainsFunc(list, same) {
			more = append(more, f)
		}
	}
	out := append(more, list...)
	return out[max(0, len(out)-hippo.MaxFeedback):]
}

// setText copies the text of another version to m.
func setText(m, of *hippo.Memory) {
	c := of.Clone()
	m.Content, m.ContentHash, m.Situation, m.Tags, m.Type, m.Version = c.Content, c.ContentHash, c.Situation, c.Tags, c.Type, c.Version
}

// Text identifies the text of a memory: its content, situation, tags and type.
func Text(m *hippo.Memory) string {
	return key(m.Content, list(m.Situation), list(m.Tags), m.Type)
}

// Settings identifies everything else that people set on a memory, such as its importance, its project, when it is valid, and whether it is
// forgotten or archived. It excludes active days and openings.
func Settings(m *hippo.Memory) string {
	return key(
		m.Importance.Base, m.Importance.Value, at(m.Importance.SetAt), m.Pinned, m.Forgotten(), m.Archived(), m.Trust, m.Project, m.SupersededBy,
		at(m.EventTime), at(m.ValidFrom), at(m.ValidUntil), m.Source, values(m.Metadata),
	)
}

// Same reports whether two versions of a memory have the same text and the same settings.
func Same(a, b *hippo.Memory) bool { return Text(a) == Text(b) && Settings(a) == Settings(b) }

// Loses reports whether a version holds text or settings that neither the merged memory nor any of the other versions keeps.
func Loses(of, made *hippo.Memory, others ...*hippo.Memory) bool {
	c := of.Clone()
	if counts(made, of) {
		c.Importance = made.Importance
	}
	text, settings := Text(c), Settings(c)
	lostText, lostSettings := text != Text(made), settings != Settings(made)
	for _, o := range others {
		lostText = lostText && text != Text(o)
		lostSettings = lostSettings && Settings(of) != Settings(o) && settings != Settings(o)
	}
	return lostText || lostSettings
}

// counts reports whether the merged memory counts the votes of a version.
func counts(made, of *hippo.Memory) bool {
	m, v := newestVote(made), newestVote(of)
	return m != nil && (m.Former.SetAt.Equal(of.Importance.SetAt) || v != nil && m.Former.At.Equal(v.Former.At))
}

func key(parts ...any) string {
	b, err := json.Marshal(parts)
	if err != nil {
		panic(err) // a valid memory can be encoded
	}
	return string(b)
}

// list returns a copy that is never nil.
func list(x []string) []string { return append([]string{}, x...) }

func at(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// values decodes metadata, because a back end may store its JSON with different spaces. Numbers keep their digits.
func values(meta map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(meta))
	for k, raw := range meta {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		var v any
		if d.Decode(&v) != nil {
			v = string(raw)
		}
		out[k] = v
	}
	return out
}
