package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// client runs hippo on another machine, so to say: with a home of its own, and further variables.
func (s *served) client(env []string, args ...string) (out string, err error) {
	s.t.Helper()
	dir := s.t.TempDir()
	cmd := exec.CommandContext(s.t.Context(), "hippo", args...)
	cmd.Dir, cmd.Env = dir, append(append(environ(dir), "HIPPO_MODEL=static", "HIPPO_TOKEN="+s.token), env...)
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// A store on a server with a certificate of an authority of one's own is used as any other; a certificate that is not
// good, and a server that speaks something else, are errors that say what is wrong and what to do. Nothing is sent then.
func TestServe_RemoteOverTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.issue("localhost", tomorrow())
	s := serveWeb(t, nil, a.flags()...)
	plain := serveWeb(t, nil)
	port := s.url[strings.LastIndexByte(s.url, ':'):]
	known := []string{"SSL_CERT_FILE=" + a.path("root.pem")}
	good := "https://localhost" + port

	if out, err := s.client(known, "record", "over TLS", "--store", good); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := s.client(known, "search", "TLS", "--store", good); err != nil || !strings.Contains(out, "over TLS") {
		t.Errorf("%v: %s", err, out)
	}
	file := filepath.Join(s.dir, "home", "data", "hippo", "token")
	if out, err := s.client(known, "login", good, "--token-file", file); err != nil || !strings.Contains(out, "logged in to "+good) {
		t.Errorf("%v: %s", err, out)
	}
	fails := func(what string, env []string, store, want string) {
		t.Helper()
		for _, args := range [][]string{{"record", "lost", "--store", store}, {"login", store, "--token-file", file, "--insecure-http"}} {
			out, err := s.client(append(env, "HIPPO_INSECURE_HTTP=on"), args...)
			if err == nil || !strings.Contains(out, want) || strings.Contains(out, s.token) || strings.Contains(out, "not known: look") {
				t.Errorf("%s, %s: %v: %s", what, args[0], err, out)
			}
		}
	}
	fails("an authority that is not known", nil, good, "$SSL_CERT_FILE")
	fails("another name", known, s.url, "the certificate is for another name")
	fails("HTTP to a port with TLS", nil, strings.Replace(good, "https:", "http:", 1), "TLS only: begin the address with https")
	fails("TLS to a port without", nil, strings.Replace(plain.url, "http:", "https:", 1), "the server answers without TLS")
	a.issue("localhost", time.Now().Add(-time.Hour))
	fails("a certificate that has ended", known, good, "the certificate has ended")
	a.issue("localhost", tomorrow())
	if n := count(t, s.dir, "sqlite:"+filepath.Join(s.dir, "memory.db")); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
}
