package dirstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
)

// The variables that make the test binary a writer which is to be killed.
const (
	childMode  = "HIPPO_DIRSTORE_CHILD" // "pipeline", or "crash" or "vote" with the number of the change to die at
	childDir   = "HIPPO_DIRSTORE_DIR"
	childFirst = "HIPPO_DIRSTORE_FIRST"
)

func childMain(mode string) {
	kill := func() {
		self, _ := os.FindProcess(os.Getpid())
		self.Kill() //nolint:errcheck // if it fails the parent notices
		select {}
	}
	o := &dirstore.Options{}
	what, at, crash := strings.Cut(mode, " ")
	left, _ := strconv.Atoi(at)
	armed := false
	var mu sync.Mutex
	if crash {
		o = o.WithFault(func(string, string) error {
			mu.Lock()
			defer mu.Unlock()
			if armed {
				if left == 0 {
					kill()
				}
				left--
			}
			return nil
		})
	}
	s, err := dirstore.Open(context.Background(), os.Getenv(childDir), o)
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	if crash {
		armed = true
		err = s.Write(context.Background(), driver.Durable, map[string]func(driver.Tx) error{"crash": transaction, "vote": vote}[what])
		armed = false
		fmt.Println("committed", err)
		kill()
	}
	pipeline(s)
}

// transaction changes one memory, adds one and purges one.
func transaction(tx driver.Tx) error {
	m := memory(1)
	m.Pinned = true
	if err := errors.Join(tx.Put(m, memory(3)), keep(tx, 2, 1)); err != nil {
		return err
	}
	if err := tx.Purge(id(2)); err != nil {
		return err
	}
	return tx.SetCalendar(driver.Calendar{Day: 2, Date: "2025-08-02"})
}

// pipeline writes one memory after the other from several goroutines, and says
// so when a write is acknowledged, until it is killed.
func pipeline(s *dirstore.Store) {
	first, _ := strconv.Atoi(os.Getenv(childFirst))
	numbers := make(chan int)
	go func() {
		for n := first; ; n++ {
			numbers <- n
		}
	}()
	var mu sync.Mutex
	for range 20 {
		go func() {
			for n := range numbers {
				err := s.Write(context.Background(), driver.Durable, func(tx driver.Tx) error {
					c, err := tx.Calendar()
					if err != nil {
						return err
					}
					if n%7 == 0 {
						return errors.Join(tx.SetCalendar(driver.Calendar{Day: c.Day + 1}), tx.Put(memory(n)))
					}
					return tx.Put(memory(n))
				})
				mu.Lock()
				if err != nil {
					fmt.Println("write:", err)
					os.Exit(1)
				}
				fmt.Println(n)
				mu.Unlock()
			}
		}()
	}
	select {}
}

// child starts this test binary as a writer in p.
func child(t *testing.T, p *place, mode string, first int) (*exec.Cmd, io.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+p.dir, childFirst+"="+strconv.Itoa(first))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, out
}

// TestCrash_at_every_change kills a writer before each change that a commit of
// several files makes to the disk.
func TestCrash_at_every_change(t *testing.T) {
	t.Parallel()
	before, after := 0, 0
	for at := 0; ; at++ {
		p := newPlace(t)
		bystander := p.open()
		put(t, bystander, memory(1), memory(2))
		update(t, bystander, func(tx driver.Tx) error { return keep(tx, 1, 1, 2) })
		setCalendar(t, bystander, driver.Calendar{Day: 1, Date: "2025-08-01"})
		putVectors(t, bystander, vector(1, 2, 0), vector(2, 2, 0))
		c, out := child(t, p, "crash "+strconv.Itoa(at), 0)
		said, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		if c.Wait() == nil {
			t.Fatalf("change %d: the writer was not killed: %s", at, said)
		}
		acked := string(said) == "committed <nil>\n"
		if len(said) > 0 && !acked {
			t.Fatalf("change %d: the writer said %s", at, said)
		}
		reopened := p.open()
		done := head(t, reopened).Calendar.Day == 2
		if acked && !done {
			t.Fatalf("change %d: the commit is lost", at)
		}
		put(t, bystander, memory(4))
		for _, s := range []*dirstore.Store{reopened, bystander} {
			afterCrash(t, s, at, done)
		}
		equal(t, "changes", changes(t, bystander, 0), changes(t, reopened, 0))
		vectorsAfterCrash(t, reopened, bystander, done)
		update(t, bystander, func(tx driver.Tx) error { return tx.Purge(id(3)) })
		put(t, bystander, memory(4))
		missing(t, p.open(), 3)
		if left := p.leftovers(); len(left) != 0 {
			t.Errorf("change %d: temporary files: %v", at, left)
		}
		if done {
			after++
		} else {
			before++
		}
		if acked {
			break
		}
	}
	t.Logf("%d crashes undid the commit, %d did not", before, after)
	if before < 4 || after < 4 {
		t.Error("the crashes were not where they should be")
	}
}

func afterCrash(t *testing.T, s *dirstore.Store, at int, done bool) {
	t.Helper()
	ms, err := s.Get(t.Context(), []hippo.ID{id(1), id(2), id(3)})
	if err != nil {
		t.Fatal(err)
	}
	var there []hippo.ID
	for _, m := range ms {
		there = append(there, m.ID)
	}
	want := []hippo.ID{id(1), id(2)}
	if done {
		want = []hippo.ID{id(1), id(3)}
	}
	equal(t, fmt.Sprintf("memories after a crash at change %d", at), there, want)
	if done {
		wantHistory(t, s, 1, 2, 1)
	} else {
		wantHistory(t, s, 2, 1)
	}
	if ms[0].Pinned != done || ms[0].Version != 1 {
		t.Errorf("change %d: the commit is done: %t, but memory 1 is %+v", at, done, ms[0])
	}
	noProblems(t, s)
}

// vectorsAfterCrash allows a purge that was undone to have cost a vector.
func vectorsAfterCrash(t *testing.T, s, other *dirstore.Store, done bool) {
	t.Helper()
	want := []driver.Vector{vector(1, 2, 0)}
	if done {
		put(t, s, memory(2))
	} else if len(vectors(t, s)) > 1 {
		want = append(want, vector(2, 2, 0))
	}
	equal(t, "vectors", vectors(t, s), want)
	equal(t, "vectors of the bystander", vectors(t, other), want)
}

// TestCrash_keeps_what_was_acknowledged kills a busy writer; HIPPO_CRASH_ROUNDS
// says how often.
func TestCrash_keeps_what_was_acknowledged(t *testing.T) {
	t.Parallel()
	rounds := drivertest.Rounds(3)
	p := newPlace(t)
	var acked []int
	for round := range rounds {
		c, out := child(t, p, "pipeline", len(acked)+1000*round%60000)
		lines := bufio.NewScanner(out)
		for range 40 + 17*round%100 {
			if !lines.Scan() {
				t.Fatalf("round %d: the writer ended early", round)
			}
			acked = append(acked, number(t, lines.Text()))
		}
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			acked = append(acked, number(t, lines.Text()))
		}
		c.Wait() //nolint:errcheck // it was killed
		o := p.options()
		s := p.openWith(&o)
		for _, n := range acked {
			get(t, s, n)
		}
		noProblems(t, s)
		if left := p.leftovers(); len(left) != 0 {
			t.Errorf("round %d: temporary files: %v", round, left)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d acknowledged writes in %d rounds", len(acked), rounds)
}

func number(t *testing.T, line string) int {
	t.Helper()
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("the writer said %q", line)
	}
	return n
}
