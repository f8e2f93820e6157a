package grid

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// Library has the sets, and what stores are filled up with.
type Library struct {
	Sets []*eval.Set
	// notes and turns fill up stores of notes and of conversations.
	notes, turns, chat, foreign, long, code pool
	// unanswered are the questions that nothing answers, by the name of the set.
	unanswered map[string][]string
}

// clock is the time of all stores.
func clock() time.Time { return eval.Now() }

// seedOf makes a seed of a text.
func seedOf(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum64()
}

// Read reads the sets and the fillers below a folder of data. What is not there is left out; an empty folder means
// the set in the program, see [Synthetic].
func Read(data string) (*Library, error) {
	l := &Library{unanswered: make(map[string][]string)}
	read := func(folder string) (*eval.Set, error) {
		list, err := eval.Load(filepath.Join(data, folder))
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			for _, q := range x.Questions {
				if eval.Unanswerable(q.Category) {
					l.unanswered[short(folder)] = append(l.unanswered[short(folder)], q.Text)
				}
			}
		}
		return asOne(short(folder), list), nil
	}
	if data == "" {
		l.Sets = []*eval.Set{Synthetic()}
		l.generated()
		return l, nil
	}
	byFolder := make(map[string]*eval.Set)
	for _, folder := range append(sets(), "agents/manpages", "agents/code_go") {
		s, err := read(folder)
		if err != nil {
			return nil, err
		}
		byFolder[folder] = s
		if s != nil && slices.Contains(sets(), folder) {
			l.Sets = append(l.Sets, s)
		}
	}
	docs := func(folders ...string) (p pool) {
		for _, f := range folders {
			if byFolder[f] != nil {
				p = append(p, docsOf(byFolder[f])...)
			}
		}
		return p
	}
	l.notes = docs("agents/team", "agents/life", "agents/lessons", "agents/exact")
	l.turns = docs("locomo", "realtalk", "beam/100K")
	l.chat = shortTurns(docs("realtalk", "locomo"))
	l.foreign, l.long, l.code = docs("agents/world"), docs("agents/manpages"), docs("agents/code_go")
	l.generated()
	return l, nil
}

// generated fills the pools that have no data.
func (l *Library) generated() {
	if len(l.notes) == 0 {
		l.notes = generatedNotes(4000)
	}
	if len(l.turns) == 0 {
		l.turns = l.notes
	}
	if len(l.chat) == 0 {
		l.chat = generatedChat(4000)
	}
	for _, p := range []*pool{&l.notes, &l.turns, &l.chat, &l.foreign, &l.long, &l.code} {
		p.shuffle()
	}
}

// asOne joins sets that are one: their stores are its groups, and names begin with that of their set.
func asOne(name string, list []*eval.Set) *eval.Set {
	out := &eval.Set{Name: name, Setting: list[0].Setting}
	for _, s := range list {
		prefix := ""
		if len(list) > 1 {
			prefix = s.Name + "/"
		}
		for _, g := range s.Groups {
			docs := make([]*hippo.Memory, len(g.Docs))
			for i, m := range g.Docs {
				docs[i] = renamed(m, prefix+eval.Name(m))
			}
			out.Groups = append(out.Groups, eval.Group{Name: prefix + g.Name, Docs: docs})
		}
		for _, q := range s.Judged().Questions {
			if eval.Excluded(q.Category) {
				continue
			}
			relevant := make(map[string]float64, len(q.Relevant))
			for d, gain := range q.Relevant {
				relevant[prefix+d] = gain
			}
			q.ID, q.Group, q.Relevant = prefix+q.ID, prefix+q.Group, relevant
			out.Questions = append(out.Questions, q)
		}
	}
	return out
}

// renamed returns a copy with another name.
func renamed(m *hippo.Memory, name string) *hippo.Memory {
	if name == eval.Name(m) {
		return m
	}
	c := m.Clone()
	c.ID, c.Source.URI = hippo.ID(uuid.NewSHA1(uuid.UUID(m.ID), []byte(name))), name
	return c
}

func docsOf(s *eval.Set) (out []*hippo.Memory) {
	for _, g := range s.Groups {
		out = append(out, g.Docs...)
	}
	return out
}

// shortTurns are the turns of 3 to 14 words, each by itself and of no importance.
func shortTurns(turns []*hippo.Memory) (p pool) {
	for i, m := range turns {
		text := textOf(m)
		if n := len(strings.Fields(text)); n >= 3 && n <= 14 && !strings.Contains(text, "\n") {
			p = append(p, note("chat", i, text, .2))
		}
	}
	return p
}

// pool is memories that stores are filled up with.
type pool []*hippo.Memory

func (p pool) shuffle() {
	seeded("pool").Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
}

// beside returns n of the pool that say nothing of a set's own memories: first those that are there, then copies in which each sentence is
// one of another. None if the pool is empty.
func (p pool) beside(own []*hippo.Memory, n int) []*hippo.Memory {
	seen, ids := make(map[hippo.Hash]bool), make(map[hippo.ID]bool)
	for _, m := range own {
		seen[hippo.HashContent(textOf(m))], ids[m.ID] = true, true
	}
	var out []*hippo.Memory
	add := func(m *hippo.Memory) {
		h := hippo.HashContent(textOf(m))
		if len(out) < n && !seen[h] && !ids[m.ID] {
			seen[h], out = true, append(out, m)
		}
	}
	for _, m := range p {
		if add(m); len(out) == n {
			return out
		}
	}
	var foreign []string // sentences of the pool that are not of the set
	ours := sentencesOf(own)
	for s := range sentencesOf(p) {
		if !ours[s] {
			foreign = append(foreign, s)
		}
	}
	slices.Sort(foreign)
	r := seeded("recombined")
	for round, before := 1, -1; before < len(out) && len(foreign) > 0; round++ { // until a round finds nothing new
		before = len(out)
		for _, m := range p {
			if add(recombined(m, round, foreign, r)); len(out) == n {
				return out
			}
		}
	}
	return out
}

// recombined returns a copy of a memory with other sentences. Author and session stay.
func recombined(m *hippo.Memory, round int, sentences []string, r *rand.Rand) *hippo.Memory {
	var parts []string
	for range strings.SplitAfter(textOf(m), ". ") {
		parts = append(parts, pick(r, sentences...))
	}
	suffix := "~" + strconv.Itoa(round)
	c := renamed(m, eval.Name(m)+suffix)
	c.Content = strings.Join(parts, " ")
	if a := m.Source.Author; a != "" {
		c.Content = a + ": " + c.Content
	}
	if c.Validate() != nil { // too long
		c.Content = parts[0]
	}
	c.ContentHash = hippo.HashContent(c.Content)
	if c.Source.Session != "" {
		c.Source.Session += suffix
	}
	c.Metadata, c.SupersededBy, c.ValidUntil = nil, hippo.ID{}, time.Time{}
	return c
}

// sentencesOf are the sentences of memories.
func sentencesOf(list []*hippo.Memory) map[string]bool {
	out := make(map[string]bool)
	for _, m := range list {
		for s := range strings.SplitAfterSeq(textOf(m), ". ") {
			if s = strings.TrimSpace(s); s != "" {
				out[s] = true
			}
		}
	}
	return out
}

// textOf returns the content of a memory without its author.
func textOf(m *hippo.Memory) string {
	if m.Source.Author == "" {
		return m.Content
	}
	return strings.TrimPrefix(m.Content, m.Source.Author+": ")
}
