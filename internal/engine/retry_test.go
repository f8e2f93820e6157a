package engine_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/rpc"
)

// retried is a write that a caller repeats because its answer is lost, and what it answers.
type retried struct {
	name string
	call func(context.Context, *engine.Memories, hippo.ID) error
	// counts reports how many times the write has changed a memory.
	counts func(*hippo.Memory) int
}

// retriedWrites are writes on one memory.
func retriedWrites() []retried {
	votes := func(m *hippo.Memory) (n int) {
		for _, f := range m.Feedback {
			if f.Kind == hippo.FeedbackDown {
				n += int(math.Round(f.Weight))
			}
		}
		return n
	}
	tagged := func(m *hippo.Memory) int { return max(0, len(m.Tags)-1) }
	return []retried{
		{"vote", func(ctx context.Context, m *engine.Memories, id hippo.ID) error {
			got, err := memory.Reinforce(ctx, m, nil, []hippo.ID{id})
			if err == nil && (len(got) != 1 || got[0].ID != id || got[0].Before <= got[0].After) {
				return errors.New("the effect of a downvote must lower the importance")
			}
			return err
		}, votes},
		{"modify", func(ctx context.Context, m *engine.Memories, id hippo.ID) error {
			got, err := memory.Modify(ctx, m, id, api.Change{Tags: &[]string{"a", "b"}, Vote: api.VoteDown})
			if err == nil && got.ID != id {
				return errors.New("another memory")
			}
			return err
		}, votes},
		{"modify all", func(ctx context.Context, m *engine.Memories, id hippo.ID) error {
			_, err := memory.ModifyAll(ctx, m, []api.Modify{{ID: id, Change: api.Change{Vote: api.VoteDown}}})
			return err
		}, votes},
		{"modify by version", func(ctx context.Context, m *engine.Memories, id hippo.ID) error {
			_, err := memory.Modify(ctx, m, id, api.Change{Content: new("another text"), Tags: &[]string{"a", "b"}, IfVersion: 1})
			return err
		}, tagged},
		{"forget", func(ctx context.Context, m *engine.Memories, id hippo.ID) error {
			_, err := memory.Forget(ctx, m, []hippo.ID{id})
			return err
		}, func(m *hippo.Memory) int {
			if m.Forgotten() {
				return 1
			}
			return 0
		}},
	}
}

// TestRemote_RetriesAmongOthers: a write whose answer was lost is carried out once, whether or not it had arrived, and whatever others
// do meanwhile: their changes are not taken for its own.
func TestRemote_RetriesAmongOthers(t *testing.T) {
	t.Parallel()
	for _, w := range retriedWrites() {
		for _, lost := range []bool{false, true} {
			f := open(t, options{})
			id := f.record("a memory", .9, "a")
			l := newLoopback(f.Engine)
			l.retry, l.lost = true, lost
			l.between = func() {
				if _, err := memory.Reinforce(t.Context(), f.Memories, []hippo.ID{id}, nil); err != nil {
					t.Fatal(err)
				}
			}
			err := w.call(t.Context(), engine.NewRemote(l, &engine.Config{Now: f.now}, f.Zone()).In(hippo.LocalScope("")), id)
			if err != nil {
				t.Errorf("%s, lost %v: %v", w.name, lost, err)
			}
			if got := w.counts(f.get(id)); got != 1 {
				t.Errorf("%s, lost %v: carried out %d times", w.name, lost, got)
			}
		}
	}
}

// TestRemote_RetriesMeanwhile: a call is repeated while its first attempt still runs.
func TestRemote_RetriesMeanwhile(t *testing.T) {
	t.Parallel()
	for range 20 {
		f := open(t, options{})
		for _, w := range retriedWrites() {
			id := f.record("a memory of "+w.name, .9, "a")
			r := engine.NewRemote(&twice{newLoopback(f.Engine)}, &engine.Config{Now: f.now}, f.Zone()).In(hippo.LocalScope(""))
			if err := w.call(t.Context(), r, id); err != nil {
				t.Errorf("%s: %v", w.name, err)
			}
			if got := w.counts(f.get(id)); got != 1 {
				t.Errorf("%s: carried out %d times", w.name, got)
			}
		}
		r := engine.NewRemote(&twice{newLoopback(f.Engine)}, &engine.Config{Now: f.now}, f.Zone()).In(hippo.LocalScope(""))
		if _, _, err := memory.RecordCompared(t.Context(), r, &hippo.Memory{Content: "recorded", Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Errorf("record: %v", err)
		}
	}
}

// twice carries out each call twice at a time, and returns the answer to the second attempt.
type twice struct{ *loopback }

func (l *twice) Call(ctx context.Context, c *engine.Call, out any) error {
	first, err := rpc.Encode(c)
	if err != nil {
		return err
	}
	c.Retried = true
	second, err := rpc.Encode(c)
	if err != nil {
		return err
	}
	var running sync.WaitGroup
	running.Go(func() { _, _ = l.Do(ctx, first) })
	defer running.Wait()
	reply, failed := l.Do(ctx, second)
	return rpc.Decode(reply, failed, out)
}

// TestRemote_RetriesAnEnding: the end of a relation is answered again as it was.
func TestRemote_RetriesAnEnding(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	a, b := f.record("one", .5), f.record("two", .5)
	link := hippo.Relation{From: a, To: b, Kind: "supports", Weight: .5}
	if _, err := knowledge.Relate(t.Context(), f.Memories, []hippo.Relation{link}); err != nil {
		t.Fatal(err)
	}
	at := f.now().Add(time.Hour)
	got, err := knowledge.EndRelations(t.Context(), f.remote(hippo.LocalScope(""), true), api.EndRelations{Relations: []hippo.Relation{link}, At: at})
	if err != nil || len(got) != 1 || !got[0].ValidUntil.Equal(at) || got[0].To != b {
		t.Errorf("%+v, %v; want one relation that ends at %v", got, err, at)
	}
}

// TestRemote_RetriesWithoutHistory: a store without history cannot tell, and says it.
func TestRemote_RetriesWithoutHistory(t *testing.T) {
	t.Parallel()
	f := open(t, options{history: &hippo.Retention{}})
	id := f.record("a memory", .9)
	for _, w := range retriedWrites() {
		l := newLoopback(f.Engine)
		l.retry = true
		err := w.call(t.Context(), engine.NewRemote(l, &engine.Config{Now: f.now}, f.Zone()).In(hippo.LocalScope("")), id)
		if !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("%s: %v, want %v", w.name, err, hippo.ErrUnavailable)
		}
	}
}

// TestConfirm_AsItWasRead: a text that was changed since somebody read it is not confirmed.
func TestConfirm_AsItWasRead(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("podman is used", .5)
	read := f.get(id)
	f.modify(id, api.Change{Content: new("docker is used"), Vote: api.VoteNone})
	if err := memory.Confirm(t.Context(), f.Memories, []*hippo.Memory{read}); !errors.Is(err, engine.ErrVersion) {
		t.Errorf("%v, want %v", err, engine.ErrVersion)
	}
	if diff := cmp.Diff(f.get(id).Importance.Value, read.Importance.Value); diff != "" {
		t.Error(diff)
	}
}
