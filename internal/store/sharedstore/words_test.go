package sharedstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/sharedstore"
)

// repaired reports whether the triggers of the full-text index are those of this program.
func (p *peer) repaired() bool {
	p.t.Helper()
	return p.text("SELECT count(*) FROM sqlite_schema WHERE name = 'memories_fts_au' AND sql LIKE '%''delete''%'") == "1"
}

// spoil gives the full-text index the triggers of its program again.
func (p *peer) spoil(layout string) {
	p.t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", layout+".sql"))
	if err != nil {
		p.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "CREATE TRIGGER memories_fts_ai")
	triggers, _, _ := strings.Cut(rest, "INSERT INTO memory_content_fts(memory_content_fts)")
	p.exec("DROP TRIGGER memories_fts_ai; DROP TRIGGER memories_fts_au; DROP TRIGGER memories_fts_ad; CREATE TRIGGER memories_fts_ai" + triggers)
}

// The full-text index is rebuilt in parts. What the other program does between them is in it, it finds all meanwhile, and a process
// that ends between two parts leaves the rest to the next one.
func TestWords_in_parts(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{"python10", "python11"} {
		t.Run(layout, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, layout)
			p.exec(`INSERT INTO memories (content_hash, content, created_at, updated_at)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
				SELECT printf('%064x', i), 'text ' || i, 1000 + i, 1000 + i FROM n`)
			if err := p.open().Close(); err != nil || !p.repaired() {
				t.Fatalf("a command repairs all of it: %v", err)
			}
			p.spoil(layout)
			now, parts := at(9000), 0
			count := func(words string) string {
				return p.text("SELECT count(*) FROM memory_content_fts WHERE memory_content_fts MATCH ?", words)
			}
			const progress = "SELECT words FROM shared_state"
			for round := 0; !p.repaired(); round++ {
				before := p.text(progress)
				s, err := sharedstore.Open(t.Context(), p.path, &sharedstore.Options{Gradual: true, Now: func() time.Time { now = now.Add(time.Hour); return now }})
				if err != nil {
					t.Fatal(err)
				}
				for !p.repaired() && p.text(progress) == before { // it rests after each part
					if _, err := s.Head(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if p.text(progress) != "" {
					parts++
				}
				const missing = "SELECT count(*) FROM memories WHERE content LIKE 'text%' AND id NOT IN (SELECT rowid FROM memory_content_fts WHERE memory_content_fts MATCH 'text')"
				if got := p.text(missing); got != "0" {
					t.Fatalf("round %d: %s rows are not found", round, got)
				}
				first, last := round+1, 1500-round // one that was reached, one that was not
				p.exec(fmt.Sprintf("INSERT INTO memories (content_hash, content) VALUES ('more %d', 'text more%d')", round, round))
				p.exec("DELETE FROM memories WHERE id = ?", first)
				p.exec("UPDATE memories SET content = 'changed ' || id WHERE id IN (?, ?)", 700+first, last)
				p.exec("UPDATE memories SET content = 'text ' || content WHERE id IN (?, ?)", 700+first, last)
				p.exec("UPDATE memories SET id = -id WHERE id = ?", 300+first)
			}
			if parts < 3 || p.text("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'shared_words%'") != "0" || p.text(progress) != "" {
				t.Errorf("it took %d parts, or something is left of them", parts)
			}
			p.sound()
			if got, want := count("text"), p.text("SELECT count(*) FROM memories WHERE content LIKE '%text%'"); got != want {
				t.Errorf("%s rows are found, want %s", got, want)
			}
			for _, words := range []string{"changed", "more"} {
				if got, want := count(words), p.text("SELECT count(*) FROM memories WHERE content LIKE '%' || ? || '%'", words); got != want || got == "0" {
					t.Errorf("%s rows with %q are found, want %s", got, words, want)
				}
			}
		})
	}
}
