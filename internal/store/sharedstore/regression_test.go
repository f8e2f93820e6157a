package sharedstore_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// The row of a text that was changed gets the vector of the new text when there is one, and never that of the former.
func TestShared_a_changed_text_has_no_former_vector(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		id := all(t, s)[port].ID
		vector := func(text string) {
			if err := s.PutVectors(t.Context(), "contextual@1", []driver.Vector{{ID: id, Values: embedding(text)}}); err != nil {
				t.Fatal(err)
			}
		}
		vector(port)
		edit(t, s, port, func(m *hippo.Memory) { m.Content, m.ContentHash = redis, hippo.HashContent(redis) })
		const vectors = "SELECT count(*) FROM memory_embeddings_rowids WHERE rowid = (SELECT id FROM memories WHERE content = ? AND deleted_at IS NULL)"
		if got := p.text(vectors, redis); got != "0" {
			t.Errorf("the new text has %s vectors, those of the former one", got)
		}
		vector(redis)
		if got := p.nearest(redis); got != redis {
			t.Errorf("nearest to the new text is %q", got)
		}
	})
}

// Of the models whose vectors the others can use, that which has one of the memory is used.
func TestShared_vectors_of_the_model_that_has_them(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		put(t, s, memory(1, redis))
		ids := all(t, s)
		for _, v := range []struct{ model, text string }{{"minilm-l6-v2@1", port}, {"contextual@1", redis}} {
			if err := s.PutVectors(t.Context(), v.model, []driver.Vector{{ID: ids[v.text].ID, Values: embedding(v.text)}}); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.nearest(redis); got != redis {
			t.Errorf("nearest to a text with a vector of the other model is %q", got)
		}
	})
}

// A row whose metadata cannot be read takes nothing from its memory; what else was changed in it is seen.
func TestShared_metadata_outlives_a_broken_row(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		p.exec("UPDATE memories SET metadata = '{broken', memory_type = 'fact', updated_at = 1100 WHERE content = ?", port)
		m := all(t, s)[port]
		if m.Type != "fact" || string(m.Metadata["source"]) != `"x"` {
			t.Errorf("with broken metadata the memory is %+v", m)
		}
	})
}

// A row that shows another memory than before shows all of its metadata.
func TestShared_another_memory_shows_all_its_metadata(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		first, second := memory(1, redis), memory(2, redis)
		first.Metadata = map[string]json.RawMessage{"of": json.RawMessage(`"the first"`)}
		second.Metadata = map[string]json.RawMessage{"of": json.RawMessage(`"the second"`), "more": json.RawMessage("2")}
		put(t, s, first, second)
		const metadata = "SELECT json_remove(metadata, '$._hippo') FROM memories WHERE content = ? AND deleted_at IS NULL"
		if got := p.text(metadata, redis); got != `{"of":"the first"}` {
			t.Fatalf("the row of two memories has %s", got)
		}
		first.ForgottenAt = at(3000)
		put(t, s, first)
		if got := p.text(metadata, redis); got != `{"more":2,"of":"the second"}` {
			t.Errorf("when the first is forgotten the row has %s", got)
		}
		p.delete(redis, 3100)
		edit(t, s, port, func(m *hippo.Memory) {
			m.Content, m.ContentHash, m.UpdatedAt = redis, hippo.HashContent(redis), at(3200)
		})
		if got := p.text("SELECT json_extract(metadata, '$.source') FROM memories WHERE content = ? AND deleted_at IS NULL", redis); got != "x" {
			t.Errorf("a memory whose text became that of a deleted row shows metadata %q", got)
		}
	})
}

// successors is a file of mcp-memory-service 11 with two rows, opened.
func successors(t *testing.T) (p *peer, s driver.Backend, by func(text string) string, set func(text string, hash any)) {
	p = newPeer(t, "python11")
	p.store(cat, "", "note", "{}", 1000)
	p.store(port, "", "note", "{}", 1001)
	by = func(text string) string {
		return p.text("SELECT superseded_by FROM memories WHERE content = ?", text)
	}
	set = func(text string, hash any) {
		p.exec("UPDATE memories SET superseded_by = ? WHERE content = ?", hash, text)
	}
	return p, p.open(), by, set
}

