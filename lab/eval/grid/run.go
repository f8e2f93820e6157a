package grid

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// Options says what to measure.
type Options struct {
	Library *Library
	// Engine has the models, the tokens and the backend.
	Engine eval.EngineOptions
	// Cells selects cells by their names; nil: all.
	Cells *regexp.Regexp
	// Largest is the size of the largest store.
	Largest int
	// Sample is the number of questions of a cell, at most.
	Sample int
	// Workers is how many stores are open at a time; at least 1.
	Workers int
	// Progress, if not nil, is called after each store, one call at a time.
	Progress func(done, all int)
}

// Measures are those that cells are compared by, each in [0, 1].
type Measures struct {
	Recall10 float64 `json:"recall_at_10"`
	Hit1     float64 `json:"hit_at_1"`
}

// Result is one measured cell.
type Result struct {
	Cell
	Questions int `json:"questions"`
	// Of has the measures by what was asked: the default and the others.
	Of map[string]Measures `json:"of"`
	// Best are the highest of the others, each measure by itself; Lead is the default less that.
	Best Measures `json:"best"`
	Lead Measures `json:"lead"`
}

// Run measures all cells that are selected.
func Run(ctx context.Context, o *Options) ([]Result, error) {
	groups := o.groups()
	results := make([][]Result, len(groups))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan int)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range max(1, o.Workers) {
		wait.Go(func() {
			for i := range todo {
				var err error
				if results[i], err = o.measure(ctx, groups[i]); err != nil {
					cancel(fmt.Errorf("%v: %w", groups[i].cells[0], err))
				}
				mu.Lock()
				done++
				if o.Progress != nil {
					o.Progress(done, len(groups))
				}
				mu.Unlock()
			}
		})
	}
	for i := range groups {
		select {
		case todo <- i:
		case <-ctx.Done():
		}
	}
	close(todo)
	wait.Wait()
	return slices.Concat(results...), context.Cause(ctx)
}

// group is cells of one set that share their stores.
type group struct {
	set   *eval.Set
	cells []Cell
}

// groups returns the selected cells by store.
func (o *Options) groups() []group {
	var out []group
	for _, s := range o.Library.Sets {
		at := make(map[Cell]int)
		for _, c := range Design(s.Name, o.Largest) {
			if o.Cells != nil && !o.Cells.MatchString(c.String()) {
				continue
			}
			i, ok := at[c.store()]
			if !ok {
				i = len(out)
				at[c.store()], out = i, append(out, group{set: s})
			}
			out[i].cells = append(out[i].cells, c)
		}
	}
	return out
}

// Asked yields the selected cells as sets whose questions are in the form of the cell, named like it. Those without the data that they need are
// left out. What a cell says of the state is for who opens the stores.
func (o *Options) Asked() iter.Seq2[Cell, *eval.Set] {
	return func(yield func(Cell, *eval.Set) bool) {
		for _, g := range o.groups() {
			stores := o.Library.composed(g.set, g.cells[0], o.Sample)
			for _, c := range g.cells {
				s := asked(stores, c)
				if len(s.Questions) > 0 && !yield(c, s) {
					return
				}
			}
		}
	}
}

// asked is a set with its questions in the form of a cell.
func asked(s *eval.Set, c Cell) *eval.Set {
	out := *s
	out.Name, out.Questions = c.String(), slices.Clone(s.Questions)
	form := formNamed(c.Form)
	for i := range out.Questions {
		q := &out.Questions[i]
		q.Text = form.of(q.Text, randOf(c.Set, q.ID))
	}
	return &out
}

// measure measures the cells of a group.
func (o *Options) measure(ctx context.Context, g group) ([]Result, error) {
	stores := o.Library.composed(g.set, g.cells[0], o.Sample)
	if len(stores.Questions) == 0 {
		return nil, nil
	}
	sums := make([]map[string][]eval.Score, len(g.cells))
	for i := range sums {
		sums[i] = make(map[string][]eval.Score)
	}
	for i := range stores.Groups {
		if err := o.store(ctx, g, stores, i, sums); err != nil {
			return nil, err
		}
	}
	out := make([]Result, len(g.cells))
	for i, c := range g.cells {
		out[i] = resultOf(c, sums[i])
	}
	return out, nil
}

// store asks the questions of one store, in all forms, and appends the scores by cell.
func (o *Options) store(ctx context.Context, g group, stores *eval.Set, at int, sums []map[string][]eval.Score) (err error) {
	s, err := openStore(ctx, &o.Engine, stores.Groups[at].Docs, g.cells[0].State)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for i, c := range g.cells {
		for _, q := range asked(stores, c).Questions {
			if q.Group != stores.Groups[at].Name {
				continue
			}
			found, err := s.ask(ctx, q.Text)
			if err != nil {
				return fmt.Errorf("question %s: %w", q.ID, err)
			}
			for name, list := range found {
				sums[i][name] = append(sums[i][name], eval.ScoreOf(list, q.Relevant))
			}
		}
	}
	return nil
}

func resultOf(c Cell, scores map[string][]eval.Score) Result {
	r := Result{Cell: c, Of: make(map[string]Measures)}
	for name, list := range scores {
		m := eval.Mean(list)
		r.Questions = max(r.Questions, m.Questions)
		r.Of[name] = Measures{m.Recall10, m.Hit1}
	}
	for _, name := range others() {
		r.Best.Recall10, r.Best.Hit1 = max(r.Best.Recall10, r.Of[name].Recall10), max(r.Best.Hit1, r.Of[name].Hit1)
	}
	r.Lead = Measures{r.Of[byDefault].Recall10 - r.Best.Recall10, r.Of[byDefault].Hit1 - r.Best.Hit1}
	return r
}
