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

// voteValue is a vote, an opening, or the withdrawal of a vote.
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

// newestVote returns the feedback of the newest vote that can be withdrawn, or nil if the memory has no such vote.
func newestVote(m *hippo.Memory) *hippo.Feedback {
	i := slices.IndexFunc(m.Feedback, func(f hippo.Feedback) bool { return f.Former != nil })
	if i < 0 {
		return nil
	}
	return &m.Feedback[i]
}

// voteOf returns the vote, opening or withdrawal that alone explains how the importance and feedback of a memory changed; nil if none does.
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

// opened returns the newest feedback if it is an opening, else nil.
func opened(m *hippo.Memory, cal hippo.Calendar) *voteValue {
	n := len(m.Feedback)
	if n == 0 || m.Feedback[n-1].Kind != hippo.FeedbackOpened {
		return nil
	}
	f := &m.Feedback[n-1]
	return &voteValue{Kind: f.Kind, Date: DateOf(cal, f.Day), Question: f.Question}
}

// voted returns the newest vote, or nil if the memory has none.
func voted(m *hippo.Memory, cal hippo.Calendar) *voteValue {
	f := newestVote(m)
	if f == nil {
		return nil
	}
	return &voteValue{Kind: f.Kind, Date: DateOf(cal, f.Day), At: micros(f.Former.At), Question: f.Question}
}

// unvoted returns the withdrawal of the newest vote, or nil if s does not hold that vote.
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

// explains reports whether adding v to s gives the importance and feedback of after.
func explains(s *Subject, v *voteValue, after *hippo.Memory, cal hippo.Calendar, cast Cast) bool {
	e := &entry.Entry{Dot: entry.Dot{Seq: 1}, Time: clock.MaxTime, Subject: s.ID, Parts: map[string]json.RawMessage{Vote: raw(v)}}
	trial := NewSubject(s.ID, append(s.Held(), &entry.Held{Entry: e})...)
	m := after.Clone()
	m.Importance, m.Untied, m.Feedback = hippo.Importance{}, nil, nil
	applyImportance(trial, m, cal, cast)
	return sameVotes(m, after)
}

// sameVotes reports whether two memories have the same importance and feedback.
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

// near reports whether two numbers are equal within the rounding error that the order of operations causes.
func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// voteAt returns the vote that somebody cast at a time, or nil if s holds none.
func voteAt(s *Subject, at time.Time) (found *entry.Held) {
	for _, h := range s.Register(Vote) {
		var v voteValue
		if read(h, Vote, &v) && v.Undoes == nil && v.At == micros(at) {
			found = h
		}
	}
	return found
}

// vote is a vote or an opening that counts.
type vote struct {
	*entry.Held
	voteValue
}

// votesOf returns the votes and openings in stamp order, without withdrawn ones.
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

// Cast applies a vote or an opening to a memory as the engine does. f has Kind, Day and Question. For a vote, it also has Former.At.
type Cast func(m *hippo.Memory, f hippo.Feedback)

// applyImportance sets the importance of a memory. It starts with the last importance that was set explicitly. On top, it applies the
// votes that the writer of that importance had not seen, in stamp order.
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

// setImportance sets an importance and the feedback that it includes. It reports whether this program can read the value.
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

// Reundone returns the withdrawal of a vote that got another dot, and reports whether it is one.
func Reundone(value json.RawMessage, now map[entry.Dot]entry.Dot) (json.RawMessage, bool) {
	var v voteValue
	if json.Unmarshal(value, &v) != nil || v.Undoes == nil {
		return nil, false
	}
	r, err := clock.ParseReplica(v.Undoes.Replica)
	d, ok := now[entry.Dot{Origin: r, Seq: v.Undoes.N}]
	if err != nil || !ok {
		return nil, false
	}
	v.Undoes = &dotValue{d.Origin.String(), d.Seq}
	return raw(v), true
}
