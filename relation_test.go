package hippo_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

func TestRelation_Validate(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	good := hippo.Relation{From: hippo.ID{1}, To: hippo.ID{2}, Kind: "explains", Weight: 1, ValidFrom: at}
	if err := good.Validate(); err != nil {
		t.Errorf("a good one: %v", err)
	}
	for _, c := range []struct {
		name, field string
		spoil       func(*hippo.Relation)
	}{
		{"no from", "from", func(r *hippo.Relation) { r.From = hippo.ID{} }},
		{"no to", "to", func(r *hippo.Relation) { r.To = hippo.ID{} }},
		{"to itself", "to", func(r *hippo.Relation) { r.To = r.From }},
		{"no kind", "kind", func(r *hippo.Relation) { r.Kind = "" }},
		{"blank kind", "kind", func(r *hippo.Relation) { r.Kind = " \t" }},
		{"long kind", "kind", func(r *hippo.Relation) { r.Kind = strings.Repeat("k", hippo.MaxKind+1) }},
		{"two lines", "kind", func(r *hippo.Relation) { r.Kind = "a\nb" }},
		{"not UTF-8", "kind", func(r *hippo.Relation) { r.Kind = "\xff" }},
		{"learned the wrong way round", "from", func(r *hippo.Relation) { r.From, r.To, r.Kind = r.To, r.From, hippo.CoRecalled }},
		{"no weight", "weight", func(r *hippo.Relation) { r.Weight = 0 }},
		{"negative weight", "weight", func(r *hippo.Relation) { r.Weight = -.1 }},
		{"heavy", "weight", func(r *hippo.Relation) { r.Weight = 1.01 }},
		{"not a number", "weight", func(r *hippo.Relation) { r.Weight = math.NaN() }},
		{"never valid", "valid_until", func(r *hippo.Relation) { r.ValidUntil = at }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := good
			c.spoil(&r)
			err := r.Validate()
			if f, ok := errors.AsType[*hippo.FieldError](err); !ok || f.Field != c.field {
				t.Errorf("got %v, want an error about %s", err, c.field)
			}
		})
	}
}

func TestRelation_ValidAt(t *testing.T) {
	t.Parallel()
	from, until := time.Unix(100, 0), time.Unix(200, 0)
	for _, c := range []struct {
		from, until time.Time
		at          int64
		want        bool
	}{
		{time.Time{}, time.Time{}, 0, true},
		{from, until, 99, false},
		{from, until, 100, true},
		{from, until, 199, true},
		{from, until, 200, false},
		{from, time.Time{}, 1000, true},
		{time.Time{}, until, 1, true},
	} {
		r := hippo.Relation{ValidFrom: c.from, ValidUntil: c.until}
		if got := r.ValidAt(time.Unix(c.at, 0)); got != c.want {
			t.Errorf("from %v until %v at %d: %v", c.from, c.until, c.at, got)
		}
	}
}

func TestCoRecall(t *testing.T) {
	t.Parallel()
	a, b := hippo.ID{1}, hippo.ID{2}
	r := hippo.CoRecall(b, a)
	if r != hippo.CoRecall(a, b) || r.From != a || r.Other(a) != b || r.Other(b) != a {
		t.Errorf("got %+v", r)
	}
}
