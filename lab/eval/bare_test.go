package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// TestBare_keeps_what_an_agent_gives: the text, the situation, type and importance, and nothing
// that only an importer knows.
func TestBare_keeps_what_an_agent_gives(t *testing.T) {
	t.Parallel()
	whole := &hippo.Memory{
		ID: hippo.ID{1}, Content: "Rates are cached", Situation: []string{"stale prices"}, Type: "decision", Importance: hippo.Importance{Base: .7},
		EventTime: time.Unix(9, 0), CreatedAt: time.Unix(8, 0), Tags: []string{"a"},
		Source: hippo.Source{Kind: hippo.SourceImport, Author: "Ann", Session: "s9", Seq: 7, URI: "d1"},
	}
	s := &eval.Set{Name: "team", Groups: []eval.Group{{Name: "g", Docs: []*hippo.Memory{{ID: hippo.ID{2}, Content: "a turn"}, whole}}}}
	got := bare(s)
	want := &hippo.Memory{
		ID: hippo.ID{1}, Content: "Rates are cached", Situation: []string{"stale prices"}, Type: "decision", Importance: hippo.Importance{Base: .7},
		Source: hippo.Source{Kind: hippo.SourceImport, URI: "d1"},
	}
	if turn := got.Groups[0].Docs[0].Source; turn.Session != "connection" || turn.Seq != 1 {
		t.Errorf("the turn has %+v", turn)
	}
	if d := cmp.Diff(want, got.Groups[0].Docs[1]); d != "" || got.Name != "team, bare" || s.Groups[0].Docs[1].Source.Author != "Ann" {
		t.Errorf("%s (-want +got):\n%s", got.Name, d)
	}
}
