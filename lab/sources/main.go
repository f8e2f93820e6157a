// Command sources measures on which scale one answer should order insights and code. Each question of sets of notes, and
// each of sets of functions, is asked of a store with the notes and of a source tree with the functions.
//
//	go -C lab run ./sources --data DIR              (a table in Markdown)
//	go -C lab run ./sources --data DIR --features   (a line of JSON for each question and pair of sets)
//	go -C lab run ./sources --data DIR --code       (instead: what a search of code alone finds, by the table and with the encoder)
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

func main() {
	data := flag.String("data", "", "folder of the evaluation sets")
	features := flag.Bool("features", false, "print a line of JSON for each question and pair of sets")
	code := flag.Bool("code", false, "measure searches of code alone")
	flag.Parse()
	what := run
	if *code {
		what = func(ctx context.Context, w io.Writer, data string, _ bool) error { return measureCode(ctx, w, data) }
	}
	if err := what(context.Background(), os.Stdout, *data, *features); err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
}

// noteSets and codeSets return the folders of the sets below that of the data.
func noteSets() []string {
	return []string{"agents/team", "agents/life", "agents/lessons", "agents/exact", "agents/facts"}
}

func codeSets() []string { return []string{"agents/code_go", "agents/code_py", "cosqa_dev"} }

func run(ctx context.Context, w io.Writer, data string, features bool) error {
	if data == "" {
		return hippo.Fieldf("data", "must be the folder of the evaluation sets")
	}
	trials, err := collect(ctx, data)
	if err != nil {
		return err
	}
	if !features {
		return write(w, trials)
	}
	e := json.NewEncoder(w)
	for i := range trials {
		if err := e.Encode(&trials[i]); err != nil {
			return err
		}
	}
	return nil
}

// collect asks all questions. What it opens ends with it.
func collect(ctx context.Context, data string) (trials []trial, err error) {
	o := eval.EngineOptions{Backend: app.Memory}
	if o.Tokens, err = app.TokenEmbedder(); err != nil {
		return nil, err
	}
	models, err := eval.OpenModels(ctx, []string{config.Builtin}, os.Getenv, app.OpenModels)
	defer func() { err = errors.Join(err, eval.CloseModels(models)) }()
	if err != nil {
		return nil, err
	}
	o.Models = models[0].Used
	stores, err := openAll(ctx, data, noteSets(), func(ctx context.Context, s *eval.Set) (*source, error) { return openStore(ctx, s, &o) })
	defer func() { err = errors.Join(err, closeAll(stores)) }()
	if err != nil {
		return nil, err
	}
	trees, err := openAll(ctx, data, codeSets(), openTree)
	defer func() { err = errors.Join(err, closeAll(trees)) }()
	if err != nil {
		return nil, err
	}
	for _, n := range stores {
		for _, c := range trees {
			some, err := pair(ctx, n, c)
			if err != nil {
				return nil, err
			}
			trials = append(trials, some...)
		}
	}
	return trials, nil
}

// openAll opens the sets of some folders; after an error it returns those that are open.
func openAll(ctx context.Context, data string, folders []string, open func(context.Context, *eval.Set) (*source, error)) (out []*source, err error) {
	for _, folder := range folders {
		sets, err := eval.Load(filepath.Join(data, filepath.FromSlash(folder)))
		if err != nil {
			return out, err
		}
		s, err := open(ctx, sets[0].Judged())
		if err != nil {
			return out, err
		}
		out = append(out, s)
	}
	return out, nil
}

func closeAll(list []*source) error {
	var err error
	for _, s := range list {
		err = errors.Join(err, s.end())
	}
	return err
}
