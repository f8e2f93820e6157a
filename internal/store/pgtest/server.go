package pgtest

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Server is a Postgres server that a test started. It listens on a socket in a folder of its own.
type Server struct {
	dir, bin string
	port     int
	settings []string
	lives    io.WriteCloser // the server ends when this is closed, and so when the test process ends
	done     chan struct{}
}

// launch makes the files of a server and starts it, with settings beyond the usual ones. Without durable it never flushes to the disk.
func launch(durable bool, port int, more ...string) (s *Server, err error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "hippo-pg-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir) // the reason why there is no server says more
		}
	}()
	s = &Server{dir: dir, bin: bin, port: port, settings: append(settings(dir, port), more...)}
	if !durable {
		s.settings = append(s.settings, "fsync=off", "full_page_writes=off")
	}
	if err := own(dir); err != nil {
		return nil, err
	}
	initdb := s.command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	return s, s.start()
}

// usualPort is in the name of the socket.
const usualPort = 5432

// settings are those of a server that listens in a folder only.
func settings(dir string, port int) []string {
	return []string{"listen_addresses=", "max_connections=200", "unix_socket_directories=" + dir, "port=" + strconv.Itoa(port), "log_min_messages=fatal"}
}

// command returns a command that runs as a user who may run the server.
func (s *Server) command(name string, args ...string) *osexec.Cmd {
	c := osexec.CommandContext(context.Background(), name, args...)
	c.Dir = s.dir
	c.Env = append(os.Environ(), "HOME="+s.dir) // where libpq looks for files, as the user that runs it
	c.SysProcAttr = unprivileged()
	return c
}

// watch runs a command until the input ends, and then removes the folder, as nobody else may be left to do so. A line of input ends the
// watch.
const watch = `exec 3<&0; "$@" & pid=$!
{
	read -r _ <&3 && exit
	kill -INT $pid || exit # it ended by itself
	while kill -0 $pid; do sleep .05; done
	rm -rf "$PWD"
} 2>/dev/null &
wait $pid`

// start starts the server, and waits until it answers. One that ends is started again: after a crash the processes of the former one
// may hold its memory for a moment.
func (s *Server) start() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		if err := s.run(); err != nil {
			return err
		}
		for running := true; running; {
			err := exec(ctx, s.URL("postgres"), "SELECT 1")
			if err == nil || ctx.Err() != nil {
				return err
			}
			select {
			case <-s.done:
				running = false
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
}

// run starts the program of the server.
func (s *Server) run() error {
	args := []string{filepath.Join(s.bin, "postgres"), "-D", filepath.Join(s.dir, "data")}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	return s.watched(args...)
}

// watched starts a program that ends with this process.
func (s *Server) watched(args ...string) error {
	c := s.command("/bin/sh", append([]string{"-c", watch, "sh"}, args...)...)
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the program has its own copy
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return err
	}
	s.lives, s.done = in, make(chan struct{})
	go func() {
		_ = c.Wait() // it may have been killed
		close(s.done)
	}()
	return nil
}

// URL returns the URL of a database.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: url.Values{
		"host": {s.dir}, "port": {strconv.Itoa(s.port)}, "user": {"postgres"}, "sslmode": {"disable"},
	}.Encode()}
	return u.String()
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return database(t, s.URL("postgres"))
}

// Socket is the path at which the server listens.
func (s *Server) Socket() string { return filepath.Join(s.dir, fmt.Sprintf(".s.PGSQL.%d", s.port)) }

// Kill kills the server with all of its processes, as a crash of the machine would, and starts it again.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	s.Crash(t)
	s.Restart(t)
}

// Restart starts a server that crashed.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if err := s.start(); err != nil {
		t.Fatal(err)
	}
}

// Crash kills the server, which does not come back by itself.
func (s *Server) Crash(t testing.TB) {
	t.Helper()
	pid, err := os.ReadFile(filepath.Join(s.dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(pid), "\n")
	n, err := strconv.Atoi(first)
	if err == nil {
		_, err = s.lives.Write([]byte("\n")) // the folder is kept
	}
	if err == nil {
		var p *os.Process
		if p, err = os.FindProcess(n); err == nil {
			err = p.Signal(syscall.SIGKILL)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s.end()
}

func (s *Server) end() {
	_ = s.lives.Close() // the server may have ended before
	<-s.done
}

// Stop ends the server and removes its files.
func (s *Server) Stop() {
	s.end()
	_ = os.RemoveAll(s.dir) // in the folder for temporary files
}
