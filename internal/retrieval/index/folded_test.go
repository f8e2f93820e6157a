package index_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

// Tags, types and authors are found in any case and composition, however the memories are divided into parts of the index. A situation
// whose text looks like a tag is not one, and sessions match only in their own spelling.
func TestSearch_filters_by_label(t *testing.T) {
	t.Parallel()
	s, grown := newSource("s"), newSource("s")
	parts := open(t, grown, &index.Options{})
	for n, label := range []string{"CI", "ci", "cI", "Café", "CAFE\u0301", "cafe", "Straße", "STRASSE", "Σίσυφος", "σίσυφοσ", "\u212Aelvin"} {
		m := note(n, "word")
		m.Tags, m.Type, m.Source.Author, m.Source.Session = []string{"x", label}, label, label, label
		s.put(m)
		grown.put(m)
		catchUp(t, parts)
	}
	other := note(99, "word")
	other.Situation = []string{"ci"}
	s.put(other)
	grown.put(other)
	catchUp(t, parts)
	whole := open(t, s, nil)
	for label, want := range map[string][]int{
		"ci": {0, 1, 2}, "CI": {0, 1, 2}, " Ci\t": {0, 1, 2}, "CAFÉ": {3, 4}, "cafe\u0301": {3, 4}, "Cafe": {5}, "straße": {6}, "strasse": {7},
		"ΣΊΣΥΦΟΣ": {8, 9}, "KELVIN": {10}, "none": {}, "c": {},
	} {
		for name, f := range map[string]hippo.Filter{
			"tag": {Tags: []string{label}}, "tags": {Tags: []string{"X", label}}, "type": {Types: []string{label}}, "types": {Types: []string{"no", label}},
			"author": {Origin: hippo.Origin{Author: label}},
		} {
			for at, x := range map[string]*index.Index{"whole": whole, "parts": parts} {
				if d := cmp.Diff(want, ids(x, query{Filter: f})); d != "" {
					t.Errorf("%s %q, %s (-want +got):\n%s", name, label, at, d)
				}
			}
		}
	}
	if got := ids(whole, query{Filter: hippo.Filter{Origin: hippo.Origin{Session: "ci"}}}); fmt.Sprint(got) != "[1]" {
		t.Errorf("session ci: %v", got)
	}
}
