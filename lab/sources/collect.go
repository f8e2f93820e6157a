package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// shown is the number of hits of an answer.
const shown = 10

// found is what one source says to a question.
type found struct {
	Confidence float64 `json:"confidence"`
	// Relevance is that of each hit, the best first, and Right whether it is an answer.
	Relevance []float64 `json:"relevance"`
	Right     []bool    `json:"right"`
	// documents are the names of the documents of the hits in a tree: several may be parts of one.
	documents []string
}

func (f *found) add(relevance float64, right bool) {
	f.Relevance, f.Right = append(f.Relevance, relevance), append(f.Right, right)
}

// trial is a question that was asked of a store of notes and of a source tree.
type trial struct {
	// Notes and Code are the names of the sets.
	Notes    string `json:"notes"`
	Code     string `json:"code"`
	Question string `json:"question"`
	// AboutCode: the question is one of the set of code, and what answers it is not in the store.
	AboutCode bool  `json:"about_code"`
	Memory    found `json:"memory"`
	Tree      found `json:"tree"`
}

// source is a set that is open for questions.
type source struct {
	set *eval.Set
	// ask asks a question; relevant are the names of the documents that answer it.
	ask func(ctx context.Context, text string, relevant map[string]float64) (found, error)
	// encode embeds a tree by the encoder, which ranks from then on; nil: it is a store.
	encode func(context.Context) error
	end    func() error
}

// pair asks a store and a tree the questions about both.
func pair(ctx context.Context, notes, code *source) ([]trial, error) {
	var out []trial
	for _, about := range []*source{notes, code} {
		for i := range about.set.Questions {
			q := &about.set.Questions[i]
			t := trial{Notes: notes.set.Name, Code: code.set.Name, Question: q.ID, AboutCode: about == code}
			inNotes, inCode := q.Relevant, map[string]float64(nil)
			if t.AboutCode {
				inNotes, inCode = inCode, inNotes
			}
			var err error
			if t.Memory, err = notes.ask(ctx, q.Text, inNotes); err != nil {
				return nil, err
			}
			if t.Tree, err = code.ask(ctx, q.Text, inCode); err != nil {
				return nil, err
			}
			out = append(out, t)
		}
	}
	return out, nil
}

// openStore opens a store with the documents of a set.
func openStore(ctx context.Context, s *eval.Set, o *eval.EngineOptions) (*source, error) {
	e, err := eval.OpenEngine(ctx, s.Groups[0].Docs, o)
	if err != nil {
		return nil, err
	}
	m := e.In(eval.Scope())
	return &source{set: s, end: e.Close, ask: func(ctx context.Context, text string, relevant map[string]float64) (found, error) {
		a, err := query.Search(ctx, m, hippo.Query{Text: text, Count: shown, Ranker: hippo.RankerHippo, NoTouch: true})
		if err != nil {
			return found{}, err
		}
		out := found{Confidence: a.Confidence}
		for i := range a.Hits {
			out.add(a.Hits[i].Relevance, relevant[eval.Name(a.Hits[i].Memory)] > 0)
		}
		return out, nil
	}}, nil
}

// openTree indexes the documents of a set: a file each in a temporary folder, with a name that says nothing.
func openTree(ctx context.Context, s *eval.Set) (_ *source, err error) {
	dir, err := os.MkdirTemp("", "sources")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	defer func() {
		if err != nil {
			err = errors.Join(err, remove())
		}
	}()
	names, err := writeFiles(s, dir)
	if err != nil {
		return nil, err
	}
	l, err := app.OpenCodeIn(filepath.Join(dir, ".index"), &app.Options{})
	if err != nil {
		return nil, err
	}
	t, err := l.Library.Add(ctx, dir)
	if err == nil {
		_, err = t.Update(ctx, nil)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	encode := func(ctx context.Context) error { return codeindex.Encode(ctx, t, &codeindex.EncodeOptions{Now: true}) }
	return &source{set: s, encode: encode, end: func() error { return errors.Join(l.Close(), remove()) }, ask: func(ctx context.Context, text string, relevant map[string]float64) (found, error) {
		a, err := t.Search(ctx, codeindex.Query{Text: text, Count: shown})
		if err != nil {
			return found{}, err
		}
		out := found{Confidence: a.Confidence}
		for i := range a.Hits {
			name := names[a.Hits[i].Path]
			out.add(a.Hits[i].Relevance, relevant[name] > 0)
			out.documents = append(out.documents, name)
		}
		return out, nil
	}}, nil
}

// writeFiles writes the documents of a set, and returns their names by those of the files.
func writeFiles(s *eval.Set, dir string) (map[string]string, error) {
	names := make(map[string]string)
	for i, d := range s.Groups[0].Docs {
		file, text := fmt.Sprintf("f%05d.py", i), d.Content
		if s.Name == "code_go" {
			file, text = fmt.Sprintf("f%05d.go", i), "package p\n\n"+d.Content
		}
		names[file] = eval.Name(d)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	return names, nil
}
