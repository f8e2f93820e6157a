// Command comparison runs this program and the memory programs of others through the same calls with the same texts,
// over MCP, each on a new file: start, first answer, store, retrieve, resident memory, tokens of a result, and with
// --data how well questions about conversations find the turns that answer them.
//
//	go -C lab run ./comparison --hippo ../bin/hippo --folder ../bin/neighbours --rows 100 --data ../../shared/data/locomo --conversations 1
//
// With --prepared the others do not store the texts themselves, which takes them hours: each gets a file in its own form
// that was made of one store of this program. With --alike the same texts are stored by the other program and prepared
// for it, and the results are compared.
//
// The programs are those of make bin/neighbours. What is not there is named and left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/lab/judge"
	"github.com/hippo-memory/hippo/lab/others"
)

func main() {
	hippo := flag.String("hippo", "../bin/hippo", "the program")
	folder := flag.String("folder", "../bin/neighbours", "the folder of the other programs")
	rows := flag.Int("rows", 100, "texts that are stored")
	data := flag.String("data", "", "a set of conversations instead")
	conversations := flag.Int("conversations", 1, "the first conversations of it")
	only := flag.String("only", "", "the programs whose names begin with one of these, separated by commas")
	prepared := flag.String("prepared", "", "a database of this program with ROWS texts and their vectors, of which each program gets a copy; made if it is not there")
	alike := flag.Bool("alike", false, "compare what a program finds in a file that it wrote with what it finds in one that was prepared")
	flag.Parse()
	programs, err := programsOf(hippo, folder, *only)
	switch {
	case err != nil:
	case *data != "":
		err = quality(*data, *conversations, programs)
	case *alike:
		err = compareFiles(*hippo, programs, *rows)
	case *prepared != "":
		err = speedPrepared(*hippo, *prepared, programs, *rows)
	default:
		err = speed(programs, *rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "comparison:", err)
		os.Exit(1)
	}
}

// programsOf returns the programs that can be started and are wanted.
func programsOf(hippo, folder *string, only string) (there []others.Program, err error) {
	for _, path := range []*string{hippo, folder} { // programs run in folders of their own
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	for _, p := range append([]others.Program{others.Hippo(*hippo, "sqlite"), others.Hippo(*hippo, "shared")}, others.In(*folder)...) {
		if !slices.ContainsFunc(strings.Split(only, ","), func(name string) bool { return strings.HasPrefix(p.Name, name) }) {
			continue
		}
		if err := p.Missing(); err != nil {
			fmt.Printf("%s: left out: %v\n", p.Name, err)
			continue
		}
		there = append(there, p)
	}
	return there, nil
}

// quality prints the measures of each program on the first conversations of a set: each turn is stored as a text
// without more, in its order, and each question is asked with nothing but itself.
func quality(data string, conversations int, programs []others.Program) error {
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
	r, err := judge.All(context.Background(), sets, systems)
	if err != nil {
		return err
	}
	return eval.WriteTable(os.Stdout, r, &eval.TableOptions{})
}
