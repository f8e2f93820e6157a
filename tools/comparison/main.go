// Command comparison runs this program and the memory programs of others through the same calls with the same texts,
// over MCP, each on a new file: start, first answer, store, retrieve, resident memory, tokens of a result, and with
// --data how well questions about conversations find the turns that answer them.
//
//	go -C tools run ./comparison --hippo ../bin/hippo --folder ../bin/neighbours --rows 100 --data ../../shared/data/locomo --conversations 1
//
// The programs are those of make bin/neighbours. What is not there is named and left out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/eval"
	"github.com/hippo-memory/hippo/internal/o200k"
	"github.com/hippo-memory/hippo/tools/corpus"
	"github.com/hippo-memory/hippo/tools/neighbour"
)

func main() {
	hippo := flag.String("hippo", "../bin/hippo", "the program")
	folder := flag.String("folder", "../bin/neighbours", "the folder of the other programs")
	rows := flag.Int("rows", 100, "texts that are stored")
	data := flag.String("data", "", "a set of conversations instead")
	conversations := flag.Int("conversations", 1, "the first conversations of it")
	only := flag.String("only", "", "the programs whose names begin with one of these, separated by commas")
	flag.Parse()
	if err := run(*hippo, *folder, *data, *only, *rows, *conversations); err != nil {
		fmt.Fprintln(os.Stderr, "comparison:", err)
		os.Exit(1)
	}
}

func run(hippo, folder, data, only string, rows, conversations int) error {
	hippo, err := filepath.Abs(hippo)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return err
	}
	var there []neighbour.Program
	for _, p := range append([]neighbour.Program{neighbour.Hippo(hippo, "sqlite"), neighbour.Hippo(hippo, "shared")}, neighbour.Others(folder)...) {
		if !slices.ContainsFunc(strings.Split(only, ","), func(name string) bool { return strings.HasPrefix(p.Name, name) }) {
			continue
		}
		if err := p.Missing(); err != nil {
			fmt.Printf("%s: left out: %v\n", p.Name, err)
			continue
		}
		there = append(there, p)
	}
	if data != "" {
		return quality(data, conversations, there)
	}
	return speed(there, rows)
}

// speed prints a row of figures for each program.
func speed(programs []neighbour.Program, rows int) error {
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

// measure fills a file, starts the program on it again, and prints what that and each call took: medians.
func measure(p *neighbour.Program, dir string, words []string, rows int) error {
	file := filepath.Join(dir, "memory.db")
	s, err := p.Start(file, dir)
	if err != nil {
		return err
	}
	w := corpus.New(7, words)
	var stores, recalls []time.Duration
	for range rows {
		text := w.Text(40)
		d, err := timed(func() error { _, err := s.Store(text, "comparison"); return err })
		if err != nil && !errors.Is(err, neighbour.ErrRefused) {
			return err
		}
		stores = append(stores, d)
	}
	s.Kill()
	begin := time.Now()
	if s, err = p.Start(file, dir); err != nil {
		return err
	}
	defer s.Kill()
	started, tokens := time.Since(begin), 0
	if _, err := s.Recall(w.Query(), 10); err != nil {
		return err
	}
	first := time.Since(begin)
	for range min(rows, 200) {
		query := w.Query()
		d, err := timed(func() error { _, err := s.Recall(query, 10); return err })
		if err != nil {
			return err
		}
		n, err := o200k.Count(s.Text)
		if err != nil {
			return err
		}
		recalls, tokens = append(recalls, d), tokens+n
	}
	memory, _ := s.RSS()
	fmt.Printf("| %s | %s | %s | %s | %s | %.0f MB | %d |\n", p.Name, ms(started), ms(first), ms(median(stores)), ms(median(recalls)), memory, tokens/len(recalls))
	return nil
}

func timed(fn func() error) (time.Duration, error) {
	begin := time.Now()
	err := fn()
	return time.Since(begin), err
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

// quality prints the measures of each program on the first conversations of a set: each turn is stored as a text
// without more, in its order, and each question is asked with nothing but itself.
func quality(data string, conversations int, programs []neighbour.Program) error {
	sets, err := eval.Load(data)
	if err != nil {
		return err
	}
	for _, s := range sets {
		s.Groups = s.Groups[:min(conversations, len(s.Groups))]
		names := make(map[string]bool)
		for _, g := range s.Groups {
			names[g.Name] = true
		}
		s.Questions = slices.DeleteFunc(s.Judged().Questions, func(q eval.Question) bool { return !names[q.Group] || eval.Excluded(q.Category) })
	}
	var systems []eval.System
	for i := range programs {
		systems = append(systems, system(&programs[i]))
	}
	r, err := eval.MeasureAll(context.Background(), sets, systems)
	if err != nil {
		return err
	}
	return eval.WriteTable(os.Stdout, r, &eval.TableOptions{})
}
