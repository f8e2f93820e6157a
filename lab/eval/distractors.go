package main

import (
	"hash/fnv"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// distractorSeed makes the same data give the same distractors.
const distractorSeed = 0x6869_7070_6f00_0003

// minWords is the number of words from which a sentence belongs to one set; shorter ones
// ("That's great!") occur anywhere.
const minWords = 5

// withDistractors is the set, all groups in one store, with n more documents that come
// from the other sets, the same number from each: first their own documents, then
// these again with other sentences of that set in place of their own. None has the text
// of a document of the set or contains a sentence of it of [minWords] words or more.
// The error is a [*hippo.FieldError] if the others have too few texts.
func withDistractors(s *eval.Set, sets []*eval.Set, n int) (*eval.Set, error) {
	own := textsOf(s)
	out := pooled(s)
	out.Setting = settingDistractors
	g := &out.Groups[0]
	others := slices.DeleteFunc(slices.Clone(sets), func(o *eval.Set) bool { return o.Name == s.Name })
	for i, o := range others {
		want := n / (len(others) - i)
		for m := range endless(o) {
			if want == 0 {
				break
			}
			if !own.overlap(m) {
				g.Docs = append(g.Docs, m)
				want--
				n--
			}
		}
	}
	if n > 0 {
		return nil, hippo.Fieldf("distractors", "must be texts of other sets, and there are %d too few beside %s", n, s.Name)
	}
	return out, nil
}

// texts are the IDs, texts and sentences of a set, normalised.
type texts struct {
	ids       map[hippo.ID]bool
	contents  map[string]bool
	sentences map[string]bool
}

func textsOf(s *eval.Set) *texts {
	t := &texts{ids: make(map[hippo.ID]bool), contents: make(map[string]bool), sentences: make(map[string]bool)}
	for m := range documents(s) {
		t.ids[m.ID] = true
		t.contents[normalised(textOf(m))] = true
		for x := range sentencesOf(textOf(m)) {
			t.sentences[normalised(x)] = true
		}
	}
	return t
}

// overlap reports whether a document repeats a document or a sentence of the set.
func (t *texts) overlap(m *hippo.Memory) bool {
	if t.ids[m.ID] || t.contents[normalised(textOf(m))] {
		return true
	}
	for x := range sentencesOf(textOf(m)) {
		if len(strings.Fields(x)) >= minWords && t.sentences[normalised(x)] {
			return true
		}
	}
	return false
}

// rounds is the number of times that the documents of a set are used again; a set of
// ten documents is enough for 100,000.
const rounds = 10_000

// endless yields the documents of a set, and then, round by round, copies in which
// each sentence is replaced by one that is drawn from the whole set. Authors and the shape
// of sessions stay. It ends after [rounds].
func endless(s *eval.Set) iter.Seq[*hippo.Memory] {
	return func(yield func(*hippo.Memory) bool) {
		var sentences []string
		for m := range documents(s) {
			sentences = slices.AppendSeq(sentences, sentencesOf(textOf(m)))
			if !yield(m) {
				return
			}
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(s.Name)) // never fails
		draw := rand.New(rand.NewPCG(distractorSeed, h.Sum64()))
		for round := 1; round <= rounds && len(sentences) > 0; round++ {
			for m := range documents(s) {
				c := recombine(m, round, func() string { return sentences[draw.IntN(len(sentences))] })
				if c.Validate() == nil && !yield(c) {
					return
				}
			}
		}
	}
}

// recombine returns a copy of a document with other sentences.
func recombine(m *hippo.Memory, round int, draw func() string) *hippo.Memory {
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
	c.Source.URI = eval.Name(m) + suffix
	if c.Project != "" {
		c.Project += suffix
	}
	if c.Source.Session != "" {
		c.Source.Session += suffix
	}
	c.Metadata = nil
	return c
}

// documents yields the documents of all groups of a set, in their order.
func documents(s *eval.Set) iter.Seq[*hippo.Memory] {
	return func(yield func(*hippo.Memory) bool) {
		for _, g := range s.Groups {
			for _, m := range g.Docs {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// textOf returns the content of a document without its author.
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

// normalised returns a text in lower case and with single spaces.
func normalised(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
