package knowledge

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

const (
	// maxAnswerFacts is how many facts an answer has.
	maxAnswerFacts = 5
	// maxAskedEntities is how many of the entities that a query names have their facts read.
	maxAskedEntities = 8
)

// FactsFor returns the facts of an answer; see [hippo.Answer.Facts].
//
// Cost: nothing in a store without relations, as of when the search read its state. Otherwise a pass over the entities in the index,
// and a read of the relations of those that the query names.
func FactsFor(ctx context.Context, m *engine.Memories, q *hippo.Query) ([]hippo.Fact, error) {
	if !takesFacts(q) || !m.Store.HasRelations() {
		return nil, nil
	}
	list, err := CardsOf(ctx, m, q.Filter.Projects)
	if err != nil {
		return nil, err
	}
	named := NamedIn(list, strings.ToLower(bm25.Fold(q.Text)))
	if len(named) == 0 {
		return nil, nil
	}
	ids := make([]hippo.ID, len(named))
	for i, c := range named {
		ids[i] = c.ID
	}
	at := cmp.Or(q.Filter.ValidAt, m.Clock())
	relations, err := m.Scoped.Relations(ctx, ids, at, MaxRelations)
	if err != nil {
		return nil, err
	}
	facts, err := WithNames(ctx, m, relations, &q.Filter, at)
	if err != nil {
		return nil, err
	}
	return bestFacts(facts, named, q.Text), nil
}

// FactText returns a fact on a line, for a reader of now: "fact: Ana works at Acme (since 2019-03-01)". Days are those of the zone
// of now. The names can neither begin nor end a frame.
func FactText(f *hippo.Fact, now time.Time) string {
	var bounds []string
	for _, b := range []struct {
		word string
		at   time.Time
	}{{"since ", f.ValidFrom}, {"until ", f.ValidUntil}} {
		if !b.at.IsZero() {
			bounds = append(bounds, b.word+when.Date(b.at, now.Location()))
		}
	}
	text := "fact: " + SentenceOf(f)
	if bounds != nil {
		text += " (" + strings.Join(bounds, ", ") + ")"
	}
	return termtext.Disarm(termtext.Line(text))
}

// SentenceOf returns a fact as a sentence: "Ana works at Globex".
func SentenceOf(f *hippo.Fact) string {
	const length = 80 // characters of a name
	return memory.Excerpt(f.Subject, length) + " " + strings.ReplaceAll(f.Kind, "_", " ") + " " + memory.Excerpt(f.Object, length)
}

// takesFacts reports whether the answer to a query has facts: it asks for a first page by relevance, and its filter asks for
// nothing that facts do not have.
func takesFacts(q *hippo.Query) bool {
	f := &q.Filter
	return q.Ranker == hippo.RankerHippo && q.Text != "" && q.Offset == 0 && q.When == "" && (!q.Strict || len(q.Situation) == 0) &&
		len(f.Types) == 0 && len(f.Tags) == 0 && f.Origin == (hippo.Origin{}) && !f.Pinned &&
		f.CreatedAfter.IsZero() && f.CreatedBefore.IsZero() && f.EventAfter.IsZero() && f.EventBefore.IsZero()
}

// NamedIn returns the entities that a text names, which is folded and in lower case: by a name or an alias, or by the first name
// of one person alone.
func NamedIn(list []*entities.Card, text string) []*entities.Card {
	var named []*entities.Card
	first := make(map[string][]*entities.Card)
	full := make(map[string]bool)
	for _, c := range list {
		for i, name := range c.Keys {
			if entities.Says(text, c.Keys[i:i+1]) {
				named, full[name] = append(named, c), true
				break
			}
		}
		if c.Kind != "person" || len(c.Keys) == 0 {
			continue
		}
		if name, _, more := strings.Cut(c.Keys[0], " "); more && entities.Says(text, []string{name}) {
			first[name] = append(first[name], c)
		}
	}
	for name, cs := range first {
		if len(cs) == 1 && !full[name] && !slices.Contains(named, cs[0]) {
			named = append(named, cs[0])
		}
	}
	named = slices.DeleteFunc(named, func(c *entities.Card) bool { return c.Kind == entities.NoEntity })
	slices.SortFunc(named, func(a, b *entities.Card) int { return a.ID.Compare(b.ID) })
	return named[:min(len(named), maxAskedEntities)]
}

// WithNames returns the relations that hold at a time between entities that pass a filter, as facts.
func WithNames(ctx context.Context, m *engine.Memories, relations []hippo.Relation, f *hippo.Filter, at time.Time) ([]hippo.Fact, error) {
	relations = slices.DeleteFunc(relations, func(r hippo.Relation) bool { return r.Kind == hippo.CoRecalled || !r.ValidAt(at) })
	var ids []hippo.ID
	for i := range relations {
		ids = append(ids, relations[i].From, relations[i].To)
	}
	ms, err := m.Scoped.Get(ctx, engine.Distinct(ids))
	if err != nil {
		return nil, err
	}
	ends := make(map[hippo.ID]*hippo.Memory, len(ms))
	for _, x := range ms {
		current := !x.Forgotten() && x.SupersededBy.IsZero() && x.ValidAt(at)
		if x.IsEntity() && current && x.Trust >= f.MinTrust && (f.Projects == nil || slices.Contains(f.Projects, x.Project)) {
			ends[x.ID] = x
		}
	}
	var facts []hippo.Fact
	for _, r := range relations {
		from, to := ends[r.From], ends[r.To]
		if from != nil && to != nil {
			facts = append(facts, hippo.Fact{Relation: r, Subject: entities.EntityIn(from).Name, Object: entities.EntityIn(to).Name, Trust: min(from.Trust, to.Trust)})
		}
	}
	return facts, nil
}

// bestFacts returns the first facts: those that share the most words with a query beside the names of the entities that it
// names, then the strongest, then those that hold since the latest time.
func bestFacts(facts []hippo.Fact, named []*entities.Card, query string) []hippo.Fact {
	words := bm25.Words()
	asked := termsOf(words, query)
	for _, c := range named {
		for _, name := range c.Keys {
			for term := range termsOf(words, name) {
				delete(asked, term)
			}
		}
	}
	type scored struct {
		hippo.Fact
		shared int
	}
	list := make([]scored, len(facts))
	for i, f := range facts {
		list[i].Fact = f
		for term := range termsOf(words, f.Subject+" "+strings.ReplaceAll(f.Kind, "_", " ")+" "+f.Object) {
			if asked[term] {
				list[i].shared++
			}
		}
		list[i].Asked = list[i].shared > 0
	}
	slices.SortFunc(list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.shared, a.shared), cmp.Compare(b.Weight, a.Weight), b.ValidFrom.Compare(a.ValidFrom), a.Compare(&b.Relation))
	})
	var out []hippo.Fact
	for i := range list[:min(len(list), maxAnswerFacts)] {
		out = append(out, list[i].Fact)
	}
	return out
}

// TellingTerms is [termsOf] with the words of the index.
func TellingTerms(text string) map[string]bool { return termsOf(bm25.Words(), text) }

// termsOf returns the terms of a text that are no function words.
func termsOf(words bm25.Analyzer, text string) map[string]bool {
	terms := make(map[string]bool)
	words.Terms(text, func(term []byte) {
		if t := string(term); !words.Stop(t) {
			terms[t] = true
		}
	})
	return terms
}
