package main

import (
	"math/rand/v2"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// The stores of [settingUsed]: each used memory was opened usedCount times on each of the
// last hippo.MaxAccessDays active days, the most that frequency counts, and voted up to
// importance 1; all others were recorded on day 1 and never touched since.
const (
	usedToday = hippo.MaxAccessDays + 10
	usedCount = 10
	usedShare = 100 // one memory of each usedShare
	usedSeed  = 0x6869_7070_6f00_0002
)

// used is the set with one in usedShare memories of each group, rounded up, heavily
// used, and all others long untouched. Memories that answer any question are never
// among the used ones.
func used(s *eval.Set) *eval.Set {
	answers := make(map[string]bool)
	for _, q := range s.Questions {
		for name := range q.Relevant {
			answers[name] = true
		}
	}
	out := &eval.Set{Name: s.Name, Setting: settingUsed, Questions: s.Questions}
	draw := rand.New(rand.NewPCG(usedSeed, 0))
	for _, g := range s.Groups {
		var others []*hippo.Memory
		docs := make([]*hippo.Memory, len(g.Docs))
		for i, m := range g.Docs {
			docs[i] = m.Clone()
			docs[i].Accesses = []hippo.Access{{Day: 1, Count: 1}}
			docs[i].Importance.SetDay = 1
			if !answers[eval.Name(m)] {
				others = append(others, docs[i])
			}
		}
		draw.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		for _, m := range others[:min(len(others), (len(docs)+usedShare-1)/usedShare)] {
			use(m)
		}
		out.Groups = append(out.Groups, eval.Group{Name: g.Name, Docs: docs})
	}
	return out
}

// use gives a memory the accesses and the importance of a heavily used one.
func use(m *hippo.Memory) {
	m.Accesses = nil
	for d := range hippo.MaxAccessDays {
		m.Touch(hippo.Day(usedToday-hippo.MaxAccessDays+1+d), usedCount)
	}
	m.Importance.Value, m.Importance.SetDay = 1, usedToday
}
