package join

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Three is [Two] for versions with a known common base. A change that only one version made takes effect; metadata is compared key by key. All
// votes of both versions count, and their accesses add up. Without a base, Three does the same as Two, except that it adds up the accesses.
func Three(base, a, b *hippo.Memory, w *rank.Weights) *hippo.Memory {
	m := Two(a, b, w)
	if base == nil {
		m.Accesses = accesses(&hippo.Memory{}, a, b)
		return m
	}
	switch t := Text(base); t {
	case Text(a):
		setText(m, b)
	case Text(b):
		setText(m, a)
	}
	m.Version = max(a.Version, b.Version)
	m.ForgottenAt = forgotten(base, a, b, m)
	setImportance(m, base, a, b, w)
	m.Accesses = accesses(base, a, b)
	m.Pinned = pick(base.Pinned, a.Pinned, b.Pinned, m.Pinned)
	m.Trust = pick(base.Trust, a.Trust, b.Trust, m.Trust)
	m.Project = pick(base.Project, a.Project, b.Project, m.Project)
	m.Source = pick(base.Source, a.Source, b.Source, m.Source)
	m.Surprise = pick(base.Surprise, a.Surprise, b.Surprise, latest(a, b).Surprise)
	m.SupersededBy = pick(base.SupersededBy, a.SupersededBy, b.SupersededBy, m.SupersededBy)
	for _, of := range []func(*hippo.Memory) *time.Time{
		func(m *hippo.Memory) *time.Time { return &m.EventTime },
		func(m *hippo.Memory) *time.Time { return &m.ValidFrom },
		func(m *hippo.Memory) *time.Time { return &m.ValidUntil },
		func(m *hippo.Memory) *time.Time { return &m.ArchivedAt },
	} {
		*of(m) = pick(*of(base), *of(a), *of(b), *of(m))
	}
	m.Metadata = metadata(base, a, b, m)
	return m
}

// latest returns the later of two versions.
func latest(a, b *hippo.Memory) *hippo.Memory {
	if later(b, a) > 0 {
		return b
	}
	return a
}

// pick returns the value of the side that changed it. If both sides changed it, pick returns the merged value, both.
func pick[T comparable](base, a, b, both T) T {
	switch {
	case a == base:
		return b
	case b == base:
		return a
	}
	return both
}

// forgotten returns when a memory was forgotten. The memory is not forgotten if one side forgot it and the other changed its text.
func forgotten(base, a, b, both *hippo.Memory) time.Time {
	t := pick(base.ForgottenAt, a.ForgottenAt, b.ForgottenAt, both.ForgottenAt)
	for _, side := range [][2]*hippo.Memory{{a, b}, {b, a}} {
		if other := side[1]; side[0].Forgotten() && !base.Forgotten() && !other.Forgotten() && Text(other) != Text(base) {
			return time.Time{}
		}
	}
	return t
}

// setImportance merges the importance and its votes into m.
func setImportance(m, base, a, b *hippo.Memory, w *rank.Weights) {
	first, second := a, b
	if b.Importance.SetAt.Before(a.Importance.SetAt) {
		first, second = b, a
	}
	of := func(x *hippo.Memory) {
		c := x.Clone()
		m.Importance, m.Untied, m.Feedback = c.Importance, c.Untied, c.Feedback
	}
	switch {
	case a.Importance == b.Importance:
	case a.Importance == base.Importance:
		of(b)
	case b.Importance == base.Importance:
		of(a)
	case a.Importance.Base == b.Importance.Base && newestVote(second) != nil && !a.Importance.SetAt.Equal(b.Importance.SetAt):
		of(first)
		castSince(m, base, second, w)
	}
	m.Feedback = withOpenings(withOpenings(m.Feedback, a.Feedback), b.Feedback)
}

// castSince casts on m the votes that a version gained since the base.
func castSince(m, base, v *hippo.Memory, w *rank.Weights) {
	for _, f := range v.Feedback {
		if f.Kind == hippo.FeedbackOpened {
			continue
		}
		n := f.Weight
		for _, old := range base.Feedback {
			if old.Kind == f.Kind && slices.Equal(old.Question, f.Question) {
				n -= old.Weight
			}
		}
		if f.Former != nil {
			n = max(n, 1)
		}
		for range int(math.Round(n)) {
			w.Vote(m, hippo.Feedback{Kind: f.Kind, Question: slices.Clone(f.Question), Day: max(f.Day, m.Importance.SetDay)}, v.Importance.SetAt)
		}
	}
}

// accesses adds the accesses that both sides counted since the base to those of the base.
func accesses(base, a, b *hippo.Memory) []hippo.Access {
	counts := make(map[hippo.Day]int)
	for sign, list := range map[int][]hippo.Access{1: slices.Concat(a.Accesses, b.Accesses), -1: base.Accesses} {
		for _, x := range list {
			counts[x.Day] += sign * x.Count
		}
	}
	var out []hippo.Access
	for day, n := range counts {
		if n > 0 {
			out = append(out, hippo.Access{Day: day, Count: n})
		}
	}
	slices.SortFunc(out, func(x, y hippo.Access) int { return int(x.Day - y.Day) })
	return out[max(0, len(out)-hippo.MaxAccessDays):]
}

// metadata merges the metadata key by key.
func metadata(base, a, b, both *hippo.Memory) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for _, side := range []map[string]json.RawMessage{base.Metadata, a.Metadata, b.Metadata} {
		for k := range side {
			v := pick(string(base.Metadata[k]), string(a.Metadata[k]), string(b.Metadata[k]), string(both.Metadata[k]))
			if v != "" {
				out[k] = json.RawMessage(v)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
