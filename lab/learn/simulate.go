package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// simulation are the flags of a simulation of use.
type simulation struct {
	simulate, each bool
	daily          int
	skip           skipped
}

// The parts of a simulation that can be left out.
const (
	opening = "open"
	upvotes = "up"
	// downvotes: the first hit that does not answer, of every third question.
	downvotes = "down"
	// forgetting: weekly a memory that answers no question.
	forgetting = "forget"
	weekly     = "weekly"
	monthly    = "monthly"
)

func parts() []string { return []string{opening, upvotes, downvotes, forgetting, weekly, monthly} }

// skipped are the parts that are left out.
type skipped []string

func (s *skipped) String() string { return strings.Join(*s, ",") }

// Set parses the value of a flag.
func (s *skipped) Set(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		if !slices.Contains(parts(), name) {
			return fmt.Errorf("%q is none of %s", name, strings.Join(parts(), ", "))
		}
		*s = append(*s, name)
	}
	return nil
}

func (s skipped) has(part string) bool { return slices.Contains(s, part) }

// simulate plays each set, with all parts but those that are left out, and writes a table.
func simulate(ctx context.Context, w io.Writer, m models, sets []*eval.Set, o *options) error {
	variants := []skipped{o.skip}
	if o.each {
		for _, part := range parts() {
			variants = append(variants, append(slices.Clone(o.skip), part))
		}
		variants = append(variants, parts())
	}
	writeHead(w)
	for _, skip := range variants {
		var all outcome
		for _, s := range sets {
			r, err := simulateSet(ctx, m, s, o, skip)
			if err != nil {
				return fmt.Errorf("%s: %w", s.Name, err)
			}
			r.write(w, s.Name, skip)
			all.sum(r)
		}
		if len(sets) > 1 {
			all.write(w, "all", skip)
		}
	}
	return nil
}

func simulateSet(ctx context.Context, m models, s *eval.Set, o *options, skip skipped) (*outcome, error) {
	var out outcome
	questions := sampled(s, o.sample)
	for i := range s.Groups {
		g := &s.Groups[i]
		list := of(g, questions)
		if len(list) == 0 {
			continue
		}
		r, err := simulateGroup(ctx, m, g, list, o, skip)
		if err != nil {
			return nil, err
		}
		out.sum(r)
	}
	return &out, nil
}

// user is who uses a store.
type user struct {
	*place
	skip    skipped
	draw    *rand.Rand
	asked   []eval.Question
	useless []*hippo.Memory // answer no question
	number  int             // of questions that were asked so far
	done    *deeds
}

func simulateGroup(ctx context.Context, m models, g *eval.Group, list []eval.Question, o *options, skip skipped) (out *outcome, err error) {
	p, err := open(ctx, m, g.Docs, opened{weights: &o.weights, surprising: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	halves := halved(list)
	out = &outcome{deeds: deeds{memories: len(g.Docs)}}
	measure := func(at int) error {
		return errors.Join(p.measure(ctx, halves[0], &out.asked[at]), p.measure(ctx, halves[1], &out.unasked[at]))
	}
	if err := measure(0); err != nil {
		return nil, err
	}
	u := &user{place: p, skip: skip, draw: rand.New(rand.NewPCG(3, 4)), asked: halves[0], useless: irrelevant(g, list), done: &out.deeds}
	for day := range o.days {
		p.now = p.now.AddDate(0, 0, 1)
		if err := u.live(ctx, day, o.daily); err != nil {
			return nil, err
		}
	}
	if err := measure(1); err != nil {
		return nil, err
	}
	if err := u.archive(ctx); err != nil {
		return nil, err
	}
	return out, measure(2)
}

// live plays a day.
func (u *user) live(ctx context.Context, day, daily int) error {
	for range daily {
		q := &u.asked[u.draw.IntN(len(u.asked))]
		hits, err := u.ask(ctx, q.Text, false)
		if err == nil {
			err = u.judge(ctx, q, hits)
		}
		if err != nil {
			return err
		}
	}
	if err := u.Flush(ctx); err != nil {
		return err
	}
	if week := day / 7; day%7 == 3 && week < len(u.useless) && !u.skip.has(forgetting) {
		u.done.forgotten++
		if _, err := memory.Forget(ctx, u.Memories, []hippo.ID{u.useless[week].ID}); err != nil {
			return err
		}
	}
	switch {
	case day%30 == 29 && !u.skip.has(monthly):
		return u.tidy(ctx, api.Monthly)
	case day%7 == 6 && !u.skip.has(weekly):
		return u.tidy(ctx, api.Weekly)
	}
	return nil
}

// judge opens the first hit that answers a question, votes for what answers it, and for every third
// question against the first hit that does not. Summaries are neither.
func (u *user) judge(ctx context.Context, q *eval.Question, hits []hippo.ID) error {
	u.number++
	b := api.Reinforce{Query: q.Text}
	for _, id := range hits {
		switch name, known := u.names[id]; {
		case q.Relevant[name] > 0:
			b.Up = append(b.Up, id)
		case known && len(b.Down) == 0:
			b.Down = append(b.Down, id)
		}
	}
	if len(b.Up) > 0 && !u.skip.has(opening) {
		if err := memory.Opened(ctx, u.Memories, map[hippo.ID]string{b.Up[0]: q.Text}); err != nil {
			return err
		}
	}
	if u.skip.has(upvotes) {
		b.Up = nil
	}
	if u.number%3 != 0 || u.skip.has(downvotes) {
		b.Down = nil
	}
	if len(b.Up)+len(b.Down) == 0 {
		return nil
	}
	_, err := memory.Cast(ctx, u.Memories, b)
	return err
}

// tidy consolidates. What it records is scored at once, so that no clock decides when.
func (u *user) tidy(ctx context.Context, h api.Horizon) error {
	c, err := upkeep.Consolidate(ctx, u.Memories, upkeep.ConsolidateOptions{Horizon: h})
	if err != nil {
		return err
	}
	u.done.add(&c.ConsolidationCounts)
	return upkeep.Scored(ctx, u.Memories)
}
