package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// succession is a store of memories that supersede, are forgotten, restored and purged.
type succession struct {
	*fixture
	ids []hippo.ID
}

// do carries out a random step on the memories that the step names by their numbers. It returns what was done.
func (s *succession) do(verb int, some []int) string {
	s.t.Helper()
	ctx := s.t.Context()
	s.advance(0, 1e9)
	var ids []hippo.ID
	for _, n := range some {
		ids = append(ids, s.ids[n])
	}
	var err error
	name := ""
	switch verb {
	case 0:
		name = "supersede"
		_, err = memory.Supersede(ctx, s.Memories, memory.Succession{ID: ids[1], By: ids[0]})
	case 1, 2:
		name = "forget"
		_, err = memory.Forget(ctx, s.Memories, ids)
	case 3, 4:
		name = "restore"
		_, err = memory.Restore(ctx, s.Memories, ids)
	default:
		name = "purge"
		err = memory.Purge(ctx, s.Memories, ids[:1])
	}
	return fmt.Sprintf("%s %v: %v", name, some, hippo.CodeOf(err))
}

// states returns what supersedes each memory, until when it holds, and whether it is forgotten.
func (s *succession) states() (out []string) {
	s.t.Helper()
	for _, id := range s.ids {
		ms, err := memory.Get(s.t.Context(), s.Memories, []hippo.ID{id})
		if err != nil {
			out = append(out, "purged")
			continue
		}
		next := -1
		for n := range s.ids {
			if ms[0].SupersededBy == s.ids[n] {
				next = n
			}
		}
		out = append(out, fmt.Sprintf("by %d until %v forgotten %v", next, ms[0].ValidUntil, ms[0].Forgotten()))
	}
	return out
}

// What a forgotten memory superseded is superseded again when it is restored, whether the store keeps a history or not: any steps
// lead to the same states. Where it does, an undo takes each step back.
func TestForget_SuccessorWithoutHistory(t *testing.T) {
	t.Parallel()
	const memories, steps, rounds = 6, 14, 40
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 7))
		kept, none := &succession{fixture: open(t, options{})}, &succession{fixture: open(t, options{history: &hippo.Retention{}})}
		both := []*succession{kept, none}
		for n := range memories {
			for _, s := range both {
				s.advance(0, 1e9)
				s.ids = append(s.ids, s.note(fact(fmt.Sprintf("value %d", n))).ID)
			}
		}
		var log []string
		for range steps {
			verb, some := r.IntN(6), r.Perm(memories)[:1+r.IntN(2)]
			if verb == 0 && len(some) == 1 {
				some = append(some, (some[0]+1)%memories)
			}
			before := kept.states()
			if verb == 0 && !strings.HasSuffix(before[some[0]], "forgotten false") {
				continue
			}
			one, two := kept.do(verb, some), none.do(verb, some)
			log = append(log, one)
			if one != two {
				t.Fatalf("seed %d: %v: without a history: %s", seed, log, two)
			}
			if diff := cmp.Diff(kept.states(), none.states()); diff != "" {
				t.Fatalf("seed %d: %v (-with history +without):\n%s", seed, log, diff)
			}
			if verb < 5 && r.IntN(3) == 0 {
				undoLast(t, kept, before, log)
				kept.do(verb, some)
				if diff := cmp.Diff(kept.states(), none.states()); diff != "" {
					t.Fatalf("seed %d: %v, undone and done again (-with history +without):\n%s", seed, log, diff)
				}
			}
		}
		for _, s := range both {
			s.end()
		}
	}
}

// undoLast undoes the last step, if it was an operation, and compares the states with those before it.
func undoLast(t *testing.T, s *succession, before, log []string) {
	t.Helper()
	if cmp.Equal(before, s.states()) {
		return
	}
	last, err := memory.Operations(t.Context(), s.Memories, api.Operations{Count: 1})
	if err == nil {
		_, err = memory.Undo(t.Context(), s.Memories, last.Operations[0].ID)
	}
	if err != nil {
		t.Fatalf("%v: undo: %v", log, err)
	}
	if diff := cmp.Diff(before, s.states()); diff != "" {
		t.Fatalf("%v, undone (-before +now):\n%s", log, diff)
	}
}

// countedVersions counts the reads of former versions.
type countedVersions struct {
	driver.Backend
	reads atomic.Int32
}

func (c *countedVersions) Versions(ctx context.Context, q driver.VersionQuery) ([]hippo.Version, error) {
	c.reads.Add(1)
	return c.Backend.Versions(ctx, q)
}

// A restore of many memories reads the operation that has forgotten them as often as that of one.
func TestRestore_ReadsAnOperationOnce(t *testing.T) {
	t.Parallel()
	reads := func(n int) int32 {
		b := &countedVersions{Backend: memstore.New(nil)}
		f := open(t, options{backend: b})
		var ids []hippo.ID
		for i := range n {
			ids = append(ids, f.note(fact(fmt.Sprintf("value %d", i))).ID)
		}
		if _, err := memory.Forget(t.Context(), f.Memories, ids); err != nil {
			t.Fatal(err)
		}
		b.reads.Store(0)
		if _, err := memory.Restore(t.Context(), f.Memories, ids); err != nil {
			t.Fatal(err)
		}
		return b.reads.Load()
	}
	if one, many := reads(1), reads(30); one != many {
		t.Errorf("%d reads of former versions for 30 memories, %d for one", many, one)
	}
}
