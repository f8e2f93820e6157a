package sqlitestore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// serverChild, set to a path, makes the test binary a server of that store: it does what
// the lines of its input say, and answers each with a line.
const serverChild = "HIPPO_TEST_SERVER_STORE"

func serve(path string, in io.Reader) {
	ctx := context.Background()
	s, err := sqlitestore.Open(ctx, path, nil)
	answer := func(v any) {
		if err != nil {
			v = fmt.Sprintf("%s %v", hippo.CodeOf(err), err)
		}
		fmt.Println(v)
	}
	answer("open")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		command, arg, _ := strings.Cut(lines.Text(), " ")
		switch command {
		case "put":
			n, _ := strconv.Atoi(arg) // a test gives numbers
			err = s.Write(ctx, driver.Durable, put(memory(byte(n))))
			answer("ok")
		case "large":
			n, _ := strconv.Atoi(arg)
			m := memory(byte(n))
			m.Content = strings.Repeat("much to say ", 10_000)
			err = s.Write(ctx, driver.Durable, put(m))
			answer("ok")
		case "head":
			var h driver.Head
			h, err = s.Head(ctx)
			answer(fmt.Sprintf("%s %d", h.Store, h.Memories))
		case "close":
			err = s.Close()
			answer("closed")
			return
		}
	}
}

// server is a process that has a store open.
type server struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Scanner
}

func startServer(t *testing.T, path string) *server {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), serverChild+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t, cmd, in, bufio.NewScanner(out)}
	if !s.answers.Scan() || s.answers.Text() != "open" {
		t.Fatalf("the server answered %q", s.answers.Text())
	}
	t.Cleanup(func() { s.kill() })
	return s
}

// ask sends a command and returns the answer.
func (s *server) ask(format string, args ...any) string {
	s.t.Helper()
	fmt.Fprintf(s.in, format+"\n", args...)
	if !s.answers.Scan() {
		s.t.Fatalf("the server died at %q: %v", fmt.Sprintf(format, args...), s.answers.Err())
	}
	return s.answers.Text()
}

