package sharedstore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

// many are more rows than are taken over at once, with a vector and an edge of the first of them.
const many = 5000

func (p *peer) storeMany() {
	p.t.Helper()
	p.exec(`INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, updated_at, created_at_iso, updated_at_iso)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		SELECT printf('%064x', i), 'text ' || i, 'theirs', 'note', '{}', 1000 + i, 1000 + i, '1970-01-01T00:33:20Z', '1970-01-01T00:33:20Z' FROM n`, many)
}

// A file with many rows is read at once, from the last ones on, and whole in the end.
func TestOpen_gradual(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.storeMany()
	p.exec(`INSERT INTO memory_graph (source_hash, target_hash, similarity, connection_types, metadata, created_at, relationship_type)
		VALUES (printf('%064x', 1), printf('%064x', 5000), 0.5, '["causes"]', '{}', 1000, 'causes')`)
	p.exec("UPDATE memories SET superseded_by = printf('%064x', 1) WHERE content = 'text 4999'")
	s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Now: func() time.Time { return at(9000) }, Gradual: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // it is only read
	if got := all(t, s); got["text 5000"] == nil || len(got) < 2048 {
		t.Errorf("at first %d rows are there", len(got))
	}
	h, err := s.Head(t.Context())
	for err == nil && h.Pending > 0 {
		if h.Memories+h.Pending < many {
			t.Fatalf("%+v counts too few", h)
		}
		h, err = s.Head(t.Context())
	}
	if err != nil || h.Memories != many {
		t.Fatalf("in the end %+v (%v)", h, err)
	}
	got := all(t, s)
	if by := got["text 4999"].SupersededBy; by != got["text 1"].ID {
		t.Errorf("the successor that came later is %v", by)
	}
	if list := relations(t, s); !slices.Equal(list, []string{"text 1 causes text 5000"}) {
		t.Errorf("relations %v", list)
	}
	if odd := strings.Join(host(t, s).Odd, "\n"); strings.Contains(odd, "not here yet") {
		t.Errorf("odd: %s", odd)
	}
}

// A store that is closed meanwhile goes on where it was.
func TestOpen_gradual_and_closed(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "rust")
	p.storeMany()
	s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Gradual: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := all(t, p.open()); len(got) != many {
		t.Errorf("%d memories", len(got))
	}
	p.sound()
}

// A memory with the text of a row that is not taken over yet shares it, and neither loses anything.
func TestShared_writes_before_rows_are_taken_over(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	s := p.open()
	p.storeMany()
	const text = "Text 7" // as python compares it
	p.exec("UPDATE memories SET content_hash = ? WHERE content = 'text 7'", p.hash(text))
	m := memory(1, text)
	put(t, s, m)
	got := all(t, s)
	if len(got) != many+1 || !slices.Equal(got[text].Tags, m.Tags) || !slices.Equal(got["text 7"].Tags, []string{"theirs"}) {
		t.Errorf("%d memories: %v, %v", len(got), got[text], got["text 7"])
	}
	if rows := p.text("SELECT count(*) FROM memories"); rows != "5000" {
		t.Errorf("%s rows", rows)
	}
}

// change changes a memory in one transaction, which reads nothing before.
func change(t *testing.T, s driver.Backend, id hippo.ID, fn func(*hippo.Memory)) {
	t.Helper()
	err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error {
		ms, err := tx.Get(id)
		if err != nil || len(ms) != 1 {
			return fmt.Errorf("%d memories: %w", len(ms), err)
		}
		fn(ms[0])
		return tx.Put(ms[0])
	})
	if err != nil {
		t.Fatal(err)
	}
}

// retext gives a memory another text.
func retext(text string) func(*hippo.Memory) {
	return func(m *hippo.Memory) { m.Content, m.ContentHash = text, hippo.HashContent(text) }
}

// A row is taken over once: the memory that shares it may be changed while other rows are left.
func TestShared_changes_while_rows_are_left(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	s := p.open()
	p.storeMany()
	const text = "Text 7"
	p.exec("UPDATE memories SET content_hash = ? WHERE content = 'text 7'", p.hash(text))
	put(t, s, memory(1, text))
	change(t, s, memory(1, text).ID, retext("edited"))
	if got := all(t, s); len(got) != many+1 || got["edited"] == nil || got["text 7"] == nil {
		t.Errorf("%d memories: %v, %v", len(got), got["edited"], got["text 7"])
	}
	p.sound()
}

// Many rows that are stored again, with other ids, show the memories that they showed before: neither what the other program
// changed nor what is changed here next is lost.
func TestShared_changes_after_rows_were_stored_again(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python10")
	p.storeMany()
	s := p.open()
	before := all(t, s)
	p.exec("CREATE TABLE copied AS SELECT * FROM memories")
	p.exec("DELETE FROM memories")
	p.exec(`INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, updated_at, created_at_iso, updated_at_iso)
		SELECT content_hash, content, 'again', memory_type, metadata, created_at, 7000, created_at_iso, updated_at_iso FROM copied ORDER BY id DESC`)
	p.exec("DROP TABLE copied")
	change(t, s, before["text 7"].ID, retext("edited"))
	change(t, s, before["text 8"].ID, func(m *hippo.Memory) { m.Type = "decision" })
	got := all(t, s)
	if m := got["edited"]; len(got) != many || m == nil || !slices.Equal(m.Tags, []string{"again"}) {
		t.Errorf("%d memories: %v", len(got), m)
	}
	if m := got["text 8"]; m.Type != "decision" || !slices.Equal(m.Tags, []string{"again"}) {
		t.Errorf("type %q, tags %v", m.Type, m.Tags)
	}
	p.sound()
}

// Vectors of another model are neither compared with those of this program nor mixed with them.
func TestShared_vectors_of_another_model(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]string{"the other program's": "", "another": "other "} {
		t.Run(name, func(t *testing.T) {
			eachPeer(t, func(t *testing.T, p *peer) {
				s := p.open()
				put(t, s, memory(1, redis))
				var ours []driver.Vector
				for _, text := range []string{cat, port} {
					ours = append(ours, driver.Vector{ID: all(t, s)[text].ID, Values: embedding(model + text)})
				}
				for _, vs := range [][]driver.Vector{ours, {{ID: memory(1, redis).ID, Values: embedding(redis)}}} {
					if err := s.PutVectors(t.Context(), "contextual@1", vs); err != nil {
						t.Fatal(err)
					}
				}
				got, odd := p.text("SELECT count(*) FROM memory_embeddings_rowids"), strings.Join(host(t, s).Odd, "\n")
				if alike := model == ""; (got == "3") != alike || strings.Contains(odd, "of another model") == alike {
					t.Errorf("%s vectors; odd: %s", got, odd)
				}
				if p.nearest(port) != port || p.nearest(cat) != cat {
					t.Error("the vectors of the other program were changed")
				}
			})
		})
	}
}
