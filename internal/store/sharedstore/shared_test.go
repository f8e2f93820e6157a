package sharedstore_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

const (
	cat   = "The cat sat on the Mat"
	port  = "Postgres runs on port 5433"
	redis = "Redis listens on 6380"
)

// eachPeer runs a test on a file of each program, with two texts in it.
func eachPeer(t *testing.T, fn func(*testing.T, *peer)) {
	t.Parallel()
	for _, layout := range peers() {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, layout)
			p.store(cat, "", "note", `{"access_count": 3}`, 1000.5)
			p.store(port, "db, infra,,db", "Decision", `{"source": "x", "_hippo": {"surprise": {"score": 0.5}}}`, 1001.125)
			fn(t, p)
			p.sound()
		})
	}
}

func TestShared_reads(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		got := all(t, p.open())
		m := got[port]
		if len(got) != 2 || m == nil || got[cat] == nil {
			t.Fatalf("read %v", got)
		}
		if !slices.Equal(m.Tags, []string{"db", "infra"}) || m.Type != "Decision" || string(m.Metadata["source"]) != `"x"` {
			t.Errorf("read %+v", m)
		}
		if !m.CreatedAt.Equal(at(1001.125)) || m.ContentHash != hippo.HashContent(port) || m.Validate() != nil {
			t.Errorf("read %+v (%v)", m, m.Validate())
		}
		if got[cat].Metadata != nil {
			t.Errorf("a counter is metadata: %v", got[cat].Metadata)
		}
	})
}

func TestShared_writes(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m := memory(1, redis)
		m.Metadata = map[string]json.RawMessage{"k": json.RawMessage("1")}
		put(t, s, m)
		const columns = "content || '|' || tags || '|' || memory_type || '|' || json_remove(metadata, '$._hippo') || '|' || created_at || '|' || updated_at_iso"
		want := redis + `|ours,new|decision|{"k":1}|2000.25|1970-01-01T00:33:20.250000Z`
		if got := p.text("SELECT " + columns + " FROM memories WHERE deleted_at IS NULL AND id = 3"); got != want {
			t.Errorf("the others read %s\nwant %s", got, want)
		}
		if err := s.PutVectors(t.Context(), "contextual@1", []driver.Vector{{ID: m.ID, Values: embedding(redis)}}); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{redis, port, cat} {
			if got := p.nearest(text); got != text {
				t.Errorf("nearest to %q is %q", text, got)
			}
		}
		if !p.rust && p.text("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH 'listens'") != "1" {
			t.Error("the words are not found")
		}
	})
}

func TestShared_sees_what_others_do(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		edit(t, s, port, func(m *hippo.Memory) { m.Situation, m.Pinned = []string{"when deploying"}, true })
		id := all(t, s)[port].ID
		p.store(redis, "cache", "note", "{}", 1500)
		if got := all(t, s)[redis]; got == nil || got.Type != "note" {
			t.Errorf("a new row gives %+v", got)
		}
		p.delete(port, 1600)
		if got := all(t, s)[port]; !got.ForgottenAt.Equal(at(1600)) {
			t.Errorf("a deleted row gives %+v", got)
		}
		p.store(port, "again", "Decision", "{}", 1700)
		if got := all(t, s)[port]; got.Forgotten() || got.ID != id || !got.Pinned || len(got.Situation) != 1 || !slices.Equal(got.Tags, []string{"again"}) {
			t.Errorf("a row that was stored anew gives %+v", got)
		}
		before, err := s.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.exec(`UPDATE memories SET metadata = json_set(metadata, '$.access_count', 7)`)
		if after, err := s.Head(t.Context()); err != nil || after != before {
			t.Errorf("counting a search changes %+v to %+v (%v)", before, after, err)
		}
		p.exec("DELETE FROM memories WHERE content_hash = ?", p.hash(cat))
		if got := all(t, s)[cat]; !got.ForgottenAt.Equal(at(9000)) {
			t.Errorf("a row that is gone gives %+v", got)
		}
		p.exec("DELETE FROM memory_embeddings WHERE rowid NOT IN (SELECT id FROM memories)")
	})
}

