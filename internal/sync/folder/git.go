package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

const (
	gitRef     = "refs/hippo/sync/shelf"
	gitTries   = 12
	gitTimeout = 2 * time.Minute // of a command; a context may be shorter
)

// Git is a ref of its own of a repository, which no branch, working tree or index sees. Each change is a commit on top of the last one, so
// what was removed stays in the history of the ref, encrypted, until the ref is deleted. The command git does the work, with the
// logins that it has.
type Git struct {
	url, dir string
	ssh      []string          // a setting, unless the user has one
	objects  map[string]string // the content of each file
	tip      string            // of the ref in the repository; empty for none
	changes  map[string]string // since then: the content of each file, empty for none
}

// OpenGit returns the ref of a repository. dir is a folder for a copy of the ref, which nobody else uses and which can be lost.
func OpenGit(ctx context.Context, url, dir string) (*Git, error) {
	if url == "" || strings.HasPrefix(url, "-") {
		return nil, fmt.Errorf("%w: %q is not the address of a repository", hippo.ErrInvalid, url)
	}
	if filepath.IsLocal(url) && !strings.Contains(url, ":") {
		if full, err := filepath.Abs(url); err == nil {
			url = full
		}
	}
	g := &Git{url: url, dir: dir, changes: make(map[string]string)}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, explain(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "HEAD")); err != nil {
		if _, err := g.git(ctx, nil, nil, "init", "--quiet", "--bare", "--template="); err != nil {
			return nil, err
		}
	}
	if own, _ := g.git(ctx, nil, nil, "config", "--default=", "core.sshCommand"); strings.TrimSpace(own) == "" && os.Getenv("GIT_SSH_COMMAND")+os.Getenv("GIT_SSH") == "" {
		g.ssh = []string{"GIT_SSH_COMMAND=ssh -o BatchMode=yes"}
	}
	return g, nil
}

// List implements the interface. What was put and not sent is dropped.
func (g *Git) List(ctx context.Context) (map[string]int64, error) {
	clear(g.changes)
	if err := g.fetch(ctx); err != nil {
		return nil, err
	}
	out := make(map[string]int64)
	g.objects = make(map[string]string)
	if g.tip == "" {
		return out, nil
	}
	list, err := g.git(ctx, nil, nil, "ls-tree", "-r", "-l", "-z", g.tip)
	for line := range strings.SplitSeq(list, "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		if f := strings.Fields(about); len(f) == 4 && f[1] == "blob" {
			out[name], _ = strconv.ParseInt(f[3], 10, 64) // a number
			if out[name] <= MaxFile {
				g.objects[name] = f[2]
			}
		}
	}
	return out, err
}

// fetch gets the newest commit of the ref, without its history: the commit is all that is needed.
func (g *Git) fetch(ctx context.Context) error {
	there, err := g.git(ctx, nil, nil, "ls-remote", "--quiet", "--", g.url, gitRef)
	if err != nil {
		return err
	}
	there, _, _ = strings.Cut(there, "\t")
	here, err := g.git(ctx, nil, nil, "for-each-ref", "--format=%(objectname)", gitRef)
	if err != nil {
		return err
	}
	if there != "" && there != strings.TrimSpace(here) {
		if _, err := g.git(ctx, nil, nil, "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head", "--", g.url, "+"+gitRef+":"+gitRef); err != nil {
			return err
		}
		if there, err = g.git(ctx, nil, nil, "for-each-ref", "--format=%(objectname)", gitRef); err != nil {
			return err
		}
	}
	g.tip = strings.TrimSpace(there)
	return nil
}

// Get implements the interface.
func (g *Git) Get(ctx context.Context, name string) ([]byte, error) {
	id, ok := g.changes[name]
	if !ok {
		id = g.objects[name]
	}
	if id == "" {
		return nil, fmt.Errorf("%w: there is no file %s, or it has more than %d bytes", hippo.ErrUnavailable, name, MaxFile)
	}
	b, err := g.git(ctx, nil, nil, "cat-file", "blob", id)
	return []byte(b), err
}

