package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// part is an element of a content list, as the four clients write it.
type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thought   json.RawMessage `json:"thought"` // Gemini: a part of its reasoning
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
	Response  struct {        // Gemini
		Response map[string]json.RawMessage `json:"response"`
	} `json:"functionResponse"`
}

// parts decodes content that is a string, one part, or a list of strings and parts.
func parts(raw json.RawMessage) []part {
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '[' {
		p, ok := onePart(raw)
		if !ok {
			return nil
		}
		return []part{p}
	}
	list, _ := decoded[[]json.RawMessage](raw)
	var out []part
	for _, x := range list {
		if p, ok := onePart(x); ok {
			out = append(out, p)
		}
	}
	return out
}

// onePart decodes a string or a part.
func onePart(raw json.RawMessage) (part, bool) {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		s, ok := decoded[string](raw)
		return part{Type: "text", Text: s}, ok
	}
	if len(raw) == 0 || raw[0] != '{' {
		return part{}, false
	}
	return decoded[part](raw)
}

// texts joins the text of content, paragraphs apart.
func texts(raw json.RawMessage) string {
	var out []string
	for _, p := range parts(raw) {
		if p.Text != "" && len(p.Thought) == 0 {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n\n")
}

// decoded decodes JSON; ok is false if it has another shape.
func decoded[T any](raw []byte) (v T, ok bool) {
	err := json.Unmarshal(raw, &v)
	return v, err == nil
}

// tags are the elements of markup in which clients put text of their own into the user's turns.
func tags() []string {
	return []string{
		"hippo-memory", "system-reminder", "hook_context", "session_context", "environment_context", "user_instructions", "INSTRUCTIONS",
		"turn_aborted", "permissions", "command-name", "command-message", "command-args", "local-command-stdout", "local-command-stderr",
		"local-command-caveat", "bash-input", "bash-stdout", "bash-stderr", "user-prompt-submit-hook", "task-notification", "ide_opened_file", "ide_selection",
	}
}

// split separates a text of the conversation from what programs added to it. An element that
// is not closed ends with the text.
func split(s string) (text, injected string) {
	var kept, taken strings.Builder
	done := 0
	for at := strings.IndexByte(s, '<'); at >= 0; {
		next := at + 1
		if tag := opened(s[at:]); tag != "" {
			next = len(s)
			if end := strings.Index(s[at:], "</"+tag+">"); end >= 0 {
				next = at + end + len(tag) + len("</>")
			}
			kept.WriteString(s[done:at])
			taken.WriteString(s[at:next] + "\n")
			done = next
		}
		if at = strings.IndexByte(s[next:], '<'); at >= 0 {
			at += next
		}
	}
	kept.WriteString(s[done:])
	return strings.TrimSpace(kept.String()), strings.TrimSpace(taken.String())
}

// opened returns the tag of the element of a program that begins a text, or "".
func opened(s string) string {
	for _, tag := range tags() {
		end := 1 + len(tag)
		if strings.HasPrefix(s[1:], tag) && (end == len(s) || strings.IndexByte("> \n\t", s[end]) >= 0) {
			return tag
		}
	}
	return ""
}

// control matches what acts on a terminal: its sequences, and characters that are not printed.
var control = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x08\x0b-\x1f\x7f-\x{9f}]`)
})

// printed returns a text as a terminal shows it, about: without colours, with a carriage return as a line break.
func printed(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
		return s
	}
	return control().ReplaceAllString(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "")
}

// clip shortens s to n bytes at most: its first quarter and its end remain.
func clip(s string, n int) string {
	const gap = "\n[...]\n"
	if len(s) > 16*n { // most of it is not even looked at
		s = s[:4*n] + gap + s[len(s)-12*n:]
	}
	s = printed(s)
	if len(s) <= n {
		return s
	}
	head, tail := n/4, len(s)-(n-n/4-len(gap))
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + gap + s[tail:]
}

// summary returns what identifies a call among the arguments of a tool: the first of the usual
// keys that is there, else the JSON.
func summary(raw json.RawMessage) string {
	if s, ok := decoded[string](raw); ok {
		if !strings.HasPrefix(strings.TrimSpace(s), "{") {
			return clip(s, MaxInput)
		}
		raw = json.RawMessage(s)
	}
	args, ok := decoded[map[string]json.RawMessage](raw)
	if !ok {
		return clip(string(raw), MaxInput)
	}
	for _, key := range [...]string{"command", "cmd", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url", "prompt", "description"} {
		value, there := args[key]
		if !there {
			continue
		}
		if s, ok := decoded[string](value); ok {
			return clip(s, MaxInput)
		}
		if words, ok := decoded[[]string](value); ok {
			return clip(command(words), MaxInput)
		}
	}
	return clip(string(raw), MaxInput)
}

// command joins the words of a command, without the shell that runs it.
func command(words []string) string {
	if len(words) == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// parseTime reads a time in RFC 3339, or in milliseconds since 1970; zero if it is neither.
func parseTime(raw json.RawMessage) time.Time {
	if s, ok := decoded[string](raw); ok {
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	}
	if ms, err := strconv.ParseFloat(string(raw), 64); err == nil && ms > 0 && ms < 1e14 {
		return time.UnixMilli(int64(ms)).UTC()
	}
	return time.Time{}
}
