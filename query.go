package hippo

import (
	"cmp"
	"math"
	"time"
)

// Ranker names a way to order what a query found.
type Ranker string

// The rankers. See docs/ranking.md for their formulas.
const (
	// RankerHippo is the default: relevance to the query times a bounded prior.
	RankerHippo Ranker = "hippo"
	// RankerInsight orders by recency, frequency, importance and situation; the query text
	// only filters.
	RankerInsight Ranker = "insight"
	// RankerHybrid fuses lexical and semantic search with personalised PageRank over the
	// graph of memories and the entities that they mention.
	RankerHybrid Ranker = "hybrid"
	// RankerBM25 orders by BM25 alone, lexically.
	RankerBM25 Ranker = "bm25"
	// RankerCosine orders by the cosine of embeddings alone.
	RankerCosine Ranker = "cosine"
	// RankerSurprise orders by the cosine and by how surprising a memory was when it was recorded; see
	// [Mode].
	RankerSurprise Ranker = "surprise"
)

// Mode is how ranker surprise finds memories.
type Mode string

// The modes.
const (
	// ModeSemantic, the default: by their own text and surprise, all that match.
	ModeSemantic Mode = "semantic"
	// ModeAssociative: the best of those, and what it is related to, by the weights of the relations.
	ModeAssociative Mode = "associative"
	// ModeHybrid: both.
	ModeHybrid Mode = "hybrid"
	// ModeExact is ModeSemantic as claude-hippo of May 2026 has it: among six times as many of the most
	// similar as are asked for, and by similarity alone if a memory has no surprise.
	ModeExact Mode = "exact"
)

// Modes returns every mode, the default first.
func Modes() []Mode { return []Mode{ModeSemantic, ModeAssociative, ModeHybrid, ModeExact} }

// Rankers returns every ranker, the default first.
func Rankers() []Ranker {
	return []Ranker{RankerHippo, RankerInsight, RankerHybrid, RankerSurprise, RankerCosine, RankerBM25}
}

// Query asks for memories.
type Query struct {
	// Text is the search text; empty matches everything. Of a text over [MaxQuery] bytes a search takes the [ShortQuery], and the
	// answer notes it.
	Text string
	// Situation is when and where the memories apply. With ranker hippo and a Text, those of
	// which a situation element matches one of these (context above 0.4) rank higher; else, or
	// with Strict, no others are kept. Empty: any situation.
	Situation []string
	// Strict makes Situation a filter.
	Strict bool
	Filter Filter
	// When keeps memories of a time that is written in English, like "last week", as the
	// engine's clock and zone have it; empty: no filter. See docs/ranking.md.
	When string
	// Relevance keeps hits whose relevance lies in the range, bounds included.
	// Nil means the default floor of the ranker.
	Relevance *Range
	// Offset and Count choose the page. Count 0 means [DefaultCount]; at most [MaxCount].
	Offset int
	Count  int
	// Ranker; empty means the engine's default.
	Ranker Ranker
	// Mode of ranker surprise; empty means [ModeSemantic]. Other rankers have none.
	Mode Mode
	// NoTouch: the hits are not counted as accessed and the active day does not advance.
	NoTouch bool
	Detail
}

// Detail is how detailed an answer is.
type Detail struct {
	// Each makes memories that say the same hits of their own, see [Hit.Same].
	Each bool
	// Explain adds an [Explanation] to every hit, and [Answer.Support]. It costs an exact
	// cosine for each match, some 0.1 us.
	Explain bool
	// NoDistribution: the answer needs no [Answer.Distribution]. A search of many matches by ranker
	// hippo is faster then.
	NoDistribution bool
}

// Range is a closed interval. An infinite Max is no upper bound.
type Range struct {
	Min, Max float64
}

// AtLeast returns the range from min on, for [Query.Relevance]: 0 also finds what is unlikely to answer.
func AtLeast(min float64) *Range { return &Range{Min: min, Max: math.Inf(1)} }

// Filter keeps some memories before ranking. Zero fields keep everything.
type Filter struct {
	// Projects keeps memories of any of these projects; "" is "no project". Nil: the
	// current project of the [Scope] and none, or all if there is no current one;
	// [AllProjects]: all.
	Projects []string
	Types    []string
	// Tags must all be present, and none of WithoutTags.
	Tags, WithoutTags []string
	Origin
	// CreatedAfter is inclusive, CreatedBefore exclusive.
	CreatedAfter  time.Time
	CreatedBefore time.Time
	// EventAfter, inclusive, and EventBefore, exclusive, are compared with what
	// [Memory.When] returns.
	EventAfter  time.Time
	EventBefore time.Time
	Moment
	MinTrust Trust
	// Pinned keeps pinned memories only.
	Pinned bool
	// Archived keeps archived memories as if they were not. Otherwise they are left out, and with ranker hippo and a text they rank
	// behind what is comparably relevant.
	Archived bool
}

