package eval

import (
	"math/rand/v2"
	"time"

	"github.com/hippo-memory/hippo"
)

// The store of [ScopeUsed]: what was used was opened usedCount times on each of the
// last hippo.MaxAccessDays active days, as often as frequency counts, and voted up as
// far as votes go; all else was recorded on day 1 and never touched since.
const (
	usedToday = hippo.MaxAccessDays + 10
	usedCount = 10
	usedShare = 100 // one in so many
	usedSeed  = 0x6869_7070_6f00_0002
)

// used is the set with one in usedShare memories of each group, rounded up, heavily
// used, and all others long forgotten. Those that answer any question are not among
// the used ones.
func (s *set) used() *set {
	answers := make(map[string]bool)
	for _, q := range s.questions {
		for name := range q.relevant {
			answers[name] = true
		}
	}
	out := &set{name: s.name, scope: ScopeUsed, questions: s.questions}
	draw := rand.New(rand.NewPCG(usedSeed, 0))
	for _, g := range s.groups {
		var others []*hippo.Memory
		docs := make([]*hippo.Memory, len(g.docs))
		for i, m := range g.docs {
			docs[i] = m.Clone()
			docs[i].Accesses = []hippo.Access{{Day: 1, Count: 1}}
			docs[i].Importance.SetDay = 1
			if !answers[idOf(m)] {
				others = append(others, docs[i])
			}
		}
		draw.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		for _, m := range others[:min(len(others), (len(docs)+usedShare-1)/usedShare)] {
			use(m)
		}
		out.groups = append(out.groups, group{name: g.name, docs: docs})
	}
	return out
}

// use makes a memory a heavily used one.
func use(m *hippo.Memory) {
	m.Accesses = nil
	for d := range hippo.MaxAccessDays {
		m.Touch(hippo.Day(usedToday-hippo.MaxAccessDays+1+d), usedCount)
	}
	m.Importance.Value, m.Importance.SetDay = 1, usedToday
}

// today is the newest active day that documents know of; 0 if they carry none.
func today(docs []*hippo.Memory) hippo.Day {
	var day hippo.Day
	for _, m := range docs {
		day = max(day, m.Importance.SetDay)
		if n := len(m.Accesses); n > 0 {
			day = max(day, m.Accesses[n-1].Day)
		}
	}
	return day
}

// calendarOf is the calendar, at now, of the store that documents came from; zero if
// they carry no days.
func calendarOf(docs []*hippo.Memory, now time.Time) hippo.Calendar {
	if day := today(docs); day > 0 {
		return hippo.Calendar{Day: day, Date: now.Format(time.DateOnly)}
	}
	return hippo.Calendar{}
}
