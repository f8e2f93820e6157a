package eval

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
)

// distractorSeed makes the same data give the same distractors.
const distractorSeed = 0x6869_7070_6f00_0003

// telling is how many words a sentence must have to be a set's own: shorter ones
// ("That's great!") are everybody's.
const telling = 5

// distracted is the set, all groups in one store, with n more documents that come
// from the other sets, the same number from each: first their own documents, then
// these again with other sentences of that set in place of their own. None says the
// same as a document of the set or holds a sentence of it of [telling] words or more.
// The error is a [*hippo.FieldError] if the others have not so much to say.
func (s *set) distracted(sets []*set, n int) (*set, error) {
	own := ownOf(s)
	out := s.pooled()
	out.scope = ScopeDistractors
	g := &out.groups[0]
	others := slices.DeleteFunc(slices.Clone(sets), func(o *set) bool { return o == s })
	for i, o := range others {
		want := n / (len(others) - i)
		for m := range o.endless() {
			if want == 0 {
				break
			}
			if own.clear(m) {
				g.docs = append(g.docs, m)
				want--
				n--
			}
		}
	}
	if n > 0 {
		return nil, hippo.Fieldf("distractors", "must be texts of other sets, and there are %d too few beside %s", n, s.name)
	}
	return out, nil
}

// owned is what a set says.
type owned struct {
	ids       map[hippo.ID]bool
	texts     map[string]bool
	sentences map[string]bool
}

func ownOf(s *set) *owned {
	o := &owned{ids: make(map[hippo.ID]bool), texts: make(map[string]bool), sentences: make(map[string]bool)}
	for m := range s.all() {
		o.ids[m.ID] = true
		o.texts[plain(textOf(m))] = true
		for x := range sentencesOf(textOf(m)) {
			o.sentences[plain(x)] = true
		}
	}
	return o
}

// clear reports whether a document says nothing that is the set's.
func (o *owned) clear(m *hippo.Memory) bool {
	if o.ids[m.ID] || o.texts[plain(textOf(m))] {
		return false
	}
	for x := range sentencesOf(textOf(m)) {
		if len(strings.Fields(x)) >= telling && o.sentences[plain(x)] {
			return false
		}
	}
	return true
}

// rounds is how often the documents of a set are used again; a set of ten fills
// 100,000.
const rounds = 10_000

// endless yields the documents of a set, and then, round by round, copies in which
// each sentence is one that is drawn from the whole set: as many of the same authors,
// in sessions of the same shape. It ends after many rounds.
func (s *set) endless() iter.Seq[*hippo.Memory] {
	return func(yield func(*hippo.Memory) bool) {
		var sentences []string
		for m := range s.all() {
			sentences = slices.AppendSeq(sentences, sentencesOf(textOf(m)))
			if !yield(m) {
				return
			}
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.name)) // never fails
		draw := rand.New(rand.NewPCG(distractorSeed, h.Sum64()))
		for round := 1; round <= rounds && len(sentences) > 0; round++ {
			for m := range s.all() {
				c := recombined(m, round, func() string { return sentences[draw.IntN(len(sentences))] })
				if c.Validate() == nil && !yield(c) {
					return
				}
			}
		}
	}
}

// recombined is a copy of a document with other sentences.
func recombined(m *hippo.Memory, round int, draw func() string) *hippo.Memory {
	var b strings.Builder
	if m.Source.Author != "" {
		b.WriteString(m.Source.Author + ": ")
	}
	for range sentencesOf(textOf(m)) {
		b.WriteString(draw())
	}
	suffix := "~" + strconv.Itoa(round)
	c := m.Clone()
	c.Content = strings.TrimSpace(b.String())
	c.ContentHash = hippo.HashContent(c.Content)
	c.ID = hippo.ID(uuid.NewSHA1(uuid.UUID(m.ID), []byte(suffix)))
	c.Source.URI = idOf(m) + suffix
	if c.Project != "" {
		c.Project += suffix
	}
	if c.Source.Session != "" {
		c.Source.Session += suffix
	}
	c.Metadata = nil
	return c
}

// textOf is what a document says, without who says it.
func textOf(m *hippo.Memory) string {
	if m.Source.Author == "" {
		return m.Content
	}
	return strings.TrimPrefix(m.Content, m.Source.Author+": ")
}

// sentencesOf yields the parts of a text that end at a line's end, or at a full stop
// or mark before a space; each ends in one space or a new line.
func sentencesOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i < len(text); i++ {
			end := text[i] == '\n' || text[i] == ' ' && i > 0 && strings.IndexByte(".!?", text[i-1]) >= 0
			if !end {
				continue
			}
			part := strings.TrimSpace(text[from:i])
			if part != "" && !yield(part+text[i:i+1]) {
				return
			}
			from = i + 1
		}
		if part := strings.TrimSpace(text[from:]); part != "" {
			yield(part + " ")
		}
	}
}

// plain is a text without case and with single spaces.
func plain(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
