package far

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

const (
	// loginTime is how long ssh may take until hippo answers at the other end, endTime how long it may take to end.
	loginTime, endTime = 45 * time.Second, 3 * time.Second
	// maxNoise is how many bytes a shell may print before hippo begins, maxSaid how many of the errors are kept.
	maxNoise, maxSaid = 64 << 10, 2 << 10
	// maxHeader is how many bytes an answer may have beside a file.
	maxHeader = 64 << 10
)

// SSHCommand returns the command that connects to another machine if the user has chosen none. It asks for nothing: there may be nobody
// to answer.
func SSHCommand() []string {
	return []string{"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o", "ServerAliveInterval=15"}
}

// SSH says how a folder is reached by ssh.
type SSH struct {
	// Command is the program and its first arguments; the host and [RemoteCommand] follow.
	Command []string
	// Host is as ssh takes it, and Path that of the folder there; empty: the one that hippo has there.
	Host, Path string
	// Login and Patience bound the time until hippo answers, and how long nothing may be heard; 0: 45 and 60 seconds.
	Login, Patience time.Duration
}

// session is a program that serves a folder over its stdin and stdout.
type session struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   io.ReadCloser
	most  *io.LimitedReader // what the other end may send, which need not be trusted
	lines *bufio.Reader
	said  tail
	host  string
	done  chan struct{} // closed when it has ended
}

// OpenSSH connects to another machine. The session ends with ctx or the folder.
func OpenSSH(ctx context.Context, o SSH, memo string) (*Folder, error) {
	s, err := start(ctx, &o)
	if err != nil {
		return nil, err
	}
	if err := s.greet(o.Login); err != nil {
		return nil, err
	}
	header := http.Header{}
	if o.Path != "" {
		header.Set(folderHeader, url.PathEscape(o.Path))
	}
	wait := o.Patience
	if wait == 0 {
		wait = patience
	}
	return open(&client{name: "ssh " + o.Host, base: "http://ssh", header: header, patience: wait, send: s.exchange, end: s.end}, memo), nil
}

// start starts ssh.
func start(ctx context.Context, o *SSH) (*session, error) {
	args := append(append([]string{}, o.Command[1:]...), o.Host, RemoteCommand)
	s := &session{cmd: exec.CommandContext(ctx, o.Command[0], args...), host: o.Host, done: make(chan struct{})}
	s.cmd.Stderr, s.cmd.WaitDelay = &s.said, endTime
	var err error
	if s.in, err = s.cmd.StdinPipe(); err == nil {
		s.out, err = s.cmd.StdoutPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("%w: the command %s is missing: install it, or name another one in $HIPPO_SSH_COMMAND", hippo.ErrUnavailable, o.Command[0])
	case err != nil:
		return nil, fmt.Errorf("%w: %s: %w", hippo.ErrUnavailable, o.Command[0], err)
	}
	s.most = &io.LimitedReader{R: s.out, N: maxNoise}
	s.lines = bufio.NewReader(s.most)
	return s, nil
}

// greet waits for the first line of hippo at the other end. What a shell prints before it is skipped.
func (s *session) greet(limit time.Duration) error {
	if limit == 0 {
		limit = loginTime
	}
	late := false
	var mu sync.Mutex
	t := time.AfterFunc(limit, func() {
		mu.Lock()
		defer mu.Unlock()
		late = true
		s.kill()
	})
	defer t.Stop()
	noise := ""
	for {
		line, err := s.lines.ReadString('\n')
		text := strings.TrimSpace(line)
		switch version, ok := strings.CutPrefix(text, strings.TrimSuffix(greeting, protocol)); {
		case text == greeting && err == nil:
			return nil
		case ok && err == nil:
			s.kill()
			return fmt.Errorf("%w: hippo on %s has protocol %.20q, this one has %q: use the same version on both sides", hippo.ErrUnsupported, s.host, version, protocol)
		}
		if noise == "" {
			noise = text
		}
		if err != nil {
			break
		}
	}
	s.kill()
	mu.Lock()
	defer mu.Unlock()
	if late {
		return fmt.Errorf("%w: ssh %s: there was no answer within %v: does ssh %[2]s get in without a question?%s", hippo.ErrUnavailable, s.host, limit, s.said.after("; "))
	}
	return s.refused(noise)
}

