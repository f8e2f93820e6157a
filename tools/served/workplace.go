package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// workplace is the folder of a check, and the processes that it has started.
type workplace struct {
	hippo, image string // the program, and the archive of its image
	dir          string
	running      []*process
}

// process is a program that runs until the check ends.
type process struct {
	cmd *exec.Cmd
	out bytes.Buffer
}

// path returns the path of a file of the check.
func (w *workplace) path(name string) string { return filepath.Join(w.dir, name) }

// environ is the environment of a program whose files are those of the check.
func (w *workplace) environ(more ...string) []string {
	return append(append(os.Environ(), "HOME="+w.dir, "XDG_DATA_HOME="+w.path("data"), "XDG_STATE_HOME="+w.path("state"), "XDG_CONFIG_HOME="+w.path("config"),
		"XDG_CACHE_HOME="+w.path("cache"), "HIPPO_STORE=sqlite:"+w.path("memory.db"), "HIPPO_MODEL=static", "HIPPO_CONFIG="), more...)
}

// start starts a program.
func (w *workplace) start(ctx context.Context, env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, name, args...)}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = w.dir, env, &p.out, &p.out
	return p, w.follow(p)
}

// follow starts a process that the check ends.
func (w *workplace) follow(p *process) error {
	err := p.cmd.Start()
	if err == nil {
		w.running = append(w.running, p)
	}
	return err
}

// stop ends a process and returns what it printed.
func (p *process) stop() string {
	_ = p.cmd.Process.Kill() // it may have ended
	_ = p.cmd.Wait()
	return p.out.String()
}

// end ends all processes.
func (w *workplace) end() {
	for _, p := range w.running {
		p.stop()
	}
}

// command runs a program to its end and returns what it printed.
func (w *workplace) command(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = w.dir, w.environ()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// freeAddress returns an address on loopback that nobody listens on.
func freeAddress() (address, port string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	address = l.Addr().String()
	_, port, _ = net.SplitHostPort(address)
	return address, port, l.Close()
}

// eventually tries until it works, or the check has no more time.
func eventually(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
