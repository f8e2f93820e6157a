package mcpserver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// A date is a day of the user's, in whatever argument it is given.
func TestDates_AreOfTheUsersZone(t *testing.T) {
	t.Parallel()
	s := connectIn(t, memstore.New(nil), time.FixedZone("", -5*60*60))
	s.hello()
	var r struct{ UUID string }
	s.must("hippo_record_insight", object{
		"content": "the shop is closed", "situation": []string{"shopping"}, "importance": .5,
		"event_time": "2026-02-10", "valid_from": "2026-02-11", "valid_until": "2026-02-12T00:00:00Z",
	}, &r)
	id, err := hippo.ParseID(r.UUID)
	if err != nil {
		t.Fatal(err)
	}
	ms, err := memory.Get(t.Context(), s.engine.In(hippo.LocalScope("")), []hippo.ID{id})
	if err != nil || len(ms) != 1 {
		t.Fatalf("got %d memories (%v), want 1", len(ms), err)
	}
	var got []string
	for _, at := range []time.Time{ms[0].EventTime, ms[0].ValidFrom, ms[0].ValidUntil} {
		got = append(got, at.UTC().Format(time.RFC3339))
	}
	want := []string{"2026-02-10T05:00:00Z", "2026-02-11T05:00:00Z", "2026-02-12T00:00:00Z"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("event, from, until (-want +got):\n%s", d)
	}
	for _, c := range []struct {
		name, value string
		found       int
	}{
		{"as_of", "2026-02-11", 1},
		{"as_of", "2026-02-11T04:59:59Z", 0},
		{"as_of", "2026-02-12", 0},
		{"created_after", "yesterday", 1},
		{"created_after", "30m", 1},
		{"created_before", "2h", 0},
		{"when", "2026-02-10", 1},
		{"when", "2026-02-09", 0},
		{"created_after", "2026-03-01", 1}, // recorded at 7 in the morning
		{"created_before", "2026-03-01", 0},
		{"created_before", "2026-03-02", 1},
	} {
		if got := len(s.search("shop", object{c.name: c.value}).Results); got != c.found {
			t.Errorf("%s %s: got %d results, want %d", c.name, c.value, got, c.found)
		}
	}
}

// A read by ID of what was known before the oldest version that is kept says so.
func TestGet_SaysWhereTheHistoryEnds(t *testing.T) {
	t.Parallel()
	s := connectIn(t, memstore.New(nil), time.UTC)
	s.hello()
	var r struct{ UUID string }
	s.must("hippo_record_insight", object{"content": "port 0", "situation": []string{"gateway"}, "importance": .5}, &r)
	begin := s.clock.now()
	for n := range 25 {
		s.clock.set(begin.Add(time.Duration(n+1) * time.Minute))
		s.must("hippo_modify_insight", object{"id": r.UUID, "content": fmt.Sprintf("port %d", n+1) + strings.Repeat(" and a word", 300)}, nil)
	}
	known := begin.Add(time.Second).Format(time.RFC3339)
	const note = "degraded: the history of 1 memory does not reach back to "
	if text := s.must("hippo_get", object{"ids": []string{r.UUID}, "known_at": known}, nil).Text; !strings.Contains(text, note) {
		t.Errorf("the past is\n%s", text)
	}
	for _, limit := range []int{200, 300, 500} {
		text := s.must("hippo_get", object{"ids": []string{r.UUID}, "known_at": known, "max_tokens": limit}, nil).Text
		if n := tokencount.Of(text); n > limit || n < limit/2 || !strings.Contains(text, note) {
			t.Errorf("%d tokens of %d:\n%s", n, limit, text)
		}
	}
	if text := s.must("hippo_get", object{"ids": []string{r.UUID}}, nil).Text; strings.Contains(text, "degraded") {
		t.Errorf("the present is\n%s", text)
	}
}
