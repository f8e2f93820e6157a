package sharedstore_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// shownScore and shownVersion read what claude-hippo ranks and archives by.
const (
	shownScore   = "SELECT json_extract(metadata, '$._hippo.surprise.score') FROM memories WHERE content = ?"
	shownVersion = "SELECT json_extract(metadata, '$._hippo.surprise.version') FROM memories WHERE content = ?"
)

// archives reports whether the consolidation of claude-hippo archives a row that is 60 days old, as it is documented: threshold .05,
// half-life of 30 days, floor .5; no surprise counts as 0.
func (p *peer) archives(content string) bool {
	p.t.Helper()
	score, _ := strconv.ParseFloat(p.text(shownScore, content), 64)
	return score*max(math.Exp2(-60/30), .5) < .05
}

func TestSurprise_of_a_row(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m := memory(1, redis)
		put(t, s, m)
		if got := p.text(shownVersion, redis); got != "hippo/1 estimated" || p.archives(redis) {
			t.Errorf("before it is known, it is %s (%s)", p.text(shownScore, redis), got)
		}
		m.Surprise = hippo.Surprise{Score: .42, Outlier: .25, Engagement: .125, Explicit: .5, Loss: .75}
		put(t, s, m)
		const want = `{"score":0.42,"components":{"embedding_outlier":0.25,"engagement":0.125,"explicit":0.5,"prediction_loss":0.75},"version":"hippo/1"}`
		if got := p.text("SELECT json_extract(metadata, '$._hippo.surprise') FROM memories WHERE content = ?", redis); got != want {
			t.Errorf("it is %s\nwant %s", got, want)
		}
		if got := p.text(shownScore, port) + p.text(shownScore, cat); got != "0.5" {
			t.Errorf("rows of others have %s", got)
		}
	})
}

// What another program does to the row neither loses the surprise nor brings it into the metadata of the memory.
func TestSurprise_is_no_metadata(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m := memory(1, redis)
		m.Surprise.Score = .42
		put(t, s, m)
		p.exec("UPDATE memories SET metadata = json_set(metadata, '$._hippo.cluster_id', 7, '$.access_count', 3, '$.theirs', 1), updated_at = 3000 WHERE content = ?", redis)
		got := all(t, s)[redis]
		b, err := json.Marshal(got.Metadata)
		if want := `{"_hippo":{"cluster_id":7},"access_count":3,"theirs":1}`; err != nil || string(b) != want && string(b) != `{"_hippo":{"cluster_id":7},"theirs":1}` {
			t.Errorf("metadata are %s, want %s", b, want)
		}
		p.exec("UPDATE memories SET metadata = replace(metadata, ':', ': ') WHERE content = ?", redis) // as Python writes it
		before := p.text("SELECT metadata FROM memories WHERE content = ?", redis)
		edit(t, s, redis, func(m *hippo.Memory) { m.Pinned = true })
		if after := p.text("SELECT metadata FROM memories WHERE content = ?", redis); after != before {
			t.Errorf("a change of something else writes %s\nover %s", after, before)
		}
		edit(t, s, redis, func(m *hippo.Memory) { m.Surprise.Score = .5 })
		if got := p.text("SELECT json(metadata) FROM memories WHERE content = ?", redis); p.text(shownScore, redis) != "0.5" || p.text("SELECT json_extract(?, '$._hippo.cluster_id')", got) != "7" {
			t.Errorf("after a new score the row has %s", got)
		}
		head, err := s.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.exec("UPDATE memories SET metadata = json_set(metadata, '$.access_count', 4)")
		if again, err := s.Head(t.Context()); err != nil || again != head {
			t.Errorf("a search of theirs changes %+v to %+v (%v)", head, again, err)
		}
	})
}

// Metadata that a memory brought along, such as one imported from claude-hippo, stay.
func TestSurprise_of_another_program_stays(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		for i, theirs := range []string{`{"surprise":{"score":0.9,"version":"0.5.0"}}`, `{"surprise":7}`, `[1]`} {
			m := memory(byte(i+1), fmt.Sprint("text ", i))
			m.Surprise.Score = .42
			m.Metadata = map[string]json.RawMessage{"_hippo": json.RawMessage(theirs)}
			put(t, s, m)
			m.Surprise.Score = .3
			put(t, s, m)
			if got := p.text("SELECT json_extract(metadata, '$._hippo') FROM memories WHERE content = ?", m.Content); got != theirs {
				t.Errorf("%s became %s", theirs, got)
			}
		}
	})
}

