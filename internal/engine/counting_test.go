package engine_test

import (
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// What was searched without a trace is counted as a search counts it: once for each memory, on the active day.
func TestCountUsed(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	shown, other := f.record("the gateway drops packets", .5), f.record("the gateway is old", .5)
	f.advance(1, 0)
	if a := f.search(hippo.Query{Text: "gateway", NoTouch: true}); len(a.Hits) != 2 {
		t.Fatalf("%+v", a)
	}
	note, err := query.CountUsed(t.Context(), f.Memories, []hippo.ID{shown, shown, {1}})
	if err != nil || note != "" {
		t.Fatalf("%q, %v", note, err)
	}
	f.flush()
	if got := f.get(shown).Accesses; len(got) != 2 || got[1] != (hippo.Access{Day: 2, Count: 1}) {
		t.Errorf("shown: %+v", got)
	}
	if got := f.get(other).Accesses; len(got) != 1 {
		t.Errorf("not shown: %+v", got)
	}
	if day := f.status().Day; day != 2 {
		t.Errorf("day %d", day)
	}
	if _, err = query.CountUsed(t.Context(), f.Memories, make([]hippo.ID, hippo.MaxCount+1)); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("too many: %v", err)
	}
}
