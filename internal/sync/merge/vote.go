package merge

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// voteValue is a vote, an opening, or a vote that is taken back.
type voteValue struct {
	Kind     hippo.FeedbackKind `json:"kind,omitempty"`
	Date     string             `json:"date,omitempty"`
	At       int64              `json:"at,omitempty"`
	Question hippo.Question     `json:"question,omitempty"`
	Undoes   *dotValue          `json:"undoes,omitempty"`
}

type dotValue struct {
	Replica string `json:"replica"`
	N       uint64 `json:"n"`
}

// newestVote returns the feedback of the newest vote that can be taken back; nil if there is none.
func newestVote(m *hippo.Memory) *hippo.Feedback {
	i := slices.IndexFunc(m.Feedback, func(f hippo.Feedback) bool { return f.Former != nil })
	if i < 0 {
		return nil
	}
	return &m.Feedback[i]
}

// voteOf returns the vote or opening that has changed a memory, if one explains all that differs in its importance and feedback.
func voteOf(s *Subject, before, after *hippo.Memory, cal hippo.Calendar) (json.RawMessage, bool) {
	if before.Importance.Base != after.Importance.Base || len(s.with(Vote)) >= MaxVotes || !oneStep(before.Feedback, after.Feedback) {
		return nil, false
	}
	if f := opened(before, after); f != nil {
		return raw(voteValue{Kind: f.Kind, Date: DateOf(cal, f.Day), Question: f.Question}), true
	}
	old, now := newestVote(before), newestVote(after)
	if old != nil && now != nil && old.Former.At.Equal(now.Former.At) || old == now {
		return nil, false
	}
	if now != nil {
		known, counts := voteAt(s, now.Former.At)
		if known == nil {
			v := voteValue{Kind: now.Kind, Date: DateOf(cal, now.Day), At: micros(now.Former.At), Question: now.Question}
			return raw(v), after.Importance.SetAt.Equal(now.Former.At)
		}
		if !counts || old == nil { // one that was taken back is there again
			return nil, false
		}
	}
	gone, counts := voteAt(s, old.Former.At)
	if gone == nil || !counts {
		return nil, false
	}
	return raw(voteValue{Undoes: &dotValue{gone.Origin.String(), gone.Seq}}), true
}

// oneStep reports whether a list of feedback can be another one with one element more, less or changed.
func oneStep(before, after []hippo.Feedback) bool {
	same := func(a, b *hippo.Feedback) bool {
		return a.Kind == b.Kind && a.Day == b.Day && a.Weight == b.Weight && string(a.Question) == string(b.Question)
	}
	missing := func(from, in []hippo.Feedback) (n int) {
		for i := range from {
			if !slices.ContainsFunc(in, func(f hippo.Feedback) bool { return same(&from[i], &f) }) {
				n++
			}
		}
		return n
	}
	gone := missing(before, after)
	return missing(after, before) <= 1 && (gone <= 1 || gone == 2 && len(before) == hippo.MaxFeedback)
}

// opened returns the opening that was added to the feedback of a memory, if that is all that was changed in it.
func opened(before, after *hippo.Memory) *hippo.Feedback {
	n := len(after.Feedback)
	if before.Importance != after.Importance || n == 0 || after.Feedback[n-1].Kind != hippo.FeedbackOpened {
		return nil
	}
	f := &after.Feedback[n-1]
	if slices.ContainsFunc(before.Feedback, func(o hippo.Feedback) bool {
		return o.Kind == f.Kind && o.Day == f.Day && o.Weight == f.Weight && string(o.Question) == string(f.Question)
	}) {
		return nil
	}
	return f
}

// voteAt returns the vote that was cast at a time, and whether it counts: it was not taken back, and the importance that was set last does
// not include it. nil if none is known.
func voteAt(s *Subject, at time.Time) (found *entry.Held, counts bool) {
	for _, h := range s.Register(Vote) {
		var v voteValue
		if read(h, Vote, &v) && v.Undoes == nil && v.At == micros(at) {
			found = h
		}
	}
	base := s.Winner(Importance)
	return found, slices.ContainsFunc(votesOf(s), func(v vote) bool {
		return found != nil && v.Dot == found.Dot && (base == nil || !base.Saw(v.Dot))
	})
}

// vote is one that counts.
type vote struct {
	*entry.Held
	voteValue
}

// votesOf returns the votes and openings that were not taken back, by stamp.
func votesOf(s *Subject) []vote {
	list := s.Register(Vote)
	if s.off&ruleOrder != 0 {
		list = s.with(Vote)
	}
	undone := make(map[entry.Dot]bool)
	out := make([]vote, 0, len(list))
	for _, h := range list {
		var v voteValue
		if !read(h, Vote, &v) {
			continue
		}
		if v.Undoes == nil {
			out = append(out, vote{h, v})
		} else if r, err := clock.ParseReplica(v.Undoes.Replica); err == nil {
			undone[entry.Dot{Origin: r, Seq: v.Undoes.N}] = true
		}
	}
	return slices.DeleteFunc(out, func(v vote) bool { return undone[v.Dot] })
}

// Cast applies a vote or an opening to a memory, as the engine does: f has Kind, Day and Question, and At of Former if it is a vote.
type Cast func(m *hippo.Memory, f hippo.Feedback)

// applyImportance sets the importance of a memory: the last one that was set explicitly, and on it the votes that its writer had not
// seen, in the order of their stamps.
func applyImportance(s *Subject, m *hippo.Memory, cal hippo.Calendar, cast Cast) {
	base := s.Winner(Importance)
	if !setImportance(m, base, cal) {
		return
	}
	for _, x := range votesOf(s) {
		if s.off&ruleBase == 0 && base.Saw(x.Dot) {
			continue
		}
		f := hippo.Feedback{Kind: x.Kind, Day: DayOf(cal, x.Date), Question: x.Question}
		if x.Kind != hippo.FeedbackOpened {
			f.Former = &hippo.Former{At: timeOf(x.At)}
		}
		cast(m, f)
	}
}

// setImportance sets an importance with the feedback that it includes, and reports whether this program can read it.
func setImportance(m *hippo.Memory, h *entry.Held, cal hippo.Calendar) bool {
	var v importanceValue
	if !read(h, Importance, &v) {
		return false
	}
	m.Importance = hippo.Importance{Base: v.Base, Value: v.Value, SetDay: DayOf(cal, v.Date), SetAt: timeOf(v.At)}
	m.Untied, m.Feedback = nil, nil
	if v.Untied != nil {
		m.Untied = &hippo.Untied{Value: v.Untied.Value, SetDay: DayOf(cal, v.Untied.Date)}
	}
	for _, f := range v.Feedback {
		m.Feedback = append(m.Feedback, hippo.Feedback{Kind: f.Kind, Day: DayOf(cal, f.Date), Weight: f.Weight, Question: f.Question})
	}
	return true
}
