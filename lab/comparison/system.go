package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/lab/o200k"
	"github.com/hippo-memory/hippo/lab/others"
)

// system is a program as package eval measures it.
func system(p *others.Program) eval.System {
	return eval.System{Name: p.Name, Open: func(_ context.Context, docs []*hippo.Memory) (eval.Searcher, error) { return open(p, docs) }}
}

// searcher is a program with the documents of a group. A text that the program has already, or refuses as one that is
// like it, counts as what it was first stored as.
type searcher struct {
	*others.Session
	dir   string
	names map[string]string // of documents, by the key that the program gave
}

func open(p *others.Program, docs []*hippo.Memory) (_ *searcher, err error) {
	s := &searcher{names: make(map[string]string)}
	if s.dir, err = os.MkdirTemp("", "comparison"); err != nil {
		return nil, err
	}
	if s.Session, err = p.Start(filepath.Join(s.dir, "memory.db"), s.dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	for _, m := range docs {
		key, err := s.Store(m.Content)
		if err != nil && !errors.Is(err, others.ErrRefused) {
			return nil, errors.Join(err, s.Close())
		}
		if _, there := s.names[key]; err == nil && !there {
			s.names[key] = eval.Name(m)
		}
	}
	return s, s.Settle()
}

// Search implements [eval.Searcher].
func (s *searcher) Search(_ context.Context, r eval.Request) (eval.Reply, error) {
	keys, err := s.Recall(r.Text, eval.Depth)
	if err != nil {
		return eval.Reply{}, err
	}
	n, err := o200k.Count(s.Text)
	reply := eval.Reply{Tokens: float64(n)}
	for _, key := range keys {
		if name := s.names[key]; name != "" {
			reply.Names = append(reply.Names, name)
		}
	}
	return reply, err
}

// Close implements [eval.Searcher].
func (s *searcher) Close() error {
	s.Kill()
	return os.RemoveAll(s.dir)
}
