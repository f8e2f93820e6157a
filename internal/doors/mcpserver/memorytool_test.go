package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/claudehippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/verb"
)

// step is a call of the memory tool, and the text of the result.
type step struct {
	args object
	want string
}

// steps calls the memory tool, and compares the texts. Errors are marked.
func (s *session) steps(list []step) {
	s.t.Helper()
	for i, x := range list {
		o := s.tool("memory", x.args)
		if o.Text != x.want {
			s.t.Errorf("%d %v: got\n%s\nwant\n%s", i, x.args, o.Text, x.want)
		}
		done := false
		for _, success := range []string{"Here", "File created", "The memory file", "The file", "Successfully"} {
			done = done || strings.HasPrefix(x.want, success)
		}
		if o.IsError == done {
			s.t.Errorf("%d %v: isError is %v: %s", i, x.args, o.IsError, o.Text)
		}
	}
}

// The commands have the texts that Anthropic documents.
func TestMemoryTool(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	const notes, todo = "/memories/notes.md", "/memories/work/todo.txt"
	const head = "Here're the files and directories up to 2 levels deep in "
	const tail = ", excluding hidden items and node_modules:\n"
	s.steps([]step{
		{object{"command": "view", "path": "/memories"}, head + "/memories" + tail + "0B\t/memories"},
		{object{"command": "create", "path": notes, "file_text": "one\ntwo\none two\n", "tags": "x"}, "File created successfully at: " + notes},
		{object{"command": "create", "path": notes, "file_text": "again"}, "Error: File " + notes + " already exists"},
		{object{"command": "create", "path": todo, "file_text": ""}, "File created successfully at: " + todo},
		{object{"command": "create", "path": notes + "/x", "file_text": "x"}, "Error: The path " + notes + " is a file, not a directory"},
		{object{"command": "create", "path": "/memories/work", "file_text": "x"}, "Error: File /memories/work already exists"},
		{object{"command": "create", "path": "/memories/.hidden", "file_text": strings.Repeat("x", 1600)}, "File created successfully at: /memories/.hidden"},
		{object{"command": "create", "path": "/memories/work/a/b", "file_text": "b"}, "File created successfully at: /memories/work/a/b"},
		{object{"command": "view", "path": "/memories/"}, head + "/memories" + tail + "1.6K\t/memories\n16B\t" + notes + "\n1B\t/memories/work\n1B\t/memories/work/a\n0B\t" + todo},
		{object{"command": "view", "path": "/memories/work"}, head + "/memories/work" + tail + "1B\t/memories/work\n1B\t/memories/work/a\n1B\t/memories/work/a/b\n0B\t" + todo},
		{object{"command": "view", "path": notes}, "Here's the content of " + notes + " with line numbers:\n     1\tone\n     2\ttwo\n     3\tone two"},
		{object{"command": "view", "path": notes, "view_range": "[2, 3]"}, "Here's the content of " + notes + " with line numbers:\n     2\ttwo\n     3\tone two"},
		{object{"command": "view", "path": notes, "view_range": []string{"2", "3"}}, "Here's the content of " + notes + " with line numbers:\n     2\ttwo\n     3\tone two"},
		{object{"command": "view", "path": notes, "view_range": json.RawMessage("[2.0,3.0]")}, "Here's the content of " + notes + " with line numbers:\n     2\ttwo\n     3\tone two"},
		{object{"command": "view", "path": notes, "view_range": []int{3, -1}}, "Here's the content of " + notes + " with line numbers:\n     3\tone two"},
		{object{"command": "view", "path": notes, "view_range": []int{4, 5}}, "Error: Invalid `view_range` parameter: [4, 5]. It should be within the range of lines of the file: [1, 3]"},
		{object{"command": "view", "path": todo}, "Here's the content of " + todo + " with line numbers:\n"},
		{object{"command": "view", "path": "/memories/none"}, "The path /memories/none does not exist. Please provide a valid path."},
		{object{"command": "str_replace", "path": notes, "old_str": "three", "new_str": ""}, "No replacement was performed, old_str `three` did not appear verbatim in " + notes + "."},
		{object{"command": "str_replace", "path": notes, "old_str": "one", "new_str": ""}, "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique"},
		{object{"command": "str_replace", "path": notes, "old_str": "one\ntwo", "new_str": "1\n2\n3"}, "The memory file has been edited.\n     1\t1\n     2\t2\n     3\t3\n     4\tone two"},
		{object{"command": "str_replace", "path": "/memories/work", "old_str": "x"}, "Error: The path /memories/work does not exist. Please provide a valid path."},
		{object{"command": "insert", "path": notes, "insert_line": 0, "insert_text": "0"}, "The file " + notes + " has been edited."},
		{object{"command": "insert", "path": notes, "insert_line": "5", "insert_text": "end\n"}, "The file " + notes + " has been edited."},
		{object{"command": "insert", "path": notes, "insert_line": 7, "insert_text": "x"}, "Error: Invalid `insert_line` parameter: 7. It should be within the range of lines of the file: [0, 6]"},
		{object{"command": "insert", "path": notes, "insert_line": -1, "insert_text": "x"}, "Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 6]"},
		{object{"command": "insert", "path": "/memories/none", "insert_line": 0, "insert_text": "x"}, "Error: The path /memories/none does not exist"},
		{object{"command": "insert", "path": todo, "insert_line": 0, "insert_text": "first"}, "The file " + todo + " has been edited."},
		{object{"command": "view", "path": notes}, "Here's the content of " + notes + " with line numbers:\n     1\t0\n     2\t1\n     3\t2\n     4\t3\n     5\tone two\n     6\tend"},
		{object{"command": "rename", "old_path": "/memories/none", "new_path": "/memories/y"}, "Error: The path /memories/none does not exist"},
		{object{"command": "rename", "old_path": notes, "new_path": todo}, "Error: The destination " + todo + " already exists"},
		{object{"command": "rename", "old_path": notes, "new_path": "/memories/work"}, "Error: The destination /memories/work already exists"},
		{object{"command": "rename", "old_path": "/memories/work", "new_path": "/memories/work/b"}, "Error: The destination /memories/work/b is inside of /memories/work"},
		{object{"command": "rename", "old_path": "/memories", "new_path": "/memories/b"}, "Error: The path /memories is the memory directory itself, which cannot be renamed"},
		{object{"command": "rename", "old_path": "/memories/work", "new_path": "/memories/done"}, "Successfully renamed /memories/work to /memories/done"},
		{object{"command": "view", "path": "/memories/done/todo.txt"}, "Here's the content of /memories/done/todo.txt with line numbers:\n     1\tfirst"},
		{object{"command": "delete", "path": "/memories/work"}, "Error: The path /memories/work does not exist"},
		{object{"command": "delete", "path": "/memories"}, "Error: The path /memories is the memory directory itself, which cannot be deleted"},
		{object{"command": "delete", "path": "/memories/done"}, "Successfully deleted /memories/done"},
		{object{"command": "delete", "path": notes}, "Successfully deleted " + notes},
		{object{"command": "delete", "path": notes}, "Error: The path " + notes + " does not exist"},
		{object{"command": "create", "path": notes, "file_text": "one\ntwo\none two\n"}, "File created successfully at: " + notes},
	})
}

