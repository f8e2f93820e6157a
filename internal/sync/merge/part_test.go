package merge

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

func calendar() hippo.Calendar { return hippo.Calendar{Day: 100, Date: "2026-11-29"} }

func noon() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }

// full returns a memory with a value in every field that stores exchange.
func full() *hippo.Memory {
	t := func(n int) time.Time { return noon().Add(time.Duration(n) * time.Minute) }
	m := &hippo.Memory{
		ID: memoryID(1), Content: "<a> & \u2028 text", Situation: []string{"x", "y"}, Tags: []string{"t"}, Type: "fact",
		Importance: hippo.Importance{Base: .25, Value: .75, SetDay: 98, SetAt: t(1)}, Pinned: true,
		CreatedAt: t(2), UpdatedAt: t(20), EventTime: t(4), ValidFrom: t(5), ValidUntil: t(6), SupersededBy: memoryID(2), ForgottenAt: t(7), Version: 3,
		Source: hippo.Source{Kind: hippo.SourceAgent, Author: "a", Client: "c", Session: "s", Seq: 4, URI: "u"}, Trust: hippo.TrustHigh, Project: "p",
		Metadata: map[string]json.RawMessage{"a:b": json.RawMessage(`{"x":1.50}`), "": json.RawMessage("null")},
	}
	m.Feedback = []hippo.Feedback{{Kind: hippo.FeedbackUp, Day: 97, Weight: 1.5, Question: hippo.Question{1, 2}}}
	m.Untied, m.ArchivedAt = &hippo.Untied{Value: .5, SetDay: 96}, t(8)
	m.ContentHash = hippo.HashContent(m.Content)
	return m
}

func write(w *Writer, s *Subject, before, after *hippo.Memory) []*entry.Held {
	return w.Write(noon(), s, s.Changed(before, after, calendar(), cast), func() entry.Vector { return nil })
}

func shown(s *Subject) *hippo.Memory {
	m := &hippo.Memory{ID: s.ID}
	s.Apply(m, s.Parts(), calendar(), cast)
	return m
}

func TestChanged_and_Apply(t *testing.T) {
	t.Parallel()
	w, s := &Writer{Replica: clock.Replica{1}}, NewSubject(memoryID(1))
	m := full()
	if held := write(w, s, nil, m); len(held) != 1 {
		t.Fatalf("%d entries, want one", len(held))
	}
	same := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(hippo.Memory{}, "UpdatedAt")}
	if d := cmp.Diff(m, shown(s), same); d != "" {
		t.Error(d)
	}
	if parts := s.Changed(m, m.Clone(), calendar(), cast); len(parts) > 0 {
		t.Errorf("nothing was changed, and %v is set", parts)
	}
	after := m.Clone()
	after.Tags, after.Version = nil, 4
	delete(after.Metadata, "")
	held := write(w, s, m, after)
	if len(held) != 1 || len(held[0].Parts) != 2 {
		t.Errorf("got %s, want tags and a key of the metadata", held[0].Line())
	}
	if d := cmp.Diff(after, shown(s), same); d != "" {
		t.Error(d)
	}
	bare := &hippo.Memory{ID: memoryID(3), Content: "x", Version: 1}
	if parts := NewSubject(bare.ID).Changed(nil, bare, calendar(), cast); len(parts) != 4 { // origin, text, importance, trust
		t.Errorf("a new memory sets %v", parts)
	}
}

