package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
)

// The kinds of [Trial].
const (
	// TrialWhole: a question in a whole store.
	TrialWhole = "whole"
	// TrialNameless: the same without the names of those who talk there.
	TrialNameless = "nameless"
	// TrialSmall: in a store of a few memories, drawn from a whole one.
	TrialSmall = "small"
	// TrialAbstention: of the category abstention, which no memory answers, in the
	// store that it is about.
	TrialAbstention = "abstention"
)

// Trial is a question asked by ranker hippo of a store that has the answer, or of
// another one of its set; those of a corpus are asked of the other corpora.
type Trial struct {
	Set      string `json:"set"`
	Group    string `json:"group"`
	Question string `json:"question"`
	Kind     string `json:"kind"`
	// Size is the number of documents of a small store, else 0.
	Size int `json:"size,omitempty"`
	// Right: the store has the answer. Recall is the share of what answers the
	// question among the first ten, if they are asked for whatever the confidence.
	Right  bool    `json:"right"`
	Recall float64 `json:"recall"`

	Confidence float64       `json:"confidence"`
	Abstained  bool          `json:"abstained"`
	Support    hippo.Support `json:"support"`
}

// smallSizes are the sizes of small stores; each smallStep-th question is asked there.
func smallSizes() []int { return []int{1, 5, 25, 100} }

const smallStep = 3

// WriteTrials writes a line of JSON, a [Trial], for each search of [Trials].
func WriteTrials(w io.Writer, trials []Trial) error {
	out := json.NewEncoder(w)
	for i := range trials {
		if err := out.Encode(&trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// Trials asks all questions that are not [Apart] of a right and a wrong store, with
// the first model if there is one. What is drawn depends on the question alone.
func Trials(ctx context.Context, o *Options) ([]Trial, error) {
	sets, err := findSets(o.Data)
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	var model embed.Embedder
	var pieces embed.TokenEmbedder
	if len(o.Models) > 0 {
		model, pieces = o.Models[0].Embedder, o.Pieces
	}
	t := &trials{system: engineSystem("trials", o.Backend, hippo.RankerHippo, nil, model, pieces), progress: o.Progress}
	for _, s := range sets {
		for i := range s.groups {
			t.stores = append(t.stores, trialStore{set: s, group: &s.groups[i]})
		}
		t.total += len(s.questions)
	}
	defer t.close()
	for _, s := range sets {
		for i := range s.questions {
			if err := t.ask(ctx, s, &s.questions[i], i%smallStep == 0); err != nil {
				return nil, fmt.Errorf("eval: %s: question %s: %w", s.name, s.questions[i].id, err)
			}
			t.done++
			if t.progress != nil {
				t.progress(t.done, t.total)
			}
		}
	}
	return t.list, nil
}

// trials asks questions of all stores of all sets.
type trials struct {
	system      System
	stores      []trialStore
	list        []Trial
	progress    func(done, total int)
	done, total int
}

// trialStore is a group of a set, opened when it is asked first.
type trialStore struct {
	set   *set
	group *group
	open  Searcher
}

func (t *trials) close() {
	for i := range t.stores {
		if t.stores[i].open != nil {
			_ = t.stores[i].open.Close() // nothing in it is kept
		}
	}
}

// ask asks one question in all ways.
func (t *trials) ask(ctx context.Context, s *set, q *question, small bool) error {
	var own *trialStore
	var others []*trialStore
	for i := range t.stores {
		switch x := &t.stores[i]; {
		case x.set == s && x.group.name == q.group:
			own = x
		case x.set == s, s.scope == ScopeCorpus && x.set.scope == ScopeCorpus:
			others = append(others, x)
		}
	}
	trial := Trial{Set: s.name, Group: q.group, Question: q.text, Kind: TrialWhole}
	if q.category == "abstention" {
		trial.Kind = TrialAbstention
		return t.within(ctx, own, q, trial)
	}
	if len(q.relevant) == 0 || Apart(q.category) || len(others) == 0 {
		return nil
	}
	r := drawn(s.name, q)
	wrong := others[r.IntN(len(others))]
	err := t.both(ctx, own, wrong, q, trial)
	if text := withoutNames(q.text, own.group.docs); err == nil && text != q.text && text != "" {
		trial.Kind, trial.Question = TrialNameless, text
		err = t.both(ctx, own, wrong, q, trial)
	}
	if err != nil || !small {
		return err
	}
	trial.Kind, trial.Question = TrialSmall, q.text
	for _, trial.Size = range smallSizes() {
		right := &trialStore{set: s, group: &group{docs: few(r, own.group.docs, q.relevant, trial.Size)}}
		other := &trialStore{set: s, group: &group{docs: few(r, wrong.group.docs, nil, trial.Size)}}
		err := t.both(ctx, right, other, q, trial)
		for _, x := range []*trialStore{right, other} {
			if x.open != nil {
				err = errors.Join(err, x.open.Close())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// both asks the right store and a wrong one.
func (t *trials) both(ctx context.Context, right, wrong *trialStore, q *question, trial Trial) error {
	trial.Right = true
	if err := t.within(ctx, right, q, trial); err != nil {
		return err
	}
	trial.Right = false
	return t.within(ctx, wrong, q, trial)
}

// within asks one store, as a search by default is asked; where that is held back,
// once more for whatever there is.
func (t *trials) within(ctx context.Context, x *trialStore, q *question, trial Trial) error {
	if x.open == nil {
		var err error
		if x.open, err = t.system.Open(ctx, x.group.docs); err != nil {
			return err
		}
	}
	e, ok := x.open.(*engineSearcher)
	if !ok {
		panic("eval: trials are of the engine only")
	}
	query := hippo.Query{Text: trial.Question, Count: Depth, NoTouch: true}
	a, err := e.Engine.Search(ctx, query)
	if err != nil {
		return err
	}
	trial.Confidence, trial.Support, trial.Abstained = a.Confidence, a.Support, len(a.Hits) == 0
	if a.Abstained != "" {
		query.Relevance = &hippo.Range{Max: math.Inf(1)}
		if a, err = e.Engine.Search(ctx, query); err != nil {
			return err
		}
	}
	var found []string
	for _, h := range a.Hits {
		found = append(found, idOf(h.Memory))
	}
	trial.Recall = Recall(found, q.relevant, Depth)
	t.list = append(t.list, trial)
	return nil
}

// drawn is a source of chance that depends on a question alone.
func drawn(set string, q *question) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.WriteString(h, set+"\x00"+q.id+"\x00"+q.text)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// few draws n documents, those that are relevant first.
func few(r *rand.Rand, docs []*hippo.Memory, relevant map[string]float64, n int) []*hippo.Memory {
	var out, rest []*hippo.Memory
	for _, i := range r.Perm(len(docs)) {
		if _, is := relevant[idOf(docs[i])]; is {
			out = append(out, docs[i])
		} else {
			rest = append(rest, docs[i])
		}
	}
	out = append(out, rest...)
	return out[:min(n, len(out))]
}

// withoutNames leaves the names of the authors out of a question.
func withoutNames(text string, docs []*hippo.Memory) string {
	names := make(map[string]bool)
	for _, m := range docs {
		for w := range strings.FieldsSeq(m.Source.Author) {
			names[w] = true
		}
	}
	words := strings.Fields(text)
	return strings.Join(slices.DeleteFunc(words, func(w string) bool {
		w, _, _ = strings.Cut(strings.Trim(w, `.,;:!?"()`), "'")
		w, _, _ = strings.Cut(w, "’")
		return names[w]
	}), " ")
}