// A text that comes back is there: nothing takes it for a duplicate of what it was.
func TestMemoryTool_ThereAndBack(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	s.remember("alpha", nil)
	const path = "/memories/a"
	s.steps([]step{{object{"command": "create", "path": path, "file_text": "alpha"}, "File created successfully at: " + path}})
	for _, edit := range [][2]string{{"alpha", "beta"}, {"beta", "alpha"}, {"alpha", " "}, {" ", "alpha"}} {
		s.steps([]step{
			{object{"command": "str_replace", "path": path, "old_str": edit[0], "new_str": edit[1]}, "The memory file has been edited.\n     1\t" + edit[1]},
			{object{"command": "view", "path": path}, "Here's the content of " + path + " with line numbers:\n     1\t" + edit[1]},
		})
	}
	if r := s.remember("alpha", nil); !r.Duplicate {
		t.Errorf("the memory is gone: %+v", r)
	}
}

// A file is found like any memory, by its text and its name, and its former texts are kept.
func TestMemoryTool_IsRecalled(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	s.remember("Cats sleep most of the day", nil)
	s.steps([]step{
		{object{"command": "create", "path": "/memories/gateway.md", "file_text": "Retries without jitter took it down\n"}, "File created successfully at: /memories/gateway.md"},
		{object{"command": "str_replace", "path": "/memories/gateway.md", "old_str": "jitter", "new_str": "backoff"}, "The memory file has been edited.\n     1\tRetries without backoff took it down"},
	})
	for _, query := range []string{"retries without backoff", "gateway"} {
		hits := ask[[]hitOf](s, "hippo_recall", object{"query": query, "limit": 1})
		if len(hits) != 1 || *hits[0].Memory.MemoryType != "MemoryToolFile" || !strings.Contains(string(hits[0].Memory.Metadata), `"memory_tool":{"path":"/memories/gateway.md","previous_hash":"`) {
			t.Fatalf("%s: got %+v", query, hits)
		}
	}
	if r := s.remember("Retries without backoff took it down", nil); r.Duplicate {
		t.Error("a file, which may change, stands for a memory")
	}
}

