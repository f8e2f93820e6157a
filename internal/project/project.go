// Package project tells which project a directory belongs to: the same for all
// its worktrees and clones, another one for a fork. It asks the git program and
// reads nothing itself; without a repository, or without git, there is no project.
// A shallow clone does not hold its first commit, and is known by its remote alone.
package project

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// limit is how long git may take, all told.
const limit = 2 * time.Second

// grace is how long after that a child of git may keep its output open.
const grace = 100 * time.Millisecond

// Identify returns the identity of the project that dir belongs to, for people
// to read: "github.com/owner/name#1a2b3c4d", the remote and the first commit, or
// "local#1a2b3c4d5e6f" without a remote. Empty: no project.
func Identify(ctx context.Context, dir string) string {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	first := firstCommit(ctx, dir)
	if len(first) < 12 {
		return ""
	}
	remote := Normalise(remote(ctx, dir))
	switch {
	case git(ctx, dir, "rev-parse", "--is-shallow-repository") == "true":
		return remote
	case remote != "":
		return remote + "#" + first[:8]
	default:
		return "local#" + first[:12]
	}
}

// firstCommit follows first parents only: that is quick in a long history, and a
// history that was merged in later, with a first commit of its own, changes nothing.
func firstCommit(ctx context.Context, dir string) string {
	return git(ctx, dir, "rev-list", "--first-parent", "--max-parents=0", "HEAD")
}

// remote returns the URL of origin, or of the first remote.
func remote(ctx context.Context, dir string) string {
	if url := git(ctx, dir, "remote", "get-url", "origin"); url != "" {
		return url
	}
	names := strings.Fields(git(ctx, dir, "remote"))
	if len(names) == 0 {
		return ""
	}
	return git(ctx, dir, "remote", "get-url", names[0])
}

// git returns what a git command prints, trimmed; nothing if it fails.
func git(ctx context.Context, dir string, args ...string) string {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.WaitDelay = grace
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
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