// A successor that only the others know stays, and is applied when its row comes.
func TestShared_unknown_successors_stay(t *testing.T) {
	t.Parallel()
	p, s, by, set := successors(t)
	set(cat, p.hash(redis))
	edit(t, s, cat, func(m *hippo.Memory) { m.Pinned, m.UpdatedAt = true, at(1100) })
	edit(t, s, cat, func(m *hippo.Memory) { m.Tags, m.UpdatedAt = []string{"pets"}, at(1101) })
	if got := by(cat); got != p.hash(redis) {
		t.Errorf("after a change of something else the row is superseded by %q", got)
	}
	p.store(redis, "", "note", "{}", 1200)
	got := all(t, s)
	if got[cat].SupersededBy != got[redis].ID {
		t.Errorf("when the row is there the memory is superseded by %v, want %v", got[cat].SupersededBy, got[redis].ID)
	}
	if edit(t, s, cat, func(m *hippo.Memory) { m.Tags = nil }); by(cat) != p.hash(redis) {
		t.Errorf("the row is superseded by %q", by(cat))
	}
}

// What one side clears or changes of a successor is followed by the other.
func TestShared_cleared_successors(t *testing.T) {
	t.Parallel()
	p, s, by, set := successors(t)
	set(cat, p.hash(port))
	if got := all(t, s); got[cat].SupersededBy != got[port].ID {
		t.Fatalf("superseded by %v", got[cat].SupersededBy)
	}
	set(cat, nil)
	if got := all(t, s)[cat].SupersededBy; !got.IsZero() {
		t.Errorf("what the others cleared is %v", got)
	}
	edit(t, s, cat, func(m *hippo.Memory) { m.SupersededBy = all(t, s)[port].ID })
	if by(cat) != p.hash(port) {
		t.Errorf("the others read %q", by(cat))
	}
	edit(t, s, cat, func(m *hippo.Memory) { m.SupersededBy = hippo.ID{} })
	if by(cat) != "" {
		t.Errorf("what this side cleared is %q", by(cat))
	}
	before, err := s.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set(cat, "")
	if after, err := s.Head(t.Context()); err != nil || after != before {
		t.Errorf("an empty text for none changes %+v to %+v (%v)", before, after, err)
	}
}

// A file that an earlier version of this program has opened is brought up to date.
func TestOpen_tables_of_an_earlier_version(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(cat, "", "note", "{}", 1000)
	if err := p.open().Close(); err != nil {
		t.Fatal(err)
	}
	p.exec("DROP INDEX shared_row_seen")
	p.exec("CREATE INDEX shared_row_row ON shared_row (row)")
	p.exec("ALTER TABLE shared_row DROP COLUMN superseded_by")
	p.exec("UPDATE shared_state SET own = 2")
	s := p.open()
	edit(t, s, cat, func(m *hippo.Memory) { m.ForgottenAt = time.Time{} })
	if all(t, s)[cat] == nil || p.text("SELECT own FROM shared_state") != "5" {
		t.Errorf("own version %s", p.text("SELECT own FROM shared_state"))
	}
}

// columns are what a row shows of its memory.
const columns = "SELECT tags || '|' || memory_type || '|' || metadata || '|' || (deleted_at IS NULL) FROM memories WHERE content = ? AND tags <> 'ours,new'"

