package index

import (
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/index/bm25"
)

// Query asks an index for documents.
type Query struct {
	// Text is what to look for; blank matches every document.
	Text string
	// Situation keeps documents of which at least one situation element matches
	// at least one of these, see [Match]. Empty: no filter.
	Situation []string
	// Filter is applied before anything is scored.
	Filter hippo.Filter
	// Substring makes a Text of one word also match documents with a term that
	// contains that word. Such a document has coverage 1; its score is unchanged.
	Substring bool
	// Vector is what the model named Model made of the query, nil for none. The
	// Nearest documents by cosine, of those above MinCosine, match as well.
	Vector    []float32
	Model     string
	Nearest   int
	MinCosine float64
	// Elements are what the model named ElementModel made of the elements of
	// Situation: then an element also matches one that is alike by meaning, see
	// [Match].
	Elements     [][]float32
	ElementModel string
}

// Match is one document that a query found.
type Match struct {
	// Doc is the number of the document in its [View].
	Doc uint32
	// Score is BM25F, 0 or more; 0 if the query has no text.
	Score float64
	// Cosine of the query's vector and the document's, to about .01; see
	// [View.Cosine]. 0 if it is negative, or one of them has none.
	Cosine float64
	// Coverage is the share, weighted by idf, of the query's distinct terms that
	// occur in any field, in [0, 1]; 1 if the query has no text.
	Coverage float64
	// Context is the best match of a situation filter F with an element E: 1 if
	// their sets of terms are equal, else the larger of .9 |F and E| / min(|F|, |E|)
	// and, where meaning is known, their cosine, at most .9. It is above .4, or 1
	// if there was no filter.
	Context float64
}

// Result is what a search found.
type Result struct {
	// Matches are all matches, in no particular order. They belong to the View.
	Matches []Match
	// MaxScore is the bound of the score of any document: the sum of idf*(k1+1)
	// over the query's distinct terms, each as if at least one memory had it; 0 if
	// the query has no text or no term.
	MaxScore float64
}

// View is the index at one moment. It is for one goroutine, and valid, like all
// that it returns, until the function ends that it was given to.
type View struct {
	x    *Index
	held []*scratch
	near *near // of the latest search
	last *scratch
	// possible: some document may pass its filters.
	possible bool
	uses     []hippo.Access
	fetched  uint8 // so that Fetch is not left out
}

// View calls f with the current state, which changes only after f has returned;
// f must not call other methods of the Index.
func (x *Index) View(f func(*View)) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v := &View{x: x}
	defer func() {
		for _, s := range v.held {
			s.end()
			x.spare.Store(s)
		}
	}()
	f(v)
}

// Row is what ranking needs to know of a document. Times are in microseconds
// since 1970, 0 if unset.
type Row struct {
	ID         hippo.ID
	CreatedAt  int64
	Importance float64
	SetDay     hippo.Day
	// LastAccess is the day of the newest access, 0 if there is none.
	LastAccess hippo.Day
	Pinned     bool
	Superseded bool
	Trust      hippo.Trust
}

// Row returns the columns of a document that ranking needs. It costs one cache
// line and does not allocate.
func (v *View) Row(doc uint32) Row {
	h := &v.x.rows.hot[doc]
	return Row{
		ID: h.id, CreatedAt: h.created, Importance: h.importance, SetDay: hippo.Day(h.setDay), LastAccess: hippo.Day(h.lastDay),
		Pinned: h.flags&flagPinned != 0, Superseded: h.flags&flagSuperseded != 0, Trust: hippo.Trust(h.trust),
	}
}

// Fetch reads a bit of the row of each of some matches: the processor waits for all of
// them at a time here, and for one after the other when they are asked for.
func (v *View) Fetch(matches []Match) {
	sum := uint8(0)
	for i := range matches {
		sum += v.x.rows.hot[matches[i].Doc].flags
	}
	v.fetched = sum
}

// Accesses returns those of a document in the 30 active days up to the newest,
// ascending; valid until the next call.
func (v *View) Accesses(doc uint32) []hippo.Access {
	h := &v.x.rows.hot[doc]
	if h.uses == 0 {
		return nil
	}
	v.uses = v.uses[:0]
	for _, u := range v.x.rows.uses(h) {
		v.uses = append(v.uses, hippo.Access{Day: hippo.Day(u.day), Count: int(u.count)})
	}
	return v.uses
}

// Detail is the rest of what the index knows of a document; times as in [Row].
type Detail struct {
	UpdatedAt, EventTime, ValidFrom, ValidUntil int64
	Type, Project, Namespace, Author, Session   string
	Seq                                         int
	Tags                                        []string
	// Hash is the first 8 bytes of the content hash, big-endian.
	Hash     uint64
	Surprise float32
	// Length counts the terms of the fields.
	Length bm25.Counts
}

// Detail returns the other columns of a document.
func (v *View) Detail(doc uint32) Detail {
	r := v.x.rows
	h, c, name := &r.hot[doc], &r.cold[doc], r.names.list
	d := Detail{
		UpdatedAt: c.updated, EventTime: c.event, ValidFrom: c.from, ValidUntil: c.until,
		Type: name[h.kind], Project: name[h.project], Namespace: name[h.namespace],
		Author: name[c.author], Session: name[c.session], Seq: int(c.seq),
		Hash: c.hash, Surprise: c.surprise, Length: r.length(doc),
	}
	for _, t := range r.tags(c) {
		d.Tags = append(d.Tags, name[t])
	}
	return d
}

// Search returns every document that matches. The cost grows with the number of
// postings of the query's terms, some 4 ns each, and the number of matches.
func (v *View) Search(q Query) Result {
	s := v.begin(&q.Filter)
	var most float64
	if text := strings.TrimSpace(q.Text); text == "" {
		s.everything = true
	} else {
		most = s.ask(text)
		if q.Substring && !strings.ContainsAny(text, " \t\r\n") {
			s.within(text)
		}
	}
	if !v.possible {
		return Result{MaxScore: most}
	}
	s.narrow(&q)
	s.nearest(&q)
	for i, p := range v.x.parts() {
		s.search(p, i)
	}
	s.join()
	v.near = &s.near
	return Result{Matches: s.matches, MaxScore: most}
}