func TestShared_forgets_and_restores(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		m := all(t, s)[port]
		if err := s.PutVectors(t.Context(), "minilm-l6-v2@1", []driver.Vector{{ID: m.ID, Values: embedding(port)}}); err != nil {
			t.Fatal(err)
		}
		edit(t, s, port, func(m *hippo.Memory) { m.ForgottenAt = at(3000) })
		if got := p.text("SELECT deleted_at FROM memories WHERE content = ?", port); got != "3000" {
			t.Errorf("deleted at %q", got)
		}
		if got := p.nearest(port); got != cat {
			t.Errorf("what was forgotten is found: %q", got)
		}
		edit(t, s, port, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} })
		if got := p.text("SELECT content FROM memories WHERE deleted_at IS NULL AND content = ?", port); got != port || p.nearest(port) != port {
			t.Errorf("restored: %q", got)
		}
		err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Purge(m.ID) })
		if got := p.text("SELECT count(*) FROM memories"); err != nil || got != "1" {
			t.Errorf("purged, %s rows are left (%v)", got, err)
		}
	})
}

func TestShared_keeps_what_others_wrote(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		p.exec(`UPDATE memories SET metadata = json_set(metadata, '$.access_count', 7, '$.quality_score', 0.25) WHERE content = ?`, port)
		edit(t, s, port, func(m *hippo.Memory) {
			m.Pinned = true
			m.Metadata["mine"] = json.RawMessage("true")
			delete(m.Metadata, "source")
		})
		want := `{"_hippo":{"surprise":{"score":0.5}},"access_count":7,"mine":true,"quality_score":0.25}`
		if got := p.text("SELECT json(metadata) FROM memories WHERE content = ?", port); got != want {
			t.Errorf("metadata is %s\nwant %s", got, want)
		}
		if got := p.text("SELECT tags || '|' || memory_type || '|' || updated_at FROM memories WHERE content = ?", port); got != "db, infra,,db|Decision|1001.125" {
			t.Errorf("what was not changed is %s", got)
		}
		edit(t, s, port, func(m *hippo.Memory) {
			m.Content, m.ContentHash, m.UpdatedAt = redis, hippo.HashContent(redis), at(2500)
		})
		if got := p.text("SELECT content FROM memories WHERE deleted_at IS NULL ORDER BY id"); got != cat+" "+redis {
			t.Errorf("a new text leaves the rows %s", got)
		}
	})
}

func TestShared_equal_texts_share_a_row(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		put(t, s, memory(1, cat), memory(2, " the CAT sat on the mat"), memory(3, redis), memory(4, redis))
		want := "3"
		if p.rust { // it takes the second text for another one
			want = "4"
		}
		if got := p.text("SELECT count(*) FROM memories"); got != want {
			t.Errorf("%s rows", got)
		}
		for _, n := range []byte{3, 4} {
			m := memory(n, redis)
			m.ForgottenAt = at(3000)
			put(t, s, m)
			if got := p.text("SELECT deleted_at IS NULL FROM memories WHERE content = ?", redis); (got == "1") != (n == 3) {
				t.Errorf("with memory %d forgotten, the row is there: %s", n, got)
			}
		}
		p.store(redis, "back", "note", "{}", 4000)
		if h, err := s.Head(t.Context()); err != nil || h.Memories != 6 || h.Forgotten != 1 {
			t.Errorf("stored again: %+v (%v)", h, err)
		}
	})
}

func TestShared_backs_up_before_the_first_write(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		before := p.text("SELECT name FROM sqlite_schema ORDER BY name")
		s := p.open()
		put(t, s, memory(1, redis))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		p.open()
		old := *p
		old.path = p.path + ".before-hippo"
		p.exec("ATTACH ? AS old", old.path)
		if got := p.text("SELECT name FROM old.sqlite_schema ORDER BY name"); got != before {
			t.Errorf("the copy has %s\nwant %s", got, before)
		}
		if got := p.text("SELECT group_concat(content, ' ') FROM old.memories"); got != cat+" "+port {
			t.Errorf("the copy has %s", got)
		}
		p.exec("DETACH old")
		if _, err := os.Stat(old.path + "-2"); err == nil {
			t.Error("there is a second copy")
		}
	})
}

