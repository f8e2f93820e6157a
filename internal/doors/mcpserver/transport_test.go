package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// deadline is for what would otherwise hang the tests.
const deadline = 20 * time.Second

// ping is a request that every version of the protocol knows.
func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

// recordCall is a call that stores something.
func recordCall(id, content string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"hippo_record_insight","arguments":` +
		`{"content":"` + content + `","situation":["s"],"importance":0.5}}}`
}

// exchange sends text, ends the input, and returns what the server says.
func (s *session) exchange(text string) []string {
	s.t.Helper()
	go func() {
		_, _ = io.WriteString(s.in, text)
		_ = s.in.Close()
	}()
	var out []string
	for {
		b, err := s.out.ReadString('\n')
		if err != nil {
			return out
		}
		out = append(out, strings.TrimSuffix(b, "\n"))
	}
}

func (s *session) stored() int {
	s.t.Helper()
	st, err := memory.Status(s.t.Context(), s.engine.In(hippo.LocalScope("")))
	if err != nil {
		s.t.Fatal(err)
	}
	return st.Memories
}

// A batch is answered in one line, in order, whatever else it holds.
func TestBatch(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ batch, want string }{
		"calls":              {"[" + ping(`2`) + "," + ping(`"a"`) + "]", `[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":"a","result":{}}]`},
		"with_notifications": {`[{"jsonrpc":"2.0","method":"notifications/x"},` + ping(`2`) + `,{"jsonrpc":"2.0","method":"notifications/y"}]`, `[{"jsonrpc":"2.0","id":2,"result":{}}]`},
		"one":                {"[" + ping(`2`) + "]", `[{"jsonrpc":"2.0","id":2,"result":{}}]`},
		"unknown_method": {
			`[{"jsonrpc":"2.0","id":2,"method":"x"}]`,
			`[{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: \"x\""}}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.line(tc.batch)
			if diff := cmp.Diff(tc.want+"\n", string(s.reply())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A batch of notifications is not answered.
func TestBatch_Notifications(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.line(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","method":"notifications/y"}]`)
	s.line(ping(`3`))
	if got := string(s.reply()); !strings.Contains(got, `"id":3`) {
		t.Errorf("got %s", got)
	}
}

// A batch with something wrong in it is refused, and nothing of it is carried out.
func TestBatch_Refused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ batch, want string }{
		"empty":      {`[]`, `"id":null,"error":{"code":-32600,"message":"batch is empty"}`},
		"no_request": {"[" + recordCall(`2`, "x") + ",7]", `"id":null,"error":{"code":-32600,"message":"message must be an object"}`},
		"repeated_id": {
			"[" + recordCall(`2`, "x") + "," + recordCall(`2`, "y") + "]",
			`"id":null,"error":{"code":-32600,"message":"id 2 is in use"}`,
		},
		"no_version": {"[" + recordCall(`2`, "x") + `,{"id":"z","method":"ping"}]`, `"id":"z","error":{"code":-32600,`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			s.line(tc.batch)
			if got := string(s.reply()); !strings.Contains(got, tc.want) {
				t.Errorf("got %s, want %s", got, tc.want)
			}
			s.must("hippo_status", object{}, nil)
			if n := s.stored(); n != 0 {
				t.Errorf("%d stored", n)
			}
		})
	}
}

// Text that is not UTF-8 would not be stored as it was sent; it is refused.
func TestNotUTF8(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.line(recordCall(`"r"`, "a\xffb"))
	if got, want := string(s.reply()), `"id":"r","error":{"code":-32700,"message":"message is not UTF-8"}`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	s.line("{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}")
	if got := string(s.reply()); !strings.Contains(got, `"id":null`) {
		t.Errorf("got %s", got)
	}
	if n := s.stored(); n != 0 {
		t.Errorf("%d stored", n)
	}
}

