package merge

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// There reports whether the memory can be displayed: nobody has deleted it for good, and its text, origin and importance have arrived.
func (s *Subject) There() bool {
	return !s.ID.IsZero() && !s.Purged() && len(s.with(Text)) > 0 && len(s.with(Origin)) > 0 && len(s.with(Importance)) > 0
}

// Apply copies the winning values of the given parts into a memory. It skips values that this program cannot read, but an unreadable
// successor or forgetting counts as none. The successor it sets may differ from the one to display; see [Superseded]. Apply leaves
// uses, relations and the fields that only one store knows unchanged.
func (s *Subject) Apply(m *hippo.Memory, parts []string, cal hippo.Calendar, cast Cast) {
	hidden, voted := false, false
	for _, name := range parts {
		switch name {
		case Vote, Importance, Pinned:
			voted = true
		}
		switch name {
		case Vote, Forgotten, Text:
			hidden = true
		}
		if name == Text || name == Tags {
			m.Version = version(s)
		}
		if h := s.Winner(name); h != nil {
			Set(m, name, h, cal)
		}
	}
	if hidden {
		m.ForgottenAt = forgottenAt(s)
	}
	if voted {
		applyImportance(s, m, cal, cast)
	}
	for _, name := range parts {
		for _, h := range s.Register(name) {
			if t := h.Time.Wall(); name != Vote && name != Uses && t.After(m.UpdatedAt) {
				m.UpdatedAt = t
			}
		}
	}
}

// version returns the highest version number in the text and tags entries.
func version(s *Subject) int {
	n := 1
	for _, part := range []string{Text, Tags} {
		for _, h := range s.with(part) {
			var v struct{ Version int }
			if read(h, part, &v) {
				n = max(n, v.Version)
			}
		}
	}
	return n
}

// Set sets one part of a memory to the value of an entry. It does not consider other parts.
func Set(m *hippo.Memory, name string, h *entry.Held, cal hippo.Calendar) {
	switch name {
	case Origin:
		var v originValue
		if read(h, name, &v) {
			m.CreatedAt, m.Source = timeOf(v.Created), v.Source
		}
	case Text:
		var v textValue
		if read(h, name, &v) {
			m.Content, m.Situation, m.Type = v.Content, v.Situation, v.Type
			m.ContentHash = hippo.HashContent(v.Content)
		}
	case Tags:
		var v tagsValue
		if read(h, name, &v) {
			m.Tags = v.Tags
		}
	case Pinned:
		_ = read(h, name, &m.Pinned)
	case Project:
		_ = read(h, name, &m.Project)
	case Trust:
		_ = read(h, name, &m.Trust)
	case Validity:
		var v periodValue
		if read(h, name, &v) {
			m.ValidFrom, m.ValidUntil = timeOf(v.From), timeOf(v.Until)
		}
	case Successor:
		m.SupersededBy = successor(h)
	case Importance:
		setImportance(m, h, cal)
	case EventTime:
		setTime(h, name, &m.EventTime)
	case Forgotten:
		setTime(h, name, &m.ForgottenAt)
	case Archived:
		setTime(h, name, &m.ArchivedAt)
	default:
		if key, ok := IsMeta(name); ok {
			setMeta(m, key, h.Parts[name])
		}
	}
}

func setTime(h *entry.Held, name string, to *time.Time) {
	var n int64
	if read(h, name, &n) {
		*to = timeOf(n)
	}
}

func setMeta(m *hippo.Memory, key string, value json.RawMessage) {
	var v []json.RawMessage
	if json.Unmarshal(value, &v) != nil || len(v) > 1 {
		return
	}
	if len(v) == 0 {
		delete(m.Metadata, key)
		return
	}
	if m.Metadata == nil {
		m.Metadata = make(map[string]json.RawMessage)
	}
	m.Metadata[key] = v[0]
}

// forgottenAt returns when the memory was forgotten, or the zero time if it is visible. An edit of the text or an upvote that the
// forgetting had not seen makes the memory visible again.
func forgottenAt(s *Subject) time.Time {
	h := s.Winner(Forgotten)
	var at int64
	if !read(h, Forgotten, &at) || at == 0 {
		return time.Time{}
	}
	if s.off&ruleForget == 0 && unseen(s, h) {
		return time.Time{}
	}
	return timeOf(at)
}

// unseen reports whether s holds a text or an upvote that the forgetting h had not seen.
func unseen(s *Subject, h *entry.Held) bool {
	for _, o := range s.Register(Text) {
		if !h.Saw(o.Dot) {
			return true
		}
	}
	return slices.ContainsFunc(votesOf(s), func(v vote) bool { return v.Kind == hippo.FeedbackUp && !h.Saw(v.Dot) })
}

// Conflict is a part that several machines set concurrently.
type Conflict struct {
	Part string
	// Shown holds the value to display. Losers holds the other values, in stamp order.
	Shown  *entry.Held
	Losers []*entry.Held
}

// Conflicts returns the parts of a memory that machines set concurrently to different values and that no later write has settled. It
// includes Forgotten if a concurrent edit or upvote overrides the forgetting; the forgetting is then the loser.
func (s *Subject) Conflicts() []Conflict {
	var out []Conflict
	for _, name := range s.Parts() {
		if name == Vote || name == Uses || name == Purged {
			continue
		}
		list := s.Register(name)
		c := Conflict{Part: name, Shown: list[len(list)-1]}
		for _, h := range list[:len(list)-1] {
			if !sameValue(name, h.Parts[name], c.Shown.Parts[name]) {
				c.Losers = append(c.Losers, h)
			}
		}
		if name == Forgotten && len(c.Losers) == 0 && string(c.Shown.Parts[name]) != "0" && unseen(s, c.Shown) {
			c.Losers = []*entry.Held{c.Shown}
		}
		if len(c.Losers) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// sameValue reports whether two values of a part are equal. It ignores version numbers.
func sameValue(part string, a, b json.RawMessage) bool {
	if string(a) == string(b) {
		return true
	}
	switch part {
	case Text:
		var x, y textValue
		if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
			return false
		}
		return x.Content == y.Content && x.Type == y.Type && slices.Equal(x.Situation, y.Situation)
	case Tags:
		var x, y tagsValue
		return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && slices.Equal(x.Tags, y.Tags)
	}
	return false
}

// Same reports whether two memories have the same value of a part. It ignores version numbers.
func Same(a, b *hippo.Memory, part string) bool {
	return sameValue(part, raw(values(a, hippo.Calendar{})[part]), raw(values(b, hippo.Calendar{})[part]))
}
