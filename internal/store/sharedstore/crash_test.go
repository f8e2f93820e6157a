package sharedstore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

// crashChild, set to a path, makes the test binary record into that file until it is killed, and print the
// ID of every memory that was acknowledged.
const crashChild = "HIPPO_TEST_CRASH_SHARED"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChild); path != "" {
		if err := recordForever(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func recordForever(path string) error {
	ctx := context.Background()
	fmt.Println("begin")
	s, err := sharedstore.Open(ctx, path, &sharedstore.Options{Gradual: true})
	for n := 0; err == nil; n++ {
		m := memory(0, fmt.Sprintf("Fact %d of %s", n, uuid.New()))
		m.ID = hippo.ID(uuid.New())
		err = s.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(m) })
		if err == nil {
			fmt.Println(m.ID)
			err = s.PutVectors(ctx, "contextual@1", []driver.Vector{{ID: m.ID, Values: embedding(m.Content)}})
		}
		if err == nil && n%3 == 0 {
			m.ForgottenAt = at(3000)
			err = s.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(m) })
		}
	}
	return err
}

// begun and acknowledged are from when on the time of a child counts: that it began to open the file, and its first memory. How long
// it takes from the one to the other depends on the machine.
const (
	begun = iota
	acknowledged
)

// Nothing that was acknowledged is lost by kill -9 while another program writes the same file, and the other
// program finds it sound.
func TestCrash_Kill(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	total, stored := 0, 0
	for round := range drivertest.Rounds(4) {
		var other sync.WaitGroup
		other.Go(func() {
			for range 10 {
				p.store(fmt.Sprintf("Theirs %d", stored), "", "note", "{}", float64(1000+stored))
				stored++
			}
		})
		ids := drivertest.Killed(t, crashChild+"="+p.path, acknowledged, time.Duration(round*37%150)*time.Millisecond)
		other.Wait()
		total += len(ids)
		s := p.open()
		ms, err := s.Get(t.Context(), ids)
		if err != nil || len(ms) != len(ids) {
			t.Fatalf("round %d: %d of %d acknowledged memories are there (%v)", round, len(ms), len(ids), err)
		}
		for _, m := range ms {
			if n := p.text("SELECT count(*) FROM memories WHERE content = ? AND (deleted_at IS NULL) = ?", m.Content, !m.Forgotten()); n != "1" {
				t.Errorf("round %d: the others have %s rows of %+v", round, n, m)
			}
		}
		if h, err := s.Head(t.Context()); err != nil || strconv.Itoa(h.Memories) != p.text("SELECT count(*) FROM memories") {
			t.Errorf("round %d: %+v (%v)", round, h, err)
		}
		p.sound()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if total == 0 {
		t.Error("nothing was ever acknowledged: the test tests nothing")
	}
	t.Logf("%d acknowledged, %d stored by the other program", total, stored)
}

// A kill while a file is opened for the first time leaves it as it was, or ready.
func TestCrash_KillFirstOpening(t *testing.T) {
	t.Parallel()
	whole := 0
	for round := range drivertest.Rounds(4) {
		p := newPeer(t, "python10")
		for n := range 20 {
			p.store(fmt.Sprintf("Theirs %d", n), "", "note", "{}", 1000)
		}
		drivertest.Killed(t, crashChild+"="+p.path, begun, time.Duration(20+round*37%150)*time.Millisecond)
		p.sound()
		if got := p.text("SELECT count(*) FROM memories WHERE content LIKE 'Theirs %' AND deleted_at IS NULL"); got != "20" {
			t.Errorf("round %d: %s rows are left", round, got)
		}
		_, err := os.Stat(p.path + ".before-hippo")
		ready := p.text("SELECT count(*) FROM sqlite_schema WHERE name = 'shared_state'") == "1"
		if ready && err != nil {
			t.Errorf("round %d: the file was written without a copy: %v", round, err)
		}
		if ready {
			whole++
		}
		if got := all(t, p.open()); len(got) < 20 {
			t.Errorf("round %d: %d memories", round, len(got))
		}
	}
	t.Logf("%d of %d were ready", whole, drivertest.Rounds(4))
}

// A kill of two processes that take over the same rows, and record memories meanwhile, loses none of both.
func TestCrash_KillTakeOver(t *testing.T) {
	t.Parallel()
	for round := range drivertest.Rounds(4) {
		p := newPeer(t, "python10")
		p.storeMany()
		var other []hippo.ID
		var both sync.WaitGroup
		both.Go(func() {
			other = drivertest.Killed(t, crashChild+"="+p.path, begun, time.Duration(250+round*161%1000)*time.Millisecond)
		})
		ids := drivertest.Killed(t, crashChild+"="+p.path, begun, time.Duration(200+round*197%1000)*time.Millisecond)
		both.Wait()
		ids = append(ids, other...)
		p.sound()
		s := p.open()
		if ms, err := s.Get(t.Context(), ids); err != nil || len(ms) != len(ids) {
			t.Errorf("round %d: %d of %d are there (%v)", round, len(ms), len(ids), err)
		}
		theirs := 0
		for text := range all(t, s) {
			if strings.HasPrefix(text, "text ") {
				theirs++
			}
		}
		if theirs != many {
			t.Errorf("round %d: %d rows were taken over", round, theirs)
		}
		t.Logf("round %d: %d acknowledged", round, len(ids))
	}
}
