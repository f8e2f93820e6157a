package peers_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/importer/peers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// describe returns what a source holds as text: a block a memory, then its relations and what is
// left out. dir is replaced in paths.
func describe(s *formats.Source, dir string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "kind %s\n", s.Kind)
	names := make(map[hippo.ID]string)
	for m, err := range s.Entries() {
		if err != nil {
			fmt.Fprintf(&out, "\nerror: %v\n", err)
			continue
		}
		first, _, _ := strings.Cut(m.Content, "\n")
		names[m.ID] = formats.Shorten(first, 30)
		fmt.Fprintf(&out, "\n%s\n", m.Content)
		facts := []string{m.Type, strings.Join(m.Situation, "; "), strings.Join(m.Tags, ","), m.Project, m.Source.Author}
		for i, label := range []string{"type", "situation", "tags", "project", "author"} {
			if facts[i] != "" {
				fmt.Fprintf(&out, "  %s: %s\n", label, facts[i])
			}
		}
		if m.Source.Session != "" {
			fmt.Fprintf(&out, "  session: %s #%d\n", m.Source.Session, m.Source.Seq)
		}
		if m.Importance.Base != hippo.DefaultImportance {
			fmt.Fprintf(&out, "  importance: %v\n", m.Importance.Base)
		}
		if !m.CreatedAt.IsZero() {
			fmt.Fprintf(&out, "  created: %s\n", m.CreatedAt.Format(time.RFC3339Nano))
		}
		if m.UpdatedAt.After(m.CreatedAt) {
			fmt.Fprintf(&out, "  updated: %s\n", m.UpdatedAt.Format(time.RFC3339Nano))
		}
		for _, k := range slices.Sorted(maps.Keys(m.Metadata)) {
			fmt.Fprintf(&out, "  meta %s: %s\n", k, m.Metadata[k])
		}
		fmt.Fprintf(&out, "  from: %s %s\n", m.Source.Client, strings.SplitN(m.Source.URI, "\n", 2)[0])
	}
	var relations []string
	for _, r := range s.Relations() {
		relations = append(relations, fmt.Sprintf("\n%s -%s %v-> %s", names[r.From], r.Kind, r.Weight, names[r.To]))
	}
	slices.Sort(relations) // by ID, which depend on the folder
	out.WriteString(strings.Join(relations, ""))
	for _, x := range s.Skipped() {
		fmt.Fprintf(&out, "\nleft out: %d %s", x.Count, x.What)
	}
	return strings.ReplaceAll(out.String(), filepath.ToSlash(dir), "DIR") + "\n"
}

// fixture copies a file or a folder of testdata, and gives all files one time of change.
func fixture(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	from := filepath.Join("testdata", name)
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, filepath.Base(name))
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		err = copyFile(from, to)
	}
	if err != nil {
		t.Fatal(err)
	}
	touch(t, dir)
	return to
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// touch gives all files of a folder one time of change.
func touch(t *testing.T, dir string) {
	t.Helper()
	at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// check compares what a source holds with a golden file, and reading it twice.
func check(t *testing.T, path, golden string, o peers.Options) {
	t.Helper()
	s, err := peers.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	got := describe(s, dir)
	file := filepath.Join("testdata", "golden", golden+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", golden, d)
	}
	if d := cmp.Diff(ids(s), ids(s)); d != "" {
		t.Errorf("two readings give other memories: %s", d)
	}
	trusted(t, s)
}

// trusted reports memories that are trusted more than what is imported may be.
func trusted(t *testing.T, s *formats.Source) {
	t.Helper()
	for m, err := range s.Entries() {
		if err == nil && (m.Source.Kind != hippo.SourceImport || m.Trust != hippo.TrustLow || m.Source.URI == "") {
			t.Errorf("%q has source %+v and trust %d", m.Content, m.Source, m.Trust)
		}
	}
}

// What memory-mcp says of validity and events is kept, and nothing is made of times that only repeat when it was recorded.
func TestOpen_memory_mcp_times(t *testing.T) {
	t.Parallel()
	s, err := peers.Open(t.Context(), fixture(t, "memory-mcp.json"), peers.Options{})
	if err != nil {
		t.Fatal(err)
	}
	day := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC)
	}
	type times struct{ Event, From, Until time.Time }
	var got []times
	for m, err := range s.Entries() {
		if err == nil {
			got = append(got, times{m.EventTime, m.ValidFrom, m.ValidUntil})
		}
	}
	want := []times{{Event: day(1, 5, 9), Until: day(2, 1, 0)}, {From: day(2, 3, 0)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func ids(s *formats.Source) []hippo.ID {
	var out []hippo.ID
	for m, err := range s.Entries() {
		if err == nil {
			out = append(out, m.ID)
		}
	}
	return out
}

func TestOpen_reads_every_kind_of_file(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"memory.jsonl", "graph.json", "memory-service.json", "claude-mem.json", "engram.json", "mem0.json", "mem0-array.json", "memory-mcp.json", "memory-mcp-array.json", "chatgpt.json",
		"claude-conversations.json", "claude-memories.json", "claude-projects.json", "CLAUDE.md", "AGENTS.md", "vault", "guide.md", "post.md", "plain.txt", "page.html", "mixed",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fixture(t, name), name, peers.Options{})
		})
	}
	t.Run("csv", func(t *testing.T) {
		t.Parallel()
		check(t, fixture(t, "notes.csv"), "notes.csv", peers.Options{Map: map[string]string{"content": "text", "tags": "labels", "created": "when"}})
	})
}

