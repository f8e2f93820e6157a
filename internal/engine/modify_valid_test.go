package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// A fact that is ended stays, with the reason in its history, and holds in a half-open interval.
func TestModify_EndsAFact(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	m := f.note(fact("the gateway listens on port 80"))
	until := f.now().Add(time.Hour)
	because := engine.As(f.Memories, hippo.Operation{Reason: "the gateway was shut down"})
	out, err := memory.Modify(t.Context(), because, m.ID, api.Change{ValidUntil: &until})
	if err != nil || !out.ValidUntil.Equal(until) || out.Importance != m.Importance || out.Version != m.Version {
		t.Fatalf("got %+v, %v", out, err)
	}
	q := hippo.Query{Text: "gateway port"}
	f.wantOrder(q, m.Content)
	q.Filter.ValidAt = until.Add(-time.Microsecond)
	f.wantOrder(q, m.Content)
	q.Filter.ValidAt = until
	f.wantOrder(q)
	ops, err := memory.Operations(t.Context(), f.Memories, api.Operations{Memory: m.ID, Count: 5})
	if err != nil || len(ops.Operations) != 1 || ops.Operations[0].Reason != "the gateway was shut down" {
		t.Errorf("history: %+v, %v", ops, err)
	}

	from := until
	var field *hippo.FieldError
	if _, err := memory.Modify(t.Context(), f.Memories, m.ID, api.Change{ValidFrom: &from}); !errors.As(err, &field) || field.Field != "valid_until" {
		t.Errorf("a fact that ends when it begins: %v", err)
	}
	if x := f.get(m.ID); !x.ValidFrom.IsZero() {
		t.Errorf("a refused change was stored: %+v", x)
	}
	moved := api.Change{ValidFrom: &from, ValidUntil: &time.Time{}}
	if out, err = memory.Modify(t.Context(), f.Memories, m.ID, moved); err != nil || !out.ValidUntil.IsZero() || !out.ValidFrom.Equal(from) {
		t.Errorf("without an end: %+v, %v", out, err)
	}
}
