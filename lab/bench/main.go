// Command bench measures the hippo binary from outside, as a client does, and
// prints one table: start, first and warm search, record, memory, and what is
// left after kill -9. Medians; the start also as a ratio to a bare server of the
// same SDK in the same run.
//
//	go run ./bench -hippo ../bin/hippo        (in lab/; make bench does it)
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo/lab/corpus"
)

func main() {
	hippo := flag.String("hippo", "../bin/hippo", "the binary to measure")
	runs := flag.Int("runs", 40, "process starts per number")
	sizes := flag.String("sizes", "10000,100000", "stores to measure, in memories")
	rounds := flag.Int("kills", 200, "rounds of kill -9 per store")
	peer := flag.String("peer", "", "command of a peer memory server; measures only it, with the pipelined test")
	flag.Parse()
	b := bench{runs: *runs}
	err := b.prepare(*hippo)
	switch {
	case err != nil:
	case *peer != "":
		err = b.peer(*peer, 20)
	default:
		err = b.run(parseSizes(*sizes), *rounds)
	}
	err = errors.Join(err, os.RemoveAll(b.dir))
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench holds what all measurements share.
type bench struct {
	hippo, bare, dir string
	runs             int
	words            []string // for texts
}

// prepare builds the server to compare with. No process embeds in the background: it would answer for the server that is measured.
func (b *bench) prepare(hippo string) error {
	if err := os.Setenv("HIPPO_BACKGROUND", "off"); err != nil {
		return err
	}
	var err error
	if b.hippo, err = filepath.Abs(hippo); err != nil {
		return err
	}
	if b.words, err = corpus.Words(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "hippo-bench"); err != nil {
		return err
	}
	b.bare = filepath.Join(b.dir, "bare")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.bare, "./bench/bare").CombinedOutput(); err != nil {
		return fmt.Errorf("build bare server: %w\n%s", err, out)
	}
	return nil
}

func (b *bench) run(sizes []int, rounds int) error {
	if err := b.empty(); err != nil {
		return err
	}
	for _, n := range sizes {
		if err := b.filled(n); err != nil {
			return fmt.Errorf("%d memories: %w", n, err)
		}
	}
	return b.lost(rounds)
}

// row prints one line of the table.
func row(what string, value string, limit string) {
	fmt.Printf("%-64s %16s   %s\n", what, value, limit)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// percentile returns the p-th percentile, 0 to 1, of ds.
func percentile(ds []time.Duration, p float64) time.Duration {
	slices.Sort(ds)
	return ds[int(p*float64(len(ds)-1))]
}

func median(ds []time.Duration) time.Duration { return percentile(ds, .5) }

// timed measures fn.
func timed(fn func() error) (time.Duration, error) {
	t := time.Now()
	err := fn()
	return time.Since(t), err
}
