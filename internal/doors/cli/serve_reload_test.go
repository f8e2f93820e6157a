package cli_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serial connects to a server and returns the serial number of its certificate, which the authority must have signed.
func (s *served) serial(a *authority) int64 {
	s.t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.root)
	c, err := (&tls.Dialer{Config: &tls.Config{RootCAs: pool}}).DialContext(s.t.Context(), "tcp", strings.TrimPrefix(s.url, "https://"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	secure, ok := c.(*tls.Conn)
	if !ok {
		s.t.Fatal("no TLS")
	}
	return secure.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// A hangup reads certificates again. One that vanished, or does not fit its key, leaves the old one in use, and the log
// says so.
func TestServe_ReloadsCertificates(t *testing.T) {
	t.Parallel()
	a, then := newAuthority(t), time.Now().Add(-time.Hour)
	first := a.issue("127.0.0.1", tomorrow())
	a.stamp(then)
	s := serveWeb(t, nil, a.flags()...)
	if got := s.serial(a); got != first {
		t.Errorf("certificate %d, want %d", got, first)
	}
	second := a.issue("127.0.0.1", tomorrow())
	a.stamp(then) // so that only the hangup makes a difference
	if got := s.serial(a); got != first {
		t.Errorf("before the hangup: certificate %d, want %d", got, first)
	}
	hangup := func(want string) {
		t.Helper()
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.says(want)
	}
	hangup("are read again")
	if got := s.serial(a); got != second {
		t.Errorf("after the hangup: certificate %d, want %d", got, second)
	}
	if err := os.Remove(a.path("key.pem")); err != nil {
		t.Fatal(err)
	}
	hangup("the old one stays")
	if got := s.serial(a); got != second {
		t.Errorf("without its key: certificate %d, want %d", got, second)
	}
	key, err := os.ReadFile(a.path("root.pem"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.path("key.pem"), key, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.serial(a); got != second {
		t.Errorf("with something else as its key: certificate %d, want %d", got, second)
	}
	s.says("rather than a key")
	third := a.issue("127.0.0.1", tomorrow())
	if got := s.serial(a); got != third {
		t.Errorf("replaced, without a hangup: certificate %d, want %d", got, third)
	}
}

// Tokens count as their file has them, at once. A file that is damaged has none, and a hangup says so.
func TestServe_ReloadsTokens(t *testing.T) {
	t.Parallel()
	s := serveWeb(t, nil)
	const path = "/api/v1/memories"
	s.expect(http.StatusOK, "GET", path, s.token, "")
	second := strings.TrimSpace(string(run(t, s.dir, "token", "create", "second", "--right", "read")))
	s.expect(http.StatusOK, "GET", path, second, "")
	run(t, s.dir, "token", "revoke", "second")
	s.expect(http.StatusUnauthorized, "GET", path, second, "")
	file := filepath.Join(s.dir, "home", "data", "hippo", "tokens.json")
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		content []byte
		status  int
		log     string
	}{
		{[]byte("{"), http.StatusUnauthorized, "tokens cannot be read"},
		{good, http.StatusOK, "are read again\" tokens=1"},
		{nil, http.StatusUnauthorized, "are read again\" tokens=0"},
		{good, http.StatusOK, ""},
	} {
		if c.content == nil {
			err = os.Remove(file)
		} else {
			err = os.WriteFile(file, c.content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		s.says(c.log)
		s.expect(c.status, "GET", path, s.token, "")
	}
}

// The time in which a server announces its end is cut by a second signal, and the end is in order all the same.
func TestServe_DrainIsCut(t *testing.T) {
	t.Parallel()
	s := serveWeb(t, nil, "--http-drain", "30s")
	s.expect(http.StatusCreated, "POST", "/api/v1/memories", s.token, `{"content":"kept until the end"}`)
	s.expect(http.StatusOK, "GET", "/readyz", "", "")
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for {
		if a := s.send("GET", "/readyz", "", ""); a.status == http.StatusServiceUnavailable {
			break
		}
	}
	s.expect(http.StatusCreated, "POST", "/api/v1/memories", s.token, `{"content":"recorded while it drains"}`)
	began := time.Now()
	if err := s.end(syscall.SIGTERM); err != nil {
		t.Errorf("the second signal: %v\n%s", err, s.log())
	}
	t.Logf("it ended after %v of 30 s", time.Since(began))
	if n := count(t, s.dir, "sqlite:"+filepath.Join(s.dir, "memory.db")); n != 2 {
		t.Errorf("%d memories, want 2", n)
	}
}
