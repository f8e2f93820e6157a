// Package retrieve is the contract between recall and whatever finds candidates for it: the
// in-memory index today, a database with full-text and vector search tomorrow. It holds no
// code that searches and knows no ranking.
//
// A [Retriever] answers a [Query] with a [Result], which belongs to one state of the data.
// What is asked of a Result later (a neighbour, a statistic, a cosine) is answered for that
// state and that query, whatever is written meanwhile.
package retrieve

import (
	"cmp"
	"context"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
)

// Retriever finds candidates. It is safe for concurrent use, and searches do not wait for
// one another.
type Retriever interface {
	// Search returns the documents that match q. The caller closes the Result. The error
	// is that of ctx or of the data.
	Search(ctx context.Context, q *Query) (*Result, error)
}

// Query asks for documents. The filters of Scope and Filter are applied before anything is
// scored, and every statistic is taken over the documents of Scope.
type Query struct {
	Scope  hippo.Scope
	Filter hippo.Filter
	// Forgotten selects the forgotten memories instead of the others. They have no
	// scores; Text must be empty.
	Forgotten bool
	// Insights leaves out memories of type [hippo.EntityType] and those for which [hippo.Memory.IsSummary] holds, unless the
	// filter names types. They count in no statistic then.
	Insights bool
	// Text is what to look for; blank matches every document.
	Text string
	// Substring makes a Text of one word also match documents with a term that contains
	// the word. Such a document has coverage 1; its score is unchanged.
	Substring bool
	// Vectors add the documents nearest to them, each by the cosine of its own space.
	Vectors [Channels]Vector
	// Situation keeps documents of which at least one situation element matches.
	Situation Situation
	// Elsewhere counts in the result what other projects have.
	Elsewhere bool
	Listed
	// Day is the active day on which the 30 days of [Row.RecentUses] end.
	Day hippo.Day
	Choice
}

// Listed keeps documents by columns that only lists look at.
type Listed struct {
	// Place keeps documents by their situation elements as they are written.
	Place api.Place
	// Source reports of the kind, the client and the URI of a source whether documents of it are kept; nil: all are.
	Source func(*hippo.Source) bool
}

// Choice leaves out matches that pass the filters.
type Choice struct {
	// Fold leaves out matches that say the same as another: it gets the result before they are in it, and returns what chooses of such a
	// group the one that stands for the others. Matches say the same if their contents are equal up to blanks, a stop at the end, and capitals
	// at the beginnings of words, and they have one project, author, type, event time, validity, trust and state. Nil: all are kept.
	Fold func(*Result) func([]Match) Doc
	// Prune leaves out matches: it gets the result before they are in it, and returns what reports whether one is kept, which
	// is called once for each. Nil, or if it returns nil: all are kept.
	Prune func(*Result) func(*Match) bool
}

// Channel is one of the vector spaces that a query is compared in.
type Channel int

const (
	// Semantic is the space of the model in use.
	Semantic Channel = iota
	// Multilingual is the space of a second model, in which texts of several languages can
	// be compared.
	Multilingual
	// Instant is the space of a model that embeds at once, so that every document has a vector. A query is compared in it
	// only to estimate the cosines that other channels lack.
	Instant
	// Channels is the number of channels.
	Channels
)

// Vector is the query in one space.
type Vector struct {
	// Values is the embedding of the query by the model named Model; nil for none.
	Values []float32
	Model  string
	// TopK documents match because of their cosine, of those above MinCosine.
	TopK      int
	MinCosine float64
	// Partial: documents may be without a vector in this channel. Their cosine is estimated: it is as many deviations above
	// the mean there as their cosine in the channel [Instant] is, or in [Multilingual] if the query has no vector in that. In
	// the channel [Semantic] their [Reader.Similarity] is that of the other channel.
	Partial bool
}

// Situation is the situation filter of a [Query]; see [Match.Context].
type Situation struct {
	// Elements are the elements to match. Empty: no filter.
	Elements []string
	// Prefer also keeps the documents that do not match, with their context.
	Prefer bool
	// Vectors are the embeddings of Elements by the model named Model. Nil: elements are
	// compared by their terms only.
	Vectors [][]float32
	Model   string
}

