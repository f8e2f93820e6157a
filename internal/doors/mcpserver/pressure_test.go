package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/hippo-memory/hippo/internal/doors/mcpserver"
	"github.com/hippo-memory/hippo/internal/engine"
)

// wire is a client of a server without a store, which writes and reads when the test says
// so. It belongs into a bubble of synctest.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	done chan error
}

// dial starts a server whose calls wait for open.
func dial(t *testing.T, open mcpserver.Opener) *wire {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	w := &wire{t: t, in: toServer, out: bufio.NewReaderSize(fromServer, 4<<10), done: make(chan error, 1)}
	go func() {
		w.done <- mcpserver.New(open, nil).Serve(t.Context(), in, out)
		_ = out.Close()
	}()
	w.write(initialize)
	w.read()
	return w
}

func (w *wire) write(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// read returns the next line of the server.
func (w *wire) read() string {
	w.t.Helper()
	text, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("%v after %q", err, text)
	}
	return text
}

// finish ends the input and returns all lines that are still to come.
func (w *wire) finish() []string {
	w.t.Helper()
	_ = w.in.Close()
	rest, err := io.ReadAll(w.out)
	if err != nil {
		w.t.Error(err)
	}
	if err := <-w.done; err != nil {
		w.t.Errorf("serve: %v", err)
	}
	return strings.SplitAfter(strings.TrimSuffix(string(rest), "\n"), "\n")
}

func never(ctx context.Context) (*engine.Engine, error) { <-ctx.Done(); return nil, context.Cause(ctx) }

func statusCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"hippo_status","arguments":{}}}`, id)
}

// A client that does not read the answers has to wait before it can send more, however
// large its requests and the answers are. Once it reads, every request is answered once.
func TestPressure_UnreadAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		request     string
		n, accepted int
	}{
		"large_requests": {`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"_meta":{"pad":"` + strings.Repeat("x", 20_000) + `"}}}`, 200, 64 + 53 + 5},
		"small_requests": {`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{"_meta":{"pad":"` + strings.Repeat("x", 5_000) + `"}}}`, 350, 64 + 210},
		"pings":          {`{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"_meta":{"pad":"` + strings.Repeat("x", 20_000) + `"}}}`, 200, 80 + 53 + 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := dial(t, never)
				var sent atomic.Int64
				written := make(chan struct{})
				go func() {
					defer close(written)
					for i := range tc.n {
						if _, err := fmt.Fprintf(w.in, tc.request+"\n", i); err != nil {
							return
						}
						sent.Add(1)
					}
				}()
				synctest.Wait() // nothing moves any more
				if got := int(sent.Load()); got > tc.accepted {
					t.Errorf("the server took %d requests of which no answer was read, want at most %d", got, tc.accepted)
				}
				seen := make(map[int]bool)
				for range tc.n {
					var answer struct {
						ID     int
						Result json.RawMessage
					}
					if err := json.Unmarshal([]byte(w.read()), &answer); err != nil || answer.Result == nil || seen[answer.ID] {
						t.Fatalf("got %+v (%v)", answer, err)
					}
					seen[answer.ID] = true
				}
				<-written
				w.finish()
			})
		})
	}
}

// While more calls are under way than may begin, pings are answered, and calls can be
// cancelled: those that began, and those that wait for their turn.
func TestPressure_CancelAndPing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 100
		w := dial(t, never)
		for i := range n {
			w.write(statusCall(i))
		}
		synctest.Wait()
		w.write(ping(`"alive"`))
		if got := w.read(); !strings.Contains(got, `"id":"alive","result":{}`) {
			t.Fatalf("got %s", got)
		}
		for _, id := range []int{n - 1, 0, 50, 70} {
			w.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"x"}}`, id))
			if got, want := w.read(), fmt.Sprintf(`"id":%d,`, id); !strings.Contains(got, want) || !strings.Contains(got, "cancel") {
				t.Errorf("got %s, want the answer to %d", got, id)
			}
			synctest.Wait()
		}
		written := make(chan struct{})
		go func() {
			defer close(written)
			for id := range n {
				_, _ = fmt.Fprintf(w.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
			}
		}()
		for range n - 4 {
			if got := w.read(); !strings.Contains(got, "cancel") {
				t.Errorf("got %s", got)
			}
		}
		<-written
		w.finish()
	})
}

// Calls that wait for their turn when the input ends are carried out and answered.
func TestPressure_EndOfInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 300
		release := make(chan struct{})
		w := dial(t, func(context.Context) (*engine.Engine, error) { <-release; return nil, io.ErrUnexpectedEOF })
		for i := range n {
			w.write(statusCall(i))
		}
		_ = w.in.Close()
		synctest.Wait()
		close(release)
		seen := make(map[int]bool)
		for _, line := range w.finish() {
			var answer struct{ ID int }
			if err := json.Unmarshal([]byte(line), &answer); err != nil || !strings.Contains(line, "unexpected EOF") {
				t.Errorf("got %s (%v)", line, err)
			}
			seen[answer.ID] = true
		}
		if len(seen) != n {
			t.Errorf("%d answered, want %d", len(seen), n)
		}
	})
}

// A batch may have more requests than may be active, up to its limit, and be the only
// thing that is under way.
func TestPressure_Batch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := dial(t, never)
		batch := func(first, n int) string {
			list := make([]string, n)
			for i := range list {
				list[i] = fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, first+i)
			}
			return "[" + strings.Join(list, ",") + "]"
		}
		const most = 100
		for i := range 20 { // none is read
			w.write(batch(i, 1))
		}
		for range 20 {
			w.read()
		}
		w.write(batch(0, most))
		var answers []struct{ ID int }
		if err := json.Unmarshal([]byte(w.read()), &answers); err != nil || len(answers) != most || answers[most-1].ID != most-1 {
			t.Errorf("got %d answers (%v)", len(answers), err)
		}
		w.write(batch(0, most+1))
		if got := w.read(); !strings.Contains(got, "batch must have at most 100 messages, has 101") {
			t.Errorf("got %.200s", got)
		}
		w.finish()
	})
}
