// Command learn plays weeks of votes on sets with known answers, and reports what they taught.
//
//	go -C tools run ./learn --data DIR                (the figures of docs/learning.md)
//	go -C tools run ./learn --rivals
//	go -C tools run ./learn --data DIR --fit          (constants, fitted on other sets than they are measured on)
//
// On each day every second question of a set is asked. What answers it on the first page is voted
// up, and the first such hit is opened. The other questions are asked only before and afterwards.
// With --irrelevant, ten memories that answer nothing are voted up and opened daily instead. Equal data and code print equal figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hippo-memory/hippo/internal/eval"
	"github.com/hippo-memory/hippo/internal/rank"
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
}

func parse(args []string, stderr io.Writer) (*options, error) {
	var o options
	f := flag.NewFlagSet("learn", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.data, "data", "", "folders of evaluation sets, separated by commas")
	f.StringVar(&o.model, "model", "static", "model of the searches: static, or builtin")
	f.IntVar(&o.days, "days", 30, "active days")
	f.IntVar(&o.sample, "sample", 0, "at most this many questions of each set, at equal distances; 0: all")
	f.BoolVar(&o.rivals, "rivals", false, "how many of twelve pairs of rivals change their order after three votes")
	f.StringVar(&o.irrelevant, "irrelevant", "", "vote for ten irrelevant memories instead: "+asThemselves+", found by their own words, or "+asAnswers+" to the questions that are asked; "+nothing+": no votes at all")
	f.BoolVar(&o.fit, "fit", false, "fit the constants, each set by all others")
	f.BoolVar(&o.off, "off", false, "without what votes teach")
	return &o, f.Parse(args)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	w := rank.DefaultWeights()
	if o.off {
		w.Learning.Shift = 0
	}
	m, err := openModels(ctx, o.model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eval.CloseModels(m.all)) }()
	if o.rivals {
		return playRivals(ctx, stdout, m, &w)
	}
	var sets []*eval.Set
	for dir := range strings.SplitSeq(o.data, ",") {
		more, err := eval.Load(dir)
		if err != nil {
			return err
		}
		sets = append(sets, more...)
	}
	if o.fit {
		return fit(ctx, stdout, m, sets, o)
	}
	var all result
	fmt.Fprintln(stdout, "| set | questions | | hit@1 | MRR | R@5 | R@10 |")
	fmt.Fprintln(stdout, "|---|---|---|---|---|---|---|")
	for _, s := range sets {
		r, err := playAll(ctx, m, s, []rank.Learning{w.Learning}, o)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		r[0].write(stdout, s.Name)
		all.sum(&r[0])
	}
	if len(sets) > 1 {
		all.write(stdout, "all")
	}
	return nil
}