func (s *server) want(command, want string) {
	s.t.Helper()
	if got := s.ask("%s", command); !strings.HasPrefix(got, want) {
		s.t.Errorf("%s: the server answered %q, want %q", command, got, want)
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed, or has ended
}

// filled makes a store with memories in one file, without a log.
func filled(t *testing.T, path string, ns ...byte) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range ns {
		if err := s.Write(t.Context(), driver.Durable, put(memory(n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// contents returns which memories a store has, after a look whether it is sound.
func contents(t *testing.T, path string) []byte {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ns []byte
	for c, err := range s.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		ns = append(ns, c.ID[15])
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	raw(t, path, "CREATE TEMP TABLE ok (yes CHECK (yes = 'ok')); INSERT INTO ok SELECT * FROM pragma_integrity_check")
	slices.Sort(ns)
	return ns
}

func wantContents(t *testing.T, path string, want ...byte) {
	t.Helper()
	if got := contents(t, path); !slices.Equal(got, want) {
		t.Errorf("%s has memories %v, want %v", filepath.Base(path), got, want)
	}
}

func move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string, suffixes ...string) {
	t.Helper()
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

// place is a store that a server has open, with memories 1 and 2 in its file; with a log
// that also has memory 3; and others that may take its place.
type place struct {
	t                          *testing.T
	path, other, backup, moved string
	server                     *server
	id                         string // Head.Store
	old                        []byte // the memories of the store
}

// stores are the files of a place, made once for all.
type stores struct{ store, other, backup []byte }

func newStores(t *testing.T) *stores {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	read := func(path string) []byte {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	filled(t, path, 1)
	backup := read(path)
	filled(t, path, 2)
	other := filepath.Join(t.TempDir(), "other.db")
	filled(t, other, 101, 102, 103)
	return &stores{store: read(path), other: read(other), backup: backup}
}

func newPlace(t *testing.T, files *stores, log bool) *place {
	dir := t.TempDir()
	p := &place{
		t: t, path: filepath.Join(dir, "memory.db"), other: filepath.Join(dir, "other.db"), backup: filepath.Join(dir, "backup.db"),
		moved: filepath.Join(dir, "moved.db"), old: []byte{1, 2},
	}
	for path, b := range map[string][]byte{p.path: files.store, p.other: files.other, p.backup: files.backup} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.server = startServer(t, p.path)
	p.id = strings.Fields(p.server.ask("head"))[0]
	if log {
		p.server.want("put 3", "ok")
		p.old = append(p.old, 3)
	}
	return p
}

// replacements puts another file in the place, and returns what that has.
func replacements() map[string]func(p *place) []byte {
	return map[string]func(p *place) []byte{
		"other_store": func(p *place) []byte {
			move(p.t, p.other, p.path)
			return []byte{101, 102, 103}
		},
		"backup": func(p *place) []byte {
			move(p.t, p.backup, p.path)
			return []byte{1}
		},
		"other_store_without_log": func(p *place) []byte {
			remove(p.t, p.path, "", "-wal", "-shm")
			move(p.t, p.other, p.path)
			return []byte{101, 102, 103}
		},
		"created_by_another": func(p *place) []byte {
			remove(p.t, p.path, "", "-wal", "-shm")
			filled(p.t, p.path, 7)
			return []byte{7}
		},
		"created_by_another_beside_the_log": func(p *place) []byte {
			remove(p.t, p.path, "")
			filled(p.t, p.path, 7)
			return []byte{7}
		},
	}
}

// A file that takes the place of the open one is what everybody reads and writes from
// then on, and nothing of the old one gets into it.
func TestReplaced(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, replace := range replacements() {
		for next, use := range map[string]func(p *place) (added []byte){
			"write": func(p *place) []byte {
				p.server.want("put 50", "ok")
				p.server.want("put 51", "ok")
				p.server.want("close", "closed")
				return []byte{50, 51}
			},
			"read": func(p *place) []byte {
				id := strings.Fields(p.server.ask("head"))[0]
				p.server.want("put 50", "ok")
				if after := p.server.ask("head"); id == p.id || strings.Fields(after)[0] != id {
					p.t.Errorf("the identity was %s, is %s when the file was replaced, and is %s after a write", p.id, id, after)
				}
				return []byte{50}
			},
			"close": func(p *place) []byte { p.server.want("close", "closed"); return nil },
			"kill":  func(p *place) []byte { p.server.kill(); return nil },
			"another_is_first": func(p *place) []byte {
				s := open(p.t, p.path)
				if err := s.Write(p.t.Context(), driver.Durable, put(memory(60))); err != nil {
					p.t.Error(err)
				}
				p.server.want("put 50", "ok")
				if ms, err := s.Get(p.t.Context(), []hippo.ID{{15: 50}}); err != nil || len(ms) != 1 {
					p.t.Errorf("the other process sees %d memories of 1 (%v)", len(ms), err)
				}
				return []byte{50, 60}
			},
		} {
			for _, log := range []bool{false, true} {
				if !log && next != "write" {
					continue // the log is what makes it hard
				}
				t.Run(fmt.Sprintf("%s/%s/log_%t", name, next, log), func(t *testing.T) {
					t.Parallel()
					p := newPlace(t, files, log)
					want := replace(p)
					want = append(want, use(p)...)
					slices.Sort(want)
					wantContents(t, p.path, want...)
				})
			}
		}
	}
}

// Two processes have the store open while another program puts a copy of it in its place. Each notices that by
// itself, and closes the former file; the later one does not touch the log that the other one has begun beside the new file.
func TestReplaced_UnderTwo(t *testing.T) {
	t.Parallel()
	p := newPlace(t, newStores(t), true)
	servers := []*server{p.server, startServer(t, p.path)}
	want := p.old
	for round := range byte(5) {
		s := open(t, p.path)
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := s.CopyTo(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for i, s := range servers { // the former file is longer than the copy
			s.want(fmt.Sprintf("large %d", 200+2*int(round)+i), "ok")
		}
		move(t, copied, p.path)
		for i := range byte(6) {
			n := 40 + 6*round + i
			servers[i%2].want(fmt.Sprintf("put %d", n), "ok")
			want = append(want, n)
		}
	}
	for _, s := range servers {
		s.want("close", "closed")
	}
	wantContents(t, p.path, want...)
}

// A store that is deleted or moved is not written any more: what would be acknowledged
// would be lost. What was acknowledged before is in the file, wherever it is.
func TestMovedOrDeleted(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, change := range map[string]func(p *place){
		"deleted":             func(p *place) { remove(p.t, p.path, "", "-wal", "-shm") },
		"deleted_but_the_log": func(p *place) { remove(p.t, p.path, "") },
		"moved":               func(p *place) { move(p.t, p.path, p.moved) },
		"moved_and_the_log": func(p *place) {
			for _, suffix := range []string{"", "-wal", "-shm"} {
				move(p.t, p.path+suffix, p.moved+suffix)
			}
		},
	} {
		for _, command := range []string{"put 50", "head", "close"} {
			for _, log := range []bool{false, true} {
				if !log && command != "put 50" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/log_%t", name, strings.Fields(command)[0], log), func(t *testing.T) {
					t.Parallel()
					p := newPlace(t, files, log)
					change(p)
					if command == "close" {
						p.server.want("close", "closed")
					} else if got := p.server.ask("%s", command); !strings.HasPrefix(got, "unavailable") || !strings.Contains(got, p.path) {
						t.Errorf("%s: the server answered %q, want unavailable with the path", command, got)
					}
					if _, err := os.Stat(p.path); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("there is a file again (%v)", err)
					}
					if !strings.HasPrefix(name, "moved") {
						return
					}
					wantContents(t, p.moved, p.old...)
					if command == "close" {
						return
					}
					move(t, p.moved, p.path)
					p.server.want("put 51", "ok")
					p.server.want("close", "closed")
					wantContents(t, p.path, append(p.old, 51)...)
				})
			}
		}
	}
}

// A log that is deleted while it is written takes nothing with it that was acknowledged.
func TestLogDeleted(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, suffixes := range map[string][]string{"log": {"-wal"}, "index": {"-shm"}, "both": {"-wal", "-shm"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files, true)
			remove(t, p.path, suffixes...)
			p.server.want("put 50", "ok")
			p.server.kill()
			wantContents(t, p.path, 1, 2, 3, 50)
		})
	}
}

// Nor what two processes have written, which both have the store open.
func TestLogDeleted_OfTwo(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, suffixes := range map[string][]string{"log": {"-wal"}, "index": {"-shm"}, "both": {"-wal", "-shm"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files, true)
			second := startServer(t, p.path)
			second.want("put 40", "ok")
			remove(t, p.path, suffixes...)
			p.server.want("put 50", "ok")
			second.want("put 51", "ok")
			p.server.want("put 52", "ok")
			p.server.kill()
			second.want("close", "closed")
			wantContents(t, p.path, 1, 2, 3, 40, 50, 51, 52)
		})
	}
}