func TestShared_namespaces_are_stores(t *testing.T) {
	t.Parallel()
	for _, layout := range peers() {
		p := newPeer(t, layout)
		s := p.open()
		m := memory(1, redis)
		m.Namespace = "team"
		put(t, s, m)
		want := ""
		if p.stores {
			p.exec("UPDATE memories SET store = 'team' WHERE content = ?", redis)
			want = redis
		}
		if got := p.text("SELECT content FROM memories"); got != want {
			t.Errorf("%s: another namespace shows %q", layout, got)
		}
	}
}

func TestShared_successors(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(cat, "", "note", "{}", 1000)
	p.store(port, "", "note", "{}", 1001)
	s := p.open()
	p.exec("UPDATE memories SET superseded_by = ?, updated_at = 1002 WHERE content = ?", p.hash(port), cat)
	got := all(t, s)
	if got[cat].SupersededBy != got[port].ID {
		t.Errorf("superseded by %v, want %v", got[cat].SupersededBy, got[port].ID)
	}
	put(t, s, memory(1, redis))
	edit(t, s, port, func(m *hippo.Memory) { m.SupersededBy = memory(1, redis).ID })
	if by := p.text("SELECT superseded_by FROM memories WHERE content = ?", port); by != p.hash(redis) {
		t.Errorf("the others read %q", by)
	}
}

func TestShared_rows_that_are_no_memories(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	p.store(cat, "", "note", "{broken", 1000)
	p.store(port, "", strings.Repeat("x", 100), "{}", 1000)
	s := p.open()
	got := all(t, s)
	if len(got) != 1 || got[cat] == nil {
		t.Errorf("read %v", got)
	}
	list, err := s.Problems(t.Context())
	if err != nil || len(list) != 2 || !strings.Contains(list[0].Err, "row 1: metadata: must be a JSON object") || !strings.Contains(list[1].Err, "row 2: type: must") {
		t.Errorf("problems are %v (%v)", list, err)
	}
	edit(t, s, cat, func(m *hippo.Memory) { m.Metadata = map[string]json.RawMessage{"k": json.RawMessage("1")} })
	if got := p.text("SELECT metadata FROM memories WHERE content = ?", cat); got != "{broken" {
		t.Errorf("what cannot be read became %s", got)
	}
}

// A row whose hash is no text, as one that was bound as bytes, is read like all others.
func TestShared_hash_that_is_no_text(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	p.store(cat, "", "note", "{}", 1000)
	p.exec("UPDATE memories SET content_hash = CAST(content_hash AS BLOB)")
	if got := all(t, p.open()); len(got) != 1 || got[cat] == nil {
		t.Errorf("read %v", got)
	}
	if got := all(t, p.open()); len(got) != 1 {
		t.Errorf("read again %v", got)
	}
}

// relation relates two memories of a store by their texts; weight 0 removes the relation.
func relate(t *testing.T, s driver.Backend, from, to, kind string, weight float64) {
	t.Helper()
	ms := all(t, s)
	r := hippo.Relation{From: ms[from].ID, To: ms[to].ID, Kind: kind, Weight: weight, LastReinforced: at(1)}
	if err := s.Relate(t.Context(), driver.Durable, []hippo.Relation{r}, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
		t.Fatal(err)
	}
}

// relations lists the relations of a store.
func relations(t *testing.T, s driver.Backend) (list []string) {
	t.Helper()
	if _, err := s.Head(t.Context()); err != nil {
		t.Fatal(err)
	}
	texts := make(map[hippo.ID]string)
	for text, m := range all(t, s) {
		texts[m.ID] = text
	}
	for r, err := range s.AllRelations(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, texts[r.From]+" "+r.Kind+" "+texts[r.To])
	}
	return list
}