// A memory of the same text takes nothing from the row of another program, also when it is changed or forgotten.
func TestShared_equal_texts_leave_their_row(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		s := p.open()
		const want = `db, infra,,db|Decision|{"source": "x", "_hippo": {"surprise": {"score": 0.5}}}|1`
		m := memory(1, port)
		put(t, s, m)
		if got := p.text(columns, port); got != want {
			t.Errorf("the row became %s", got)
		}
		p.exec("UPDATE memories SET metadata = json_set(metadata, '$._hippo.cluster_id', 7) WHERE content = ?", port) // as claude-hippo does
		m.Type, m.Metadata = "fact", map[string]json.RawMessage{"ours": json.RawMessage("1")}
		put(t, s, m)
		m.ForgottenAt = at(3000)
		put(t, s, m)
		if got := p.text(columns, port); got != `db, infra,,db|Decision|{"source":"x","_hippo":{"surprise":{"score":0.5},"cluster_id":7}}|1` {
			t.Errorf("the row became %s", got)
		}
	})
}

// A row that is no memory, or became none, stays as it is, whatever is recorded with its text; it is deleted with its memory.
func TestShared_rows_that_are_no_memories_stay(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		tags := make([]string, hippo.MaxTags+1)
		for i := range tags {
			tags[i] = fmt.Sprint("tag", i)
		}
		many := strings.Join(tags, ",")
		p.store(redis, many, "note", "{}", 1000)
		s := p.open()
		put(t, s, memory(1, redis))
		p.exec("UPDATE memories SET tags = ?, updated_at = 1500 WHERE content = ?", many, port)
		ours := all(t, s)
		m := ours[port]
		m.Type = "fact"
		put(t, s, m)
		for text, want := range map[string]string{redis: "|note|{}|1", port: `|Decision|{"source": "x", "_hippo": {"surprise": {"score": 0.5}}}|1`} {
			if got := p.text(columns, text); got != many+want {
				t.Errorf("the row of %q became %s", text, got)
			}
		}
		m.ForgottenAt = at(3000)
		put(t, s, m)
		if got := p.text("SELECT tags || deleted_at FROM memories WHERE content = ?", port); ours[redis] == nil || got != many+"3000.0" {
			t.Errorf("%v; forgotten, the row is %s", ours[redis], got)
		}
	})
}

// Metadata that is changed keeps its other keys as they are written.
func TestShared_metadata_keeps_its_characters(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		const theirs = `{"big":1e400,"n":12345678901234567890,"tag":"<b>","u":"\u00e9"}`
		p.store(redis, "", "note", theirs, 1000)
		s := p.open()
		edit(t, s, redis, func(m *hippo.Memory) { m.Metadata["a"] = json.RawMessage("1") })
		if got := p.text("SELECT metadata FROM memories WHERE content = ?", redis); got != `{"a":1,`+theirs[1:] {
			t.Errorf("metadata became %s", got)
		}
	})
}

// Another program that deletes the row of a successor gives back what that superseded, and takes it again when it stores the row again.
func TestShared_deleted_successor_gives_back(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(p *peer){
		"deleted": func(p *peer) { p.delete(port, 1300) },
		"purged":  func(p *peer) { p.exec("DELETE FROM memories WHERE content = ?", port) },
	} {
		p, s, by, _ := successors(t)
		next := all(t, s)[port]
		edit(t, s, port, func(m *hippo.Memory) { m.ValidFrom = at(1050) })
		edit(t, s, cat, func(m *hippo.Memory) { m.SupersededBy, m.ValidUntil = next.ID, at(1050) })
		if by(cat) != p.hash(port) {
			t.Fatalf("%s: the others read %q", name, by(cat))
		}
		gone(p)
		if m := all(t, s)[cat]; !m.SupersededBy.IsZero() || !m.ValidUntil.IsZero() {
			t.Errorf("%s: it is superseded by %v, until %v", name, m.SupersededBy, m.ValidUntil)
		}
		p.store(port, "", "note", "{}", 1400)
		if got := all(t, s); got[cat].SupersededBy != next.ID || got[port].Forgotten() {
			t.Errorf("%s and stored again: it is superseded by %v", name, got[cat].SupersededBy)
		}
	}
}
