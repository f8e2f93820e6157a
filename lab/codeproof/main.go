// Command codeproof compares what the code index says of real source trees with what their compilers say.
//
//	go -C lab run ./codeproof
//
// It prints precision and recall of definitions, references and call edges. The judge is go/types for the standard
// library of Go, ast and symtable for Python, and the compiler of TypeScript for that. Packages of PyPI and npm are
// fetched once, into the cache directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	o := options{}
	flag.StringVar(&o.golang, "go", "std", "packages of Go to judge, as go list has them; empty: none")
	flag.StringVar(&o.python, "python", "std django==5.2.8", "packages of Python to judge, as pip has them; std: the standard library; empty: none")
	flag.StringVar(&o.typescript, "typescript", "maplibre-gl@5.24.1 rxjs@7.8.2", "packages of TypeScript to judge, as npm has them; empty: none")
	flag.IntVar(&o.misses, "misses", 0, "how many wrong and missing definitions and references of each to print")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "codeproof:", err)
		os.Exit(1)
	}
}

type options struct {
	golang, python, typescript string
	misses                     int
}

// A tree is what is judged, and by what: judge returns the facts and the folder of the tree.
type tree struct {
	name  string
	judge func(context.Context) (*facts, string, error)
}

func trees(o options, cache string) (list []tree) {
	if o.golang != "" {
		list = append(list, tree{"go " + o.golang, func(ctx context.Context) (*facts, string, error) { return judgeGo(ctx, o) }})
	}
	for p := range strings.FieldsSeq(o.python) {
		list = append(list, tree{"python " + p, func(ctx context.Context) (*facts, string, error) { return judgePython(ctx, p, cache) }})
	}
	for p := range strings.FieldsSeq(o.typescript) {
		list = append(list, tree{"typescript " + p, func(ctx context.Context) (*facts, string, error) { return judgeTypeScript(ctx, p, cache) }})
	}
	return list
}

func run(ctx context.Context, o options, w io.Writer) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "| tree | what | judged | said | precision | recall |\n|---|---|---|---|---|---|")
	for _, t := range trees(o, filepath.Join(cache, "hippo", "codeproof")) {
		truth, root, err := t.judge(ctx)
		if errors.Is(err, errMissing) {
			fmt.Fprintf(w, "| %s | %s | | | | |\n", t.name, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		said, err := index(ctx, root)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
		c := compare(truth, said)
		c.print(w, t.name)
		for _, m := range c.misses[:min(len(c.misses), o.misses)] {
			fmt.Fprintln(w, m)
		}
	}
	return nil
}