// Moment is the time as of which memories are read. The zero value is now, and whatever the time of a fact.
type Moment struct {
	// ValidAt keeps memories whose fact holds at that time, and relations that do: from ValidFrom on until before ValidUntil.
	ValidAt time.Time
	// KnownAt reads what was known then: without what was recorded later, and with what was changed later as it was, as
	// far back as former versions are kept. What was purged since is not there, nor are learned relations.
	KnownAt time.Time
}

// Origin keeps memories of one author and of one session; empty: any.
type Origin struct{ Author, Session string }

// Validate reports the first rule that q breaks, as a [*FieldError] with the name of the
// field in [Query] or [Filter].
func (q *Query) Validate() error {
	if err := ValidQuery("Text", q.Text); err != nil {
		return err
	}
	if err := ValidQuery("When", q.When); err != nil {
		return err
	}
	if err := ValidSituation("Situation", q.Situation); err != nil {
		return err
	}
	if q.Offset < 0 {
		return Fieldf("Offset", "must not be negative, got %d", q.Offset)
	}
	if q.Count < 0 || q.Count > MaxCount {
		return Fieldf("Count", "must be between 1 and %d, got %d", MaxCount, q.Count)
	}
	if r := q.Relevance; r != nil && (math.IsNaN(r.Min) || math.IsNaN(r.Max) || r.Min > r.Max) {
		return Fieldf("Relevance", "min must not be above max, got [%v, %v]", r.Min, r.Max)
	}
	if err := q.validRanker(); err != nil {
		return err
	}
	return q.Filter.Validate()
}

// validRanker checks the ranker and its mode.
func (q *Query) validRanker() error {
	if q.Mode != "" {
		if err := OneOf("Mode", q.Mode, Modes()...); err != nil {
			return err
		}
		if q.Ranker != RankerSurprise {
			return Fieldf("Mode", "is of ranker surprise, and the ranker is %.60q", string(q.Ranker))
		}
	}
	if q.Ranker == "" {
		return nil
	}
	return OneOf("Ranker", q.Ranker, Rankers()...)
}

// Validate reports the first rule that f breaks, as a [*FieldError] with the name of the field.
func (f *Filter) Validate() error {
	for _, x := range []struct {
		name          string
		after, before time.Time
	}{{"CreatedBefore", f.CreatedAfter, f.CreatedBefore}, {"EventBefore", f.EventAfter, f.EventBefore}} {
		if !x.after.IsZero() && !x.before.IsZero() && !x.before.After(x.after) {
			return Fieldf(x.name, "must be after the start of the range, %s, got %s", x.after.Format(time.RFC3339), x.before.Format(time.RFC3339))
		}
	}
	return cmp.Or(ValidTags("Tags", f.Tags), ValidTags("WithoutTags", f.WithoutTags))
}

// Hit is one memory that a query found.
type Hit struct {
	// Memory is as it was before this search was counted as an access.
	Memory *Memory
	// Relevance is what the ranker ordered by.
	Relevance float64
	Signals   Signals
	// Passage is the part of a long content that is most similar to the query; the zero Span if
	// the content is short, or the parts have no vectors yet.
	Passage Span
	// Excerpt are the sentences, or parts of them, of a content of more than [ExcerptFrom] bytes that answer the query best, the best
	// first. Nil if none has anything of it.
	Excerpt []Span
	// ContradictedBy is a fact that holds at the time that the query asks for, and of which the text says otherwise; nil: there is none.
	ContradictedBy *Fact
	// Same are the other memories that say the same and pass the filter, unless [Detail.Each] asked for hits of their own.
	Same Same
	// Explanation is nil unless [Query.Explain] asked for it.
	Explanation *Explanation
}

// Same are memories that a hit stands for, because they say the same: their contents are equal up to blanks, a stop at the end, and capitals at
// the beginnings of words, and they have one project, author, type, event time, validity, trust and state.
type Same struct {
	// Count is their number, and IDs are some of them, the newest first.
	Count int
	IDs   []ID
}

// ExcerptFrom is the length of a content in bytes from which [Hit.Excerpt] is set.
const ExcerptFrom = 160

// Span is a range of bytes of a text, from From up to To, exclusive.
type Span struct{ From, To int }

// Signals are the parts a ranker combines; each in [0, 1], higher is better, except BM25,
// which is unbounded.
type Signals struct {
	// BM25 is the lexical score, 0 or more, and Lexical its share of the most that any
	// text could score on the query.
	BM25, Lexical float64
	// Coverage is the share of the query's terms, weighted by idf, that the memory has.
	Coverage float64
	// Cosine is the semantic similarity of query and memory; 0 if there is no model, or it
	// is negative.
	Cosine float64
	// Related is the largest product of the weight of a relation with one of the best
	// matches and the relevance of that one.
	Related float64
	// Text is the relevance of the text and its relations.
	Text float64
	// Context is the match of the situation.
	Context float64
	// Time is 1 if the query names no time or the memory is of that time, and falls with
	// the distance from it.
	Time float64

	UseSignals
	// Prior is the part of use and votes, before its bound is applied: the importance in ranker hippo.
	Prior float64
	// Behind: the memory is archived, the query does not ask for archived ones, and a candidate that is not archived says
	// nearly the same, so that it ranks behind what is comparably relevant.
	Behind bool
	// Lapsed: the memory does not hold at the time that the query asks for, so that it ranks behind what does.
	Lapsed bool
}

