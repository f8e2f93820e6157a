package index

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// segment is an immutable run of documents, ordered by namespace, project and ID and numbered from 0, with
// dictionaries of its own. Its bytes lie on the heap or in a mapped file.
type segment struct {
	docs    int
	tenants []tenant // in the order of the documents
	// byID are the documents by ID; nil: that is their order.
	byID    []uint32
	lexicon lexicon
	names   names
	columns columns
	// situations holds the elements of each document, see [appendElement], and tokens the
	// word pieces, two bytes each, little-endian.
	situations, tokens blobs
	// sessions are the documents that have a session, by session and position in it.
	sessions []uint32
	// file keeps the mapping alive that the bytes lie in; nil: they lie on the heap.
	file *mapping
	caches
}

// caches hold what is derived from a segment when it is asked for.
type caches struct {
	// elements caches the rows of the situation elements in the table of their vectors.
	elements atomic.Pointer[elementRows]
	// vocabularies caches the terms of each namespace; see [vocabularyOf].
	vocabularies sync.Map
	// sampled caches the last sample.
	sampled atomic.Pointer[sampledDocs]
	// insights caches the documents that are neither entities nor summaries; see [insightsOf].
	insights atomic.Pointer[docSet]
	// bounded caches the documents whose validity has a bound; see [boundedIn].
	bounded atomic.Pointer[docSet]
	// signatures caches those of the terms; see [segment.termSignatures].
	signatures atomic.Pointer[[]signature]
	// ends caches those of the IDs; see [idEnds].
	ends atomic.Pointer[[]uint32]
	// folded caches the names that are compared in another form; see [labelled].
	folded atomic.Pointer[foldedNames]
}

// insightsOf returns the documents that are neither entities nor summaries of groups, nil for all. Cost: a pass over the rows at
// the first call, if there are any.
func insightsOf(s *segment) docSet {
	if known := s.insights.Load(); known != nil {
		return *known
	}
	var out docSet
	entity, entities := s.names.find(hippo.EntityType)
	_, summaries := s.names.find(hippo.SummaryType)
	if entities || summaries {
		out = newDocSet(s.docs)
		for i := range s.columns.rows {
			if r := &s.columns.rows[i]; r.flags&flagSummary == 0 && (!entities || r.kind != entity) {
				out.add(uint32(i))
			}
		}
	}
	s.insights.Store(&out)
	return out
}

// boundedIn returns the documents whose validity has a bound. Cost: a pass over the rows at the first call.
func boundedIn(s *segment) docSet {
	if known := s.bounded.Load(); known != nil {
		return *known
	}
	out := newDocSet(s.docs)
	for i := range s.columns.rows {
		if s.columns.rows[i].flags&flagBounded != 0 {
			out.add(uint32(i))
		}
	}
	s.bounded.Store(&out)
	return out
}

// sampleOf returns the sampled documents of all namespaces. Cost: a pass over the rows, unless the last call had the same sampling.
func sampleOf(s *segment, by sampling) docSet {
	if last := s.sampled.Load(); last != nil && last.sampling == by {
		return last.docs
	}
	out := &sampledDocs{by, newDocSet(s.docs)}
	for i := range s.columns.rows {
		if by.has(&s.columns.rows[i].id) {
			out.docs.add(uint32(i))
		}
	}
	s.sampled.Store(out)
	return out.docs
}

// author returns who said a document.
func (s *segment) author(doc uint32) string { return s.names.text(s.columns.extras[doc].author) }

// termSignatures returns the signatures of the terms of a segment. Cost: a pass over the dictionary
// when it is asked for the first time, and four bytes a term from then on.
func (s *segment) termSignatures() []signature {
	if list := s.signatures.Load(); list != nil {
		return *list
	}
	list := make([]signature, s.lexicon.terms.len())
	for id := range list {
		list[id] = signatureOf(s.lexicon.terms.at(id))
	}
	s.signatures.Store(&list)
	return list
}

// lastDigits returns the last 8 hexadecimal digits of an ID.
func lastDigits(id *hippo.ID) uint32 { return binary.BigEndian.Uint32(id[12:]) }

// idEnds returns the last 8 digits of the ID of each document. Cost: a pass over the rows when it is
// asked for the first time, and four bytes a document from then on.
func idEnds(s *segment) []uint32 {
	if list := s.ends.Load(); list != nil {
		return *list
	}
	list := make([]uint32, s.docs)
	for d := range list {
		list[d] = lastDigits(&s.columns.rows[d].id)
	}
	s.ends.Store(&list)
	return list
}

// inSession orders documents by session and by position in it: sequence number, time, ID.
func (s *segment) inSession(a, b uint32) int {
	p, q, x, y := &s.columns.rows[a], &s.columns.rows[b], &s.columns.extras[a], &s.columns.extras[b]
	return cmp.Or(
		cmp.Compare(p.namespace, q.namespace), cmp.Compare(p.project, q.project), cmp.Compare(x.session, y.session),
		cmp.Compare(x.seq, y.seq), cmp.Compare(when(p, x), when(q, y)), p.id.Compare(q.id),
	)
}

// orderSessions returns the documents that have a session, in order.
func (s *segment) orderSessions() []uint32 {
	var list []uint32
	for d := range s.columns.extras {
		if s.columns.extras[d].session != 0 {
			list = append(list, uint32(d))
		}
	}
	slices.SortFunc(list, s.inSession)
	return list
}

// bytes is about how much memory the segment takes.
func (s *segment) bytes() int {
	return len(s.tokens.data) + len(s.lexicon.posts.data) + len(s.lexicon.terms.data) + len(s.names.data) + s.docs*fixedBytes
}

// fixedBytes is about what a document takes beside its terms and word pieces.
const fixedBytes = 200

// elementRows are the rows of the situation elements of a segment, by name, plus 1; 0: the
// name is no element or has no vector yet.
type elementRows struct {
	table *vector.Table
	rows  []uint32
	// complete: every element has a row.
	complete bool
}
