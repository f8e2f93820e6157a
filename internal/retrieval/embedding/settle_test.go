package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// beginBriefly is begin for a process that ends soon, with some memories.
func beginBriefly(t *testing.T, m *slow, memories int, onBattery bool) *process {
	t.Helper()
	p, err := begin(t.Context(), memstore.New(nil), embedding.Config{
		Models: []embedding.Model{{Embedder: m, Optional: true}, {Embedder: instant{}, Instant: true}}, Brief: true,
		OnBattery: func(context.Context) bool { return onBattery },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range memories {
		if err := p.store.Add(t.Context(), &hippo.Memory{Content: fmt.Sprint("memory ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.index.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// A process that ends soon embeds nothing while it answers; then it embeds what the time allows, keeps that, and says how much is
// missing. Its status promises nothing before.
func TestSettle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &slow{took: 10 * time.Millisecond}
		p := beginBriefly(t, m, 20, false)
		if _, err := p.Query(t.Context(), &hippo.Scope{Rights: hippo.AllRights}, "what is it", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := m.count(); n != 0 {
			t.Errorf("%d texts were embedded before the answer", n)
		}
		if s := p.Status(nil)[0]; s.Remaining != 0 || s.Paused == "" {
			t.Errorf("the status promises what nobody does: %+v", s)
		}
		ctx, done := context.WithTimeout(t.Context(), 130*time.Millisecond)
		left := embedding.Settle(ctx, p.Follower, embedding.Settling{Hurry: true})
		done()
		if left != 8 {
			t.Errorf("%d are left, want 8 after three batches of four", left)
		}
		last := 0
		if left := embedding.Settle(t.Context(), p.Follower, embedding.Settling{Progress: func(have, _ int) { last = have }}); left != 0 || last == 0 {
			t.Errorf("%d are left without a bound, and the progress was %d", left, last)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
}

// On battery no more than a few are embedded, and a model that fails ends the work.
func TestSettle_GivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := beginBriefly(t, &slow{}, 17, true)
		if left := embedding.Settle(t.Context(), p.Follower, embedding.Settling{Hurry: true}); left != 17 {
			t.Errorf("on battery %d are left, want 17", left)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
		p = beginBriefly(t, &slow{}, 16, true)
		if left := embedding.Settle(t.Context(), p.Follower, embedding.Settling{Hurry: true}); left != 0 {
			t.Errorf("on battery %d of a few are left", left)
		}
		if err := p.close(); err != nil {
			t.Error(err)
		}
	})
}

// What a query lacks vectors of is named with its numbers, from the first missing one on, and such memories are compared by the
// instant model beside.
func TestQuery_Partial(t *testing.T) {
	t.Parallel()
	p := beginBriefly(t, &slow{}, 40, false)
	scope := &hippo.Scope{Rights: hippo.AllRights}
	if left := embedding.Settle(t.Context(), p.Follower, embedding.Settling{Hurry: true}); left != 0 {
		t.Fatalf("%d are left", left)
	}
	whole, err := p.Query(t.Context(), scope, "what is it", nil)
	if err != nil || len(whole.Degraded) > 0 || whole.Text[retrieve.Instant].Values != nil {
		t.Errorf("all are embedded: %+v %v", whole, err)
	}
	if err := errors.Join(p.store.Add(t.Context(), &hippo.Memory{Content: "a new one"}), p.index.CatchUp(t.Context())); err != nil {
		t.Fatal(err)
	}
	some, err := p.Query(t.Context(), scope, "what is it", nil)
	if err != nil || len(some.Degraded) != 1 || some.Degraded[0] != "semantic search: model slow@1 has embedded 40 of 41 memories" {
		t.Errorf("degraded: %q (%v)", some.Degraded, err)
	}
	if e := some.Text[retrieve.Semantic]; e.Model != "slow@1" || !e.Partial || some.Text[retrieve.Instant].Model != (embed.Model{ID: "near@1"}).ID {
		t.Errorf("the query is embedded as %+v", some.Text)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
}