func TestChanged_votes(t *testing.T) {
	t.Parallel()
	w, s := &Writer{Replica: clock.Replica{1}}, NewSubject(memoryID(1))
	first := &hippo.Memory{ID: memoryID(1), Content: "x", Version: 1, Importance: hippo.Importance{Base: .5, Value: .5, SetDay: 100}}
	write(w, s, nil, first)
	vote := func(m *hippo.Memory, n int) *hippo.Memory {
		c := m.Clone()
		cast(c, hippo.Feedback{Kind: hippo.FeedbackUp, Day: 100, Question: hippo.Question{byte(n)}, Former: &hippo.Former{At: noon().Add(time.Duration(n))}})
		return c
	}
	second := vote(first, 1000)
	third := vote(second, 2000)
	open := third.Clone()
	open.Feedback = append(open.Feedback, hippo.Feedback{Kind: hippo.FeedbackOpened, Day: 100, Weight: 1})
	base := vote(third, 3000)
	base.Importance.Base = .9
	for _, c := range []struct {
		name          string
		before, after *hippo.Memory
		part          string
	}{
		{"a vote", first, second, Vote},
		{"another vote", second, third, Vote},
		{"the newest vote is taken back", third, second, Vote},
		{"and is there again", second, third, Vote},
		{"an opening", third, open, Vote},
		{"the opening is taken back", open, third, Importance},
		{"a vote that the importance includes is taken back", third, second, Importance},
		{"and is there again, again", second, third, Vote},
		{"a vote and an importance", third, base, Importance},
		{"all is as it was", base, first, Importance},
	} {
		parts := s.Changed(c.before, c.after, calendar(), cast)
		if len(parts) != 1 || parts[c.part] == nil {
			t.Errorf("%s: got %v, want %s", c.name, parts, c.part)
		}
		w.Write(noon(), s, parts, func() entry.Vector { return nil })
		if d := differ(shown(s), c.after); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// TestUnknown_values writes values of a later program and invalid values. The subject must keep them, and the memory must ignore them.
func TestUnknown_values(t *testing.T) {
	t.Parallel()
	w, s := &Writer{Replica: clock.Replica{1}}, NewSubject(memoryID(1))
	m := full()
	write(w, s, nil, m)
	parts := map[string]json.RawMessage{"part of a later program": json.RawMessage(`[1]`), relationPrefix + "x": json.RawMessage("1")}
	for _, name := range kinds() {
		if name != Purged {
			parts[name] = json.RawMessage(`{"later":[true]}`)
		}
	}
	w.Write(noon().Add(time.Minute), s, parts, func() entry.Vector { return nil })
	got := shown(s)
	for _, f := range []struct{ got, want any }{{got.SupersededBy.IsZero(), true}, {got.Pinned, false}, {len(got.Metadata), 2}, {len(s.Relations("")), 0}} {
		if f.got != f.want {
			t.Errorf("got %v, want %v", f.got, f.want)
		}
	}
	for name, value := range parts {
		if h := s.Winner(name); h == nil || string(h.Parts[name]) != string(value) {
			t.Errorf("%s is not kept", name)
		}
	}
}

func TestConflicts(t *testing.T) {
	t.Parallel()
	a, b := &Writer{Replica: clock.Replica{1}}, &Writer{Replica: clock.Replica{2}}
	x := NewSubject(memoryID(1))
	m := &hippo.Memory{ID: memoryID(1), Content: "x", Version: 1}
	write(a, x, nil, m)
	y := NewSubject(memoryID(1), x.Held()...)
	b.Saw(noon(), x.Held()...)
	edit := func(text string) *hippo.Memory { c := m.Clone(); c.Content = text; return c }
	write(a, x, m, edit("by a"))
	write(b, y, m, edit("by b"))
	both := NewSubject(memoryID(1), append(x.Held(), y.Held()...)...)
	c := both.Conflicts()
	if len(c) != 1 || c[0].Part != Text || len(c[0].Losers) != 1 || shown(both).Content != "by b" {
		t.Fatalf("got %+v, %q", c, shown(both).Content)
	}
	write(a, both, shown(both), edit("by a again"))
	if c := both.Conflicts(); len(c) != 0 || shown(both).Content != "by a again" {
		t.Errorf("who has seen both leaves %+v, %q", c, shown(both).Content)
	}
	same := NewSubject(memoryID(1), append(x.Held(), NewSubject(memoryID(1), x.Held()...).Held()...)...)
	if c := same.Conflicts(); len(c) != 0 {
		t.Errorf("one entry twice is a conflict: %+v", c)
	}
	gone := m.Clone()
	gone.ForgottenAt = noon()
	write(b, y, shown(y), edit("by b"))
	z := NewSubject(memoryID(1), NewSubject(memoryID(1), x.Held()...).Held()...)
	write(&Writer{Replica: clock.Replica{3}}, z, edit("by a"), func() *hippo.Memory { g := edit("by a"); g.ForgottenAt = noon(); return g }())
	back := NewSubject(memoryID(1), append(z.Held(), y.Held()...)...)
	if shown(back).Forgotten() || len(back.Conflicts()) != 2 {
		t.Errorf("forgotten %v, conflicts %+v: want it shown, with its text and the forgetting", shown(back).Forgotten(), back.Conflicts())
	}
}

func TestDays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cal := calendar()
		day := hippo.Day(rapid.IntRange(1, int(cal.Day)).Draw(t, "day"))
		if got := DayOf(cal, DateOf(cal, day)); got != day {
			t.Fatalf("day %d is %s, which is day %d", day, DateOf(cal, day), got)
		}
	})
	cal := calendar()
	for date, want := range map[string]hippo.Day{"2031-01-01": 100, "2026-11-29": 100, "2026-11-28": 99, "1999-01-01": 1, "": 100, "x": 100} {
		if got := DayOf(cal, date); got != want {
			t.Errorf("%q: day %d, want %d", date, got, want)
		}
	}
	if DateOf(cal, 0) != "" || DateOf(hippo.Calendar{}, 1) != "" || DateOf(cal, 200) != cal.Date {
		t.Error("no day, no calendar and a later day have wrong dates")
	}
}

func TestWriteAt_is_below_later_writes(t *testing.T) {
	t.Parallel()
	old, s := &Writer{Replica: clock.Replica{1}}, NewSubject(memoryID(1))
	m := &hippo.Memory{ID: memoryID(1), Content: "old", Version: 1}
	parts := s.Changed(nil, m, calendar(), cast)
	held := old.WriteAt(noon().AddDate(-1, 0, 0), s, maps.Clone(parts), func() entry.Vector { return nil })
	if old.Clock.Last != 0 || held[0].Time.Wall().Year() != 2025 {
		t.Errorf("stamped %v, clock %v", held[0].Time, old.Clock.Last)
	}
	other := NewSubject(memoryID(1))
	m.Content = "new"
	write(&Writer{Replica: clock.Replica{2}}, other, nil, m)
	if got := shown(NewSubject(memoryID(1), append(held, other.Held()...)...)).Content; got != "new" {
		t.Errorf("got %q", got)
	}
}
