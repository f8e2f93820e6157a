package consolidate_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/consolidate"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// The projects of the memories.
const shop, other = "shop", "other"

// said returns a memory that was recorded on an active day before the audit, and used on none since.
func said(n int, content string, idle int) *hippo.Memory {
	d := hippo.Day(100 - idle)
	m := &hippo.Memory{
		ID: idOf(n), Content: content, ContentHash: hippo.HashContent(content), Project: shop, Trust: hippo.TrustNormal,
		Importance: hippo.Importance{Base: .5, Value: .5, SetDay: d}, CreatedAt: now().AddDate(0, 0, -200+n),
	}
	m.Accesses = []hippo.Access{{Day: d, Count: 1}}
	return m
}

// after changes a memory.
func after(m *hippo.Memory, change func(*hippo.Memory)) *hippo.Memory {
	change(m)
	return m
}

// audited returns the findings for memories with vectors near each other, a line each.
func audited(t *testing.T, ms []*hippo.Memory, relations ...hippo.Relation) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	centre := noise(r, nil, 1)
	v := &consolidate.View{Now: now(), Calendar: hippo.Calendar{Day: 100, Date: "2026-06-01"}, Relations: relations}
	for _, m := range ms {
		v.Subjects = append(v.Subjects, consolidate.Subject{Memory: m, Vector: vector.Quantize(noise(r, centre, .1)), Archived: m.Archived()})
	}
	list, _, err := consolidate.Audit(context.Background(), v, consolidate.IdleDays, consolidate.Default())
	if err != nil {
		t.Fatal(err)
	}
	number := map[hippo.ID]string{{}: "none"}
	for i, m := range ms {
		number[m.ID] = fmt.Sprint(i)
	}
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s %s, %s: %s: %s", f.Problem, number[f.ID], number[f.Other], f.Remedy, f.Reason))
	}
	return out
}