// Doc identifies a document within one [Result]. It means nothing in another one.
type Doc uint32

// None is no document.
const None = ^Doc(0)

// Match is a document that a query found.
type Match struct {
	Doc Doc
	// Passage is the number, from 1, of the passage that Cosine is of, or Multilingual where the query or the document is not English; 0 if
	// the document has no vectors of several passages.
	Passage uint32
	// Score is BM25F, 0 or more; 0 if the query has no text.
	Score float64
	// Cosine is that of the query and the most similar passage of the document in the
	// channel [Semantic], approximate to .01; 0 if it is negative or one of them has no
	// vector. [Reader.Cosine] is exact. Multilingual is the same in that channel.
	Cosine, Multilingual float64
	// Coverage is the share, weighted by idf, of the query's distinct terms that the
	// document has in any field, in [0, 1]; 1 if the query has no text. A variant of a term,
	// such as the word that it is a typo of, counts in part.
	Coverage float64
	// Context is the best match of an element F of the situation filter with a situation
	// element E of the document: 1 if their sets of terms are equal, else the larger of
	// .9 |F and E| / min(|F|, |E|) and, with vectors, their cosine, at most .9. It is
	// above .4 unless the filter only prefers, or 1 if there is none. Source: the Hippo design of 2025.
	Context float64
}

// Result is what one search found.
type Result struct {
	// Matches are the matches, in no particular order, without those that [Choice.Prune] left out; valid until Close.
	Matches []Match
	// MaxScore bounds the score of any document: the sum of idf*(k1+1) over the query's
	// distinct terms, each as if at least one memory had it, and over the words that some of
	// them form together; 0 if there is no term.
	MaxScore float64
	// BestScore is the highest score of a match, 0 if there is none.
	BestScore float64
	Counts
	// Spreads describe the cosines of all memories in the scope, by channel.
	Spreads    [Channels]Spread
	Reader     Reader
	Vocabulary Vocabulary
	// Superseded yields the documents in the scope that have a successor, with the ID of that, which
	// may lie outside. Cost: a pass over them.
	Superseded iter.Seq2[Doc, hippo.ID]
	// Some are the marks that some match may have; of them Archived and Bounded are known.
	Some Marks
	Lookup
}

// Lookup answers what is asked of one document of a [Result], beside what [Reader] does.
type Lookup struct {
	// Outline returns what may rule out a document before its row is read.
	Outline func(doc Doc) Outline
	// Feedback returns the votes on a document and its openings, which the caller does not change.
	Feedback func(doc Doc) []hippo.Feedback
	// Same returns the documents that pass the filters and say the same as a match that [Choice.Fold] kept, in no particular order.
	Same func(doc Doc) []Doc
	// Match returns the match that a document is, whether it was kept or not; not ok: it did not match.
	Match func(doc Doc) (m Match, ok bool)
}

// Outline is what is known of a document without its row.
type Outline struct {
	// Length is the number of terms of its content.
	Length int
	// Superseded: it has a successor, in the scope or not. Bounded is that of [Marks].
	Superseded, Bounded bool
}

// Counts are those of a [Result].
type Counts struct {
	// Terms is the number of distinct terms that were searched, without stop words.
	Terms int
	// Memories is the number of memories in the scope, forgotten ones apart.
	Memories int
	// Matches is the number of matches, with those that [Choice.Prune] leaves out.
	Matches int
	// Elsewhere is how many memories of other projects in the scope have at least half of what the words of the query weigh, and pass
	// the rest of the filter; 0 without [Query.Elsewhere].
	Elsewhere int
}

// Spread describes the cosines of a query with the vectors of a scope, one for each passage, or of some of them if the scope is large:
// their number, mean and standard deviation.
type Spread struct {
	Count           int
	Mean, Deviation float64
}

// Close releases the Result and everything it returned.
func (r *Result) Close() { r.Reader.Close() }

