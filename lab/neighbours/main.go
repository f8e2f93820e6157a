// Command neighbours checks shared:PATH with the programs whose file it is: both run on one file, each stores, finds
// and deletes what the other one has, both write at once, and both are killed.
//
//	go -C lab run ./neighbours --hippo ../bin/hippo --folder ../bin/neighbours --rounds 200 --together 5m
//
// The programs are those of make bin/neighbours. What is not there is named and left out. With --keep DIR the file
// that each program made stays there as it was before hippo opened it, and as it was at the end.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/others"
)

func main() {
	hippo := flag.String("hippo", "../bin/hippo", "the program")
	folder := flag.String("folder", "../bin/neighbours", "the folder of the other programs")
	only := flag.String("only", "", "the programs whose names begin with this")
	keep := flag.String("keep", "", "a folder for the files that the programs make")
	rounds := flag.Int("rounds", 20, "rounds of kill -9 with each program")
	together := flag.Duration("together", 20*time.Second, "how long both write at once")
	flag.Parse()
	if err := run(*hippo, *folder, *only, *keep, *rounds, *together); err != nil {
		fmt.Fprintln(os.Stderr, "neighbours:", err)
		os.Exit(1)
	}
}

// step is a part of what is checked with a program.
type step struct {
	name string
	// run returns what it found.
	run func(p *pair) (string, error)
}

func steps(rounds int, together time.Duration) []step {
	return []step{
		{"stored there, read here", thereHere},
		{"stored here, read there", hereThere},
		{"the same text from both", sameText},
		{"deleted here and there", deleted},
		{"stored again after that", storedAgain},
		{"both at once", func(p *pair) (string, error) { return atOnce(p, together) }},
		{"kill -9 of either", func(p *pair) (string, error) { return killed(p, rounds) }},
		{"vectors", embedded},
		{"checked by the extension in C", checkedInC},
	}
}

func run(hippo, folder, only, keep string, rounds int, together time.Duration) error {
	hippo, err := filepath.Abs(hippo)
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	if err != nil {
		return err
	}
	words, err := corpus.Words()
	if err != nil {
		return err
	}
	var errs []error
	fmt.Println("mcp-memory-service-rs: left out: crates.io has none of that name")
	for _, p := range others.In(folder) {
		if !p.Shares || !strings.HasPrefix(p.Name, only) {
			continue
		}
		if err := p.Missing(); err != nil {
			fmt.Printf("%s: left out: %v\n", p.Name, err)
			continue
		}
		both := &pair{ours: others.Hippo(hippo, "shared"), theirs: p, folder: folder, keep: keep, words: words, seeds: rand.New(rand.NewPCG(11, 1))}
		if err := both.all(steps(rounds, together)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Name, err))
		}
	}
	return errors.Join(errs...)
}
