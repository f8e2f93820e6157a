package setup

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// limits of what the doctor starts.
const (
	maxLine   = 4 << 20                // bytes of an answer
	maxErrors = 2 << 10                // bytes of stderr that an error shows
	waitDelay = 500 * time.Millisecond // that a program may keep its output open after it was killed
)

// tail keeps the last bytes that were written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-maxErrors):]
	return len(p), nil
}

// String returns the last line, which says why a program ended.
func (t *tail) String() string {
	text := strings.TrimSpace(string(t.text))
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// served is what a server answered.
type served struct {
	version string
	tools   int
}

// session is a conversation with a server that was started.
type session struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// probeServer starts a registered server as a client does, and makes one search. The search
// asks for a relevance that nothing has, so that no memory counts as used.
func probeServer(ctx context.Context, e Entry, dir string, env []string) (out served, err error) {
	cmd := exec.CommandContext(ctx, e.Command, e.Args...)
	errs := &tail{}
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = dir, env, errs, waitDelay
	in, err := cmd.StdinPipe()
	if err != nil {
		return out, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return out, err
	}
	if err := cmd.Start(); err != nil {
		return out, err
	}
	s := &session{in: in, out: bufio.NewReaderSize(pipe, 64<<10)}
	out, err = s.talk()
	_ = in.Close() // asks the server to end; the deadline ends it otherwise
	if waitErr := cmd.Wait(); err == nil && waitErr != nil {
		err = fmt.Errorf("the server did not end well: %w", waitErr)
	}
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return out, errors.New("the server did not answer in time")
	case errs.String() != "":
		return out, fmt.Errorf("%w: %s", err, errs)
	}
	return out, err
}

// talk initializes a session, lists the tools and searches.
func (s *session) talk() (out served, err error) {
	var hello struct {
		ServerInfo struct {
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	err = s.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "hippo-doctor", "version": "1"},
	}, &hello)
	if err != nil {
		return out, err
	}
	out.version = hello.ServerInfo.Version
	if err := s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return out, err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := s.call("tools/list", map[string]any{}, &list); err != nil {
		return out, err
	}
	out.tools = len(list.Tools)
	var found struct {
		IsError bool `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	err = s.call("tools/call", map[string]any{"name": "hippo_search_insights", "arguments": map[string]any{
		"query": "hippo doctor", "relevance_range": map[string]any{"min": 1}, "limit": map[string]any{"count": 1},
	}}, &found)
	if err == nil && found.IsError {
		err = errors.New("the search failed")
		if len(found.Content) > 0 {
			err = errors.New(found.Content[0].Text)
		}
	}
	return out, err
}

func (s *session) send(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// call sends a request and reads until its answer.
func (s *session) call(method string, params, result any) error {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := s.line()
		if err != nil {
			return fmt.Errorf("%s: no answer: %w", method, err)
		}
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		switch {
		case json.Unmarshal(line, &answer) != nil:
			return fmt.Errorf("%s: the answer is not JSON: %.80q", method, line)
		case string(answer.ID) != fmt.Sprint(s.id):
		case answer.Error != nil:
			return fmt.Errorf("%s: %s", method, answer.Error.Message)
		default:
			return json.Unmarshal(answer.Result, result)
		}
	}
}

// line returns the next line, of limited length.
func (s *session) line() ([]byte, error) {
	var out []byte
	for {
		part, err := s.out.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case len(out) > maxLine:
			return nil, fmt.Errorf("the answer is longer than %d bytes", maxLine)
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return out, err
		}
	}
}

// probeHook runs a hook with sample input as a client does.
func probeHook(ctx context.Context, goos, command, dir string, env []string) error {
	shell := []string{"/bin/sh", "-c", command}
	if goos == "windows" {
		shell = []string{"cmd", "/C", command}
	}
	input, err := json.Marshal(map[string]any{
		"session_id": "hippo-doctor", "transcript_path": "", "cwd": dir, "hook_event_name": "", "source": "startup", "prompt": "hippo doctor",
		"tool_name": "Read", "tool_input": map[string]any{}, "tool_response": map[string]any{}, "stop_hook_active": false, "last_assistant_message": "", "reason": "other",
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, shell[0], shell[1:]...)
	var out bytes.Buffer
	errs := &tail{}
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, env, bytes.NewReader(input), &out, errs, waitDelay
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return errors.New("it did not end in time")
	case err != nil && errs.String() != "":
		return fmt.Errorf("%w: %s", err, errs)
	case err != nil:
		return err
	case bytes.Contains(out.Bytes(), []byte("\x1b")):
		return errors.New("its output has terminal escapes")
	}
	return nil
}