// UseSignals are what use and votes say of a memory, each in [0, 1].
type UseSignals struct{ Recency, Frequency, Importance float64 }

// Answer is the outcome of a query.
type Answer struct {
	Hits []Hit
	// Total is the number of hits in the relevance range, on all pages: memories that say the same count once, see [Hit.Same].
	Total int
	// Distribution counts all matches, before the relevance range; it may be empty with
	// [Detail.NoDistribution].
	Distribution Distribution
	Ranker       Ranker
	// Day is the active day the answer was computed for.
	Day Day
	// Conflicts are pairs among Hits that hold at the same time and seem to
	// contradict each other, the newest first.
	Conflicts []Conflict

	Judgement
	// Degraded lists the parts of the search that were not available, with the reasons.
	Degraded []string
	// Facts are of the entities that the text of the query names, at most five: those that it asks for first. They hold at
	// the time that the query asks for. Only a first page of ranker hippo has them.
	Facts []Fact
	// Period is the time that the text of the query names, where the hits are those of it; else zero.
	Period Period
	// Elsewhere is how many memories of other projects, of those that the caller may see, have most of the words of the query. 0 if the query
	// names projects, or there is no current one.
	Elsewhere int
}

// Judgement is how surely hits answer a query.
type Judgement struct {
	// Confidence is the probability that the hits answer the query, in [0, 1], calibrated
	// on a set in which half of the queries have no answer. 0 if nothing matches, the query
	// has no text, or the ranker is not [RankerHippo].
	Confidence float64
	// Support are the features of Confidence by name, for [Query.Explain]; else nil. The
	// names may change with every version.
	Support map[string]float64
	// Weak says why the hits may well not answer the query: Confidence is low, or the first hit of a first page lacks the time, number or
	// name that the query asks for. Empty otherwise.
	Weak string
}

// Period is the time from From, included, until Until, excluded. A zero end is open.
type Period struct{ From, Until time.Time }

// IDs returns the IDs of the hits, in their order.
func (a *Answer) IDs() []ID {
	ids := make([]ID, len(a.Hits))
	for i := range a.Hits {
		ids[i] = a.Hits[i].Memory.ID
	}
	return ids
}

// Named returns the IDs of the hits, of what supersedes them, and of what they stand for.
func (a *Answer) Named() []ID {
	ids := make([]ID, 0, len(a.Hits))
	for i := range a.Hits {
		ids = append(a.Hits[i].Memory.appendIDs(ids), a.Hits[i].Same.IDs...)
	}
	return ids
}

// Fact is a relation between two entities, with their names.
type Fact struct {
	Relation
	Subject, Object string
	// Asked: the query has words of the fact beside the name of the entity.
	Asked bool
	// Trust is that of the end that is trusted less.
	Trust Trust
}

// Conflict is two memories that seem to contradict each other; A is the newer one.
type Conflict struct {
	A, B ID
	// Reason says in what they differ: "30 s / 60 s".
	Reason string
}

// Distribution counts matches by relevance in six buckets: below 0.2, four of
// width 0.2 up to and including 1.0, and above 1.0.
type Distribution [6]int

// BucketNames are the names of the buckets, in order.
func BucketNames() [6]string {
	return [6]string{"below_0.2", "0.2_to_0.4", "0.4_to_0.6", "0.6_to_0.8", "0.8_to_1.0", "above_1.0"}
}

// Add counts one relevance. A bucket holds its lower bound; 1.0 belongs to 0.8_to_1.0.
func (d *Distribution) Add(relevance float64) { d[bucketOf(relevance)]++ }

// AddWithin counts one relevance that is known to lie from low to high, and reports whether it did: only if all of these are in one bucket.
func (d *Distribution) AddWithin(low, high float64) bool {
	b := bucketOf(low)
	if b != bucketOf(high) {
		return false
	}
	d[b]++
	return true
}

// Remove undoes Add of one relevance.
func (d *Distribution) Remove(relevance float64) { d[bucketOf(relevance)]-- }

func bucketOf(relevance float64) int {
	switch {
	case relevance < 0.2:
		return 0
	case relevance < 0.4:
		return 1
	case relevance < 0.6:
		return 2
	case relevance < 0.8:
		return 3
	case relevance <= 1.0:
		return 4
	default:
		return 5
	}
}

// Sum is the number of matches counted.
func (d Distribution) Sum() int {
	n := 0
	for _, c := range d {
		n += c
	}
	return n
}
