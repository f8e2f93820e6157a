package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Harder says which settings are measured beside the plain one. Each adds a row for
// every system, with the [Row.Loss] against the plain row; for conversations the
// loss of Distractors is against that of Pooled, which it adds.
type Harder struct {
	// Pooled: all conversations in one store.
	Pooled bool
	// Paraphrased: the questions in other words.
	Paraphrased bool
	// Distractors is how many texts of other sets are added; 0 means no such rows.
	// Because they take minutes, they are of the baseline and the default ranker,
	// unless other rankers are asked for.
	Distractors int
	// Used: a store in which one in a hundred memories, that answer nothing, was
	// heavily used and voted up.
	Used bool
}

// HundredThousand is the usual number of distractors.
const HundredThousand = 100_000

// job is one row to be measured.
type job struct {
	// set is the set as it was read, asked what the set that documents gives.
	set       *set
	scope     Scope
	documents func() (*set, error)
	system    *System
	// baseline and easier are the rows to compare with; nil: none.
	baseline, easier *job
	answers          []answered // once measured
}

// setting is one way of asking a set; easier is the one that it is compared with.
type setting struct {
	scope  Scope
	easier Scope
	make   func() (*set, error)
}

// settings are the plain one and those harder ones that make sense for a set.
func (s *set) settings(sets []*set, h *Harder) []setting {
	is := func(x *set) (*set, error) { return x, nil }
	list := []setting{{scope: s.scope, make: func() (*set, error) { return is(s) }}}
	whole := s.scope
	if s.scope == ScopeConversation && (h.Pooled || h.Distractors > 0) {
		whole = ScopePooled
		list = append(list, setting{whole, s.scope, func() (*set, error) { return is(s.pooled()) }})
	}
	if h.Paraphrased {
		list = append(list, setting{ScopeParaphrased, s.scope, func() (*set, error) { return is(s.paraphrased()) }})
	}
	if h.Distractors > 0 {
		list = append(list, setting{ScopeDistractors, whole, func() (*set, error) { return s.distracted(sets, h.Distractors) }})
	}
	if h.Used {
		list = append(list, setting{ScopeUsed, s.scope, func() (*set, error) { return is(s.used()) }})
	}
	return list
}

// newPlan returns all rows, by set, setting and system. Questions without evidence
// are taken out of the sets, and the others numbered.
func newPlan(sets []*set, systems []System, h *Harder) []*job {
	var plan []*job
	for _, s := range sets {
		s.questions = slices.DeleteFunc(s.questions, func(q question) bool { return len(q.relevant) == 0 })
		for i := range s.questions {
			s.questions[i].number = i
		}
	}
	for _, s := range sets {
		var of []*job
		find := func(scope Scope, system string) *job {
			i := slices.IndexFunc(of, func(j *job) bool { return j.scope == scope && j.system.Name == system })
			if i < 0 {
				return nil
			}
			return of[i]
		}
		for _, x := range s.settings(sets, h) {
			documents := sync.OnceValues(x.make)
			for i := range systems {
				if x.scope == ScopeDistractors && systems[i].common {
					continue
				}
				j := &job{set: s, scope: x.scope, documents: documents, system: &systems[i]}
				j.baseline, j.easier = find(x.scope, Baseline), find(x.easier, systems[i].Name)
				of = append(of, j)
			}
		}
		plan = append(plan, of...)
	}
	return plan
}

// row is what a measured job and those that it is compared with come to.
func (j *job) row() Row {
	row := summary(j.system.Name, j.scope, j.answers)
	if row.Questions == 0 {
		return row
	}
	if j.baseline != nil {
		row.Lead = new(DifferenceOf(counted(j.answers), counted(j.baseline.answers)))
		row.Lead.System, row.Lead.Scope = j.baseline.system.Name, j.baseline.scope
	}
	if j.easier != nil {
		row.Loss = new(DifferenceOf(counted(j.easier.answers), counted(j.answers)))
		row.Loss.System, row.Loss.Scope = j.easier.system.Name, j.easier.scope
	}
	return row
}

// all measures the rows of a plan, some at a time, until one fails.
func (r *runner) all(ctx context.Context, plan []*job, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan *job)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for j := range todo {
				if err := r.do(ctx, j); err != nil {
					cancel(fmt.Errorf("%s: %s: %w", j.set.name, j.system.Name, err)) // the first one counts
				}
			}
		})
	}
	for _, j := range plan {
		select {
		case todo <- j:
		case <-ctx.Done():
		}
	}
	close(todo)
	wait.Wait()
	return context.Cause(ctx)
}

func (r *runner) do(ctx context.Context, j *job) error {
	s, err := j.documents()
	if err != nil {
		return err
	}
	if j.answers, err = r.measure(ctx, s, j.system); err != nil {
		return err
	}
	if len(j.answers) != len(j.set.questions) {
		return errors.New("a question has no documents to search")
	}
	return nil
}

// counted are the scores that are part of the mean.
func counted(all []answered) []Score {
	var out []Score
	for _, a := range all {
		if !Apart(a.category) {
			out = append(out, a.score)
		}
	}
	return out
}
