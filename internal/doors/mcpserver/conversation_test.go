package mcpserver_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// TestRecord_CarriesItsSession: the turns of a connection say which and in which order, and after a
// long pause a new session begins. A note with a situation stands by itself.
func TestRecord_CarriesItsSession(t *testing.T) {
	t.Parallel()
	s := connect(t, memstore.New(nil))
	s.hello()
	record := func(content string) {
		s.must("hippo_record_insight", object{"content": content, "situation": []string{}, "importance": .5}, nil)
	}
	record("one")
	s.record("a note", .5, "testing")
	if o := s.tool("hippo_record_insight", object{"content": "", "situation": []string{}, "importance": .5}); !o.IsError {
		t.Errorf("recorded nothing: %+v", o)
	}
	s.clock.set(s.clock.now().Add(59 * time.Minute))
	record("two")
	s.clock.set(s.clock.now().Add(61 * time.Minute))
	record("three")
	a, err := query.Search(t.Context(), s.engine.In(hippo.LocalScope("")), hippo.Query{})
	if err != nil {
		t.Fatal(err)
	}
	type place struct {
		Session string
		Rising  int
	}
	got := make(map[string]place)
	for _, h := range a.Hits {
		got[h.Memory.Content] = place{h.Memory.Source.Session, h.Memory.Source.Seq}
	}
	if d := cmp.Diff(place{}, got["a note"]); d != "" {
		t.Errorf("a note with a situation (-want +got):\n%s", d)
	}
	if one, two := got["one"], got["two"]; one.Session != "mcp-test" || two.Session != one.Session || two.Rising <= one.Rising {
		t.Errorf("before the pause: %+v, %+v", one, two)
	}
	if d := cmp.Diff(place{"mcp-test.2", 1}, got["three"]); d != "" {
		t.Errorf("after the pause (-want +got):\n%s", d)
	}
}
