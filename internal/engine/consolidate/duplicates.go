package consolidate

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

const (
	// compared is the number of the memories with one word that a memory is compared with, the last ones in the
	// order of quality. It bounds the time for stores of texts of one pattern, where it may miss a pair.
	compared = 64
	// fewestTerms is the number of terms below which texts are duplicates only if they are equal.
	fewestTerms = 3
)

// finder finds near-duplicates. Memories come in the order of quality, so that each is linked to a better one, and only
// those without a better one are compared with.
//
// Two sets of a and b terms with a Jaccard index of t or more have a term in common among the rarest a - ceil(t*a) + 1
// of the one and the rarest b - ceil(t*b) + 1 of the other, so only those are indexed.
// Source: Chaudhuri, Ganti and Kaushik, A primitive operator for similarity joins in data cleaning, 2006.
type finder struct {
	*corpus
	o        *Duplicates
	equal    map[hippo.Hash]int
	postings map[uint32][]int
	seen     []int // by item: the last one that it was compared with, and 1
}

// duplicate is a memory that says the same as a better one.
type duplicate struct {
	of              int
	cosine, overlap float64
	equal           bool
}

// duplicates proposes to link the near-duplicates that are in the window.
func (s *state) duplicates(c *corpus) error {
	return s.options.Duplicates.each(s.stop, c, s.link)
}

// each calls found with each memory that another one says the same as, and marks that one.
func (o *Duplicates) each(stop pause, c *corpus, found func(x, front *item, d *duplicate)) error {
	order := make([]int, len(c.items))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return better(&c.items[a], &c.items[b]) })
	f := &finder{
		corpus: c, o: o, equal: make(map[hippo.Hash]int), postings: make(map[uint32][]int), seen: make([]int, len(order)),
	}
	for n, at := range order {
		if err := stop.at(n, checkTexts); err != nil {
			return err
		}
		d, ok := f.find(at)
		if !ok {
			f.add(at)
			continue
		}
		c.items[d.of].front = true
		found(&c.items[at], &c.items[d.of], &d)
	}
	return nil
}

// link proposes the link of a duplicate.
func (s *state) link(x, front *item, d *duplicate) {
	if !s.window.duplicates || s.links[pairOf(x.ID, front.ID)] || !s.window.contains(s.age(x.Memory)) && !s.window.contains(s.age(front.Memory)) {
		return
	}
	if s.linked++; s.linked > s.options.Duplicates.Links {
		s.plan.Left++
		return
	}
	r := hippo.Relation{From: x.ID, To: front.ID, Kind: DuplicateOf, Weight: 1, LastReinforced: s.Now}
	link := " as "
	if !d.equal {
		r.Weight, link = d.cosine, " with "
	}
	s.propose(Action{Kind: api.ActionLink, ID: x.ID, Reason: d.reason() + link + front.ID.String(), Relations: []hippo.Relation{r}})
}

// reason says why a memory is a duplicate.
func (d *duplicate) reason() string {
	if d.equal {
		return "same text"
	}
	return fmt.Sprintf("cosine %.2f and %.0f %% of the words in common", d.cosine, 100*d.overlap)
}

// better orders memories that say the same: pinned, voted up, more trusted, more important, more surprising, longer,
// newer. What changes with time or by a plan does not count.
func better(a, b *item) int {
	return cmp.Or(
		first(a.Pinned, b.Pinned), first(a.Upvoted, b.Upvoted), cmp.Compare(b.Trust, a.Trust), cmp.Compare(b.Importance.Base, a.Importance.Base),
		cmp.Compare(b.Surprise.Score, a.Surprise.Score), cmp.Compare(len(b.Content), len(a.Content)), b.CreatedAt.Compare(a.CreatedAt), bytes.Compare(a.ID[:], b.ID[:]),
	)
}

// first orders what is true before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// hashOf is the content hash of a memory.
func hashOf(m *hippo.Memory) hippo.Hash {
	if m.ContentHash == (hippo.Hash{}) {
		return hippo.HashContent(m.Content)
	}
	return m.ContentHash
}

// add indexes a memory that is no duplicate.
func (f *finder) add(at int) {
	x := &f.items[at]
	f.equal[hashOf(x.Memory)] = at
	if len(x.terms) < fewestTerms || x.code.Scale == 0 {
		return
	}
	for _, t := range f.prefix(x) {
		f.postings[t] = append(f.postings[t], at)
	}
}

// prefix returns the rarest terms of a memory, one of which each near-duplicate has as well.
func (f *finder) prefix(x *item) []uint32 {
	n := len(x.terms)
	return x.terms[:min(n, n-int(math.Ceil(f.o.Overlap*float64(n)))+1)]
}

// find returns the memory that an item is a duplicate of: the nearest one, among equals the better one.
func (f *finder) find(at int) (best duplicate, ok bool) {
	x := &f.items[at]
	if of, ok := f.equal[hashOf(x.Memory)]; ok {
		return duplicate{of: of, cosine: 1, overlap: 1, equal: true}, true
	}
	if len(x.terms) < fewestTerms || x.code.Scale == 0 {
		return best, false
	}
	var parsed contradict.Text
	for _, t := range f.prefix(x) {
		list := f.postings[t]
		for _, y := range list[max(0, len(list)-compared):] {
			if f.seen[y] == at+1 {
				continue
			}
			f.seen[y] = at + 1
			d, near := f.compare(x, y)
			if !near || ok && d.cosine <= best.cosine {
				continue
			}
			if parsed.Empty() {
				parsed = contradict.Parse(x.Content)
			}
			if !differ(x.Content, f.items[y].Content, parsed) {
				best, ok = d, true
			}
		}
	}
	return best, ok
}

// compare compares an item with a better one, the cheapest test first.
func (f *finder) compare(x *item, of int) (d duplicate, near bool) {
	y := &f.items[of]
	a, b := len(x.terms), len(y.terms)
	if float64(min(a, b)) < f.o.Overlap*float64(max(a, b)) || unlike(x, y, f.o.Overlap) || vector.Rough(&x.code, &y.code) < f.o.Cosine-2*rough {
		return d, false
	}
	d = duplicate{of: of, cosine: vector.Cosine(&x.code, &y.code)}
	if d.cosine < f.o.Cosine {
		return d, false
	}
	d.overlap = overlap(x, y, f.o.Overlap)
	return d, d.overlap >= f.o.Overlap
}

// differ reports whether two texts of much the same words say different things: they have other numbers, each
// names what the other does not, or one contradicts or revises the other.
func differ(a, b string, parsed contradict.Text) bool {
	if !slices.Equal(numbers(a), numbers(b)) || renamed(a, b) {
		return true
	}
	other := contradict.Parse(b)
	if _, no := parsed.Revised(other); no {
		return true
	}
	_, no := other.Revised(parsed)
	return no
}

// numbers returns the words with digits of a text, in its order.
func numbers(text string) []string {
	var out []string
	for w := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			out = append(out, strings.ToLower(strings.TrimFunc(w, unicode.IsPunct)))
		}
	}
	return out
}
