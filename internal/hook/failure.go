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
	if in.Error != "" {
		return cut(firstFailure(in.Error, true), maxFailure)
	}
	var r struct {
		Stderr  string `json:"stderr"`
		Stdout  string `json:"stdout"`
		Error   string `json:"error"`
		IsError bool   `json:"isError"`
		Content any    `json:"content"`
		Exit    int    `json:"exit_code"`
	}
	if json.Unmarshal(in.Response, &r) != nil {
		return ""
	}
	if r.Error != "" {
		return cut(firstFailure(r.Error, true), maxFailure)
	}
	if text, ok := r.Content.(string); ok && r.IsError {
		return cut(firstFailure(text, true), maxFailure)
	}
	return cut(firstFailure(r.Stderr+"\n"+r.Stdout, r.Exit != 0), maxFailure)
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
