package index

import (
	"cmp"
	"iter"
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

// repeatedDocs are the documents of some segments that have the key of another one, by namespace, those of one key one after the other.
type repeatedDocs struct {
	of    []weak.Pointer[segment] // which may be gone
	lists map[string][]repeated
}

// repeats caches the repeated documents of the segments that were searched last.
type repeats struct{ last atomic.Pointer[repeatedDocs] }

// in returns the repeated documents of a namespace in parts. Cost: some 5 ns a document of all namespaces, if these are not the segments
// that were asked for last.
func (r *repeats) in(parts []*part, namespace string) []repeated {
	known := func(of weak.Pointer[segment], p *part) bool { return of == weak.Make(p.segment) }
	if last := r.last.Load(); last != nil && slices.EqualFunc(last.of, parts, known) {
		return last.lists[namespace]
	}
	out := &repeatedDocs{lists: repeatedAmong(parts)}
	for _, p := range parts {
		out.of = append(out.of, weak.Make(p.segment))
	}
	r.last.Store(out)
	return out.lists[namespace]
}

// repeatedAmong returns the repeated documents of parts by namespace, which is a part of what a key identifies.
func repeatedAmong(parts []*part) map[string][]repeated {
	n := 0
	for _, p := range parts {
		n += p.docs
	}
	keys := newKeySet(n)
	for _, p := range parts {
		for _, key := range p.columns.said {
			keys.add(key)
		}
	}
	out := make(map[string][]repeated)
	for at, p := range parts {
		for _, t := range p.tenants {
			namespace := p.names.text(t.namespace)
			list := out[namespace]
			for doc := t.from; doc < t.to; doc++ {
				if key := p.columns.said[doc]; key != 0 && keys.repeats(key) {
					list = append(list, repeated{key, docIn(at, doc)})
				}
			}
			out[namespace] = list
		}
	}
	for namespace, list := range out {
		out[namespace] = onlyRepeated(list)
	}
	return out
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

// keySet holds a few bits of each key: of those that were added, and of those that may have been added more than once.
type keySet struct{ seen, twice []uint64 }

// keyBits is how many bits there are for each key: that is how many keys there are for one that looks as if it had been added before.
const keyBits = 32

// newKeySet returns a set for n keys.
func newKeySet(n int) keySet {
	words := 1 << bits.Len(uint(n*keyBits/64))
	return keySet{make([]uint64, words), make([]uint64, words)}
}

// add adds a key.
func (s *keySet) add(key uint64) {
	at, bit := int(key>>6)&(len(s.seen)-1), uint64(1)<<(key&63)
	s.twice[at] |= s.seen[at] & bit
	s.seen[at] |= bit
}

// repeats reports whether a key may have been added more than once.
func (s *keySet) repeats(key uint64) bool {
	return s.twice[int(key>>6)&(len(s.twice)-1)]&(1<<(key&63)) != 0
}
