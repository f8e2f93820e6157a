package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// session is a client of a server in another process. It is for one goroutine.
type session struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.WriteCloser
	out    *bufio.Reader
	errw   *bytes.Buffer
	id     int
	roots  []string // the folders that the client works in
}

// patience is how long a whole session may take before its server is killed.
const patience = time.Minute

// start runs a server and shakes hands with it.
func start(ctx context.Context, dir string, env []string, name string, args ...string) (*session, error) {
	return startIn(ctx, nil, dir, env, name, args...)
}

// startIn is [start] of a client that works in some folders, and says so if it is asked.
func startIn(ctx context.Context, roots []string, dir string, env []string, name string, args ...string) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	s := &session{cmd: exec.CommandContext(ctx, name, args...), cancel: cancel, errw: &bytes.Buffer{}, roots: roots}
	capabilities := map[string]any{}
	if roots != nil {
		capabilities["roots"] = map[string]any{"listChanged": true}
	}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = dir, env, s.errw
	s.cmd.WaitDelay = time.Second
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		cancel()
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	_, err = s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": capabilities,
		"clientInfo": map[string]any{"name": "claude-code", "version": "1"},
	})
	if err == nil {
		err = s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

func (s *session) send(message any) error {
	b, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

// reply is an answer of the server.
type reply struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// read returns the next answer. All that the server prints must be a message.
func (s *session) read() (*reply, error) {
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("the server printed %q, which is no message: %w", line, err)
		}
		switch {
		case r.Method == "roots/list":
			if err := s.send(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": map[string]any{"roots": s.rootList()}}); err != nil {
				return nil, err
			}
		case r.ID != nil:
			return &r, nil
		}
	}
}

// rootList is the folders of the client as it says them.
func (s *session) rootList() []map[string]string {
	list := []map[string]string{}
	for _, dir := range s.roots {
		list = append(list, map[string]string{"uri": "file://" + filepath.ToSlash(dir)})
	}
	return list
}

// request sends one request and waits for its answer.
func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	r, err := s.read()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w\n%s", method, err, s.errw)
	case *r.ID != s.id:
		return nil, fmt.Errorf("%s: answer to request %d, want %d", method, *r.ID, s.id)
	case r.Error != nil:
		return nil, fmt.Errorf("%s: %s", method, r.Error)
	}
	return r.Result, nil
}

// call calls a tool; failed says that the tool refused.
func (s *session) call(tool string, arguments any) (result json.RawMessage, failed bool, err error) {
	result, err = s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return nil, false, err
	}
	var is struct {
		Error bool `json:"isError"`
	}
	err = json.Unmarshal(result, &is)
	return result, is.Error, err
}

// stop ends the input and waits for the server, which must have nothing but
// messages left to say.
func (s *session) stop() error { return errors.Join(s.in.Close(), s.wait()) }

// interrupt asks the server to end, without ending its input.
func (s *session) interrupt() error {
	return errors.Join(s.cmd.Process.Signal(os.Interrupt), s.wait())
}

func (s *session) wait() error {
	defer s.cancel()
	var err error
	for err == nil {
		_, err = s.read()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if waited := s.cmd.Wait(); waited != nil {
		err = errors.Join(err, fmt.Errorf("%w: %s", waited, s.errw))
	}
	return err
}

// sessionsKey is where a script keeps its sessions, by name.
type sessionsKey struct{}

// mcpCommand talks to servers, in lock step: mcp start NAME program args...; mcp open NAME DIR ROOTS program args..., whose client works
// in folders with commas, - for none that it says; mcp roots NAME ROOTS changes them;
// mcp follow NAME ADVICE [VALUE...] starts what the latest output advises, see [follow];
// mcp call NAME tool JSON, whose result is stdout, and with ! must be refused;
// mcp ask NAME method JSON, the same with any request;
// mcp stop NAME and mcp interrupt NAME, after which stderr is the server's; mcp kill NAME ends it as a power failure would.
func mcpCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: mcp start|call|stop|interrupt|kill NAME ...")
	}
	all, ok := ts.Value(sessionsKey{}).(map[string]*session)
	if !ok {
		ts.Fatalf("no sessions")
	}
	name, rest := args[1], args[2:]
	switch args[0] {
	case "start":
		all[name] = mcpStart(ts, ts.Getenv("WORK"), nil, rest)
		return
	case "follow":
		all[name] = mcpStart(ts, ts.MkAbs("."), nil, append([]string{"hippo"}, copied(ts, rest)...))
		return
	case "open":
		all[name] = mcpStart(ts, ts.MkAbs(rest[0]), folders(ts, rest[1]), rest[2:])
		return
	}
	s := all[name]
	if s == nil {
		ts.Fatalf("no session %q", name)
	}
	switch args[0] {
	case "call":
		mcpCall(ts, neg, s, rest)
	case "ask":
		result, err := s.request(rest[0], json.RawMessage(rest[1]))
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s\n", result)
	case "roots":
		s.roots = folders(ts, rest[0])
		ts.Check(s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
	case "kill":
		delete(all, name)
		ts.Check(s.cmd.Process.Kill())
		_ = s.wait() // killed
	case "stop", "interrupt":
		end := map[string]func() error{"stop": s.stop, "interrupt": s.interrupt}[args[0]]
		delete(all, name)
		ts.Check(end())
		_, err := ts.Stderr().Write(s.errw.Bytes())
		ts.Check(err)
	default:
		ts.Fatalf("mcp %s is unknown", args[0])
	}
}

// folders are the roots that an argument names; nil: none that the client says.
func folders(ts *testscript.TestScript, list string) []string {
	if list == "-" {
		return nil
	}
	out := []string{}
	for dir := range strings.SplitSeq(list, ",") {
		out = append(out, ts.MkAbs(dir))
	}
	return out
}

func mcpStart(ts *testscript.TestScript, dir string, roots, command []string) *session {
	if len(command) == 0 {
		ts.Fatalf("usage: mcp start NAME program [args...]")
	}
	work := ts.Getenv("WORK")
	s, err := startIn(context.Background(), roots, dir, environ(work), command[0], command[1:]...)
	ts.Check(err)
	ts.Defer(s.cancel)
	return s
}

// environ is the environment of a server that works in dir.
func environ(dir string) []string {
	env := os.Environ()
	for name, value := range environment(dir) {
		env = append(env, name+"="+value)
	}
	return env
}

func mcpCall(ts *testscript.TestScript, neg bool, s *session, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: mcp call NAME tool [JSON]")
	}
	arguments := json.RawMessage("{}")
	if len(args) > 1 {
		arguments = json.RawMessage(strings.Join(args[1:], " "))
	}
	result, failed, err := s.call(args[0], arguments)
	ts.Check(err)
	if failed != neg {
		ts.Fatalf("refused is %v, want %v: %s", failed, neg, result)
	}
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n", result)
	ts.Check(err)
}
