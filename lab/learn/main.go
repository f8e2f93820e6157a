// Command learn plays weeks of votes on sets with known answers, and reports what they taught.
//
//	go -C lab run ./learn --data DIR                (the figures of docs/learning.md)
//	go -C lab run ./learn --rivals
//	go -C lab run ./learn --data DIR --fit          (constants, fitted on other sets than they are measured on)
//	go -C lab run ./learn --data DIR --simulate     (90 days of use)
//
// On each day every second question of a set is asked. What answers it on the first page is voted
// up, and the first such hit is opened. The other questions are asked only before and afterwards.
// With --irrelevant, ten memories that answer nothing are voted up and opened daily instead.
//
// With --simulate a store is used for 90 days: on each some questions of the asked half are asked, what answers them is
// opened and voted up, some of what does not is voted down, now and then something is forgotten, and the store is
// consolidated weekly and monthly. --skip leaves out parts, --each has a row without each of them. At last a fifth
// of the memories is archived. Equal data and code print equal figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	data, model      string
	days, sample     int
	irrelevant       string
	rivals, fit, off bool
	simulation
	weights rank.Weights
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := options{weights: rank.DefaultWeights()}
	f := flag.NewFlagSet("learn", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "", "folders of evaluation sets, separated by commas")
	f.StringVar(&o.model, "model", "static", "model of the searches: static, or builtin")
	f.IntVar(&o.days, "days", 0, "active days; 0: 30, of a simulation 90")
	f.IntVar(&o.sample, "sample", 0, "at most this many questions of each set, at equal distances; 0: all")
	f.BoolVar(&o.rivals, "rivals", false, "how many of twelve pairs of rivals change their order after three votes")
	f.StringVar(&o.irrelevant, "irrelevant", "", "vote for ten irrelevant memories instead: "+asThemselves+", found by their own words, or "+asAnswers+" to the questions that are asked; "+nothing+": no votes at all")
	f.BoolVar(&o.fit, "fit", false, "fit the constants, each set by all others")
	f.BoolVar(&o.off, "off", false, "without what votes teach")
	f.BoolVar(&o.simulate, "simulate", false, "a simulation of use instead")
	f.IntVar(&o.daily, "daily", 5, "questions that are asked on a day of a simulation")
	f.Var(&o.skip, "skip", "parts that a simulation leaves out, separated by commas: "+strings.Join(parts(), ", "))
	f.BoolVar(&o.each, "each", false, "simulations without each part as well")
	constantFlags(f, &o.weights.Learning)
	err := f.Parse(args)
	if o.off {
		o.weights.Learning.Shift = 0
	}
	if o.days == 0 && o.simulate {
		o.days = 90
	}
	if o.days == 0 {
		o.days = 30
	}
	return &o, err
}

// constantFlags are for trying other constants.
func constantFlags(f *flag.FlagSet, l *rank.Learning) {
	f.Float64Var(&l.Shift, "shift", l.Shift, "how far votes move a memory")
	f.Float64Var(&l.Reach, "reach", l.Reach, "how far below the best one a memory may be for votes to raise it")
	f.Float64Var(&l.Near, "near", l.Near, "from what cosine on a question is near one that was asked")
	f.Float64Var(&l.Unrelated, "unrelated", l.Unrelated, "below what cosine a question divides what another one praises; -1: never")
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	m, err := openModels(ctx, o.model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eval.CloseModels(m.all)) }()
	if o.rivals {
		return playRivals(ctx, stdout, m, &o.weights)
	}
	sets, err := load(o.data)
	switch {
	case err != nil:
		return err
	case o.fit:
		return fit(ctx, stdout, m, sets, o)
	case o.simulate:
		return simulate(ctx, stdout, m, sets, o)
	default:
		return play(ctx, stdout, m, sets, o)
	}
}

// load reads the sets of some folders.
func load(dirs string) (sets []*eval.Set, err error) {
	for dir := range strings.SplitSeq(dirs, ",") {
		more, err := eval.Load(dir)
		if err != nil {
			return nil, err
		}
		sets = append(sets, more...)
	}
	return sets, nil
}

// play plays the days on each set, and writes a table.
func play(ctx context.Context, w io.Writer, m models, sets []*eval.Set, o *options) error {
	var all result
	fmt.Fprintln(w, "| set | questions | | hit@1 | MRR | R@5 | R@10 |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|")
	for _, s := range sets {
		r, err := playAll(ctx, m, s, []rank.Learning{o.weights.Learning}, o)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r[0].write(w, s.Name)
		all.sum(&r[0])
	}
	if len(sets) > 1 {
		all.write(w, "all")
	}
	return nil
}