// Wrong calls name the argument, and change nothing.
func TestMemoryTool_Refuses(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	s.steps([]step{{object{"command": "create", "path": "/memories/a", "file_text": "kept"}, "File created successfully at: /memories/a"}})
	for _, x := range []struct {
		args object
		want string
	}{
		{object{}, "command: is required"},
		{object{"command": "erase"}, "command: must be one of view, create"},
		{object{"command": 5}, "command: must be one of view"},
		{object{"command": "view"}, "path: is required for command view"},
		{object{"command": "view", "path": 5}, "path: must be a text, got 5"},
		{object{"command": "view", "path": "/memories/a", "view_range": 5}, "view_range: must be a list of whole numbers"},
		{object{"command": "view", "path": "/memories/a", "view_range": []any{1, "x"}}, "view_range[1]: must be a whole number, got a text"},
		{object{"command": "view", "path": "/memories/a", "view_range": []int{1}}, "view_range: must be two numbers"},
		{object{"command": "create", "path": "/memories/b"}, "file_text: is required for command create"},
		{object{"command": "create", "path": "/memories/b", "file_text": object{}}, "file_text: must be a text"},
		{object{"command": "create", "path": "/memories/b", "file_text": strings.Repeat("x", hippo.MaxContent+1)}, "file_text: must be at most 524288 bytes"},
		{object{"command": "create", "path": "/memories/b", "file_text": "a\x00b"}, "file_text: must not contain control characters"},
		{object{"command": "create", "path": "/memories/b", "file_text": "password = hunter2x9QzLw7Rt"}, "[secret]"},
		{object{"command": "create", "path": "/memories/b", "file_text": "x", "tags": []string{strings.Repeat("x", 200)}}, "tags[0]: must be at most"},
		{object{"command": "str_replace", "path": "/memories/a", "new_str": "x"}, "old_str: is required"},
		{object{"command": "str_replace", "path": "/memories/a", "old_str": "", "new_str": "x"}, "old_str: must not be empty"},
		{object{"command": "str_replace", "path": "/memories/a", "old_str": "kept", "new_str": []int{1}}, "new_str: must be a text"},
		{object{"command": "str_replace", "path": "/memories/a", "old_str": "kept", "new_str": strings.Repeat("x", hippo.MaxContent+1)}, "new_str: must be at most"},
		{object{"command": "insert", "path": "/memories/a", "insert_text": "x"}, "insert_line: is required"},
		{object{"command": "insert", "path": "/memories/a", "insert_line": 0}, "insert_text: is required"},
		{object{"command": "insert", "path": "/memories/a", "insert_line": 1.5, "insert_text": "x"}, "insert_line: must be a whole number"},
		{object{"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": strings.Repeat("x", hippo.MaxContent)}, "insert_text: must be at most"},
		{object{"command": "delete"}, "path: is required"},
		{object{"command": "delete", "path": " "}, "path: must not be blank"},
		{object{"command": "rename", "old_path": "/memories/a"}, "new_path: is required"},
		{object{"command": "rename", "new_path": "/memories/b"}, "old_path: is required"},
		{object{"command": "rename", "old_path": "/memories/a", "new_path": "/tmp/b"}, "new_path: must be /memories or begin"},
		{object{"command": "view", "path": "/memories", "depth": 3}, "depth: is unknown: known are command, path"},
	} {
		if o := s.tool("memory", x.args); !o.IsError || !strings.Contains(o.Text, x.want) {
			t.Errorf("%.200v: got %.300s, want %q", fmt.Sprint(x.args), o.Text, x.want)
		}
	}
	s.steps([]step{
		{object{"command": "view", "path": "/memories/a"}, "Here's the content of /memories/a with line numbers:\n     1\tkept"},
		{object{"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n4B\t/memories\n4B\t/memories/a"},
	})
}

// No path leads out of the directory.
func TestMemoryTool_Paths(t *testing.T) {
	t.Parallel()
	s := startHippo(t, memstore.New(nil))
	for _, path := range []string{
		"", "/", "memories/a", "/memory", "/memoriesx/a", "/etc/passwd", "/memories/../etc/passwd", "/memories/..", "/memories/./a", "/memories/a/../../b", "/memories//a", "//memories/a",
		`/memories/..\..\a`, "/memories/%2e%2e/a", "/memories/%2E%2E%2Fa", "/memories/a%5cb", "/memories/a%00", "/memories/a\x00b", "/memories/a\nb", "/memories/ a", "/memories/a /b", "/memories/" + strings.Repeat("x", 1000), "~/a", "C:\\a",
	} {
		for _, args := range []object{
			{"command": "view", "path": path},
			{"command": "create", "path": path, "file_text": "x"},
			{"command": "str_replace", "path": path, "old_str": "x"},
			{"command": "insert", "path": path, "insert_line": 0, "insert_text": "x"},
			{"command": "delete", "path": path},
			{"command": "rename", "old_path": path, "new_path": "/memories/z"},
			{"command": "rename", "old_path": "/memories/z", "new_path": path},
		} {
			if o := s.tool("memory", args); !o.IsError || !strings.Contains(o.Text, "path: must") {
				t.Errorf("%v: got %+v", args, o)
			}
		}
	}
}

// Writers at the same time lose nothing: one of those that create a file does, and every edit is there.
func TestMemoryTool_Concurrent(t *testing.T) {
	t.Parallel()
	const writers, path = 6, "/memories/a"
	s := newSession(t, memstore.New(nil), time.UTC)
	system := claudehippo.New()
	call := func(args verb.Input) dialect.Result {
		r, err := system.Find("memory").Run(t.Context(), &dialect.Call{Memories: s.engine.In(hippo.LocalScope("")), Scope: hippo.LocalScope(""), Input: args})
		if err != nil {
			t.Error(err)
		}
		return r
	}
	var wg sync.WaitGroup
	var created atomic.Int32
	for i := range writers {
		wg.Go(func() {
			if !call(verb.Input{"command": "create", "path": path, "file_text": fmt.Sprint(i)}).Failed {
				created.Add(1)
			}
		})
	}
	wg.Wait()
	if created.Load() != 1 {
		t.Errorf("%d created the file", created.Load())
	}
	for i := range writers {
		wg.Go(func() {
			if r := call(verb.Input{"command": "insert", "path": path, "insert_line": 0, "insert_text": fmt.Sprint("line ", i)}); r.Failed {
				t.Error(r.Text)
			}
		})
	}
	wg.Wait()
	if got := call(verb.Input{"command": "view", "path": path}).Text; strings.Count(got, "\tline ") != writers {
		t.Errorf("got %s", got)
	}
}

// files is a model of the memory tool: texts by path.
type files map[string]string

func (f files) isDirectory(path string) bool {
	for p := range f {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return path == "/memories"
}

func (f files) has(path string) bool { _, ok := f[path]; return ok || f.isDirectory(path) }

func (f files) belowFile(path string) bool {
	for p := range f {
		if strings.HasPrefix(path, p+"/") {
			return true
		}
	}
	return false
}

// do carries out a command, and reports whether it succeeds.
func (f files) do(command, path, other, text string) bool {
	old, isFile := f[path]
	switch command {
	case "create":
		if f.has(path) || f.belowFile(path) {
			return false
		}
		f[path] = text
	case "str_replace":
		if !isFile || strings.Count(old, other) != 1 {
			return false
		}
		f[path] = strings.Replace(old, other, text, 1)
	case "delete":
		if path == "/memories" || !f.has(path) {
			return false
		}
		maps.DeleteFunc(f, func(p, _ string) bool { return p == path || strings.HasPrefix(p, path+"/") })
	case "rename":
		if path == "/memories" || !f.has(path) || f.has(other) || strings.HasPrefix(other, path+"/") || f.belowFile(other) {
			return false
		}
		for p, text := range maps.Clone(f) {
			if p == path || strings.HasPrefix(p, path+"/") {
				delete(f, p)
				f[other+p[len(path):]] = text
			}
		}
	}
	return true
}

// Whatever the order of commands, the files are those of a model: on a store of this program, and on the file of another
// one, where equal texts share a row.
func TestMemoryTool_Model(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(context.Context, string) (driver.Backend, error){
		"memory": func(context.Context, string) (driver.Backend, error) { return memstore.New(nil), nil },
		"shared": func(ctx context.Context, p string) (driver.Backend, error) { return sharedstore.Open(ctx, p, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, err := open(t.Context(), filepath.Join(t.TempDir(), "m"))
			if err != nil {
				t.Fatal(err)
			}
			s := startHippo(t, b)
			rapid.Check(t, func(r *rapid.T) {
				s.tool("delete_memory", object{"type": "MemoryToolFile"})
				model := files{}
				path := rapid.SampledFrom([]string{"/memories", "/memories/a", "/memories/b", "/memories/a/c", "/memories/a/c/d", "/memories/.e", "/memories/b/a"})
				text := rapid.SampledFrom([]string{"", " ", "x", "X", "x\ny\n", "\n"})
				for range rapid.IntRange(1, 12).Draw(r, "commands") {
					command := rapid.SampledFrom([]string{"create", "create", "str_replace", "delete", "rename", "rename"}).Draw(r, "command")
					p, by := path.Draw(r, "path"), text.Draw(r, "text")
					args, other := object{"command": command}, ""
					switch command {
					case "create":
						args["path"], args["file_text"] = p, by
					case "str_replace":
						other = rapid.SampledFrom([]string{"x", " ", "y\n"}).Draw(r, "old")
						args["path"], args["old_str"], args["new_str"] = p, other, by
					case "delete":
						args["path"] = p
					case "rename":
						other = path.Draw(r, "to")
						args["old_path"], args["new_path"] = p, other
					}
					o := s.tool("memory", args)
					if done := model.do(command, p, other, by); done == o.IsError {
						r.Fatalf("%v: the model says %v: %s", args, done, o.Text)
					}
				}
				if diff := difference(s, model); diff != "" {
					r.Fatal(diff)
				}
			})
		})
	}
}

// difference compares the files with a model.
func difference(s *session, model files) string {
	l, err := memory.List(s.t.Context(), s.engine.In(hippo.LocalScope("")), api.List{Filter: hippo.Filter{Types: []string{"MemoryToolFile"}}, Count: 100})
	if err != nil || l.Total != len(model) {
		return fmt.Sprintf("%d memories (%v), want %d", l.Total, err, len(model))
	}
	for _, path := range slices.Sorted(maps.Keys(model)) {
		want := "Here's the content of " + path + " with line numbers:\n"
		if text := strings.TrimSuffix(model[path], "\n"); model[path] != "" {
			for i, line := range strings.Split(text, "\n") {
				if i > 0 {
					want += "\n"
				}
				want += fmt.Sprintf("%6d\t%s", i+1, line)
			}
		}
		if o := s.tool("memory", object{"command": "view", "path": path}); o.Text != want {
			return fmt.Sprintf("%s: got %q, want %q", path, o.Text, want)
		}
	}
	return ""
}