// refused says why there was no greeting.
func (s *session) refused(noise string) error {
	code, said := s.wait(), s.said.String()
	hint := ""
	has := func(texts ...string) bool {
		for _, t := range texts {
			if strings.Contains(said, t) || strings.Contains(noise, t) {
				return true
			}
		}
		return false
	}
	switch {
	case has("Host key verification failed"):
		hint = "run ssh " + s.host + " once in a terminal, compare the key of the host and accept it"
	case has("Permission denied", "Too many authentication failures"):
		hint = "nothing asks for a password here: give the key to ssh-agent, or add it to ~/.ssh/authorized_keys there, until ssh " + s.host + " gets in without a question"
	case has("Could not resolve hostname"):
		hint = "check the name of the host, or add it to ~/.ssh/config"
	case has("Connection refused", "Connection timed out", "No route to host", "Operation timed out"):
		hint = "is the machine on, and does it accept ssh?"
	case has("unknown flag: --stdio", "unknown command \"sync\""):
		hint = "the program there is older than this one: update it"
	case code == 127 || has("command not found", "not recognized"):
		hint = "hippo is missing there: install it in a folder that PATH has for commands of ssh, such as /usr/local/bin"
	case noise != "":
		hint = fmt.Sprintf("it printed %.80q in place of the answer of hippo", noise)
	default:
		hint = "it ended without an answer"
	}
	return fmt.Errorf("%w: ssh %s: %s%s", hippo.ErrUnavailable, s.host, hint, s.said.after(": "))
}

// exchange sends a request and returns its answer, which the caller reads to the end before the next one.
func (s *session) exchange(r *http.Request) (*http.Response, error) {
	stop := context.AfterFunc(r.Context(), s.kill)
	s.most.N = folder.MaxFile + maxHeader
	err := r.Write(s.in)
	a, failed := http.ReadResponse(s.lines, r) // also if the other end did not take all of the request
	if failed != nil {
		stop()
		return nil, s.broken(cmp.Or(err, failed))
	}
	a.Body = &rest{a.Body, s, stop}
	return a, nil
}

// broken is the error of a session that has ended in the midst.
func (s *session) broken(err error) error {
	s.kill()
	s.wait()
	return fmt.Errorf("the connection ended (%w)%s: what was sent is there; sync again", err, s.said.after(": "))
}

// rest is the body of an answer.
type rest struct {
	io.ReadCloser
	of   *session
	stop func() bool
}

// Read implements [io.Reader].
func (r *rest) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	if err != nil && err != io.EOF { //nolint:errorlint // the end is not wrapped, and an end in the midst is another error
		err = r.of.broken(err)
	}
	return n, err
}

// Close implements [io.Closer].
func (r *rest) Close() error {
	r.stop()
	return r.ReadCloser.Close()
}

// kill ends the session at once.
func (s *session) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	_, _ = s.in.Close(), s.out.Close()
}

// wait waits for the end of the session and returns its exit code.
func (s *session) wait() int {
	_ = s.cmd.Wait() // the code says it
	return s.cmd.ProcessState.ExitCode()
}

// end ends the session: the other end does so when its input ends.
func (s *session) end() error {
	_ = s.in.Close()
	t := time.AfterFunc(endTime, s.kill)
	defer t.Stop()
	_, _ = io.Copy(io.Discard, s.lines)
	s.wait()
	return nil
}

// tail keeps the last bytes that are written to it. It is safe for concurrent use.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// Write implements [io.Writer].
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	t.b = t.b[max(0, len(t.b)-maxSaid):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.b))
}

// after returns what was written with a text before it; nothing for nothing.
func (t *tail) after(before string) string {
	if s := t.String(); s != "" {
		return before + fmt.Sprintf("%.400s", s)
	}
	return ""
}