func TestShared_relations(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(cat, "", "note", "{}", 1000)
	p.store(port, "", "note", "{}", 1000)
	s := p.open()
	put(t, s, memory(1, redis))
	const edges = `SELECT a.content || ' ' || relationship_type || ' ' || b.content FROM memory_graph
		JOIN memories a ON a.content_hash = source_hash JOIN memories b ON b.content_hash = target_hash ORDER BY 1`
	relate(t, s, port, redis, "causes", .5)
	relate(t, s, cat, redis, "related", .5)
	want := port + " causes " + redis + " " + redis + " related " + cat + " " + cat + " related " + redis
	if got := p.text(edges); len(got) != len(want) || !strings.Contains(got, "causes") {
		t.Errorf("the others have %s\nwant %s", got, want)
	}
	if got := relations(t, s); len(got) != 2 {
		t.Errorf("relations are %v", got)
	}

	add := func(from, to, kind string) {
		p.exec("INSERT OR REPLACE INTO memory_graph VALUES (?, ?, 0.75, ?, '{}', 5, ?)", p.hash(from), p.hash(to), `["`+kind+`"]`, kind)
	}
	add(cat, port, "contradicts")
	add(port, cat, "contradicts")
	p.exec("INSERT INTO memory_graph VALUES (?, 'Paris', 1, '[\"entity\"]', '{}', 5, 'has_entity')", p.hash(cat))
	if got := relations(t, s); len(got) != 3 {
		t.Errorf("with an edge of the others, relations are %v", got)
	}
	p.exec("DELETE FROM memory_graph WHERE relationship_type = 'contradicts'")
	relate(t, s, cat, redis, "related", 0)
	if got := relations(t, s); len(got) != 1 || p.text("SELECT relationship_type FROM memory_graph ORDER BY 1") != "causes has_entity" {
		t.Errorf("relations are %v, the others have %s", got, p.text(edges))
	}

	p.delete(port, 3000)
	if got := relations(t, s); len(got) != 1 {
		t.Errorf("with a row deleted, relations are %v", got)
	}
	edit(t, s, port, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} })
	if got := p.text("SELECT relationship_type FROM memory_graph ORDER BY 1"); got != "causes has_entity" {
		t.Errorf("restored, the others have %s", got)
	}
}

// The other program has one edge for a relation: that of its last period. Removing the edge there removes all periods.
func TestShared_periods(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(cat, "", "note", "{}", 1000)
	p.store(port, "", "note", "{}", 1000)
	s := p.open()
	ms := all(t, s)
	first := hippo.Relation{From: ms[cat].ID, To: ms[port].ID, Kind: "causes", Weight: .5, ValidUntil: at(1)}
	second := hippo.Relation{From: first.From, To: first.To, Kind: "causes", Weight: .25, ValidFrom: at(2)}
	set := func(rs ...hippo.Relation) {
		t.Helper()
		if err := s.Relate(t.Context(), driver.Durable, rs, func(_, r hippo.Relation) hippo.Relation { return r }); err != nil {
			t.Fatal(err)
		}
	}
	edge := func() string { return p.text("SELECT relationship_type || ' ' || similarity FROM memory_graph") }
	set(second, first)
	if got := edge(); got != "causes 0.25" {
		t.Errorf("of two periods the others have %q", got)
	}
	gone := second
	gone.Weight = 0
	set(gone)
	if got := edge(); got != "causes 0.5" {
		t.Errorf("when the last is removed, the others have %q", got)
	}
	set(second)
	p.exec("UPDATE memory_graph SET similarity = 0.75")
	if got := relations(t, s); len(got) != 2 {
		t.Errorf("after a change of theirs, relations are %v", got)
	}
	for r, err := range s.AllRelations(t.Context()) {
		if want := map[bool]float64{true: .75, false: .5}[r.ValidFrom.Equal(second.ValidFrom)]; err != nil || r.Weight != want {
			t.Errorf("%+v (%v), want weight %v", r, err, want)
		}
	}
	p.exec("DELETE FROM memory_graph")
	if got := relations(t, s); len(got) != 0 {
		t.Errorf("after a removal of theirs, relations are %v", got)
	}
}
