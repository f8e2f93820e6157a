package project

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// State is the work in progress in a repository.
type State struct {
	// Branch is the branch that is checked out; empty if there is none.
	Branch string
	// Subjects are those of the latest commits made here, the newest first.
	Subjects []string
	// Changed are the paths that differ from the last commit, relative to the root of the
	// repository.
	Changed []string
}

const (
	maxSubjects, maxChanged = 5, 20
	// maxWords and maxPaths bound [State.Text].
	maxWords, maxPaths = 24, 8
	// reflogTail is how much of the end of a reflog is read.
	reflogTail = 16 << 10
)

// Text describes the state in a few words that can be searched for: a search takes longer with
// every word.
func (s *State) Text() string {
	words := strings.FieldsFunc(s.Branch, func(r rune) bool { return strings.ContainsRune("/-_", r) })
	for _, path := range s.Changed[:min(len(s.Changed), maxPaths)] {
		words = append(words, filepath.Base(path))
	}
	for _, subject := range s.Subjects {
		words = append(words, strings.Fields(subject)...)
	}
	return strings.Join(words[:min(len(words), maxWords)], " ")
}

// Repository is where git keeps the data of a working tree.
type Repository struct {
	// Dir belongs to the working tree; Common to all working trees of the repository.
	Dir, Common string
	// Tree is the root of the working tree; empty: the repository is bare.
	Tree string
}

// Bare reports whether the repository has no working tree.
func (r Repository) Bare() bool { return r.Tree == "" }

// Shallow reports whether the repository lacks its first commits.
func (r Repository) Shallow() bool {
	_, err := os.Stat(filepath.Join(r.Common, "shallow"))
	return err == nil
}

// Born reports whether a commit is checked out.
func (r Repository) Born() bool {
	head, err := readSmall(filepath.Join(r.Dir, "HEAD"))
	ref, branch := strings.CutPrefix(strings.TrimSpace(head), "ref: ")
	if err != nil || !branch {
		return err == nil
	}
	if _, err := os.Stat(filepath.Join(r.Common, filepath.FromSlash(ref))); err == nil {
		return true
	}
	for _, packed := range []string{"packed-refs", "reftable"} {
		if _, err := os.Stat(filepath.Join(r.Common, packed)); err == nil {
			return true // it may be there
		}
	}
	return false
}

// madeAt returns when a repository was made, by the file with its description, in ns since 1970; 0: it has none.
func madeAt(r Repository) int64 {
	info, err := os.Stat(filepath.Join(r.Common, "description"))
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// Find returns the repository that dir belongs to, without running git: it looks for .git in dir
// and above it, and whether dir is a bare one itself. False: there is none.
func Find(dir string) (Repository, bool) {
	root, ok := Root(dir)
	if !ok {
		if full, err := filepath.Abs(dir); err == nil && isStore(full) {
			return Repository{Dir: full, Common: full}, true
		}
		return Repository{}, false
	}
	path := filepath.Join(root, ".git")
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return Repository{path, path, root}, true
	}
	return linked(path, root)
}

// isStore reports whether a folder is one in which git keeps a repository.
func isStore(dir string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Root returns the root of the working tree that dir belongs to, without running git, and with symbolic links
// resolved: the folder that has .git. False: there is none. A repository in the home folder or at the top of the file system,
// as some keep their settings in, is not that of everything below it.
func Root(dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	for at := dir; err == nil; at = filepath.Dir(at) {
		if isRoot(at) && (at == dir || !isTop(at)) {
			return at, true
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", false
}

// isRoot reports whether a folder has .git: a file, or a folder that git uses or that cannot be looked into.
func isRoot(dir string) bool {
	path := filepath.Join(dir, ".git")
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	_, err = os.Stat(filepath.Join(path, "HEAD"))
	return err == nil || !errors.Is(err, fs.ErrNotExist)
}

// IsTop reports whether a folder is the home folder of the user or the top of a file system: a program that was started there
// was started nowhere in particular.
func IsTop(dir string) bool {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	return err == nil && isTop(full)
}

func isTop(dir string) bool {
	if dir == filepath.Dir(dir) {
		return true
	}
	home, err := os.UserHomeDir()
	if err == nil {
		home, err = filepath.EvalSymlinks(home)
	}
	return err == nil && dir == home
}

// ExcludesFile returns the ignore file that the user has for all repositories, as git run in dir says, or where git
// looks if nothing is configured; "" for none. The file may not exist.
func ExcludesFile(ctx context.Context, dir string) string {
	ctx, cancel := limited(ctx)
	defer cancel()
	if out, err := run(ctx, dir, []string{"config", "--type=path", "--get", "core.excludesFile"}); err == nil {
		path := strings.TrimSpace(string(out))
		top, ok := Root(dir)
		if path == "" || !ok {
			return path
		}
		return absolute(top, path)
	}
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		config = filepath.Join(home, ".config")
	}
	return filepath.Join(config, "git", "ignore")
}

// linked returns the repository that a .git file refers to.
func linked(path, tree string) (Repository, bool) {
	text, err := readSmall(path)
	to, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	if err != nil || !ok {
		return Repository{}, false
	}
	r := Repository{Dir: absolute(filepath.Dir(path), to), Tree: tree}
	r.Common = r.Dir
	if common, err := readSmall(filepath.Join(r.Dir, "commondir")); err == nil {
		r.Common = absolute(r.Dir, strings.TrimSpace(common))
	}
	return r, true
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// readSmall reads a file that holds one line.
func readSmall(path string) (string, error) { return readTail(path, 4096) }

// readTail reads the last n bytes of a regular file.
func readTail(path string, n int64) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it is only read
	b, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-n), n))
	return string(b), err
}

// StateOf returns the state of the repository that dir belongs to; what cannot be read within the
// deadline of ctx, 2 seconds if it has none, is left out. Branch and subjects are read from files; git is run for the paths.
func StateOf(ctx context.Context, dir string) State {
	var s State
	r, ok := Find(dir)
	if !ok {
		return s
	}
	if head, err := readSmall(filepath.Join(r.Dir, "HEAD")); err == nil {
		s.Branch, _ = strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/")
		if strings.TrimSpace(head) == s.Branch {
			s.Branch = "" // a commit is checked out
		}
	}
	if log, err := readTail(filepath.Join(r.Dir, "logs", "HEAD"), reflogTail); err == nil {
		s.Subjects = subjects(log)
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	if out, err := run(ctx, dir, []string{"--no-optional-locks", "status", "--porcelain", "-z", "-uno", "--no-renames", "--ignore-submodules"}); err == nil {
		s.Changed = changed(out)
	}
	return s
}

// subjects returns the subjects of the commits in a reflog, the newest first.
func subjects(log string) (list []string) {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	for i := len(lines) - 1; i >= 0 && len(list) < maxSubjects; i-- {
		_, message, _ := strings.Cut(lines[i], "\t")
		kind, subject, ok := strings.Cut(message, ": ")
		if ok && strings.HasPrefix(kind, "commit") {
			list = append(list, subject)
		}
	}
	return list
}

// changed returns the paths of git status --porcelain -z.
func changed(out []byte) (list []string) {
	for entry := range bytes.SplitSeq(out, []byte{0}) {
		if len(entry) > 3 && len(list) < maxChanged {
			list = append(list, string(entry[3:]))
		}
	}
	return list
}