// A log that another program replaces by an older copy, as a sync program does, brings no former pages back, however often.
func TestLogReplaced(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, suffixes := range map[string][]string{"log": {"-wal"}, "both": {"-wal", "-shm"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files, true)
			copies := make(map[string][]byte)
			for _, suffix := range suffixes {
				b, err := os.ReadFile(p.path + suffix)
				if err != nil {
					t.Fatal(err)
				}
				copies[suffix] = b
			}
			want := []byte{1, 2, 3}
			for n := byte(50); n < 60; n += 2 {
				for suffix, b := range copies {
					if err := os.WriteFile(p.other, b, 0o600); err != nil {
						t.Fatal(err)
					}
					move(t, p.other, p.path+suffix)
				}
				p.server.want(fmt.Sprintf("put %d", n), "ok")
				p.server.want(fmt.Sprintf("put %d", n+1), "ok")
				want = append(want, n, n+1)
			}
			p.server.kill()
			wantContents(t, p.path, want...)
		})
	}
}

// A log is deleted while another process opens the store before the first one notices. What is
// acknowledged then is kept, and both go on; what was in the deleted log only, no.
func TestLogDeleted_AnotherIsFirst(t *testing.T) {
	t.Parallel()
	files := newStores(t)
	for name, tc := range map[string]struct {
		suffixes []string
		want     []byte
	}{
		"log": {[]string{"-wal"}, []byte{1, 2, 3, 50}}, "both": {[]string{"-wal", "-shm"}, []byte{1, 2, 50}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, files, true)
			remove(t, p.path, tc.suffixes...)
			s, err := sqlitestore.Open(t.Context(), p.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.Write(t.Context(), driver.Durable, put(memory(60))) == nil {
				tc.want = append(tc.want, 60)
			}
			p.server.want("put 50", "ok")
			if err := s.Write(t.Context(), driver.Durable, put(memory(61))); err != nil {
				t.Errorf("the other process does not go on: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			p.server.want("close", "closed")
			wantContents(t, p.path, append(tc.want, 61)...)
		})
	}
}