func TestAudit(t *testing.T) {
	t.Parallel()
	long := "The nightly export of the ledger runs on the second worker and writes its files to the archive"
	link := func(a, b int, kind string) hippo.Relation {
		return hippo.Relation{From: idOf(a), To: idOf(b), Kind: kind, Weight: 1}
	}
	for name, c := range map[string]struct {
		ms        []*hippo.Memory
		relations []hippo.Relation
		want      []string
	}{
		"nothing":                  {},
		"one, in use":              {ms: []*hippo.Memory{said(0, long, 3)}},
		"unused":                   {ms: []*hippo.Memory{said(0, long, 30)}, want: []string{"unused 0, none: forget: recorded 30 active days ago, never opened, voted or returned by a search since"}},
		"not idle yet":             {ms: []*hippo.Memory{said(0, long, 29)}},
		"returned on day 1":        {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Accesses[0].Count = 2 })}},
		"returned later":           {ms: []*hippo.Memory{after(said(0, long, 90), func(m *hippo.Memory) { m.Touch(50, 1) })}},
		"opened":                   {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Feedback = []hippo.Feedback{{Kind: hippo.FeedbackOpened, Day: 61, Weight: 1}} })}},
		"voted":                    {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Importance.Value = .4 })}},
		"pinned":                   {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Pinned = true })}},
		"protected by a tag":       {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Tags = []string{"Reference"} })}},
		"a rule":                   {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Type = "Preference" })}},
		"a file, read by its path": {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.Type = hippo.FileType })}},
		"archived":                 {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.ArchivedAt = now() })}},
		"forgotten":                {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.ForgottenAt = now() })}},
		"no active day known": {ms: []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) {
			m.Accesses, m.Importance.SetDay = nil, 0
		})}},
		"no longer valid": {
			ms:   []*hippo.Memory{after(said(0, long, 40), func(m *hippo.Memory) { m.ValidUntil = now().AddDate(0, 0, -1) })},
			want: []string{"stale 0, none: forget: valid until 2026-05-31, 1 day ago"},
		},
		"valid for a while": {ms: []*hippo.Memory{after(said(0, long, 1), func(m *hippo.Memory) { m.ValidUntil = now().Add(time.Hour) })}},
		"superseded and idle": {
			ms: []*hippo.Memory{
				after(said(0, long, 31), func(m *hippo.Memory) { m.SupersededBy, m.ValidUntil = idOf(1), now().AddDate(0, 0, -9) }), said(1, "Exports ended", 2),
			},
			want: []string{"stale 0, 1: forget: superseded, and not used for 31 active days"},
		},
		"superseded and in use": {ms: []*hippo.Memory{
			after(said(0, long, 90), func(m *hippo.Memory) {
				m.SupersededBy, m.ValidUntil = idOf(1), now().AddDate(0, 0, -9)
				m.Touch(98, 1)
			}), said(1, "Exports ended", 2),
		}},
		"superseded by what is forgotten": {ms: []*hippo.Memory{
			after(said(0, long, 31), func(m *hippo.Memory) { m.SupersededBy = idOf(1) }), after(said(1, "x", 2), func(m *hippo.Memory) { m.ForgottenAt = now() }),
		}},
		"contradicted": {
			ms:   []*hippo.Memory{said(0, "The gateway timeout is 30 seconds", 5), said(1, "The gateway timeout is 60 seconds", 2)},
			want: []string{"contradictory 0, 1: supersede: 30 seconds / 60 seconds, 1 day apart"},
		},
		"contradicted by two: the newest counts": {
			ms: []*hippo.Memory{
				said(0, "The gateway timeout is 30 seconds", 5), said(1, "The gateway timeout is 60 seconds", 4), said(2, "The gateway timeout is 90 seconds", 2),
			},
			want: []string{"contradictory 0, 2: supersede: 30 seconds / 90 seconds, 2 days apart", "contradictory 1, 2: supersede: 60 seconds / 90 seconds, 1 day apart"},
		},
		"contradicted and idle": {
			ms:   []*hippo.Memory{said(0, "The gateway timeout is 30 seconds", 45), said(1, "The gateway timeout is 60 seconds", 2)},
			want: []string{"stale 0, 1: supersede: contradicted (30 seconds / 60 seconds, 1 day apart), and not used for 45 active days"},
		},
		"contradicted in another project": {ms: []*hippo.Memory{
			said(0, "The gateway timeout is 30 seconds", 5), after(said(1, "The gateway timeout is 60 seconds", 2), func(m *hippo.Memory) { m.Project = other }),
		}},
		"contradicted by an archived one": {ms: []*hippo.Memory{
			said(0, "The gateway timeout is 30 seconds", 5), after(said(1, "The gateway timeout is 60 seconds", 2), func(m *hippo.Memory) { m.ArchivedAt = now() }),
		}},
		"contradicted, and both are right": {
			ms:        []*hippo.Memory{said(0, "The gateway timeout is 30 seconds", 5), said(1, "The gateway timeout is 60 seconds", 2)},
			relations: []hippo.Relation{link(0, 1, hippo.CompatibleWith)},
		},
		"declared to contradict": {
			ms:        []*hippo.Memory{said(0, long, 5), said(1, "Exports ended", 2)},
			relations: []hippo.Relation{link(1, 0, hippo.Contradicts)},
			want:      []string{"contradictory 0, 1: supersede: declared by a relation, 1 day apart"},
		},
		"the same text": {
			ms:   []*hippo.Memory{said(0, long, 5), said(1, long, 2)},
			want: []string{"duplicate 0, 1: forget: same text"},
		},
		"nearly the same text": {
			ms:   []*hippo.Memory{said(0, long, 45), said(1, long+" again", 2)},
			want: []string{"duplicate 0, 1: forget: cosine 0.99 and 90 % of the words in common"},
		},
		"the same text, and both stay": {
			ms: []*hippo.Memory{said(0, long, 5), said(1, long, 2)}, relations: []hippo.Relation{link(1, 0, hippo.CompatibleWith)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, audited(t, c.ms, c.relations...)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAudit_Refuses(t *testing.T) {
	t.Parallel()
	wrong := consolidate.Default()
	wrong.Duplicates.Cosine = 2
	for field, call := range map[string]func() error{
		"idle": func() error {
			_, _, err := consolidate.Audit(t.Context(), sampleView(3, 1, 1), 0, consolidate.Default())
			return err
		},
		"now": func() error {
			_, _, err := consolidate.Audit(t.Context(), &consolidate.View{}, 1, consolidate.Default())
			return err
		},
		"duplicates.cosine": func() error {
			_, _, err := consolidate.Audit(t.Context(), sampleView(3, 1, 1), 1, wrong)
			return err
		},
	} {
		if bad, ok := errors.AsType[*hippo.FieldError](call()); !ok || bad.Field != field {
			t.Errorf("%v, want an error for %s", bad, field)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := consolidate.Audit(ctx, sampleView(100, 2, 1), 1, consolidate.Default()); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// An audit of many memories that say nearly the same finds the same whatever their order, and changes nothing.
func TestAudit_OrderIndependent(t *testing.T) {
	t.Parallel()
	v := sampleView(600, 4, 3)
	for i := range v.Subjects {
		if i%3 == 0 {
			s := &v.Subjects[i]
			s.Content = fmt.Sprintf("The %s timeout is %d seconds", strings.Fields(s.Content)[0], i)
			s.ContentHash = hippo.HashContent(s.Content)
		}
	}
	before := apply(v, &consolidate.Plan{})
	list, n, err := consolidate.Audit(t.Context(), v, consolidate.IdleDays, consolidate.Default())
	if err != nil || n != 600 || len(list) < 100 {
		t.Fatalf("%d findings of %d (%v)", len(list), n, err)
	}
	if d := cmp.Diff(before.Subjects, v.Subjects); d != "" {
		t.Error(d)
	}
	rand.New(rand.NewPCG(9, 9)).Shuffle(len(v.Subjects), func(i, j int) { v.Subjects[i], v.Subjects[j] = v.Subjects[j], v.Subjects[i] })
	again, _, err := consolidate.Audit(t.Context(), v, consolidate.IdleDays, consolidate.Default())
	if d := cmp.Diff(list, again); d != "" || err != nil {
		t.Errorf("in another order: %s (%v)", d, err)
	}
}

func BenchmarkAudit(b *testing.B) {
	equal := sampleView(100_000, 40, 1)
	for i := range equal.Subjects {
		s := &equal.Subjects[i]
		s.Content = fmt.Sprintf("The gateway timeout of host q%s is %d seconds", letters(i), i%7)
		s.ContentHash, s.Vector = hippo.HashContent(s.Content), equal.Subjects[0].Vector
	}
	for name, v := range map[string]*consolidate.View{"10000": sampleView(10_000, 40, 1), "100000": sampleView(100_000, 40, 1), "100000 of one pattern": equal} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := consolidate.Audit(b.Context(), v, consolidate.IdleDays, consolidate.Default()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
