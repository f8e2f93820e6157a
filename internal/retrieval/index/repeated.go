package index

import (
	"cmp"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// repeated is a document that has the key of another one.
type repeated struct {
	key uint64 // see [saidKey]
	doc retrieve.Doc
}

func (x repeated) alike(y repeated) bool { return x.key == y.key }

// same is what a search knows of documents that say the same.
type same struct {
	// repeated are the documents of the snapshot that have the key of another one, by key; nil if the search leaves out none.
	repeated []repeated
	// joined are documents that do not match, and stand for others that say the same.
	joined []retrieve.Doc
}

// repeatedDocs are the documents in some segments that share their key with another document, by namespace and sorted by key.
type repeatedDocs struct {
	of    []weak.Pointer[segment] // which may be gone
	docs  int
	keys  keySet // of all documents
	lists map[string][]repeated
}

// repeats caches the repeated documents of the segments of the last search, and those of its leading segments, which change less often.
type repeats struct{ last, first atomic.Pointer[repeatedDocs] }

// restShare is the least ratio of documents in the cached leading segments to documents in the rest. Below it, all are compared again.
const restShare = 16

// in returns the repeated documents of a namespace in parts. Cost: none if the segments are those of the last call. Otherwise about 10 ns for each
// document behind the cached leading segments and 1 ns for each of the others; 10 ns for every document if the leading segments have changed.
func (r *repeats) in(parts []*part, namespace string) []repeated {
	last := r.last.Load()
	if last == nil || len(last.of) != len(parts) || !last.begins(parts) {
		last = r.withRest(parts)
		r.last.Store(last)
	}
	return last.lists[namespace]
}

// withRest finds the repeated documents of parts.
func (r *repeats) withRest(parts []*part) *repeatedDocs {
	first := r.first.Load()
	if first == nil || !first.begins(parts) || (docsIn(parts)-first.docs)*restShare > first.docs {
		first = repeatedAmong(parts)
		r.first.Store(first)
	}
	if len(first.of) == len(parts) {
		return first
	}
	return first.with(parts)
}

// begins reports whether parts start with these segments.
func (r *repeatedDocs) begins(parts []*part) bool {
	return len(r.of) <= len(parts) && slices.EqualFunc(r.of, parts[:len(r.of)], func(of weak.Pointer[segment], p *part) bool { return of == weak.Make(p.segment) })
}

// repeatedAmong finds the repeated documents of parts by namespace. Keys of two namespaces never match.
func repeatedAmong(parts []*part) *repeatedDocs {
	out := &repeatedDocs{of: segmentsOf(parts), docs: docsIn(parts), lists: make(map[string][]repeated)}
	out.keys = newKeySet(out.docs)
	for _, p := range parts {
		for _, key := range p.columns.said {
			out.keys.add(key)
		}
	}
	collectSaid(out.lists, parts, 0, out.keys.repeats)
	for namespace, list := range out.lists {
		out.lists[namespace] = onlyRepeated(list)
	}
	return out
}

// with returns the repeated documents of parts, which start with these segments.
func (r *repeatedDocs) with(parts []*part) *repeatedDocs {
	first, rest := parts[:len(r.of)], parts[len(r.of):]
	keys, known, found := newKeySet(docsIn(rest)), newKeySet(docsIn(rest)), false
	for _, p := range rest {
		for _, key := range p.columns.said {
			keys.add(key)
			if r.keys.has(key) {
				known.add(key)
				found = true
			}
		}
	}
	some := make(map[string][]repeated)
	if found {
		collectSaid(some, first, 0, known.has)
	}
	collectSaid(some, rest, len(first), func(key uint64) bool { return keys.repeats(key) || known.has(key) })
	out := &repeatedDocs{of: segmentsOf(parts), lists: maps.Clone(r.lists)}
	for namespace, list := range some {
		others := slices.DeleteFunc(slices.Clone(r.lists[namespace]), func(x repeated) bool { return known.has(x.key) })
		out.lists[namespace] = onlyRepeated(append(others, list...))
	}
	return out
}

func segmentsOf(parts []*part) (list []weak.Pointer[segment]) {
	for _, p := range parts {
		list = append(list, weak.Make(p.segment))
	}
	return list
}

func docsIn(parts []*part) (n int) {
	for _, p := range parts {
		n += p.docs
	}
	return n
}

// collectSaid adds the documents whose key is wanted to the list of their namespace. from is the number of the first part in the snapshot.
func collectSaid(lists map[string][]repeated, parts []*part, from int, wanted func(key uint64) bool) {
	for i, p := range parts {
		for _, t := range p.tenants {
			var list []repeated
			for doc := t.from; doc < t.to; doc++ {
				if key := p.columns.said[doc]; key != 0 && wanted(key) {
					list = append(list, repeated{key, docIn(from+i, doc)})
				}
			}
			if len(list) > 0 {
				namespace := p.names.text(t.namespace)
				lists[namespace] = append(lists[namespace], list...)
			}
		}
	}
}

// onlyRepeated returns those documents of a list that have the key of another one, in order.
func onlyRepeated(list []repeated) []repeated {
	slices.SortFunc(list, func(a, b repeated) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.doc, b.doc)) })
	out := list[:0]
	for run := range runs(list, repeated.alike) {
		if len(run) > 1 {
			out = append(out, run...)
		}
	}
	return slices.Clip(out)
}

// runs yields the parts of a list of which all are alike.
func runs[T any](list []T, alike func(a, b T) bool) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && alike(list[0], list[n]) {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// keySet is a pair of Bloom filters with two bits a key: seen holds the keys that were added, twice those that may have been added more than once.
type keySet struct{ seen, twice []uint64 }

// keyBits is the number of bits a key. About one in 256 lookups of an absent key is a false positive.
const keyBits = 32

// newKeySet returns a set for n keys.
func newKeySet(n int) keySet {
	words := 1 << bits.Len(uint(n*keyBits/64))
	return keySet{make([]uint64, words), make([]uint64, words)}
}

// bitsOf returns the positions and masks of the two bits of a key in a filter. words is its size, a power of two.
func bitsOf(key uint64, words int) (at, other int, bit, otherBit uint64) {
	return int(key>>6) & (words - 1), int(key>>38) & (words - 1), 1 << (key & 63), 1 << (key >> 32 & 63)
}

// add adds a key.
func (s *keySet) add(key uint64) {
	at, other, bit, otherBit := bitsOf(key, len(s.seen))
	if s.seen[at]&bit != 0 && s.seen[other]&otherBit != 0 {
		s.twice[at] |= bit
		s.twice[other] |= otherBit
		return
	}
	s.seen[at] |= bit
	s.seen[other] |= otherBit
}

// has reports whether a key may have been added.
func (s *keySet) has(key uint64) bool {
	at, other, bit, otherBit := bitsOf(key, len(s.seen))
	return s.seen[at]&bit != 0 && s.seen[other]&otherBit != 0
}

// repeats reports whether a key may have been added more than once.
func (s *keySet) repeats(key uint64) bool {
	at, other, bit, otherBit := bitsOf(key, len(s.seen))
	return s.twice[at]&bit != 0 && s.twice[other]&otherBit != 0
}
