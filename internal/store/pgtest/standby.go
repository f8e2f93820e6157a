package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Standby starts a server that has all that this one acknowledges from now on, and stops it at the end.
func (s *Server) Standby(t testing.TB) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "hippo-pg-")
	if err != nil {
		t.Fatal(err)
	}
	b := &Server{dir: dir, bin: s.bin, port: usualPort, settings: settings(dir, usualPort)}
	if err := own(dir); err != nil {
		t.Fatal(err)
	}
	backup := b.command(filepath.Join(s.bin, "pg_basebackup"), "-D", filepath.Join(dir, "data"), "-h", s.dir, "-U", "postgres", "-R", "-c", "fast")
	if out, err := backup.CombinedOutput(); err != nil {
		t.Fatalf("pg_basebackup: %v: %s", err, out)
	}
	if err := b.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Stop)
	Exec(t, s.URL("postgres"), "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	return b
}

// Promote makes a standby a server that can be written. It no longer waits for another one.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	Exec(t, s.URL("postgres"), "SELECT pg_promote()", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
}

// Either returns the URL of a database on whichever of two servers can be written.
func Either(database string, a, b *Server) string {
	return strings.Replace(a.URL(database), "sslmode", fmt.Sprintf("host=%s,%s&target_session_attrs=read-write&sslmode", a.dir, b.dir), 1)
}
