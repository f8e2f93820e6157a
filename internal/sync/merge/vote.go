package merge

import (
	"encoding/json"
	"math"
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

// voteOf returns the vote or opening that has changed a memory, if one explains all that differs in its importance and feedback; else nil.
func voteOf(s *Subject, before, after *hippo.Memory, cal hippo.Calendar, cast Cast) json.RawMessage {
	if sameVotes(before, after) || before.Importance.Base != after.Importance.Base || len(s.with(Vote)) >= MaxVotes {
		return nil
	}
	for _, v := range []*voteValue{opened(after, cal), voted(after, cal), unvoted(s, before)} {
		if v != nil && explains(s, v, after, cal, cast) {
			return raw(v)
		}
	}
	return nil
}

// opened returns the newest feedback as an opening, if it is one.
func opened(m *hippo.Memory, cal hippo.Calendar) *voteValue {
	n := len(m.Feedback)
	if n == 0 || m.Feedback[n-1].Kind != hippo.FeedbackOpened {
		return nil
	}
	f := &m.Feedback[n-1]
	return &voteValue{Kind: f.Kind, Date: DateOf(cal, f.Day), Question: f.Question}
}

// voted returns the newest vote.
func voted(m *hippo.Memory, cal hippo.Calendar) *voteValue {
	f := newestVote(m)
	if f == nil {
		return nil
	}
	return &voteValue{Kind: f.Kind, Date: DateOf(cal, f.Day), At: micros(f.Former.At), Question: f.Question}
}

// unvoted takes the newest vote back.
func unvoted(s *Subject, before *hippo.Memory) *voteValue {
	f := newestVote(before)
	if f == nil {
		return nil
	}
	gone := voteAt(s, f.Former.At)
	if gone == nil {
		return nil
	}
	return &voteValue{Undoes: &dotValue{gone.Origin.String(), gone.Seq}}
}

// explains reports whether a memory is as it is after one more vote.
func explains(s *Subject, v *voteValue, after *hippo.Memory, cal hippo.Calendar, cast Cast) bool {
	e := &entry.Entry{Dot: entry.Dot{Seq: 1}, Time: clock.MaxTime, Subject: s.ID, Parts: map[string]json.RawMessage{Vote: raw(v)}}
	trial := NewSubject(s.ID, append(s.Held(), &entry.Held{Entry: e})...)
	m := after.Clone()
	m.Importance, m.Untied, m.Feedback = hippo.Importance{}, nil, nil
	applyImportance(trial, m, cal, cast)
	return sameVotes(m, after)
}

// sameVotes reports whether the importance and the feedback of two memories are the same.
func sameVotes(a, b *hippo.Memory) bool {
	same := func(x, y *hippo.Feedback) bool {
		return x.Kind == y.Kind && x.Day == y.Day && near(x.Weight, y.Weight) && string(x.Question) == string(y.Question)
	}
	x, y := &a.Importance, &b.Importance
	if !near(x.Base, y.Base) || !near(x.Value, y.Value) || x.SetDay != y.SetDay || !x.SetAt.Equal(y.SetAt) || len(a.Feedback) != len(b.Feedback) {
		return false
	}
	for i := range a.Feedback {
		if !same(&a.Feedback[i], &b.Feedback[i]) {
			return false
		}
	}
	u, v := a.Untied, b.Untied
	return u == nil && v == nil || u != nil && v != nil && near(u.Value, v.Value) && u.SetDay == v.SetDay
}

// near reports whether two numbers are the same but for the order of operations.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// voteAt returns the vote that was cast at a time; nil if none is known.
func voteAt(s *Subject, at time.Time) (found *entry.Held) {
	for _, h := range s.Register(Vote) {
		var v voteValue
		if read(h, Vote, &v) && v.Undoes == nil && v.At == micros(at) {
			found = h
		}
	}
	return found
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
