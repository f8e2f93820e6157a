package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/o200k"
	"github.com/hippo-memory/hippo/lab/others"
)

// speed prints a row of figures for each program.
func speed(programs []others.Program, rows int) error {
	words, err := corpus.Words()
	if err != nil {
		return err
	}
	fmt.Printf("| %d rows | start | first answer | store | retrieve | memory | tokens of a result |\n|---|---|---|---|---|---|---|\n", rows)
	for i := range programs {
		err := within(func(dir string) error {
			if err := measure(&programs[i], dir, words, rows); err != nil {
				return err
			}
			return flushed(dir)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// flushes is how often the disk is measured.
const flushes = 200

// flushed prints what it takes to write 4 KiB to the end of a file and to flush it to the disk, now: the least that a
// program needs to store a text durably.
func flushed(dir string) (err error) {
	f, err := os.Create(filepath.Join(dir, "flushed"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var took []time.Duration
	for range flushes {
		d, err := timed(func() error {
			_, err := f.Write(make([]byte, 4096))
			return errors.Join(err, f.Sync())
		})
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	fmt.Printf("| &nbsp; 4 KiB written and flushed, just after it | | | %s | | | |\n", ms(median(took)))
	return nil
}

// within calls fn with a folder that is removed.
func within(fn func(dir string) error) (err error) {
	dir, err := os.MkdirTemp("", "comparison")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return fn(dir)
}

// figures are what calls took, and what else is measured.
type figures struct {
	// started is the time to the reply to initialize, first that to the first answer.
	started, first  time.Duration
	stores, recalls []time.Duration
	// tokens is the mean of a result, memory what is resident after the questions, in MB.
	tokens int
	memory float64
}

// measure fills a file, starts the program on it again, and prints what that and each call took: medians.
func measure(p *others.Program, dir string, words []string, rows int) error {
	file := filepath.Join(dir, "memory.db")
	s, err := p.Start(file, dir)
	if err != nil {
		return err
	}
	w := corpus.New(7, words)
	var f figures
	if err := f.store(s, w, rows); err != nil {
		return err
	}
	s.Kill()
	if s, err = f.start(p, file, dir, w); err != nil {
		return err
	}
	defer s.Kill()
	if err := f.ask(s, w, min(rows, questions)); err != nil {
		return err
	}
	fmt.Printf("| %s | %s | %s | %s | %s | %.0f MB | %d |\n", p.Name, ms(f.started), ms(f.first), ms(median(f.stores)), ms(median(f.recalls)), f.memory, f.tokens)
	return nil
}

// questions is how many are asked at most.
const questions = 200

// store stores texts, one after the other.
func (f *figures) store(s *others.Session, w *corpus.Writer, n int) error {
	for range n {
		text := w.Text(40)
		d, err := timed(func() error { _, err := s.Store(text, "comparison"); return err })
		if err != nil && !errors.Is(err, others.ErrRefused) {
			return err
		}
		f.stores = append(f.stores, d)
	}
	return nil
}

// start starts the program on a file and asks it once.
func (f *figures) start(p *others.Program, file, dir string, w *corpus.Writer) (*others.Session, error) {
	begin := time.Now()
	s, err := p.Start(file, dir)
	if err != nil {
		return nil, err
	}
	f.started = time.Since(begin)
	_, err = s.Recall(w.Query(), 10)
	f.first = time.Since(begin)
	return s, err
}

// ask asks questions.
func (f *figures) ask(s *others.Session, w *corpus.Writer, n int) error {
	for range n {
		query := w.Query()
		d, err := timed(func() error { _, err := s.Recall(query, 10); return err })
		if err != nil {
			return err
		}
		n, err := o200k.Count(s.Text)
		if err != nil {
			return err
		}
		f.recalls = append(f.recalls, d)
		f.tokens += n
	}
	f.tokens /= len(f.recalls)
	f.memory, _ = s.RSS()
	return nil
}

func timed(fn func() error) (time.Duration, error) {
	begin := time.Now()
	err := fn()
	return time.Since(begin), err
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func median(ds []time.Duration) time.Duration { return quantile(ds, .5) }

// quantile returns the duration that a share of them is below.
func quantile(ds []time.Duration, share float64) time.Duration {
	slices.Sort(ds)
	return ds[int(share*float64(len(ds)))]
}
