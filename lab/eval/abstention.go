package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// The kinds of [trial].
const (
	// trialWhole: a question in a whole store.
	trialWhole = "whole"
	// trialRemoved: in the store that it is about, which lacks the memories that answer it. Right
	// is the same question where they are not removed, of kind whole.
	trialRemoved = "removed"
	// trialSmall: in a store of a few memories, drawn from a whole one.
	trialSmall = "small"
	// trialUnanswerable: a question that no memory answers, see [eval.Unanswerable], in the
	// store that it is about, and in a few memories of it.
	trialUnanswerable = "unanswerable"
)

// trial is a question asked by ranker hippo of a store that has the answer, or of
// another store of its set; those of a corpus are asked of the other corpora.
type trial struct {
	Set      string `json:"set"`
	Group    string `json:"group"`
	Question string `json:"question"`
	Category string `json:"category,omitempty"`
	Lang     string `json:"lang,omitempty"`
	Kind     string `json:"kind"`
	// Size is the number of documents of a small store, else 0.
	Size int `json:"size,omitempty"`
	// Right: the store has the answer. First: the first hit is one.
	Right bool `json:"right"`
	First bool `json:"first"`

	Confidence float64 `json:"confidence"`
	// Weak: the answer is marked as weak, or has no hit.
	Weak bool `json:"weak"`
	// Support has the features of the confidence, as an answer returns them.
	Support map[string]float64 `json:"support"`
}

// smallSizes are the sizes of small stores; each smallStep-th question is asked there.
func smallSizes() []int { return []int{1, 5, 25} }

const smallStep = 6

// trials asks all questions that are not [eval.Excluded] of a right and a wrong store,
// with the first model if there is one. What is drawn depends on the question alone.
func (m *measurement) trials(ctx context.Context) (list []trial, err error) {
	sets, err := m.load()
	if err != nil {
		return nil, err
	}
	t := &trials{engine: m.engine()}
	for _, s := range sets {
		for i := range s.Groups {
			t.stores = append(t.stores, trialStore{set: s, group: &s.Groups[i]})
		}
	}
	defer func() {
		for i := range t.stores {
			err = errors.Join(err, t.stores[i].close())
		}
	}()
	for _, s := range sets {
		for i := range s.Questions {
			if err := t.ask(ctx, s, &s.Questions[i], i%smallStep == 0); err != nil {
				return nil, fmt.Errorf("%s: question %s: %w", s.Name, s.Questions[i].ID, err)
			}
		}
	}
	return t.list, nil
}

// trials asks questions of all stores of all sets.
type trials struct {
	engine *eval.EngineOptions
	stores []trialStore
	list   []trial
}

// trialStore is a group of a set, opened by its first question.
type trialStore struct {
	set    *eval.Set
	group  *eval.Group
	opened *engine.Engine
	// ids are those of the memories in the opened store by their [eval.Name].
	ids map[string]hippo.ID
}

// open opens the store, unless it is open.
func (s *trialStore) open(ctx context.Context, o *eval.EngineOptions) error {
	if s.opened != nil {
		return nil
	}
	var err error
	if s.opened, err = eval.OpenEngine(ctx, s.group.Docs, o); err != nil {
		return err
	}
	s.ids = make(map[string]hippo.ID)
	for m, err := range transfer.New(s.opened.In(eval.Scope())).Export(ctx) {
		if err != nil {
			return err
		}
		s.ids[eval.Name(m)] = m.ID
	}
	return nil
}

func (s *trialStore) close() error {
	if s.opened == nil {
		return nil
	}
	return s.opened.Close()
}

// ask asks one question in all ways.
func (t *trials) ask(ctx context.Context, s *eval.Set, q *eval.Question, small bool) error {
	own, others := t.split(s, q)
	x := trial{Set: s.Name, Group: q.Group, Question: q.Text, Category: q.Category, Lang: q.Lang, Kind: trialWhole}
	if eval.Unanswerable(q.Category) {
		return t.unanswerable(ctx, own, q, x)
	}
	if len(q.Relevant) == 0 || eval.Excluded(q.Category) || len(others) == 0 {
		return nil
	}
	r := randOf(s.Name, q)
	wrong := others[r.IntN(len(others))]
	err := t.both(ctx, own, wrong, q, x)
	if err == nil {
		err = t.removed(ctx, own, q, x)
	}
	if err != nil || !small {
		return err
	}
	x.Kind = trialSmall
	for _, x.Size = range smallSizes() {
		right := trialStore{set: s, group: &eval.Group{Docs: sample(r, own.group.Docs, q.Relevant, x.Size)}}
		other := trialStore{set: s, group: &eval.Group{Docs: sample(r, wrong.group.Docs, nil, x.Size)}}
		err := t.both(ctx, &right, &other, q, x)
		if err := errors.Join(err, right.close(), other.close()); err != nil {
			return err
		}
	}
	return nil
}

