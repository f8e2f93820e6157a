package cli_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// webServer is hippo serve --http in another process.
type webServer struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	url    string
	ended  chan struct{} // closed when nothing more is printed

	mu      sync.Mutex
	printed strings.Builder
	more    chan struct{} // closed with the next line
}

// startWeb starts a server and waits until it listens.
func startWeb(ctx context.Context, dir string, env []string, args ...string) (*webServer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	s := &webServer{
		cmd: exec.CommandContext(ctx, "hippo", append([]string{"serve"}, args...)...), cancel: cancel,
		ended: make(chan struct{}), more: make(chan struct{}),
	}
	s.cmd.Dir, s.cmd.Env = dir, env
	out, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	go s.listen(out)
	if err := s.await(ctx, " on http"); err != nil {
		return nil, errors.Join(fmt.Errorf("no server: %w", err), s.kill())
	}
	_, address, _ := strings.Cut(s.log(), " on http")
	address, _, _ = strings.Cut(address, "\n")
	s.url = "http" + address
	return s, nil
}

// listen keeps what is printed.
func (s *webServer) listen(out io.Reader) {
	defer close(s.ended)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		s.mu.Lock()
		s.printed.WriteString(lines.Text() + "\n")
		close(s.more)
		s.more = make(chan struct{})
		s.mu.Unlock()
	}
}

// log returns what was printed so far.
func (s *webServer) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed.String()
}

// await waits until a text was printed.
func (s *webServer) await(ctx context.Context, text string) error {
	for {
		s.mu.Lock()
		said, more := s.printed.String(), s.more
		s.mu.Unlock()
		if strings.Contains(said, text) {
			return nil
		}
		select {
		case <-more:
		case <-s.ended:
			if !strings.Contains(s.log(), text) {
				return fmt.Errorf("it ended without %q: %s", text, s.log())
			}
		case <-ctx.Done():
			return fmt.Errorf("%w without %q: %s", ctx.Err(), text, said)
		}
	}
}

// end sends a signal and waits for the end of a server; the error is that of its exit.
func (s *webServer) end(signal os.Signal) error {
	defer s.cancel()
	err := s.cmd.Process.Signal(signal)
	<-s.ended
	return errors.Join(err, s.cmd.Wait())
}

// kill ends a server as a power failure would.
func (s *webServer) kill() error {
	defer s.cancel()
	err := s.cmd.Process.Kill()
	<-s.ended
	_ = s.cmd.Wait() // killed
	return err
}

// served is a server of a test, and the token of its first start.
type served struct {
	*webServer
	t     *testing.T
	dir   string
	token string
}

// serveWeb starts a server on a new store, and kills it when the test ends.
func serveWeb(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	dir := t.TempDir()
	s, err := startWeb(t.Context(), dir, append(append(environ(dir), "HIPPO_MODEL=static"), env...),
		append([]string{"--http", "127.0.0.1:0", "--log", "info", "--store", "sqlite:" + filepath.Join(dir, "memory.db")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.kill() })
	out := &served{webServer: s, t: t, dir: dir}
	if b, err := os.ReadFile(filepath.Join(dir, "home", "data", "hippo", "token")); err == nil {
		out.token = strings.TrimSpace(string(b))
	}
	return out
}

// says waits until the server has printed a text.
func (s *served) says(text string) {
	s.t.Helper()
	if err := s.await(s.t.Context(), text); err != nil {
		s.t.Fatal(err)
	}
}

// webAnswer is the answer to a request, which was read.
type webAnswer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with a token, if it is not empty.
func (s *webServer) ask(ctx context.Context, method, path, token, body string, header ...string) (webAnswer, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return webAnswer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return webAnswer{}, err
	}
	defer func() { _ = a.Body.Close() }()
	b, err := io.ReadAll(a.Body)
	return webAnswer{a.StatusCode, a.Header, string(b)}, err
}

// send is [webServer.ask] of a test.
func (s *served) send(method, path, token, body string, header ...string) webAnswer {
	s.t.Helper()
	a, err := s.ask(s.t.Context(), method, path, token, body, header...)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// expect sends a request that must be answered with a status.
func (s *served) expect(status int, method, path, token, body string) webAnswer {
	s.t.Helper()
	a := s.send(method, path, token, body)
	if a.status != status {
		s.t.Errorf("%s %s: %d, want %d: %.300s", method, path, a.status, status, a.body)
	}
	return a
}
