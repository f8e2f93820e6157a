package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// claudeLine is a user's turn of Claude Code.
func claudeLine(id, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":"s","message":{"role":"user","content":%q}}`, id, text)
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "any name")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// said returns the IDs and texts of turns.
func said(x *transcript.Transcript) []string {
	var out []string
	for _, t := range x.Turns {
		out = append(out, t.ID+": "+t.Text)
	}
	return out
}

func read(t *testing.T, path string, o transcript.Options) *transcript.Transcript {
	t.Helper()
	x, err := transcript.ReadFile(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestReadFile_GrowingFileContinues(t *testing.T) {
	t.Parallel()
	next := claudeLine("b", "two")
	path := write(t, claudeLine("a", "one")+"\n"+next[:40])
	x := read(t, path, transcript.Options{})
	if d := cmp.Diff([]string{"a: one"}, said(x)); d != "" || x.Malformed != 0 {
		t.Fatalf("%d malformed; %s", x.Malformed, d)
	}
	if err := os.WriteFile(path, []byte(claudeLine("a", "one")+"\n"+next), 0o600); err != nil {
		t.Fatal(err)
	}
	x = read(t, path, transcript.Options{From: x.End})
	if d := cmp.Diff([]string{"b: two"}, said(x)); d != "" {
		t.Fatalf("the rest of a half-written line: %s", d)
	}
	x = read(t, path, transcript.Options{From: x.End})
	if len(x.Turns) != 0 || x.Start != x.End {
		t.Fatalf("nothing new: %+v", x)
	}
}

func TestReadFile_MalformedLinesAreCounted(t *testing.T) {
	t.Parallel()
	path := write(t, "{\"type\":\"user\",\nnot JSON\n"+claudeLine("a", "one")+"\n{\"type\":\"user\",\"uuid\":\"x\",\"message\":7}\n[1]\n\n"+claudeLine("b", "two")+"\n")
	x := read(t, path, transcript.Options{})
	if d := cmp.Diff([]string{"a: one", "b: two"}, said(x)); d != "" || x.Malformed != 4 {
		t.Fatalf("%d malformed; %s", x.Malformed, d)
	}
}

func TestReadFile_LongLineIsSkipped(t *testing.T) {
	t.Parallel()
	path := write(t, claudeLine("a", "one")+"\n"+claudeLine("big", strings.Repeat("x", 50<<20))+"\n"+claudeLine("b", "two")+"\n")
	x := read(t, path, transcript.Options{})
	if d := cmp.Diff([]string{"a: one", "b: two"}, said(x)); d != "" || x.TooLong != 1 {
		t.Fatalf("%d too long; %s", x.TooLong, d)
	}
}

func TestReadFile_TailReadsTheEndOfALargeFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintln(&b, claudeLine(fmt.Sprint(i), strings.Repeat("word ", 20)))
	}
	path := write(t, b.String())
	x := read(t, path, transcript.Options{MaxBytes: 1000, Tail: true})
	if n := len(x.Turns); n < 3 || n > 6 || x.Turns[n-1].ID != "4999" || x.Malformed != 0 || x.End != int64(b.Len()) {
		t.Fatalf("%d turns, %d malformed, end %d of %d", len(x.Turns), x.Malformed, x.End, b.Len())
	}
	head := read(t, path, transcript.Options{MaxBytes: 1000})
	if !head.More || head.Turns[0].ID != "0" || len(head.Turns) > 7 {
		t.Fatalf("more %v, %d turns", head.More, len(head.Turns))
	}
	rest := read(t, path, transcript.Options{From: head.End})
	if got := len(head.Turns) + len(rest.Turns); got != 5000 || rest.More {
		t.Fatalf("%d turns in two reads", got)
	}
	inside := read(t, path, transcript.Options{From: head.End + 7})
	if inside.Turns[0].ID != rest.Turns[1].ID || inside.Malformed != 0 {
		t.Fatalf("an offset inside a line begins at %s, %d malformed", inside.Turns[0].ID, inside.Malformed)
	}
}

func TestReadFile_Refuses(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"a text":         "hello\nworld\n",
		"other lines":    strings.Repeat("{\"a\":1}\n", 100),
		"other document": "{\n \"messages\": [{\"a\": 1}]\n}\n",
		"half document":  "{\n \"info\": {\"id\":\"s\",\"directory\":\"/d\"}, \"messages\": [{\"in",
		"long line":      "{\"a\":\"" + strings.Repeat("x", 9<<20) + "\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, err := transcript.ReadFile(t.Context(), write(t, content), transcript.Options{})
			if err == nil || len(x.Turns) > 0 {
				t.Fatalf("%d turns, error %v", len(x.Turns), err)
			}
			if name != "half document" && !errors.Is(err, transcript.ErrUnknownFormat) {
				t.Fatal(err)
			}
		})
	}
	if _, err := transcript.ReadFile(t.Context(), t.TempDir(), transcript.Options{}); err == nil {
		t.Error("a folder was read")
	}
	if x, err := transcript.ReadFile(t.Context(), write(t, ""), transcript.Options{}); err != nil || len(x.Turns) > 0 {
		t.Errorf("an empty file: %v", err)
	}
}

func TestReadFile_StopsWhenCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := transcript.ReadFile(ctx, write(t, claudeLine("a", "one")+"\n"), transcript.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"claude-code.jsonl", "codex.jsonl", "gemini-cli.jsonl", "opencode.json"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add("{\"$rewindTo\":\"a\"}\n")
	f.Add("\ufeff{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"a\"}}\r\n{\"type\":\"user\"}{\"type\":\"user\"}\n3\n")
	f.Fuzz(func(t *testing.T, s string) {
		x, err := transcript.Read(t.Context(), strings.NewReader(s), transcript.Options{})
		if x.End > int64(len(s)) || x.End < x.Start {
			t.Fatalf("%d bytes were read from %d to %d", len(s), x.Start, x.End)
		}
		for _, turn := range x.Turns {
			if turn.ID == "" || turn.Role == "" || len(turn.Text) > transcript.MaxText || strings.Contains(turn.Text, transcript.FrameStart+">") {
				t.Fatalf("%+v", turn)
			}
		}
		if err == nil && x.Client == "" && len(x.Turns) > 0 {
			t.Fatal("turns of no client")
		}
	})
}

// A mark of the byte order is no part of the first record, nor of a document.
func TestRead_ByteOrderMark(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"lines":    `{"type":"user","uuid":"u1","sessionId":"s","message":{"role":"user","content":"first"}}` + "\n" + `{"type":"user","uuid":"u2","sessionId":"s","message":{"role":"user","content":"second"}}` + "\n",
		"document": `{"info":{"id":"s"},"messages":[{"info":{"id":"m1","role":"user"},"parts":[{"type":"text","text":"first"}]},{"info":{"id":"m2","role":"user"},"parts":[{"type":"text","text":"second"}]}]}`,
	} {
		x, err := transcript.Read(t.Context(), strings.NewReader("\ufeff"+text), transcript.Options{})
		if err != nil || len(x.Turns) != 2 || x.Turns[0].Text != "first" || x.Malformed != 0 {
			t.Errorf("%s: got %+v, %v", name, x, err)
		}
	}
}
