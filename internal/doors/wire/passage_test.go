package wire_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// TestPassage_isInCharacters: a passage is counted in code points, and a weak answer shows the sentence.
func TestPassage_isInCharacters(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("ü", 100) + " the pump failed at night"
	h := hippo.Hit{Memory: &hippo.Memory{Content: content}, Passage: hippo.Span{From: 201, To: 209}}
	if p := wire.PassageOf(&h); p == nil || *p != (wire.Passage{From: 101, To: 109}) {
		t.Errorf("got %+v", p)
	}
	if got, want := wire.PassageNote(&h), "found at 101 to 109 of 125 characters"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v := wire.View{Offset: 3}
	h.Excerpt = []hippo.Span{{From: 201, To: 209}}
	if got, want := v.Shown(&hippo.Answer{Judgement: hippo.Judgement{Weak: "why"}, Hits: []hippo.Hit{h}}, 0).Text, "…the pump failed at night"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if h.Passage = (hippo.Span{}); wire.PassageOf(&h) != nil || wire.PassageNote(&h) != "" {
		t.Error("a passage of a hit that has none")
	}
}
