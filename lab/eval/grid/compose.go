package grid

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// pooledFrom is the size from which the groups of a set are one store.
const pooledFrom = 3000

// composed returns the stores of a cell, of which each question is asked of one, in its plain form. Without the filler
// in the data it has no stores.
func (l *Library) composed(s *eval.Set, c Cell, sample int) *eval.Set {
	f := fillerNamed(c.Filler)
	filled := int(math.Round(f.share * float64(c.Size)))
	quota, fill, padding := c.Size-filled, f.make, l.notes
	if s.Setting == eval.SettingConversation {
		padding = l.turns
	}
	if s.Name == foreignSet && strings.HasPrefix(f.name, foreignKind) { // what is asked for is the foreign part
		quota, fill = filled, nil
	}
	all := docsOf(s)
	if c.Size >= pooledFrom {
		s = pooled(s)
	}
	out := &eval.Set{Name: c.String(), Setting: s.Setting}
	s = sampled(s, sample)
	for _, g := range s.Groups {
		for _, p := range packed(s, g, quota) {
			docs := p.docs
			if fill != nil {
				extra := fill(l, p.docs, min(filled, c.Size-len(docs)))
				if len(extra) == 0 {
					return out
				}
				docs = mixed(docs, extra)
			}
			docs = mixed(docs, padding.beside(all, c.Size-len(docs)))
			name := g.Name + "#" + strconv.Itoa(len(out.Groups))
			out.Groups = append(out.Groups, eval.Group{Name: name, Docs: dated(docs)})
			for _, q := range p.questions {
				q.Group = name
				out.Questions = append(out.Questions, q)
			}
		}
	}
	return out
}

// pooled is the set with one store.
func pooled(s *eval.Set) *eval.Set {
	out := *s
	out.Groups, out.Questions = []eval.Group{{Docs: docsOf(s)}}, slices.Clone(s.Questions)
	for i := range out.Questions {
		out.Questions[i].Group = ""
	}
	return &out
}

// sampled is the set with at most n of its questions, drawn by their names.
func sampled(s *eval.Set, n int) *eval.Set {
	drawn := make(map[string]uint64)
	for i := range s.Questions {
		drawn[s.Questions[i].ID] = randOf(s.Name, s.Questions[i].ID).Uint64()
	}
	sorted := slices.Clone(s.Questions)
	slices.SortStableFunc(sorted, func(a, b eval.Question) int {
		if drawn[a.ID] < drawn[b.ID] {
			return -1
		}
		return 1
	})
	out := *s
	out.Questions = sorted[:min(n, len(sorted))]
	return &out
}

// randOf returns a source of randomness for a question of a set.
func randOf(set, question string) *rand.Rand {
	return rand.New(rand.NewPCG(seedOf(set), seedOf(question)))
}

// pack is a part of a group, and questions that are asked of it.
type pack struct {
	docs      []*hippo.Memory
	questions []eval.Question
}

// packed spreads the questions about a group over stores of at most n of its memories, of which at most half answer them, in the order of the
// questions. Those with more than n answers are left out.
func packed(s *eval.Set, g eval.Group, n int) []pack {
	var asked []eval.Question
	for _, q := range s.Questions {
		if q.Group == g.Name && len(q.Relevant) <= n {
			asked = append(asked, q)
		}
	}
	switch {
	case len(asked) == 0:
		return nil
	case len(g.Docs) <= n:
		return []pack{{g.Docs, asked}}
	}
	var out []pack
	answers := make(map[string]bool)
	var part []eval.Question
	for _, q := range asked {
		more := len(answers)
		for name := range q.Relevant {
			if !answers[name] {
				more++
			}
		}
		if len(part) > 0 && more > n/2 {
			out = append(out, pack{around(g, answers, n), part})
			clear(answers)
			part = nil
		}
		part = append(part, q)
		for name := range q.Relevant {
			answers[name] = true
		}
	}
	return append(out, pack{around(g, answers, n), part})
}

// around are n memories of a group, in their order: those that answer, and others.
func around(g eval.Group, answers map[string]bool, n int) []*hippo.Memory {
	r := randOf(g.Name, strconv.Itoa(len(answers)))
	left := n - len(answers)
	in := make(map[int]bool)
	for _, i := range r.Perm(len(g.Docs)) {
		switch {
		case answers[eval.Name(g.Docs[i])]:
			in[i] = true
		case left > 0:
			in[i] = true
			left--
		}
	}
	var out []*hippo.Memory
	for i, m := range g.Docs {
		if in[i] {
			out = append(out, m)
		}
	}
	return out
}

// mixed puts memories between others; both keep their order.
func mixed(docs, extra []*hippo.Memory) []*hippo.Memory {
	if len(extra) == 0 {
		return docs
	}
	from := make([]bool, len(docs)+len(extra))
	for i := range extra {
		from[i] = true
	}
	seeded("mixed").Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	out := make([]*hippo.Memory, 0, len(from))
	for _, isExtra := range from {
		if isExtra {
			out, extra = append(out, extra[0]), extra[1:]
		} else {
			out, docs = append(out, docs[0]), docs[1:]
		}
	}
	return out
}

// dated gives memories without a time one in their order, a second apart.
func dated(docs []*hippo.Memory) []*hippo.Memory {
	out := make([]*hippo.Memory, len(docs))
	for i, m := range docs {
		out[i] = m
		if m.CreatedAt.IsZero() {
			out[i] = m.Clone()
			out[i].CreatedAt = clock().Add(time.Duration(i+1-len(docs)) * time.Second)
		}
	}
	return out
}
