package consolidate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/hippo-memory/hippo/internal/index/bm25"
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// maxTerms is the number of distinct terms of a memory that count; they are of the first 2*maxTerms of its text.
const maxTerms = 256

// checkEvery is the number of memories between two looks at the context.
const checkEvery = 1 << 10

// item is a subject with what is computed of it.
type item struct {
	*Subject
	// code is the vector with length 1; Scale 0: there is none.
	code vector.Code
	// terms are distinct hashes of terms, those of the fewest memories first, and by hash.
	terms []uint32
	// score is the surprise as it will be.
	score float64
	// front is set for a memory that others are duplicates of.
	front bool
}

// corpus is the memories of a project.
type corpus struct {
	items []item
	// frequency is the number of memories that have a term.
	frequency map[uint32]uint32
	analyzer  bm25.Analyzer
}

// itemsOf computes the items of subjects.
func itemsOf(ctx context.Context, list []*Subject) (*corpus, error) {
	c := &corpus{items: make([]item, len(list)), frequency: make(map[uint32]uint32), analyzer: bm25.Words()}
	for i, x := range list {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		c.items[i] = item{Subject: x, code: unit(x.Vector), terms: c.termsOf(x.Content), score: x.Surprise.Score}
		for _, t := range c.items[i].terms {
			c.frequency[t]++
		}
	}
	for i := range c.items {
		slices.SortFunc(c.items[i].terms, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(c.frequency[a], c.frequency[b]), cmp.Compare(a, b))
		})
	}
	return c, nil
}

// termsOf returns the distinct terms of a text, function words left out, as hashes.
func (c *corpus) termsOf(text string) []uint32 {
	out := make([]uint32, 0, 32)
	c.analyzer.Terms(text, func(term []byte) {
		if len(out) < 2*maxTerms && !c.analyzer.Stop(string(term)) {
			out = append(out, hash(term))
		}
	})
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.Clip(out[:min(len(out), maxTerms)])
}

// hash is FNV-1a: dictionaries of the terms of large stores would take more than all the rest, and an
// accident of two terms in four billion costs a word in common.
// Source: Fowler, Noll and Vo, RFC 9923.
func hash(term []byte) uint32 {
	h := uint32(2166136261)
	for _, b := range term {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// idf is the inverse document frequency of a term.
func (c *corpus) idf(term uint32) float64 { return bm25.IDF(len(c.items), int(c.frequency[term])) }

// overlap is the Jaccard index of the terms of two items: of those in one or the other the share of those in
// both.
func (c *corpus) overlap(a, b *item) float64 {
	i, k, both := 0, 0, 0
	for i < len(a.terms) && k < len(b.terms) {
		x, y := a.terms[i], b.terms[k]
		switch d := cmp.Or(cmp.Compare(c.frequency[x], c.frequency[y]), cmp.Compare(x, y)); {
		case d < 0:
			i++
		case d > 0:
			k++
		default:
			i, k, both = i+1, k+1, both+1
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a.terms)+len(b.terms)-both)
}

// unit returns a vector with length 1, and one of Scale 0 for a vector without a direction.
func unit(c vector.Code) vector.Code {
	sum := int64(0)
	for i := range c.Hi {
		q := 256*int64(c.Hi[i]) + int64(c.Lo[i])
		sum += q * q
	}
	if sum == 0 || c.Scale == 0 || math.IsNaN(float64(c.Scale)) || math.IsInf(float64(c.Scale), 0) {
		return vector.Code{}
	}
	c.Scale = float32(math.Copysign(1/math.Sqrt(float64(sum)), float64(c.Scale)))
	return c
}