// removed asks a question of its own store while the memories that answer it are forgotten.
func (t *trials) removed(ctx context.Context, own *trialStore, q *eval.Question, x trial) error {
	x.Kind = trialRemoved
	var ids []hippo.ID
	for name := range q.Relevant {
		if id, ok := own.ids[name]; ok {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil // the store refused them
	}
	if _, err := memory.Forget(ctx, own.opened.In(eval.Scope()), ids); err != nil {
		return err
	}
	err := t.search(ctx, own, q, x)
	_, restored := memory.Restore(ctx, own.opened.In(eval.Scope()), ids)
	return errors.Join(err, restored)
}

// unanswerable asks a question that nothing answers of its own store and of small ones.
func (t *trials) unanswerable(ctx context.Context, own *trialStore, q *eval.Question, x trial) error {
	x.Kind = trialUnanswerable
	if err := t.search(ctx, own, q, x); err != nil {
		return err
	}
	r := randOf(x.Set, q)
	for _, x.Size = range smallSizes() {
		s := trialStore{set: own.set, group: &eval.Group{Docs: sample(r, own.group.Docs, nil, x.Size)}}
		if err := errors.Join(t.search(ctx, &s, q, x), s.close()); err != nil {
			return err
		}
	}
	return nil
}

// split returns the store that a question is about, and those that it may be asked of
// as a wrong one.
func (t *trials) split(s *eval.Set, q *eval.Question) (own *trialStore, others []*trialStore) {
	for i := range t.stores {
		switch x := &t.stores[i]; {
		case x.set == s && x.group.Name == q.Group:
			own = x
		case x.set == s, s.Setting == eval.SettingCorpus && x.set.Setting == eval.SettingCorpus:
			others = append(others, x)
		}
	}
	return own, others
}

// both asks the right store and a wrong one.
func (t *trials) both(ctx context.Context, right, wrong *trialStore, q *eval.Question, x trial) error {
	x.Right = true
	if err := t.search(ctx, right, q, x); err != nil {
		return err
	}
	x.Right = false
	return t.search(ctx, wrong, q, x)
}

// search asks one store with the defaults of a search.
func (t *trials) search(ctx context.Context, s *trialStore, q *eval.Question, x trial) error {
	if err := s.open(ctx, t.engine); err != nil {
		return err
	}
	a, err := query.Search(ctx, s.opened.In(eval.Scope()), hippo.Query{Text: x.Question, Count: eval.Depth, NoTouch: true, Detail: hippo.Detail{Explain: true}})
	if err != nil {
		return err
	}
	x.Confidence, x.Support, x.Weak = a.Confidence, a.Support, eval.Weak(len(a.Hits), a.Weak)
	if len(a.Hits) > 0 {
		_, x.First = q.Relevant[eval.Name(a.Hits[0].Memory)]
	}
	t.list = append(t.list, x)
	return nil
}

// randOf returns a random source whose seed is the question.
func randOf(set string, q *eval.Question) *rand.Rand {
	h := fnv.New64a()
	_, _ = io.WriteString(h, set+"\x00"+q.ID+"\x00"+q.Text) // never fails
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// sample draws n documents, the relevant ones first.
func sample(r *rand.Rand, docs []*hippo.Memory, relevant map[string]float64, n int) []*hippo.Memory {
	var out, rest []*hippo.Memory
	for _, i := range r.Perm(len(docs)) {
		if _, is := relevant[eval.Name(docs[i])]; is {
			out = append(out, docs[i])
		} else {
			rest = append(rest, docs[i])
		}
	}
	out = append(out, rest...)
	return out[:min(n, len(out))]
}