func TestOpen_recognises_content_under_another_name(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"memory.jsonl", "engram.json", "chatgpt.json", "page.html", "notes.csv"} {
		from := fixture(t, name)
		to := filepath.Join(filepath.Dir(from), "x.bin")
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		a, err := peers.Open(t.Context(), fixture(t, name), peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := peers.Open(t.Context(), to, peers.Options{})
		if err != nil || a.Kind != b.Kind {
			t.Errorf("%s is %q, renamed %v, %v", name, a.Kind, b, err)
		}
	}
}

func TestOpen_reads_transcripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl", "gemini-cli.jsonl", "opencode.json"} {
		path := filepath.Join(t.TempDir(), "x")
		if err := copyFile(filepath.Join("..", "..", "agents", "transcript", "testdata", name), path); err != nil {
			t.Fatal(err)
		}
		s, err := peers.Open(t.Context(), path, peers.Options{})
		if err != nil || s.Kind != peers.KindTranscript {
			t.Errorf("%s: got %+v, %v", name, s, err)
			continue
		}
		var said []string
		for m, err := range s.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, fmt.Sprintf("%d %s", m.Source.Seq, m.Content))
		}
		want := []string{"1 user: No, use pnpm instead of npm in this repository.", "2 assistant: MOCK ANSWER"}
		if d := cmp.Diff(want, said); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		trusted(t, s)
	}
}

func TestOpen_gives_the_same_memories_for_a_database_and_its_export(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ db, export string }{
		{memoryServiceDB(t, true), "memory-service.json"}, {claudeMemDB(t), "claude-mem.json"}, {engramDB(t), "engram.json"}, {mem0DB(t), "mem0-array.json"},
	} {
		a, err := peers.Open(t.Context(), c.db, peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := peers.Open(t.Context(), fixture(t, c.export), peers.Options{})
		if err != nil {
			t.Fatal(err)
		}
		in := ids(a)
		for _, id := range ids(b) {
			if !slices.Contains(in, id) {
				t.Errorf("%s: the memory %v of the export is not that of the database", c.export, id)
			}
		}
	}
}

func TestOpen_describes_what_it_does_not_know(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"cut":    {`{"alpha": 1, "be`, "the JSON ends too early or is broken: "},
		"object": {`{"alpha": 1, "beta": [2], "gamma": {}}`, "looks like JSON with the keys alpha, beta, gamma; known kinds are"},
		"lines":  {"{\"alpha\": 1}\n{\"beta\": 2}\n", "looks like JSON with the keys alpha; known kinds are"},
		"array":  {`[{"alpha": 1}]`, "looks like JSON with the keys alpha; known kinds are"},
		"api":    {`{"results": [{"title": "a"}], "total": 1}`, "looks like JSON with the keys results, total; known kinds are"},
		"state":  {`{"memories": [1, 2]}`, "looks like JSON with the keys memories; known kinds are"},
		"utf16":  {"\xff\xfea\x00,\x00b\x00", "looks like a text in UTF-16: save it as UTF-8"},
		"binary": {"\x7fELF\x00\x01\x02", "looks like a binary file, or a text that is not UTF-8; known kinds are"},
		"zip":    {"PK\x03\x04 and no more", "corrupt: the zip file is cut off or damaged: download or copy it again"},
		"a.zip":  {"<!doctype html>Sign in to download", "corrupt: the zip file is cut off or damaged: download or copy it again"},
		"column": {"a,b\n1,2\n", ""},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := peers.Options{}
		if name == "column" {
			o.Map, c.want = map[string]string{"content": "text"}, `map: column "text" is not there; the columns are a, b`
		}
		_, err := peers.Open(t.Context(), path, o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	if _, err := peers.Open(t.Context(), t.TempDir(), peers.Options{}); hippo.CodeOf(err) != hippo.CodeInvalid {
		t.Errorf("an empty folder: %v", err)
	}
	empty := filepath.Join(dir, "empty.md")
	if err := os.WriteFile(empty, []byte("\ufeff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := peers.Open(t.Context(), empty, peers.Options{}); err != nil || s.Kind != peers.KindEmpty {
		t.Errorf("an empty file: %+v, %v", s, err)
	}
}

func TestParseMap(t *testing.T) {
	t.Parallel()
	got, err := peers.ParseMap("content=text, tags=labels")
	if d := cmp.Diff(map[string]string{"content": "text", "tags": "labels"}, got); err != nil || d != "" {
		t.Error(err, d)
	}
	for _, bad := range []string{"content", "content=", "colour=x"} {
		if _, err := peers.ParseMap(bad); hippo.CodeOf(err) != hippo.CodeInvalid {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}
