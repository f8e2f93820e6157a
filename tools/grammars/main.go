// Command grammars builds the modules of internal/code/codeindex/grammar: a grammar of tree-sitter each, compiled to
// WebAssembly and packed. The same compiler writes the same bytes.
//
//	go -C tools run ./grammars --work ../bin/grammars --out ../internal/code/codeindex/grammar/modules
//
// It needs npm, and of Debian clang, lld, wasi-libc, libclang-rt-dev-wasm32 and xz-utils.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	work := flag.String("work", "", "folder of what is fetched and compiled")
	out := flag.String("out", "", "folder of the modules")
	glue := flag.String("glue", "grammars/glue", "folder of what every module has beside its grammar")
	only := flag.String("only", "", "languages to build, separated by commas; all others stay as they are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *work, *out, *glue, *only); err != nil {
		fmt.Fprintln(os.Stderr, "grammars:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, work, out, glue, only string) error {
	if work == "" || out == "" {
		return fmt.Errorf("--work and --out are required")
	}
	for _, dir := range []*string{&work, &out, &glue} {
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return err
		}
		*dir = abs
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	b := builder{work: work, out: out, glue: glue}
	if err := b.fetch(ctx, library()); err != nil {
		return err
	}
	for _, g := range grammars() {
		if err := b.fetch(ctx, g.source); err != nil {
			return err
		}
		if only != "" && !strings.Contains(","+only+",", ","+g.language+",") {
			continue
		}
		fmt.Println(g.language)
		if err := b.build(ctx, g); err != nil {
			return fmt.Errorf("%s: %w", g.language, err)
		}
	}
	return b.describe()
}
