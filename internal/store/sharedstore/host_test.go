package sharedstore_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

func host(t *testing.T, s *sharedstore.Store) api.Host {
	t.Helper()
	h, err := s.Host(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The state says whose file it is, what it has, where the copy is, and how much of it is of others.
func TestHost(t *testing.T) {
	for layout, want := range map[string]api.Host{
		"rust":     {Program: "claude-hippo", Shape: []string{"vectors of 384 numbers", "memory_associations", "memory_clusters"}},
		"python10": {Program: "mcp-memory-service 10", Shape: []string{"vectors of 384 numbers", "full-text index", "memory_graph"}},
		"python11": {Program: "mcp-memory-service 11 or later", Shape: []string{"vectors of 384 numbers", "vectors by store", "full-text index", "memory_graph"}},
	} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, layout)
			p.store(redis, "", "note", "{}", 1500)
			p.store(cat, "", "note", "{}", 1600)
			p.delete(cat, 1700)
			s := p.open()
			put(t, s, memory(1, port))
			got := host(t, s)
			if got.Program != want.Program || !slices.Equal(got.Shape, want.Shape) || got.Backup != p.path+".before-hippo" {
				t.Errorf("%+v", got)
			}
			if got.Rows != 2 || got.Foreign != 1 || got.Deleted != 1 || got.Vectors != 1 {
				t.Errorf("it counts %+v", got)
			}
			if len(got.Odd) != 1 || !strings.HasPrefix(got.Odd[0], "1 rows without a vector") {
				t.Errorf("odd: %q", got.Odd)
			}
		})
	}
}

// What is odd in a file is named; what is not, is not.
func TestHost_odd(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(redis, "", "note", "{}", 1500)
	s := p.open()
	if odd := host(t, s).Odd; len(odd) > 0 {
		t.Errorf("a usual file has odd: %q", odd)
	}
	for _, c := range [][2]string{
		{"ALTER TABLE memories ADD COLUMN mood TEXT", "does not know and leaves alone: mood"},
		{"UPDATE memories SET created_at = created_at + 90000", "1 rows whose created_at and created_at_iso differ"},
		{"UPDATE metadata SET value = 'l2' WHERE key = 'distance_metric'", `distance_metric is "l2"`},
		{"DELETE FROM memory_embeddings", "1 rows without a vector"},
		{"INSERT INTO memory_content_fts(memory_content_fts) VALUES ('delete-all')", "1 rows that its full-text index lacks"},
		{"UPDATE memories SET created_at = 'soon', created_at_iso = 'tomorrow'", "mood"},
	} {
		change, want := c[0], c[1]
		p.exec(change)
		if odd := strings.Join(host(t, s).Odd, "\n"); !strings.Contains(odd, want) {
			t.Errorf("after %s: %q", change, odd)
		}
	}
}

// A full-text index that lacks rows, which the other program does not notice, is named and built again at the next start. One
// whose tables are damaged is left to [sharedstore.Store.Check], and keeps no file from being opened.
func TestOpen_FullTextIndex(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "python11")
	p.store(redis, "", "note", "{}", 1500)
	p.store(cat, "", "note", "{}", 1600)
	_ = p.open().Close()
	p.exec("INSERT INTO memory_content_fts(memory_content_fts) VALUES ('delete-all')")
	if odd := host(t, p.open()).Odd; len(odd) > 0 {
		t.Errorf("odd after a start: %q", odd)
	}
	if got := p.text("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH ?", redis[:5]); got != "1" {
		t.Errorf("the other program finds %s rows", got)
	}
	p.sound()
	p.exec("DROP TABLE memory_content_fts_docsize")
	_ = p.open()
}

// A file that this program made has no copy from before, and no other program has opened it.
func TestHost_new(t *testing.T) {
	t.Parallel()
	s, err := sharedstore.Open(t.Context(), filepath.Join(t.TempDir(), "new.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // a test of reading
	if h := host(t, s); h.Backup != "" || !strings.Contains(h.Program, "not opened it yet") || len(h.Odd) > 0 {
		t.Errorf("%+v", h)
	}
}