// Metadata that are nearly as large as those of a memory may be stay as they are, and the row goes on to be a memory.
func TestSurprise_of_large_metadata(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m := memory(1, redis)
		m.Metadata = map[string]json.RawMessage{"k": json.RawMessage(`"` + strings.Repeat("x", hippo.MaxMetadata-50) + `"`)}
		put(t, s, m)
		m.Tags = []string{"changed"}
		put(t, s, m)
		p.exec("UPDATE memories SET tags = 'theirs', updated_at = 99999 WHERE content = ?", redis)
		if got := all(t, s)[redis]; !slices.Contains(got.Tags, "theirs") {
			t.Errorf("the memory has the tags %q", got.Tags)
		}
	})
}

// A row of another program gives its memory its surprise, and the importance that its author gave, as an import does; what this
// program knows better by then stays, and the row as well.
func TestSurprise_of_their_rows(t *testing.T) {
	const own = `{"_hippo": {"surprise": {"score": 0.7233, "components": {"embedding_outlier": 0.6, "engagement": 0.2, "explicit": 0.9, "prediction_loss": null}, "version": "0.5.0"}}}`
	want := hippo.Surprise{Score: .7233, Outlier: .6, Engagement: .2, Explicit: .9}
	eachPeer(t, func(t *testing.T, p *peer) {
		p.store("decision", "", "note", own, 1000)
		p.store("estimated", "", "note", strings.Replace(own, "0.5.0", "hippo/1 estimated", 1), 1000)
		p.store("odd", "", "note", strings.Replace(own, "0.6", "7", 1), 1000)
		s := p.open()
		got := all(t, s)
		if m := got["decision"]; m.Surprise != want || m.Importance.Base != .9 || m.Importance.Value != .9 || m.Metadata["_hippo"] == nil {
			t.Errorf("the memory has %+v and %+v, metadata %s", m.Surprise, m.Importance, m.Metadata)
		}
		for _, text := range []string{"estimated", "odd"} {
			if m := got[text]; m.Surprise != (hippo.Surprise{}) || m.Importance.Base != hippo.DefaultImportance {
				t.Errorf("%s has %+v and %+v", text, m.Surprise, m.Importance)
			}
		}
		row := p.text("SELECT metadata FROM memories WHERE content = 'decision'")
		edit(t, s, "decision", func(m *hippo.Memory) { m.Surprise.Score, m.Importance.Value = .3, .4 })
		p.exec("UPDATE memories SET tags = 'theirs', updated_at = 2000 WHERE content = 'decision'")
		if m := all(t, s)["decision"]; m.Surprise.Score != .3 || m.Importance.Value != .4 || !slices.Contains(m.Tags, "theirs") {
			t.Errorf("after a change of its tags it has %+v, %+v and %v", m.Surprise, m.Importance, m.Tags)
		}
		if after := p.text("SELECT metadata FROM memories WHERE content = 'decision'"); after != row {
			t.Errorf("its row became %s", after)
		}
		p.exec("UPDATE memories SET metadata = json_set(metadata, '$._hippo.surprise.score', 0.8), updated_at = 3000 WHERE content = 'decision'")
		if m := all(t, s)["decision"]; m.Surprise.Score != .8 || m.Importance.Value != .4 {
			t.Errorf("after a new score it has %+v and %+v", m.Surprise, m.Importance)
		}
	})
}

// A file that an earlier version used: its memories take the surprise of their rows when this version opens it.
func TestSurprise_of_rows_seen_before(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		all(t, s)
		edit(t, s, port, func(m *hippo.Memory) { m.Surprise = hippo.Surprise{} })
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		p.exec("UPDATE shared_state SET own = 4")
		if m := all(t, p.open())[port]; m.Surprise.Score != .5 {
			t.Errorf("it has %+v", m.Surprise)
		}
	})
}
