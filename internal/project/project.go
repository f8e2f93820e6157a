// Package project finds out which project a directory belongs to: the same for all
// its worktrees and clones, another one for a fork. It asks the git program and
// reads nothing itself for that; without a repository, or without git, there is no project.
// A shallow clone does not hold its first commit, and is known by its remote alone.
package project

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// defaultTimeout is the timeout of all git commands if the caller sets no deadline.
const defaultTimeout = 2 * time.Second

// outputGrace is how long a child process of git may then keep its output open.
const outputGrace = 50 * time.Millisecond

// Identify returns the identity of the project that dir belongs to, for people
// to read: "github.com/owner/name#1a2b3c4d", the remote and the first commit, or
// "local#1a2b3c4d5e6f" without a remote. Empty: no project, or git did not answer
// within the deadline of ctx, 2 seconds if it has none: never half an identity.
func Identify(ctx context.Context, dir string) string {
	ctx, cancel := limited(ctx)
	defer cancel()
	name, err := identify(ctx, dir)
	if err != nil {
		return ""
	}
	return name
}

// limited returns a context with a deadline: its own, or the default.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, defaultTimeout)
}

func identify(ctx context.Context, dir string) (string, error) {
	// Only along first parents: that is fast in a long history, and ignores merged histories
	// with a first commit of their own.
	first, err := git(ctx, dir, "rev-list", "--first-parent", "--max-parents=0", "HEAD")
	if err != nil || len(first) < 12 {
		return "", err
	}
	shallow, err := git(ctx, dir, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return "", err
	}
	remotes, err := git(ctx, dir, "remote", "-v")
	if err != nil {
		return "", err
	}
	url := Normalise(pick(remotes))
	switch {
	case shallow == "true":
		return url, nil
	case url != "":
		return url + "#" + first[:8], nil
	default:
		return "local#" + first[:12], nil
	}
}

// pick returns the URL of origin, or of the first remote, from a list with lines
// "name<TAB>url (fetch)"; empty if there is none.
func pick(remotes string) string {
	first := ""
	for line := range strings.Lines(remotes) {
		name, url, _ := strings.Cut(line, "\t")
		end := strings.LastIndex(url, " (fetch)")
		if end < 0 {
			continue
		}
		if name == "origin" {
			return url[:end]
		}
		if first == "" {
			first = url[:end]
		}
	}
	return first
}

// git returns what a git command prints, trimmed.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gitRaw(ctx, dir, args...)
	return strings.TrimSpace(string(out)), err
}

// gitRaw returns what a git command prints. It takes no locks: others may run git meanwhile.
func gitRaw(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = outputGrace
	return cmd.Output()
}

// Normalise reduces the URL of a remote to host and path, so that all ways to
// reach one repository are the same: no scheme, user, password, port, or ".git".
// A path on this machine is kept as it is.
func Normalise(url string) string {
	if local := regexp.MustCompile(`^(/|\.|[A-Za-z]:[\\/]|file://)`); local.MatchString(url) {
		return strings.TrimPrefix(url, "file://")
	}
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		rest = strings.Replace(url, ":", "/", 1) // git@host:owner/name
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = host[at+1:]
	}
	if colon := strings.LastIndex(host, ":"); colon > strings.LastIndex(host, "]") {
		host = host[:colon]
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	return strings.Trim(strings.ToLower(host)+"/"+path, "/")
}
