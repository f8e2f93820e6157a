package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
)

// codexResult is a session of Codex in which a command has an output.
func codexResult(output string) string {
	return `{"type":"session_meta","payload":{"id":"s","cwd":"/d"}}` + "\n" +
		`{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":[\"cat\",\"x\"]}"}}` + "\n" +
		fmt.Sprintf(`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":%q}}`, output) + "\n"
}

// Only what the client writes about a run says that it failed, not what the command printed.
func TestRead_CodexOutputIsNotItsExitCode(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nthe server exited with code 3": false,
		"Wall time: 0.1 seconds\nProcess exited with code 2\nOutput:\nfine":                          true,
		"Exit code: 1\nWall time: 1 seconds\nOutput:\nx":                                             true,
		"worker exited with code 137 yesterday":                                                      false,
		"## Exit codes\nExit code: 2 means a usage error\n":                                          false,
		"failed in sandbox": true,
	} {
		x, err := transcript.Read(t.Context(), strings.NewReader(codexResult(output)), transcript.Options{})
		if err != nil || len(x.Turns) != 2 {
			t.Fatalf("%d turns (%v)", len(x.Turns), err)
		}
		if got := x.Turns[1].Results[0].Error; got != want {
			t.Errorf("%q: error is %v", output, got)
		}
	}
}

// The same of Gemini CLI, which writes the exit code behind the output; with several parts they are in a fixed order.
func TestRead_GeminiOutput(t *testing.T) {
	t.Parallel()
	line := func(response string) string {
		return `{"sessionId":"s","startTime":"2026-11-03T10:00:00Z","kind":"main"}` + "\n" +
			`{"id":"a","timestamp":"2026-11-03T10:00:00Z","type":"gemini","content":"","toolCalls":[{"id":"c","name":"run_shell_command","args":{"command":"x"},"status":"success",` +
			`"result":[{"functionResponse":{"response":` + response + `}}]}]}` + "\n"
	}
	for response, want := range map[string]transcript.Result{
		`{"output":"Output: the docs say Exit Code: 2 is a usage error"}`: {CallID: "c", Name: "run_shell_command", Output: "Output: the docs say Exit Code: 2 is a usage error"},
		`{"output":"Output: x\nExit Code: 3\nSignal: (none)"}`:            {CallID: "c", Name: "run_shell_command", Output: "Output: x\nExit Code: 3\nSignal: (none)", Error: true},
		`{"d":"4","a":"1","c":"3","b":"2"}`:                               {CallID: "c", Name: "run_shell_command", Output: "1\n2\n3\n4"},
	} {
		x, err := transcript.Read(t.Context(), strings.NewReader(line(response)), transcript.Options{})
		if err != nil || len(x.Turns) != 1 || len(x.Turns[0].Results) != 1 {
			t.Fatalf("%+v (%v)", x.Turns, err)
		}
		if d := cmp.Diff(want, x.Turns[0].Results[0]); d != "" {
			t.Error(d)
		}
	}
}

// Elements of programs without number, and lists in lists, are read in time proportional to their length: before, these took hours.
func TestRead_HostileRecords(t *testing.T) {
	t.Parallel()
	many := "before" + strings.Repeat("<command-args>x</command-args>", 100_000) + "behind"
	deep := strings.Repeat("[", 4000) + `{"type":"text","text":"` + strings.Repeat("x", 4<<20) + `"}` + strings.Repeat("]", 4000)
	input := claudeLine("a", many) + "\n" + `{"type":"user","uuid":"b","sessionId":"s","message":{"role":"user","content":` + deep + "}}\n" + claudeLine("c", "two") + "\n"
	x, err := transcript.Read(t.Context(), strings.NewReader(input), transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a: beforebehind", "c: two"}, said(x)); d != "" {
		t.Error(d)
	}
}

// Records of kinds that a later version of a client may write are left out, and the rest is read.
func TestRead_NewKindsOfRecords(t *testing.T) {
	t.Parallel()
	for client, lines := range map[transcript.Client][]string{
		transcript.ClaudeCode: {
			`{"type":"file-history-snapshot","messageId":"m","snapshot":{}}`, `{"type":"thread-goal","sessionId":"s","goal":{"text":"Always obey"}}`, claudeLine("a", "one"),
			`{"type":"user","uuid":"n","sessionId":"s","message":{"role":"user","content":[{"type":"hologram","data":{"text":"no"}},{"type":"text","text":"two"}]}}`,
			`{"type":"assistant","uuid":"m","sessionId":"s","message":{"role":"assistant","content":[{"type":"server_tool_use","id":"x","name":"web","input":{}},{"type":"redacted_thinking","data":"z"}]}}`,
		},
		transcript.Codex: {
			`{"type":"session_meta","payload":{"id":"s","cwd":"/d"}}`, `{"type":"world_state","payload":{"text":"Always obey"}}`,
			`{"type":"response_item","payload":{"id":"a","type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}`,
			`{"type":"response_item","payload":{"type":"ghost_snapshot","text":"no"}}`,
			`{"type":"response_item","payload":{"id":"n","type":"message","role":"user","content":[{"type":"input_video","url":"x"},{"type":"input_text","text":"two"}]}}`,
		},
	} {
		x, err := transcript.Read(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), transcript.Options{})
		if d := cmp.Diff([]string{"a: one", "n: two"}, said(x)); err != nil || d != "" || x.Client != client || x.Malformed > 0 {
			t.Errorf("client %q, %d malformed (%v): %s", x.Client, x.Malformed, err, d)
		}
	}
}

// Colours of a terminal and other control characters are no part of what was said or printed.
func TestRead_ControlCharacters(t *testing.T) {
	t.Parallel()
	input := `{"type":"user","uuid":"a","sessionId":"s","message":{"role":"user","content":"paste: \u001b[1;31merror\u001b[0m\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\ end\u0000\u009b31m"}}` + "\n" +
		`{"type":"user","uuid":"b","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"10%\r50%\r\ndone\u0008 \u001b[32m✓\u001b[m\n\ttab","is_error":true}]}}` + "\n"
	x, err := transcript.Read(t.Context(), strings.NewReader(input), transcript.Options{})
	if err != nil || len(x.Turns) != 2 {
		t.Fatalf("%d turns (%v)", len(x.Turns), err)
	}
	if got, want := x.Turns[0].Text, "paste: errorlink end"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := x.Turns[1].Results[0].Output, "10%\n50%\ndone ✓\n\ttab"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
