package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// report is the outcome of a measurement.
type report struct {
	Sets []setReport `json:"sets"`
	// All is the confidence over all sets in the plain setting.
	All []eval.Total `json:"all,omitempty"`
	// Similarities has a row for each table of sentence pairs and model.
	Similarities []similarity `json:"similarities,omitempty"`
}

// setReport is what was measured on one set.
type setReport struct {
	eval.SetReport
	// Group is the part of --brief that the set belongs to; empty: none.
	Group string `json:"group,omitempty"`
	Rows  []row  `json:"rows"`
}

// row is one system in one setting.
type row struct {
	eval.Row
	Interval interval `json:"interval_95,omitzero"`
	// Lead is this row less that of the [eval.Baseline] in the same setting.
	Lead *difference `json:"lead,omitempty"`
	// Loss is the row of the same system in an easier setting, less this one.
	Loss *difference `json:"loss,omitempty"`
}

// measurement says what to measure: what [eval.Run] measures, in harder settings too.
type measurement struct {
	eval.Options
	harder
	smaller
	workers int // rows measured at a time; at least 1
}

// folders returns the folders of the data.
func (m *measurement) folders() []string { return strings.Split(m.Data, ",") }

// load reads the sets, each with a sample of its questions, asked of smaller stores if that is
// wanted.
func (m *measurement) load() ([]*eval.Set, error) {
	var sets []*eval.Set
	for _, dir := range m.folders() {
		some, err := eval.Load(dir)
		if err != nil {
			return nil, err
		}
		sets = append(sets, some...)
	}
	if m.join {
		sets = []*eval.Set{joined(sets)}
	}
	for i := range sets {
		if m.bare {
			sets[i] = bare(sets[i])
		}
		if m.sample > 0 {
			sets[i] = sampled(sets[i], m.sample)
		}
		if m.take > 0 {
			sets[i] = taken(sets[i], m.take)
		}
	}
	return sets, nil
}

// sampled is the set with n of its questions that are judged or unanswerable, drawn by a seed
// for each question; the order stays.
func sampled(s *eval.Set, n int) *eval.Set {
	s = s.Asked()
	if len(s.Questions) <= n {
		return s
	}
	drawn := make([]uint64, len(s.Questions))
	for i := range s.Questions {
		drawn[i] = randOf(s.Name, &s.Questions[i]).Uint64()
	}
	bound := slices.Sorted(slices.Values(drawn))[n]
	out := *s
	out.Questions = nil
	for i, q := range s.Questions {
		if drawn[i] < bound {
			out.Questions = append(out.Questions, q)
		}
	}
	return &out
}

// run measures every system on every set in every setting. Errors: those of [eval.Run],
// and [hippo.ErrInvalid] if there are too few other texts for the distractors.
func (m *measurement) run(ctx context.Context) (report, error) {
	sets, err := m.load()
	if err != nil {
		return report{}, err
	}
	if m.distractors > 0 && len(m.inFull(sets)) == 1 {
		return report{}, hippo.Fieldf("distractors", "must be 0 for a single set: they are texts of other sets in the folder")
	}
	var r report
	for _, dir := range m.folders() {
		some, err := similarities(ctx, dir, m.Models)
		if err != nil {
			return report{}, err
		}
		r.Similarities = append(r.Similarities, some...)
	}
	plan := m.plan(sets)
	if err := measureAll(ctx, plan, m.workers); err != nil {
		return report{}, err
	}
	var plains []eval.Row
	for i, s := range sets {
		sr := setReport{SetReport: s.Report(), Group: m.groupOf(s)}
		for _, j := range plan {
			if j.set != i {
				continue
			}
			sr.Rows = append(sr.Rows, j.row())
			if plain(j.setting) {
				plains = append(plains, j.measured)
			}
		}
		r.Sets = append(r.Sets, sr)
	}
	r.All = eval.Totals(plains)
	return r, nil
}

// job is one row to be measured.
type job struct {
	set     int // its number
	setting eval.Setting
	open    func() (*eval.Set, error)
	system  *eval.System
	// baseline and easier are the rows to compare with; nil: none.
	baseline, easier *job
	measured         eval.Row
}

// plan returns all rows, by set, setting and system.
func (m *measurement) plan(sets []*eval.Set) []*job {
	var plan []*job
	for n, s := range sets {
		systems, settings := m.systems(s), &m.harder
		if m.groupOf(s) != "" {
			settings = &harder{}
		}
		var jobs []*job
		find := func(setting eval.Setting, system string) *job {
			i := slices.IndexFunc(jobs, func(j *job) bool { return j.setting == setting && j.system.Name == system })
			if i < 0 {
				return nil
			}
			return jobs[i]
		}
		for _, v := range variants(s.Asked(), m.inFull(sets), settings) {
			open := sync.OnceValues(v.make)
			for i := range systems {
				if v.setting == settingDistractors && systems[i].Optional {
					continue
				}
				j := &job{set: n, setting: v.setting, open: open, system: &systems[i]}
				j.baseline, j.easier = find(v.setting, eval.Baseline), find(v.easier, systems[i].Name)
				jobs = append(jobs, j)
			}
		}
		plan = append(plan, jobs...)
	}
	return plan
}

// row compares a measured row with others.
func (j *job) row() row {
	r := row{Row: j.measured}
	scores := r.Scored()
	if len(scores) == 0 {
		return r
	}
	r.Interval = bootstrap(scores)
	if j.baseline != nil {
		r.Lead = new(differenceOf(scores, j.baseline.measured.Scored()))
		r.Lead.System, r.Lead.Setting = j.baseline.system.Name, j.baseline.setting
	}
	if j.easier != nil {
		r.Loss = new(differenceOf(j.easier.measured.Scored(), scores))
		r.Loss.System, r.Loss.Setting = j.easier.system.Name, j.easier.setting
	}
	return r
}

// measureAll measures the rows of a plan, as many at a time as there are workers, until
// one fails.
func measureAll(ctx context.Context, plan []*job, workers int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan *job)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for j := range todo {
				if err := j.measure(ctx, workers == 1); err != nil {
					cancel(err) // the first one is the cause
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

// measure measures the row. Latencies mean nothing unless it is the only one.
func (j *job) measure(ctx context.Context, alone bool) error {
	s, err := j.open()
	if err != nil {
		return fmt.Errorf("%s: %w", j.setting, err)
	}
	if j.measured, err = eval.Measure(ctx, s, j.system, nil, nil); err != nil {
		return err
	}
	if !alone {
		j.measured.Latency = eval.Latency{}
	}
	return nil
}
