package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve serves a memory over MCP, as [mcpserver.Server.Serve] does.
type Serve func(ctx context.Context, in io.Reader, out io.Writer) error

// session is a client of a server in this process.
type session struct {
	in    *io.PipeWriter
	out   *bufio.Reader
	ended chan error
	id    int
}

// connect starts a server and begins a session.
func connect(ctx context.Context, serve Serve) (*session, json.RawMessage, error) {
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	s := &session{in: in, out: bufio.NewReader(out), ended: make(chan error, 1)}
	go func() {
		err := serve(ctx, requests, answers)
		_ = answers.CloseWithError(io.EOF)
		s.ended <- err
	}()
	hello, err := s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "hippo-tokens", "version": "1"},
	})
	return s, hello, err
}

// close ends the session.
func (s *session) close() error {
	return errors.Join(s.in.Close(), <-s.ended)
}

// request sends a request and returns its result.
func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.id++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(message, '\n')); err != nil {
		return nil, err
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil {
		return nil, fmt.Errorf("%s: %s", method, answer.Error)
	}
	return answer.Result, nil
}

// result is what a client shows a model of a call.
type result struct {
	call, text string
	ids        []string
}

// call calls a tool.
func (s *session) call(tool string, arguments any) (*result, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	raw, err := s.request("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(args)})
	if err != nil {
		return nil, err
	}
	var answer struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		Meta       struct {
			Hippo struct {
				IDs []string `json:"ids"`
			} `json:"hippo"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, err
	}
	out := &result{call: claudeName + tool + string(args), ids: answer.Meta.Hippo.IDs}
	for _, c := range answer.Content {
		out.text += c.Text
	}
	if answer.IsError {
		return nil, fmt.Errorf("%s: %s", tool, out.text)
	}
	if answer.Structured != nil { // Claude Code shows nothing else then
		out.text = string(answer.Structured)
	}
	return out, nil
}

// claudeName is what Claude Code puts before the name of a tool.
const claudeName = "mcp__hippo__"
