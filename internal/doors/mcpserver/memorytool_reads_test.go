package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// countedReads counts the memories that are read outside of transactions.
type countedReads struct {
	driver.Backend
	memories atomic.Int64
}

func (b *countedReads) Get(ctx context.Context, ids []hippo.ID) ([]*hippo.Memory, error) {
	b.memories.Add(int64(len(ids)))
	return b.Backend.Get(ctx, ids)
}

// A command reads the files that it is about, and not those beside them.
func TestMemoryTool_ReadsWhatItNeeds(t *testing.T) {
	t.Parallel()
	const others, inside = 200, 5
	b := &countedReads{Backend: memstore.New(nil)}
	s := startHippo(t, b)
	file := func(dir string, n int) string { return fmt.Sprintf("/memories/%s/%d.md", dir, n) }
	for _, d := range []struct {
		dir   string
		files int
	}{{"others", others}, {"few", inside}} {
		for n := range d.files {
			s.steps([]step{{object{"command": "create", "path": file(d.dir, n), "file_text": fmt.Sprint("text ", n)}, "File created successfully at: " + file(d.dir, n)}})
		}
	}
	for _, c := range []struct {
		args object
		most int64
	}{
		{object{"command": "view", "path": file("others", 7)}, 1},
		{object{"command": "view", "path": "/memories/none"}, 0},
		{object{"command": "view", "path": "/memories/few"}, inside},
		{object{"command": "view", "path": "/memories"}, others + inside},
		{object{"command": "create", "path": "/memories/new", "file_text": "x"}, 3},
		{object{"command": "create", "path": file("others", 1), "file_text": "x"}, 1},
		{object{"command": "str_replace", "path": file("others", 2), "old_str": "text", "new_str": "word"}, 3},
		{object{"command": "insert", "path": file("others", 3), "insert_line": 0, "insert_text": "x"}, 3},
		{object{"command": "rename", "old_path": file("others", 4), "new_path": file("few", 9)}, 3},
		{object{"command": "delete", "path": file("others", 5)}, 3},
		{object{"command": "delete", "path": "/memories/few"}, 3 * (inside + 1)},
	} {
		before := b.memories.Load()
		o := s.tool("memory", c.args)
		if read := b.memories.Load() - before; read > c.most {
			t.Errorf("%v: %d memories were read, want at most %d: %.80s", c.args, read, c.most, o.Text)
		}
		if o.IsError && !strings.Contains(o.Text, "does not exist") && !strings.Contains(o.Text, "already exists") {
			t.Errorf("%v: %s", c.args, o.Text)
		}
	}
}

// A file whose situation is lost is found by its metadata, and one whose situation is another path is there.
func TestMemoryTool_SituationsThatChange(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	const shown = "Here's the content of %s with line numbers:\n     1\tkept"
	situate := func(situation string) {
		t.Helper()
		ms := s.engine.In(hippo.LocalScope(""))
		l, err := memory.List(t.Context(), ms, api.List{})
		if err != nil || len(l.Memories) != 1 {
			t.Fatalf("%+v, %v", l, err)
		}
		if _, err := memory.Modify(t.Context(), ms, l.Memories[0].ID, api.Change{Situation: &[]string{situation}}); err != nil {
			t.Fatal(err)
		}
	}
	s.steps([]step{{object{"command": "create", "path": "/memories/a", "file_text": "kept"}, "File created successfully at: /memories/a"}})
	situate("debugging")
	s.steps([]step{
		{object{"command": "view", "path": "/memories/a"}, fmt.Sprintf(shown, "/memories/a")},
		{object{"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"}, "Successfully renamed /memories/a to /memories/b"},
	})
	situate("/memories/c")
	s.steps([]step{
		{object{"command": "view", "path": "/memories/c"}, fmt.Sprintf(shown, "/memories/c")},
		{object{"command": "view", "path": "/memories/b"}, "The path /memories/b does not exist. Please provide a valid path."},
	})
}
