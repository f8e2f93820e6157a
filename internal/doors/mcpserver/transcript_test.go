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

// TestTranscripts drives the sessions in testdata over each transport: prose, then a line for each
// message to the server, "-> " before it, and below it what the server answers,
// "<- " before it. Identifiers and times are replaced by names; "uuid-1" in a
// message stands for the first identifier that the server gave.
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
	names := &names{}
	var out strings.Builder
	for text := range strings.Lines(transcript) {
		text = strings.TrimSuffix(text, "\n")
		message, ok := strings.CutPrefix(text, "-> ")
		if strings.HasPrefix(text, "<- ") {
			continue
		}
		fmt.Fprintln(&out, text)
		if !ok {
			continue
		}
		s.line(names.original(message))
		if expectsReply(message) {
			fmt.Fprintf(&out, "<- %s\n", edit(names.replace(compact(t, s.reply()))))
		}
		if err := s.engine.Flush(t.Context()); err != nil { // the counts of uses
			t.Fatal(err)
		}
	}
	return out.String()
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
