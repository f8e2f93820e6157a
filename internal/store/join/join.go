// Package join makes one memory of two versions of it that two stores hold. It has no stamps of the writes, only what a memory itself
// says: when it was changed last, how often its text was changed, and what its newest vote replaced. That is enough for changes of which one
// has seen the other, whatever they are, if the clocks are right. Of changes that have not seen each other both stay where one of them
// is of the text and the other is not, and where one is a vote and the other is of the importance, or one as well; of others the later one stays,
// and the caller keeps the other.
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

// Two returns what two versions of a memory say together, as a new memory. Which is which makes no difference, but for what belongs
// to the store of the first alone: its accesses, surprise, namespace and revision. To join the result with one of them again changes nothing.
// The active days of both are those of one store.
//
//   - The later change says what holds.
//   - The text is the one that was changed more often: each change counts the version of the memory. Of two that were changed equally often it is the
//     later one.
//   - A vote that was cast without knowledge of the importance or the votes of the other version counts beside them. So does one on the
//     importance that the other version has: a memory does not say whether a vote was taken back.
//   - A memory that was forgotten is there again if its text was changed by somebody who did not know.
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

// later compares two versions: above 0 if the first one is the later one. What was made of two others is later than each of them.
func later(a, b *hippo.Memory) int {
	return cmp.Or(
		a.UpdatedAt.Compare(b.UpdatedAt), cmp.Compare(a.Version, b.Version), a.Importance.SetAt.Compare(b.Importance.SetAt),
		replaced(a).Compare(replaced(b)), cmp.Compare(votes(a), votes(b)),
		a.ForgottenAt.Compare(b.ForgottenAt), a.ArchivedAt.Compare(b.ArchivedAt), strings.Compare(Text(a), Text(b)), strings.Compare(Settings(a), Settings(b)),
		strings.Compare(key(a.Feedback, a.Untied), key(b.Feedback, b.Untied)),
	)
}

// replaced returns when the importance was set that the newest vote has replaced.
func replaced(m *hippo.Memory) time.Time {
	if v := newestVote(m); v != nil {
		return v.Former.SetAt
	}
	return time.Time{}
}

// votes returns the weight of all votes on a memory.
func votes(m *hippo.Memory) (n float64) {
	for _, f := range m.Feedback {
		if f.Kind != hippo.FeedbackOpened {
			n += f.Weight
		}
	}
	return n
}

// newestVote returns the newest vote on a memory; nil if its importance was set since, or a clock went back before it.
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

// apart returns the versions in the order in which their importance was set, if the newest vote on the later one was cast without knowledge
// of the earlier one: what it replaced is older than that. Else nil.
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

// castBoth gives m the importance and the votes of the first version, and after them the newest vote of the second.
func castBoth(m, first, second *hippo.Memory, w *rank.Weights) {
	v := newestVote(second)
	c := first.Clone()
	m.Importance, m.Untied, m.Feedback = c.Importance, c.Untied, c.Feedback
	w.Vote(m, hippo.Feedback{Kind: v.Kind, Question: slices.Clone(v.Question), Day: max(v.Day, m.Importance.SetDay)}, v.Former.At)
}

// withOpenings returns a list of feedback with the openings that only another one has.
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

// setText gives m the text of another version.
func setText(m, of *hippo.Memory) {
	c := of.Clone()
	m.Content, m.ContentHash, m.Situation, m.Tags, m.Type, m.Version = c.Content, c.ContentHash, c.Situation, c.Tags, c.Type, c.Version
}

// Text identifies the text of a memory: its content, situation, tags and type.
func Text(m *hippo.Memory) string {
	return key(m.Content, list(m.Situation), list(m.Tags), m.Type)
}

// Settings identifies all else that people say of a memory: what it is worth, where it belongs, when it holds and whether it is
// there. Active days and openings are no part of it.
func Settings(m *hippo.Memory) string {
	return key(
		m.Importance.Base, m.Importance.Value, at(m.Importance.SetAt), m.Pinned, m.Forgotten(), m.Archived(), m.Trust, m.Project, m.SupersededBy,
		at(m.EventTime), at(m.ValidFrom), at(m.ValidUntil), m.Source, values(m.Metadata),
	)
}

// Same reports whether two versions of a memory say the same.
func Same(a, b *hippo.Memory) bool { return Text(a) == Text(b) && Settings(a) == Settings(b) }

// Loses reports whether a version says something that is neither in what was made of it nor in one of some other versions.
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

// counts reports whether the votes of a version count in what was made of it.
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

// list returns a list that is not nil.
func list(x []string) []string { return append([]string{}, x...) }

func at(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// values returns metadata as values, since a back end may keep other spaces. Numbers keep their digits.
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
