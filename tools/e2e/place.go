package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// limit is how long one program may run.
const limit = 2 * time.Minute

// place is a home and a project in a folder of their own.
type place struct {
	client  *client
	hippo   string // path of the program
	bin     string // folder of the clients' programs
	model   *model
	home    string
	project string
}

// newPlace makes a place with the files that a user of the client has. Root must not exist.
func newPlace(ctx context.Context, o *options, c *client, m *model, root string) (*place, error) {
	p := &place{
		client: c, hippo: o.hippo, bin: programs(o.folder), model: m,
		home: filepath.Join(root, "home"), project: filepath.Join(root, "project"),
	}
	if err := p.seed(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.project, 0o700); err != nil {
		return nil, err
	}
	_, err := p.run(ctx, "git", "init", "--quiet", ".")
	return p, err
}

// seed writes the user's files into an empty home.
func (p *place) seed() error {
	for name, text := range p.client.seed {
		path := filepath.Join(p.home, filepath.FromSlash(name))
		text = strings.ReplaceAll(text, "MODEL", p.model.url)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// run runs a program in the project and returns what it prints on stdout.
func (p *place) run(ctx context.Context, program string, args ...string) (string, error) {
	out, _, err := p.outputs(ctx, program, args...)
	return out, err
}

// outputs runs a program in the project and returns what it prints on stdout and stderr. The error has the end of both.
func (p *place) outputs(ctx context.Context, program string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if program == p.client.program {
		program = filepath.Join(p.bin, program)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = p.project, &out, &errs, time.Second
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + strings.Join([]string{p.bin, os.Getenv("PATH")}, string(os.PathListSeparator)), "TERM=dumb"}
	for _, v := range p.client.env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(v, "MODEL", p.model.url))
	}
	err = cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("it did not end within %v", limit)
	}
	if err != nil {
		const shown = 2000
		text := errs.String() + out.String()
		err = fmt.Errorf("%s %.60q: %w: %s", filepath.Base(program), args, err, text[max(0, len(text)-shown):])
	}
	return out.String(), errs.String(), err
}

// memory is a memory as hippo prints it.
type memory struct {
	Content string `json:"content"`
	Trust   string `json:"trust"`
	Source  struct {
		Kind   string `json:"kind"`
		Author string `json:"author"`
	} `json:"source"`
}

// find returns the memory whose content contains a text; the zero value if there is none.
func (p *place) find(ctx context.Context, text string) (memory, error) {
	out, err := p.run(ctx, p.hippo, "list", "--all", "--count", "100", "--json")
	if err != nil {
		return memory{}, err
	}
	var list []memory
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		return memory{}, err
	}
	for _, m := range list {
		if strings.Contains(m.Content, text) {
			return m, nil
		}
	}
	return memory{}, nil
}

// database is the default store.
func (p *place) database() string {
	return filepath.Join(p.home, ".local", "share", "hippo", "memory.db")
}

// files returns the files of the home by their paths.
func (p *place) files() (map[string]string, error) {
	out := make(map[string]string)
	home := os.DirFS(p.home)
	err := fs.WalkDir(home, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(home, path)
		out[path] = string(b)
		return err
	})
	return out, err
}
