package consolidate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// maxTerms is the number of distinct terms of a memory that count; they are of the first 2*maxTerms of its text.
const maxTerms = 256

// item is a subject with what is computed of it.
type item struct {
	*Subject
	// code is the vector with length 1; Scale 0: there is none.
	code vector.Code
	// terms are the distinct terms, ascending, so that those of the fewest memories are first.
	terms []uint32
	// bits has the bit of each term, so that terms which differ show without a look at the lists.
	bits [2]uint64
	// front is set for a memory that others are duplicates of.
	front bool
}

// corpus is the memories of a project.
type corpus struct {
	items []item
	// numbers has the number of a term by its hash: terms are numbered by the memories that have them, the fewest first,
	// and by hash. frequency has the number of these memories by the number of a term.
	numbers   map[uint32]uint32
	frequency []uint32
	analyzer  bm25.Analyzer
}

// itemsOf computes the items of subjects.
func itemsOf(stop pause, list []*Subject) (*corpus, error) {
	c := &corpus{items: make([]item, len(list)), numbers: make(map[uint32]uint32), analyzer: bm25.Words()}
	for i, x := range list {
		if err := stop.at(i, checkTexts); err != nil {
			return nil, err
		}
		c.items[i] = item{Subject: x, code: unit(x.Vector), terms: c.termsOf(x.Content)}
		for _, t := range c.items[i].terms {
			c.numbers[t]++
		}
	}
	return c, c.number(stop)
}

// number replaces hashes by the numbers of the terms, given how many memories have each hash.
func (c *corpus) number(stop pause) error {
	hashes := make([]uint32, 0, len(c.numbers))
	for h := range c.numbers {
		hashes = append(hashes, h)
	}
	slices.SortFunc(hashes, func(a, b uint32) int { return cmp.Or(cmp.Compare(c.numbers[a], c.numbers[b]), cmp.Compare(a, b)) })
	c.frequency = make([]uint32, len(hashes))
	for n, h := range hashes {
		c.frequency[n] = c.numbers[h]
		c.numbers[h] = uint32(n)
	}
	for i := range c.items {
		if err := stop.at(i, checkEvery); err != nil {
			return err
		}
		terms := c.items[i].terms
		for k, h := range terms {
			terms[k] = c.numbers[h]
		}
		slices.Sort(terms)
		c.items[i].bits = bitsOf(terms)
	}
	return nil
}

// bitsOf returns a set with one of 128 bits for each term.
func bitsOf(terms []uint32) (out [2]uint64) {
	for _, t := range terms {
		out[t/64%2] |= 1 << (t % 64)
	}
	return out
}

// termsOf returns the hashes of the distinct terms of a text, function words left out.
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

// term returns the number of a term; not ok if no memory has it.
func (c *corpus) term(text []byte) (n uint32, ok bool) {
	n, ok = c.numbers[hash(text)]
	return n, ok
}

// idf is the inverse document frequency of a term.
func (c *corpus) idf(term uint32) float64 { return bm25.IDF(len(c.items), int(c.frequency[term])) }

// unlike reports that the Jaccard index of the terms of two items is below least, because of the bits that differ: at least as
// many terms are in only one of the two. It may miss that, and is never wrong.
// Source: Sandes, Teodoro and Melo, Bitmap filter: speeding up exact set similarity joins with bitwise operations, 2020.
func unlike(a, b *item, least float64) bool {
	differ := bits.OnesCount64(a.bits[0]^b.bits[0]) + bits.OnesCount64(a.bits[1]^b.bits[1])
	return float64(differ) > (1-least)/(1+least)*float64(len(a.terms)+len(b.terms))+1e-9
}

// overlap is the Jaccard index of the terms of two items: the number of those in both, divided by that of those in one or
// the other. It is 0 if it is below least.
func overlap(a, b *item, least float64) float64 {
	x, y := a.terms, b.terms
	// Both texts must have need terms: need / (a + b - need) = least. Of each, spare may be missing in the other.
	need := int(math.Ceil(least/(1+least)*float64(len(x)+len(y)) - 1e-9))
	both, spareX, spareY := 0, len(x)-need, len(y)-need
	for len(x) > 0 && len(y) > 0 && spareX >= 0 && spareY >= 0 {
		switch {
		case x[0] == y[0]:
			x, y, both = x[1:], y[1:], both+1
		case x[0] < y[0]:
			x, spareX = x[1:], spareX-1
		default:
			y, spareY = y[1:], spareY-1
		}
	}
	if both == 0 || both < need {
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
