// Package project finds out which project a folder belongs to: the same for all worktrees and clones of a repository, another
// one for a fork. It reads the files of the repository itself, and asks the git program for nothing but the first commit,
// which a [Cache] remembers. What it cannot find out it says: an identity that is not known is never that of nothing.
package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
)

// defaultTimeout is the timeout of all git commands if the caller sets no deadline.
const defaultTimeout = 2 * time.Second

// outputGrace is how long a child process of git may then keep its output open.
const outputGrace = 50 * time.Millisecond

// Identity is what a folder says about its project.
type Identity struct {
	// Name is the project: "github.com/owner/name#1a2b3c4d", the remote and the first commit; without the commit if that is not known, as in a
	// shallow clone; "local#1a2b3c4d5e6f" without a remote; "folder#1a2b3c4d5e6f", by the place of a repository without either.
	// [hippo.Unassigned]: it is unknown. Empty: the folder is in no repository.
	Name string
	// Former are names that the same repository had on this machine, the newest first.
	Former []string
	// Folder is the name of the folder of the repository, for people.
	Folder string
	// Tree is the root of the working tree; empty: there is none at hand.
	Tree string `json:"-"`
}

// Names returns the name and the former ones; nil: the folder is in no repository.
func (id *Identity) Names() []string {
	if id.Name == "" {
		return nil
	}
	return append([]string{id.Name}, id.Former...)
}

// Identify returns the identity of a folder without a cache. Git may take until the deadline of ctx, 2 seconds if it has none.
func Identify(ctx context.Context, dir string) Identity { return Cache{}.Identify(ctx, dir) }

// limited returns a context with a deadline: its own, or the default.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, defaultTimeout)
}

// maxSources bounds how many clones of folders are followed to where they were cloned from.
const maxSources = 4

// inspect returns what a repository says now. old is what it said before, zero if that is not known.
func inspect(ctx context.Context, r Repository, old *entry, depth int) entry {
	e := entry{Common: r.Common, Root: old.Root, Made: madeAt(r)}
	remotes := remotesOf(r)
	e.Remote = Normalise(pick(remotes))
	if old.Remote != "" && slices.ContainsFunc(remotes, func(x remote) bool { return Normalise(x.url) == old.Remote }) {
		e.Remote = old.Remote // that of a fork was added, or the order changed
	}
	var source Identity
	if isPath(e.Remote) && depth < maxSources {
		source = sourceOf(ctx, absolute(filepath.Dir(r.Common), e.Remote), depth)
	}
	if !r.Shallow() && r.Born() {
		e.findRoot(ctx, r)
	}
	e.name(source)
	return e
}

// findRoot sets the first commit. It stays what it was while the repository has that commit: what is checked out may have another one.
func (e *entry) findRoot(ctx context.Context, r Repository) {
	if e.Root != "" {
		if _, err := git(ctx, r, "cat-file", "-e", e.Root); err == nil || ctx.Err() != nil {
			return
		}
	}
	began := time.Now() //nolint:forbidigo // how long git took
	// Only along first parents: that is fast in a long history, and ignores merged histories
	// with a first commit of their own.
	root, err := git(ctx, r, "rev-list", "--first-parent", "--max-parents=0", "HEAD")
	e.Root = ""
	if err == nil && len(root) >= longDigits {
		e.Root = root
		return
	}
	e.Waited, e.Asked = max(time.Since(began), 1), began
}

// name sets the name. source is the identity of the folder that the repository was cloned from.
func (e *entry) name(source Identity) {
	name := ""
	switch {
	case source.Name != "" && source.Name != hippo.Unassigned:
		name = source.Name
	case e.Remote != "" && e.Root != "":
		name = e.Remote + "#" + e.Root[:rootDigits]
	case e.Remote != "" && !isPath(e.Remote):
		name = e.Remote
	case e.Root != "":
		name = localPrefix + e.Root[:longDigits]
	default:
		name = folderPrefix + digest(e.Common)[:longDigits]
	}
	e.Names = []string{name}
}

// sourceOf returns the identity of a folder on this machine that a repository was cloned from, if that is worked in, or is a clone
// itself. A bare repository that is none is a server for others: it has the identity that its path gives.
func sourceOf(ctx context.Context, dir string, depth int) Identity {
	r, ok := Find(dir)
	if !ok || r.Bare() && len(remotesOf(r)) == 0 {
		return Identity{}
	}
	e := inspect(ctx, r, &entry{}, depth+1)
	return Identity{Name: e.Names[0]}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// git returns what a git command prints about a repository, trimmed. Nothing in the environment changes which repository that is, and
// it does not matter who owns it: the commands read objects alone. It takes no locks, since others may run git meanwhile, and fetches
// nothing.
func git(ctx context.Context, r Repository, args ...string) (string, error) {
	args = append([]string{"--no-optional-locks", "--no-replace-objects", "--git-dir=" + r.Dir}, args...)
	out, err := run(ctx, filepath.Dir(r.Common), args)
	return strings.TrimSpace(string(out)), err
}

// run returns what a git command prints.
func run(ctx context.Context, dir string, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ofRepository), "GIT_NO_LAZY_FETCH=1")
	cmd.WaitDelay = outputGrace
	return cmd.Output()
}

// ofRepository reports whether a variable of the environment chooses the repository for git, as an editor or a hook of git sets
// them.
func ofRepository(variable string) bool {
	switch name, _, _ := strings.Cut(variable, "="); name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM":
		return true
	}
	return false
}
