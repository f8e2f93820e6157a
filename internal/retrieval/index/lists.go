package index

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
)

// postingLists collects the postings of a segment in the order of the documents, and sorts them by
// term at the end. Terms have the numbers of a [words].
type postingLists struct {
	posts  []termPosting
	rare   []rarePosting
	shapes shapes
	freqs  []uint32 // by term: its postings in this segment
	used   []uint32 // the terms that have some

	counts []bm25.Counts // by term, of the document at hand
	seen   []uint32      // the terms with counts
}

// termPosting is a posting as [list] encodes it.
type termPosting struct{ term, posting uint32 }

// rarePosting is an entry of [list.rare].
type rarePosting struct {
	term   uint32
	counts bm25.Counts
}

// begin starts a segment.
func (l *postingLists) begin() {
	for _, id := range l.used {
		l.freqs[id] = 0
	}
	l.posts, l.rare, l.used, l.shapes = l.posts[:0], l.rare[:0], l.used[:0], shapes{}
}

// count counts occurrences of terms in a field of the document at hand, and returns their number.
func (l *postingLists) count(field bm25.Field, terms []uint32) uint32 {
	for _, id := range terms {
		if int(id) >= len(l.counts) {
			l.counts = append(l.counts, make([]bm25.Counts, int(id)+1-len(l.counts))...)
			l.freqs = append(l.freqs, make([]uint32, int(id)+1-len(l.freqs))...)
		}
		c := &l.counts[id]
		if *c == (bm25.Counts{}) {
			l.seen = append(l.seen, id)
		}
		c[field]++
	}
	return uint32(len(terms))
}

// finish ends a document.
func (l *postingLists) finish(doc uint32) {
	for _, id := range l.seen {
		code := l.shapes.code(l.counts[id])
		l.posts = append(l.posts, termPosting{id, doc<<8 | uint32(code)})
		if code == 0 {
			l.rare = append(l.rare, rarePosting{id, l.counts[id]})
		}
		if l.freqs[id]++; l.freqs[id] == 1 {
			l.used = append(l.used, id)
		}
		l.counts[id] = bm25.Counts{}
	}
	l.seen = l.seen[:0]
}

// seal writes the sorted lexicon and returns the final numbers of terms by those of names.
func (l *postingLists) seal(to *lexicon, names []string) (final []uint32) {
	slices.SortFunc(l.used, func(a, b uint32) int { return compareStrings(names[a], names[b]) })
	letters := 0
	for _, id := range l.used {
		letters += len(names[id])
	}
	to.terms, to.posts, to.rare = newBlobs(len(l.used), letters), newBlobs(len(l.used), 0), newBlobs(len(l.used), 0)
	to.posts.data, to.shapes = make([]byte, postSize*len(l.posts)), l.shapes
	final = make([]uint32, len(names))
	next := make([]uint32, len(l.used)) // where the next posting of a term goes
	end := uint32(0)
	for i, id := range l.used {
		final[id], next[i] = uint32(i), end
		end += postSize * l.freqs[id]
		to.posts.ends = append(to.posts.ends, end)
		to.terms.append([]byte(names[id]))
	}
	for _, p := range l.posts {
		at := &next[final[p.term]]
		binary.LittleEndian.PutUint32(to.posts.data[*at:], p.posting)
		*at += postSize
	}
	l.sealRare(&to.rare, final)
	return final
}

// sealRare writes the entries of [list.rare].
func (l *postingLists) sealRare(to *blobs, final []uint32) {
	slices.SortStableFunc(l.rare, func(a, b rarePosting) int { return cmp.Compare(final[a.term], final[b.term]) })
	rest := l.rare
	for _, id := range l.used {
		for ; len(rest) > 0 && rest[0].term == id; rest = rest[1:] {
			to.data = appendCounts(to.data, rest[0].counts)
		}
		to.end()
	}
}
