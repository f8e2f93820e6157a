package hook

import (
	"encoding/json"
	"strings"
)

// maxFailure is how many bytes of a message of failure are searched for.
const maxFailure = 300

// failureOf returns the message with which a tool failed, so that its fix may be remembered; empty
// if it did not fail. Cost: a scan of the output, without opening the store.
func failureOf(in *Input) string {
	output, failed := outputOf(in)
	return cut(firstFailure(output, failed), maxFailure)
}

// outputOf returns what a tool printed, and whether it is known to have failed.
func outputOf(in *Input) (output string, failed bool) {
	if in.Error != "" { // Claude Code puts the exit code before the output
		if code, output, ok := strings.Cut(in.Error, "\n"); ok && strings.HasPrefix(code, "Exit code ") {
			return output, true
		}
		return in.Error, true
	}
	var text string
	if json.Unmarshal(in.Response, &text) == nil {
		return text, false // Codex
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(in.Response, &fields) != nil {
		return "", false
	}
	field := func(name string) (s string) {
		_ = json.Unmarshal(fields[name], &s)
		return s
	}
	var isError bool
	var exit int
	_, _ = json.Unmarshal(fields["isError"], &isError), json.Unmarshal(fields["exit_code"], &exit)
	switch {
	case field("error") != "":
		return field("error"), true
	case isError && field("content") != "":
		return field("content"), true
	case field("llmContent") != "":
		return geminiOutput(field("llmContent"))
	default:
		return field("stderr") + "\n" + field("stdout"), exit != 0
	}
}

// geminiOutput returns the output of a command and whether it failed. Gemini CLI writes "Output: ...", and on
// another line "Exit Code: N" if that is not 0.
func geminiOutput(text string) (output string, failed bool) {
	const before = "Output: "
	output, code, failed := strings.Cut(text, "\nExit Code: ")
	if i := strings.Index(output, before); i >= 0 {
		output = output[i+len(before):]
	}
	return output, failed && !strings.HasPrefix(code, "0")
}

// firstFailure returns the first line of an output that reports a failure; else, if the tool is
// known to have failed, its first line.
func firstFailure(output string, failed bool) string {
	first := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if first == "" {
			first = line
		}
		lower := strings.ToLower(line)
		for _, mark := range []string{"error:", "error[", "fatal:", "panic:", "exception:", "failed:", "traceback", "--- fail"} {
			if strings.Contains(lower, mark) {
				return line
			}
		}
	}
	if failed {
		return first
	}
	return ""
}