// Reader reads documents of the state that was searched. It is for one goroutine.
type Reader interface {
	// Rows appends the row of each match to dst.
	Rows(dst []Row, matches []Match) []Row
	// Row returns the row of one document.
	Row(doc Doc) Row
	// Key returns what identifies a document and orders it among equals.
	Key(doc Doc) Key
	// Details returns the columns of a document that few searches read.
	Details(doc Doc) Details
	// Admit returns the match of a document that did not match by itself, and whether it
	// passes the filters: its cosine and its context, and no score. With [Choice.Fold] it passes only if no match says the same, and
	// no document that passed before.
	Admit(doc Doc) (Match, bool)
	// Find returns the document of a memory in the scope; that of an archived one if the query keeps those.
	Find(id hippo.ID) (Doc, bool)
	// Successor returns the document that supersedes doc and lies in the scope, or the match that stands for it.
	Successor(doc Doc) (Doc, bool)
	// Cosine is the cosine of the query and the most similar passage of a document in the
	// channel [Semantic], exact to 16 bits a component; 0 if it is negative or one of them
	// has no vector.
	Cosine(doc Doc) float64
	// Similarity is the approximate cosine of the first passages of two documents in the
	// channel [Semantic]; 0 if it is negative or a vector is missing.
	Similarity(a, b Doc) float64
	// Passage returns what a reranker reads of a document.
	Passage(doc Doc) Passage
	// Tokens appends the word pieces of a document to dst.
	Tokens(dst []int32, doc Doc) []int32
	// Close releases what the search used.
	Close()
}

// Key identifies a memory. CreatedAt is in microseconds since 1970.
type Key struct {
	ID        hippo.ID
	CreatedAt int64
}

// Compare orders memories that are equal otherwise: the newer first, then by ID.
func (k Key) Compare(other Key) int {
	return cmp.Or(cmp.Compare(other.CreatedAt, k.CreatedAt), k.ID.Compare(other.ID))
}

// Details are the columns that few searches read. Times are in microseconds since 1970.
type Details struct {
	// When is the time that the memory is about: that of its event, else of its creation.
	When int64
	// ValidFrom and ValidUntil bound the time at which its fact holds, from <= t < until;
	// 0: unbounded.
	ValidFrom, ValidUntil int64
	// Text identifies the text of the memory: its content, situation and tags. ContentHash is
	// the first 8 bytes of the hash of its content, big-endian.
	Text, ContentHash uint64
}

// Row holds the columns of a document that ranking needs of every match.
type Row struct {
	Importance float64
	// Surprise is in steps of 1/254; Scored: the memory has one.
	Surprise float64
	// Untied is the importance without votes on questions, as of UntiedDay.
	Untied    float64
	UntiedDay hippo.Day
	// SetDay is the day on which Importance was set, LastUse that of the newest access, 0
	// if there is none.
	SetDay, LastUse hippo.Day
	// RecentUses counts the accesses of the 30 active days up to [Query.Day].
	RecentUses int
	// Length is the number of terms of the content.
	Length int
	Scored bool
	Marks
}

// Marks are what a memory is beside its text. Bounded: its validity has a bound, see [Details].
type Marks struct{ Pinned, Superseded, Archived, Bounded bool }

// Passage is what a reranker reads of a document beside its row.
type Passage struct {
	// Author is who said it, "" if that is unknown.
	Author string
	Cues   cue.Cues
	// Session numbers the sessions of a result from 1; 0: the document has none.
	Session uint32
	// Before and After are the documents beside it in its session, or [None].
	Before, After Doc
}

// Vocabulary knows the words of the documents in the scope. It is for one goroutine and is
// closed with its [Result].
type Vocabulary interface {
	// IDF is the inverse document frequency of a word: that of its rarest term, as if at
	// least one memory had it; 0 if it has no term.
	IDF(word string) float64
	// Unknown reports whether a word that is no stop word occurs in no document, whole or
	// in part.
	Unknown(word string) bool
	// Misspelt reports whether a word is within the edit distance of a typo of a word that
	// some document has: one edit in words of four to seven letters, two in longer ones.
	// Cost: a pass over the dictionary.
	Misspelt(word string) bool
}
