package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/store/memstore"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// repeats reports whether what programs read of an error says what its text says: the code, the field and the message.
func repeats(meta json.RawMessage, texts []string) bool {
	var m struct {
		Error struct{ Code, Field, Message string }
	}
	if json.Unmarshal(meta, &m) != nil {
		return false
	}
	e := m.Error
	return len(texts) == 1 && texts[0] == fmt.Sprintf("error [%s] %s", e.Code, e.Message) && (e.Field == "" || strings.HasPrefix(e.Message, e.Field+": "))
}

// TestTranscripts drives the sessions in testdata over each transport: prose, then a line for each
// message to the server, "-> " before it, and below it what the server answers,
// "<- " before each line. Identifiers and times are replaced by names; "uuid-1" in a
// message stands for the first identifier that the server gave. The messages are as [exchanged] says.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.transcript")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts (%v)", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			transports := []struct {
				name    string
				connect func(*testing.T) *session
			}{
				{"stdio", func(t *testing.T) *session { t.Helper(); return connect(t, memstore.New(nil)) }},
				{"http", func(t *testing.T) *session { t.Helper(); return newHTTP(t) }},
			}
			for _, x := range transports {
				got := replay(t, x.connect(t), string(b))
				if *update {
					if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
						t.Fatal(err)
					}
					return
				}
				if diff := cmp.Diff(string(b), got); diff != "" {
					t.Errorf("%s over %s (-want +got):\n%s", path, x.name, diff)
				}
			}
		})
	}
}

// replay sends the messages of a transcript and returns it with the answers.
func replay(t *testing.T, s *session, transcript string) string {
	t.Helper()
	return replayOn(t, func(answer string) string { return answer }, s, transcript)
}

// replayOn is replay on a session; edit is done to the answers.
func replayOn(t *testing.T, edit func(string) string, s *session, transcript string) string {
	t.Helper()
	n := &names{}
	return exchanged(t, s, transcript, n.original, func(answer string) string { return edit(n.replace(answer)) })
}

// exchanged sends the messages of a transcript and returns it with the answers. A message has one of three forms. "NAME ARGUMENTS"
// calls a tool; the transcript shows the text for models, and the data for programs below it. "initialize VERSION" shows no answer. A frame of
// JSON is answered by a frame of JSON.
// original puts back what edit has replaced in an answer.
func exchanged(t *testing.T, s *session, transcript string, original, edit func(string) string) string {
	t.Helper()
	var out strings.Builder
	id := firstID
	for text := range strings.Lines(transcript) {
		text = strings.TrimSuffix(text, "\n")
		if strings.HasPrefix(text, "<-") {
			continue
		}
		fmt.Fprintln(&out, text)
		message, ok := strings.CutPrefix(text, "-> ")
		if !ok {
			continue
		}
		message = original(message)
		if version, ok := strings.CutPrefix(message, "initialize "); ok {
			s.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, version))
			s.reply()
			s.line(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			continue
		}
		show := func(answer []byte) string { return compact(t, answer) }
		if tool, arguments, ok := strings.Cut(message, " "); ok && !strings.HasPrefix(message, "{") {
			id++
			message = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
			show = func(answer []byte) string { return shown(t, answer) }
		}
		s.line(message)
		if expectsReply(message) {
			for line := range strings.SplitSeq(edit(show(s.reply())), "\n") {
				fmt.Fprintln(&out, strings.TrimSpace("<- "+line))
			}
		}
		if err := s.engine.Flush(t.Context()); err != nil { // the counts of uses
			t.Fatal(err)
		}
	}
	return out.String()
}

// firstID is before the IDs of the calls of tools in a transcript, above those of its frames.
const firstID = 1000

// shown returns the answer to a call of a tool: its texts, those of JSON indented, and below them what only programs read.
func shown(t *testing.T, answer []byte) string {
	t.Helper()
	var frame struct {
		Result *struct {
			Content []struct{ Type, Text string }
			IsError bool
			Meta    struct{ Hippo json.RawMessage } `json:"_meta"`
			Typed   json.RawMessage                 `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(answer, &frame); err != nil {
		t.Fatal(err)
	}
	r := frame.Result
	if r == nil {
		return compact(t, answer)
	}
	var parts []string
	for _, c := range r.Content {
		if c.Type != "text" {
			return compact(t, answer)
		}
		var indented bytes.Buffer
		if text := strings.TrimSpace(c.Text); (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && json.Indent(&indented, []byte(text), "", "  ") == nil {
			c.Text = indented.String()
		}
		parts = append(parts, c.Text)
	}
	if r.Meta.Hippo != nil && (!r.IsError || !repeats(r.Meta.Hippo, parts)) {
		parts = append(parts, "_meta "+compact(t, r.Meta.Hippo))
	}
	if r.Typed != nil {
		parts = append(parts, "structured "+compact(t, r.Typed))
	}
	if looks := strings.HasPrefix(parts[0], "error ["); r.IsError != looks { // the text and the mark say the same
		parts = append(parts, fmt.Sprintf("isError %t", r.IsError))
	}
	return strings.Join(parts, "\n")
}

// expectsReply reports whether the server answers: to a request, and to what it
// cannot read.
func expectsReply(message string) bool {
	var m struct {
		ID     json.RawMessage
		Method string
	}
	return json.Unmarshal([]byte(message), &m) != nil || m.ID != nil || m.Method == ""
}

func compact(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.String()
}

// names replaces what differs from run to run: "id-1" is the short form of "uuid-1".
type names struct{ ids []string }

func (n *names) replace(s string) string {
	s = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`).ReplaceAllStringFunc(s, func(id string) string {
		for i, known := range n.ids {
			if known == id {
				return fmt.Sprintf("uuid-%d", i+1)
			}
		}
		n.ids = append(n.ids, id)
		return fmt.Sprintf("uuid-%d", len(n.ids))
	})
	for i, id := range n.ids {
		s = strings.ReplaceAll(s, id[28:], fmt.Sprintf("id-%d", i+1))
	}
	return s
}

func (n *names) original(s string) string {
	for i, id := range n.ids {
		s = strings.ReplaceAll(s, fmt.Sprintf("uuid-%d", i+1), id)
		s = strings.ReplaceAll(s, fmt.Sprintf(`"id-%d"`, i+1), `"`+id[28:]+`"`)
	}
	return s
}
