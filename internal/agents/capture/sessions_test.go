package capture_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/agents/capture"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// A file of testdata has sessions. One begins with "== NAME CLIENT FOLDER BRANCH"; its turns are
// lines "u:" (user), "a:" (assistant), "c:" (call, "TOOL: INPUT"), "r:" (result), "x:" (result
// that is an error), "n:" (the user refuses the call and says why), "i:" (injected text) and
// "s:" (of a subagent); lines that begin with two spaces continue a turn. "= TYPE: STATEMENT ::
// WORDS" labels the turn before it as worth keeping: a candidate that comes from the turn
// and has all the words states it.
type session struct {
	name, cwd, branch string
	client            transcript.Client
	entries           []entry
	gold              []gold
}

type entry struct {
	kind byte
	text string
}

type gold struct {
	kind, statement string
	words           []string
	entry           int
}

// sessions reads the sessions of the files that match a pattern.
func sessions(t testing.TB, pattern string) []session {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	var out []session
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			line := lines.Text()
			switch {
			case line == "":
			case strings.HasPrefix(line, "== "):
				head := strings.Fields(line)
				s := session{name: head[1], client: transcript.Client(head[2]), cwd: head[3], branch: head[4]}
				if s.branch == "-" {
					s.branch = ""
				}
				out = append(out, s)
			case strings.HasPrefix(line, "= "):
				s := &out[len(out)-1]
				s.gold = append(s.gold, parseGold(t, line[2:], len(s.entries)-1))
			case strings.HasPrefix(line, "  "):
				s := &out[len(out)-1]
				s.entries[len(s.entries)-1].text += "\n" + line[2:]
			default:
				s := &out[len(out)-1]
				s.entries = append(s.entries, entry{line[0], strings.TrimSpace(line[2:])})
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func parseGold(t testing.TB, line string, at int) gold {
	t.Helper()
	kind, rest, ok := strings.Cut(line, ": ")
	statement, words, both := strings.Cut(rest, " :: ")
	if !ok || !both {
		t.Fatalf("label %q", line)
	}
	return gold{kind, statement, strings.Fields(strings.ToLower(words)), at}
}

// turns writes the session as its client does, and reads it with the adapter of the client. The
// IDs of turns are those of the entries: "e0", "e1", ...
func (s *session) turns(t testing.TB) []transcript.Turn {
	t.Helper()
	x, err := transcript.Read(t.Context(), strings.NewReader(s.file()), transcript.Options{})
	if err != nil || x.Client != s.client || x.Malformed > 0 {
		t.Fatalf("%s: client %q, %d malformed, %v", s.name, x.Client, x.Malformed, err)
	}
	return x.Turns
}

type object = map[string]any

// file returns the transcript in the format of the client.
func (s *session) file() string {
	var out []any
	switch s.client {
	case transcript.ClaudeCode:
		out = s.claude()
	case transcript.Codex:
		out = s.codex()
	case transcript.GeminiCLI:
		out = s.gemini()
	default:
		b, err := json.MarshalIndent(object{"info": object{"id": "ses", "directory": s.cwd}, "messages": s.openCode()}, "", " ")
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	var b strings.Builder
	for _, x := range out {
		line, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.String()
}

func id(i int) string { return fmt.Sprintf("e%d", i) }

func (e entry) call() (tool, input string) {
	tool, input, _ = strings.Cut(e.text, ": ")
	return tool, input
}

// callID is the ID of the last call at or before an entry.
func (s *session) callID(i int) string {
	for i > 0 && s.entries[i].kind != 'c' {
		i--
	}
	return "call-" + id(i)
}

func (s *session) claude() (out []any) {
	for i, e := range s.entries {
		r := object{"uuid": id(i), "sessionId": "ses", "cwd": s.cwd, "gitBranch": s.branch, "type": "user", "timestamp": "2026-11-03T10:00:00Z"}
		say := func(role string, content any) {
			r["type"], r["message"] = role, object{"role": role, "content": content}
		}
		result := func(text string, failed bool) {
			say("user", []any{object{"type": "tool_result", "tool_use_id": s.callID(i), "content": text, "is_error": failed}})
		}
		switch e.kind {
		case 'u':
			say("user", e.text)
		case 's':
			say("user", []any{object{"type": "text", "text": e.text}})
			r["isSidechain"] = true
		case 'a':
			say("assistant", []any{object{"type": "thinking", "thinking": "We always use yarn here."}, object{"type": "text", "text": e.text}})
		case 'c':
			tool, input := e.call()
			say("assistant", []any{object{"type": "tool_use", "id": "call-" + id(i), "name": tool, "input": object{"command": input}}})
		case 'r':
			result(e.text, false)
		case 'x':
			result("Exit code 1\n"+e.text, true)
		case 'n':
			result("The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\n"+e.text, true)
		case 'i':
			r["type"], r["attachment"] = "attachment", object{"type": "hook_additional_context", "content": []any{e.text}}
		}
		out = append(out, r)
	}
	return out
}

func (s *session) codex() (out []any) {
	out = append(out, object{"type": "session_meta", "payload": object{"id": "ses", "cwd": s.cwd, "git": object{"branch": s.branch}}})
	for i, e := range s.entries {
		p := object{"id": id(i), "type": "message"}
		switch e.kind {
		case 'u':
			p["role"], p["content"] = "user", []any{object{"type": "input_text", "text": e.text}}
		case 'a':
			p["role"], p["content"] = "assistant", []any{object{"type": "output_text", "text": e.text}}
		case 'c':
			_, input := e.call()
			args, _ := json.Marshal(object{"command": []string{"bash", "-lc", input}})
			p["type"], p["name"], p["call_id"], p["arguments"] = "function_call", "shell", "call-"+id(i), string(args)
		case 'r', 'x':
			code := 0
			if e.kind == 'x' {
				code = 1
			}
			p["type"], p["call_id"] = "function_call_output", s.callID(i)
			p["output"] = fmt.Sprintf("Wall time: 0.1 seconds\nProcess exited with code %d\nOutput:\n%s", code, e.text)
		}
		out = append(out, object{"type": "response_item", "timestamp": "2026-11-03T10:00:00Z", "payload": p})
	}
	return out
}

func (s *session) gemini() (out []any) {
	out = append(out, object{"sessionId": "ses", "startTime": "2026-11-03T10:00:00Z", "kind": "main", "directories": []string{s.cwd}})
	for i, e := range s.entries {
		m := object{"id": id(i), "timestamp": "2026-11-03T10:00:00Z", "type": "gemini", "content": ""}
		switch e.kind {
		case 'u':
			m["type"], m["content"] = "user", []any{object{"text": e.text}}
		case 'a':
			m["content"] = e.text
		case 'c':
			tool, input := e.call()
			m["toolCalls"] = []any{s.geminiCall(tool, input, i)}
		default:
			continue // the result is in the message of the call
		}
		out = append(out, m)
	}
	return out
}

func (s *session) geminiCall(tool, input string, i int) object {
	c := object{"id": "call-" + id(i), "name": tool, "args": object{"command": input}, "status": "success"}
	if i+1 < len(s.entries) {
		output := s.entries[i+1].text
		if s.entries[i+1].kind == 'x' {
			output += "\nExit Code: 1"
		}
		c["result"] = []any{object{"functionResponse": object{"response": object{"output": output}}}}
	}
	return c
}

func (s *session) openCode() (out []any) {
	for i, e := range s.entries {
		info := object{"id": id(i), "role": "assistant", "time": object{"created": 1795358601613}}
		part := object{"type": "text", "text": e.text}
		switch e.kind {
		case 'u':
			info["role"] = "user"
		case 'a':
		case 'c':
			tool, input := e.call()
			state := object{"status": "completed", "input": object{"command": input}}
			if i+1 < len(s.entries) {
				state["output"] = s.entries[i+1].text
				if s.entries[i+1].kind == 'x' {
					state["metadata"] = object{"exit": 1}
				}
			}
			part = object{"type": "tool", "tool": tool, "callID": "call-" + id(i), "state": state}
		default:
			continue
		}
		out = append(out, object{"info": info, "parts": []any{part}})
	}
	return out
}

// states reports whether a candidate states a label: it comes from its turn, or from the one of
// the call whose result that is, and has all its words.
func (s *session) states(c *capture.Candidate, g *gold) bool {
	from := false
	for _, turn := range c.Turns {
		from = from || turn == id(g.entry) || s.entries[g.entry].kind == 'r' && turn == strings.TrimPrefix(s.callID(g.entry), "call-")
	}
	content := strings.ToLower(c.Content)
	for _, w := range g.words {
		from = from && strings.Contains(content, w)
	}
	return from
}