// An id may be used again once it is answered, and not before.
func TestID(t *testing.T) {
	t.Parallel()
	s := start(t)
	for range 50 {
		s.line(ping(`"same"`))
		if got, want := string(s.reply()), `{"jsonrpc":"2.0","id":"same","result":{}}`+"\n"; got != want {
			t.Fatalf("got %s", got)
		}
	}
	blocked := connect(t, memstore.New(nil))
	blocked.end()
	release := make(chan struct{})
	blocked.serve(mcpserver.New(func(context.Context) (*engine.Engine, error) { <-release; return blocked.engine, nil }, nil))
	blocked.hello()
	call := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"hippo_status","arguments":{}}}`
	blocked.line(call)
	blocked.line(call)
	if got := string(blocked.reply()); !strings.Contains(got, `"id":null,"error":{"code":-32600,"message":"id 9 is in use"}`) {
		t.Errorf("got %s", got)
	}
	close(release)
	if got := string(blocked.reply()); !strings.Contains(got, `"id":9,"result"`) {
		t.Errorf("got %s", got)
	}
}

// The end of the input: what came before it is answered, cancelled requests and
// a last line without a line break included.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"nothing":      {"", nil},
		"no_newline":   {ping(`2`), []string{`{"jsonrpc":"2.0","id":2,"result":{}}`}},
		"empty_lines":  {"\n\r\n \n" + ping(`2`) + "\r\n\n", []string{`{"jsonrpc":"2.0","id":2,"result":{}}`}},
		"broken":       {`{"jsonrpc":"2.0","id":2,"meth`, []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"message is not JSON"}}`}},
		"broken_after": {ping(`2`) + "\nx\n", []string{`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"message is not JSON"}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := start(t).exchange(tc.text)
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tc.want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A request that its client cancels does not keep the server from ending.
func TestEndOfInput_Cancelled(t *testing.T) {
	t.Parallel()
	s := connect(t, memstore.New(nil))
	s.end()
	s.serve(mcpserver.New(func(ctx context.Context) (*engine.Engine, error) { <-ctx.Done(); return nil, ctx.Err() }, nil))
	s.hello()
	got := s.exchange(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hippo_status","arguments":{}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
	if len(got) != 1 || !strings.Contains(got[0], `"id":2`) {
		t.Errorf("got %q", got)
	}
}

// A call that is still under way when the input ends is carried out and answered.
func TestEndOfInput_SlowCall(t *testing.T) {
	t.Parallel()
	s := connect(t, memstore.New(nil))
	s.end()
	in := &endReader{Reader: strings.NewReader(initialize + "\n" + recordCall(`2`, "slow") + "\n"), ended: make(chan struct{})}
	server := mcpserver.New(func(ctx context.Context) (*engine.Engine, error) {
		select {
		case <-in.ended:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select { // a server that ends its calls with its input has time to do so
		case <-time.After(50 * time.Millisecond):
			return s.engine, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, nil)
	var out strings.Builder
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	if err := server.Serve(ctx, in, &out); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"id":2,"result"`) || strings.Contains(got, "isError") {
		t.Errorf("got %s", got)
	}
	if n := s.stored(); n != 1 {
		t.Errorf("%d stored, want 1", n)
	}
}

// endReader closes ended once its reader is at its end.
type endReader struct {
	io.Reader
	once  sync.Once
	ended chan struct{}
}

func (r *endReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		r.once.Do(func() { close(r.ended) })
	}
	return n, err
}

// A client that sends everything before it reads anything gets all answers.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := start(t)
	for i := range n {
		s.line(`{"jsonrpc":"2.0","id":` + fmt.Sprint(i) + `,"method":"tools/list"}`)
	}
	if got := s.exchange(""); len(got) != n {
		t.Errorf("got %d answers, want %d", len(got), n)
	}
}

// Serve ends with its context although a call is under way, the input goes on,
// or nobody reads the output.
func TestServe_Ends(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ atEnd, unread bool }{
		"call": {}, "call_at_end": {atEnd: true}, "unread": {unread: true}, "unread_at_end": {atEnd: true, unread: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			waiting := make(chan struct{}, 1)
			server := mcpserver.New(func(ctx context.Context) (*engine.Engine, error) {
				waiting <- struct{}{}
				<-ctx.Done()
				return nil, ctx.Err()
			}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			done := make(chan error, 1)
			go func() { done <- server.Serve(ctx, in, out) }()
			first := make(chan struct{})
			go func() {
				_, _ = io.WriteString(toServer, initialize+"\n")
				r := bufio.NewReader(fromServer)
				_, _ = r.ReadString('\n')
				if tc.unread {
					_, _ = io.WriteString(toServer, ping(`"unread"`)+"\n")
					_, _ = fromServer.Read(make([]byte, 1)) // and never the rest
				}
				_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hippo_status","arguments":{}}}`+"\n")
				if tc.atEnd {
					_ = toServer.Close()
				}
				close(first)
			}()
			<-first
			<-waiting
			cancel()
			wantEnd(t, done, context.Canceled)
		})
	}
}

// Serve ends when its output breaks.
func TestServe_BrokenOutput(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken pipe")
	server := mcpserver.New(func(context.Context) (*engine.Engine, error) { return nil, errors.New("not asked for") }, nil)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	_ = fromServer.CloseWithError(broken)
	done := make(chan error, 1)
	go func() { done <- server.Serve(t.Context(), in, out) }()
	go func() { _, _ = io.WriteString(toServer, initialize+"\n"+ping(`1`)+"\n") }()
	wantEnd(t, done, broken)
}

// Serve returns an error when its input breaks.
func TestServe_BrokenInput(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	server := mcpserver.New(func(context.Context) (*engine.Engine, error) { return nil, errors.New("not asked for") }, nil)
	in, toServer := io.Pipe()
	_ = toServer.CloseWithError(broken)
	done := make(chan error, 1)
	go func() { done <- server.Serve(t.Context(), in, io.Discard) }()
	wantEnd(t, done, broken)
}

func wantEnd(t *testing.T, done <-chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	case <-time.After(deadline):
		t.Error("serve goes on")
	}
}

// FuzzTransport: whatever lines come, each request among them is answered, all
// that is said is JSON, and the server ends in order.
func FuzzTransport(f *testing.F) {
	for _, seed := range []string{
		ping(`1`), "[" + ping(`1`) + "," + ping(`2`) + "]", "[[]]", "[{}]", "{}", "null", "[null]", `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":""}`, "\xff", "\x00", "[", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
	} {
		f.Add(seed)
		f.Add(seed + "\n" + seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := start(t)
		answered := false
		for _, answer := range s.exchange(text + "\n" + ping(`"last"`) + "\n") {
			if !json.Valid([]byte(answer)) {
				t.Errorf("got %q", answer)
			}
			answered = answered || strings.Contains(answer, `"id":"last","result":{}`)
		}
		if !answered {
			t.Errorf("%q: the request after it is not answered", text)
		}
	})
}