// Put implements the interface.
func (g *Git) Put(ctx context.Context, name string, data []byte) error {
	if g.objects[name] != "" && g.changes[name] == "" {
		if _, removed := g.changes[name]; !removed {
			return nil
		}
	}
	id, err := g.git(ctx, data, nil, "hash-object", "-w", "--stdin")
	if err == nil {
		g.changes[name] = strings.TrimSpace(id)
	}
	return err
}

// Remove implements the interface.
func (g *Git) Remove(_ context.Context, name string) error {
	g.changes[name] = ""
	return nil
}

// Commit implements the interface. If others have sent something meanwhile the changes are made on top of that: no two machines write the
// same file.
func (g *Git) Commit(ctx context.Context) error {
	for try := 1; len(g.changes) > 0; try++ {
		commit, err := g.commit(ctx)
		if err != nil {
			return err
		}
		_, err = g.git(ctx, nil, nil, "push", "--quiet", "--", g.url, commit+":"+gitRef)
		if err == nil {
			clear(g.changes)
			_, err = g.git(ctx, nil, nil, "update-ref", gitRef, commit)
			return err
		}
		before := g.tip
		if failed := g.fetch(ctx); failed != nil {
			return failed
		}
		if try >= gitTries || g.tip == before && try > 3 { // a lock of another one is gone soon
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(try) * 20 * time.Millisecond):
		}
	}
	return nil
}

// commit returns a commit with the changes on top of the tip.
func (g *Git) commit(ctx context.Context) (string, error) {
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(g.dir, "hippo-index")}
	read := []string{"read-tree", "--empty"}
	parent := []string{}
	if g.tip != "" {
		read, parent = []string{"read-tree", g.tip}, []string{"-p", g.tip}
	}
	if _, err := g.git(ctx, nil, index, read...); err != nil {
		return "", err
	}
	var lines bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(g.changes)) {
		mode, id := "100644", g.changes[name]
		if id == "" {
			mode, id = "0", strings.Repeat("0", 40)
		}
		fmt.Fprintf(&lines, "%s %s\t%s\x00", mode, id, name)
	}
	if _, err := g.git(ctx, lines.Bytes(), index, "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	tree, err := g.git(ctx, nil, index, "write-tree")
	if err != nil {
		return "", err
	}
	commit, err := g.git(ctx, nil, nil, slices.Concat([]string{"commit-tree", "-m", "hippo sync", strings.TrimSpace(tree)}, parent)...)
	return strings.TrimSpace(commit), err
}

// git runs a command in the copy of the ref. Nothing in the environment or the settings of the user changes which repository that is, or
// who the commits are from, and nothing asks for a password.
func (g *Git) git(ctx context.Context, input []byte, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"--git-dir=" + g.dir, "-c", "core.hooksPath=/dev/null", "-c", "gc.autoDetach=false", "-c", "maintenance.autoDetach=false", "-c", "push.gpgSign=false", "-c", "core.askPass=",
	}, args...)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = g.dir, bytes.NewReader(input), 5*time.Second
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ofRepository), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=hippo", "GIT_AUTHOR_EMAIL=hippo@localhost", "GIT_COMMITTER_NAME=hippo", "GIT_COMMITTER_EMAIL=hippo@localhost")
	cmd.Env = slices.Concat(cmd.Env, g.ssh, env)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	switch err := cmd.Run(); {
	case err == nil:
		return out.String(), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%w: git %s took too long: %w", hippo.ErrUnavailable, args[0], ctx.Err())
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("%w: the command git is missing: install it, or sync by a folder", hippo.ErrUnavailable)
	case errors.Is(err, exec.ErrWaitDelay):
		return out.String(), nil
	default:
		return "", fmt.Errorf("%w: git %s: %w: %.400s", hippo.ErrUnavailable, args[0], err, strings.TrimSpace(said.String()))
	}
}

// ofRepository reports whether a variable of the environment chooses a repository, as a hook of git sets them, or a program that asks for
// passwords.
func ofRepository(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	keep := []string{"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"}
	return name == "SSH_ASKPASS" || strings.HasPrefix(name, "GIT_") && !slices.Contains(keep, name) && !strings.HasPrefix(name, "GIT_SSL_")
}
