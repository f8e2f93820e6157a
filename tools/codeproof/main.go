// Command codeproof compares what the code index says of real source trees with what their compilers say.
//
//	go -C tools run ./codeproof
//
// It prints precision and recall of definitions, references and call edges. The judge is go/types for the standard
// library of Go.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	o := options{}
	flag.StringVar(&o.golang, "go", "std", "packages of Go to judge, as go list has them; empty: none")
	flag.IntVar(&o.misses, "misses", 0, "how many wrong and missing references to print")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "codeproof:", err)
		os.Exit(1)
	}
}

type options struct {
	golang string
	misses int
}

func run(ctx context.Context, o options, w io.Writer) error {
	fmt.Fprintln(w, "| tree | what | judged | said | precision | recall |\n|---|---|---|---|---|---|")
	judges := []struct {
		tree  string
		judge func(context.Context, options) (*facts, string, error)
	}{{o.golang, judgeGo}}
	for _, j := range judges {
		if j.tree == "" {
			continue
		}
		truth, root, err := j.judge(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", j.tree, err)
		}
		said, err := index(ctx, root)
		if err != nil {
			return fmt.Errorf("%s: %w", j.tree, err)
		}
		c := compare(truth, said)
		c.print(w, j.tree)
		for _, m := range c.misses[:min(len(c.misses), o.misses)] {
			fmt.Fprintln(w, m)
		}
	}
	return nil
}
