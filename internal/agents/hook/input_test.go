package hook

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// FuzzRead: an event has a session and a prompt that is valid and bounded; a mark at its beginning, white space around it and
// what follows its object change nothing, and nothing that follows is waited for.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"why"}`, `{"sessionId":"s","hookEventName":"x","cwd":"/w","toolInput":{"command":["go","test"]}}`,
		`{"conversation_id":"s","workspace_roots":["/w"],"prompt":"\ud800"}`, `{"session_id":7}`, `{"session_id":null,"cwd":"/w"}`, `{"session_id":"s","tool_input":{"command":7},"tool_response":{"stdout":"x"}}`,
		`{"session_id":"s","prompt":["a"]}`, `{}`, `[]`, `null`, `"s"`, `{"session_id":"s"`, "\xff\xfe{\x00}\x00", `{"session_id":"s","session_id":"t"}`, `{"sessionId":"t","session_id":"s"}`,
		`{"session_id":"s","transcript":{"messages":[]},"agent_id":"a","agent_type":"explore","tool_name":"Task","tool_input":{"prompt":"look"}}`, `{"trajectory_id":"s","prompt_response":"done"}`,
	} {
		f.Add([]byte(text), "claude-code")
		f.Add([]byte(text), "windsurf")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		cl, err := clientOf(name)
		if err != nil {
			return
		}
		x, err := read(bytes.NewReader(text), cl)
		if err != nil {
			return
		}
		if x.Session == "" || !utf8.ValidString(x.Prompt) || len(x.Prompt) > hippo.MaxQuery {
			t.Errorf("%q: %+v", text, x)
		}
		for _, around := range [][2]string{{"\xef\xbb\xbf", ""}, {" \r\n", "\n"}, {"", `{"session_id":"other"}`}} {
			if around[0] != "" && bytes.IndexFunc(text[:2], func(r rune) bool { return r == 0 || r >= utf8.RuneSelf }) >= 0 {
				continue // it has a mark, or is UTF-16
			}
			open := io.MultiReader(strings.NewReader(around[0]), bytes.NewReader(text), strings.NewReader(around[1]), unread{t})
			y, err := read(open, cl)
			if diff := cmp.Diff(x, y); err != nil || diff != "" {
				t.Errorf("%q in %q: %v (-alone +within):\n%s", text, around, err, diff)
			}
		}
	})
}

// unread is the rest of a pipe that stays open.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the end of the input was waited for")
	return 0, io.EOF
}
