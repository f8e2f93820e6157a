// Package walk lists the files of a source tree that are worth indexing, and names the others with
// the reason. It obeys ignore files as git does, reads everything through an [os.Root], and follows
// no link.
package walk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/code/codeindex/role"
	"github.com/hippo-memory/hippo/internal/code/project"
)

// Reason says why a file or a directory is left out.
type Reason string

// The reasons.
const (
	Ignored   Reason = "ignored"
	Hidden    Reason = "hidden"
	Vendored  Reason = "vendored"
	Generated Reason = "generated"
	Minified  Reason = "minified"
	LockFile  Reason = "lock file"
	Binary    Reason = "binary"
	TooLarge  Reason = "over 1 MB"
	Link      Reason = "link"
	Special   Reason = "not a regular file"
	BadName   Reason = "name is not UTF-8"
	TooDeep   Reason = "too deep"
	Empty     Reason = "empty"
	Unread    Reason = "cannot be read"
	// Data: a list of values, or a text in no known language that is too long to have been written.
	Data Reason = "data"
)

const (
	// MaxBytes is the size of the largest file that is indexed.
	MaxBytes = 1 << 20
	// maxDepth bounds the levels of directories.
	maxDepth = 100
	// maxIgnoreFile bounds the part of an ignore file that is read.
	maxIgnoreFile = 1 << 20
	// OwnIgnore is the name of ignore files of this program. What a pattern of it takes back is
	// indexed though it is hidden, vendored or ignored by git.
	OwnIgnore = ".hippoignore"
)

// File is a file to index.
type File struct {
	// Path is relative to the root, with slashes.
	Path     string
	Size     int64
	Modified time.Time
}

// Skip is a file or a directory that is left out.
type Skip struct {
	Path   string
	Reason Reason
	// Detail says more where the reason does not.
	Detail string `json:",omitempty"`
}

// Tree is what a walk found, each list in the order of paths.
type Tree struct {
	Files []File
	Skips []Skip
	// Folders are those that were read; the root is ".".
	Folders []string
}

// walker holds the state of one walk.
type walker struct {
	ctx  context.Context
	root *os.Root
	path string // of the root
	tree Tree
}

// level is what is known of a directory.
type level struct {
	depth int
	// rules are those that hold in it. For the root they are those of the user, of the exclude file of the repository
	// and of the directories above.
	rules []rules
	// repository: it lies in a repository of git, whose ignore files say what tools have made.
	repository bool
	// built: tools write to directories in it.
	built bool
}

// rules are the ignore files of one directory.
type rules struct {
	git patterns
	own patterns
	// prefix is what the paths of git lie below: the path of the root within the repository.
	prefix string
}

// Walk lists the files below a root. dir is its path, by which the ignore files of the repository
// around it are found. The error is that of ctx or of the root itself; a directory below that cannot
// be read is a skip.
func Walk(ctx context.Context, root *os.Root, dir string) (*Tree, error) {
	_, repository := project.Root(dir)
	w := &walker{ctx: ctx, root: root, path: dir}
	if err := w.dir("", level{rules: outer(ctx, dir), repository: repository}); err != nil {
		return nil, err
	}
	byPath := func(a, b Skip) int { return strings.Compare(a.Path, b.Path) }
	slices.SortFunc(w.tree.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(w.tree.Skips, byPath)
	return &w.tree, nil
}

// outer returns the rules of the repository around a directory that lie outside of it.
func outer(ctx context.Context, dir string) []rules {
	top, ok := project.Root(dir)
	if !ok {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	rel, err := filepath.Rel(top, real)
	if err != nil || strings.HasPrefix(rel, "..") {
		return nil
	}
	prefix := filepath.ToSlash(rel)
	if prefix == "." {
		prefix = ""
	}
	out := shared(ctx, dir, "", prefix)
	if prefix == "" {
		return out
	}
	parts := strings.Split(prefix, "/")
	for i := range parts {
		base := strings.Join(parts[:i], "/")
		at := filepath.Join(top, filepath.FromSlash(base))
		out = append(out, rules{
			git: parse(base, outside(filepath.Join(at, ".gitignore"))), own: parse(base, outside(filepath.Join(at, OwnIgnore))), prefix: prefix,
		})
	}
	return out
}

// shared returns the rules that hold in all of the repository around a directory: those of the user, and nearer those
// of its exclude file. Their patterns begin at base.
func shared(ctx context.Context, dir, base, prefix string) (out []rules) {
	files := []string{project.ExcludesFile(ctx, dir)}
	if r, ok := project.Find(dir); ok {
		files = append(files, filepath.Join(r.Common, "info", "exclude"))
	}
	for _, name := range files {
		if p := parse(base, outside(name)); p.list != nil {
			out = append(out, rules{git: p, prefix: prefix})
		}
	}
	return out
}

// outside reads an ignore file outside of the root; nil if there is none.
func outside(name string) []byte {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return b
}

func (w *walker) skip(at string, why Reason, detail string) {
	w.tree.Skips = append(w.tree.Skips, Skip{at, why, detail})
}

// dir lists a directory. The level is that of the directory above.
func (w *walker) dir(at string, l level) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := readDir(w.root, at)
	if err != nil {
		if at == "" {
			return fmt.Errorf("walk: %w", err)
		}
		w.skip(at, Unread, problem(err))
		return nil
	}
	if at != "" && holds(entries, environment) {
		if _, own := verdicts(l.rules, at, true); own != kept {
			w.skip(at, Vendored, "")
			return nil
		}
	}
	w.tree.Folders = append(w.tree.Folders, path.Join(".", at))
	if !l.repository && holds(entries, ".git") {
		l.repository = true
		l.rules = append(slices.Clip(l.rules), shared(w.ctx, filepath.Join(w.path, filepath.FromSlash(at)), at, "")...)
	}
	l.rules = w.rulesOf(at, entries, l.rules)
	l.built = !l.repository && built(entries)
	for _, e := range entries {
		if err := w.entry(path.Join(at, e.Name()), e, l); err != nil {
			return err
		}
	}
	return nil
}

// rulesOf returns the rules with those of a directory.
func (w *walker) rulesOf(at string, entries []fs.DirEntry, above []rules) []rules {
	var own rules
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		switch e.Name() {
		case ".gitignore":
			own.git = parse(at, inside(w.root, path.Join(at, e.Name())))
		case OwnIgnore:
			own.own = parse(at, inside(w.root, path.Join(at, e.Name())))
		}
	}
	if own.git.list == nil && own.own.list == nil {
		return above
	}
	return append(slices.Clip(above), own)
}

func inside(root *os.Root, at string) []byte {
	b, err := readFile(root, at, maxIgnoreFile)
	if err != nil {
		return nil
	}
	return b
}

// verdicts returns what the ignore files of git and those of this program say, the nearest first.
func verdicts(list []rules, at string, dir bool) (git, own verdict) {
	for i := len(list) - 1; i >= 0; i-- {
		r := &list[i]
		full := at
		if r.prefix != "" {
			full = r.prefix + "/" + at
		}
		if git == silent {
			git = r.git.of(full, dir)
		}
		if own == silent {
			own = r.own.of(full, dir)
		}
	}
	return git, own
}

func (w *walker) entry(p string, e fs.DirEntry, l level) error {
	dir := e.IsDir()
	git, own := verdicts(l.rules, p, dir)
	switch why := excluded(e, git, own, l.built); {
	case !utf8.ValidString(e.Name()):
		w.skip(strings.ToValidUTF8(p, "\uFFFD"), BadName, "")
		return nil
	case why != "":
		w.skip(p, why, "")
		return nil
	case dir && l.depth >= maxDepth:
		w.skip(p, TooDeep, "")
		return nil
	case dir:
		l.depth++
		return w.dir(p, l)
	}
	info, err := e.Info()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.skip(p, Unread, problem(err))
		}
		return nil
	}
	switch {
	case info.Size() > MaxBytes:
		w.skip(p, TooLarge, "")
	case info.Size() == 0:
		w.skip(p, Empty, "")
	default:
		w.tree.Files = append(w.tree.Files, File{p, info.Size(), info.ModTime()})
	}
	return nil
}

// excluded returns why an entry is left out by its name and type alone; empty: it is not. built: tools write to directories
// beside it.
func excluded(e fs.DirEntry, git, own verdict, built bool) Reason {
	name, t := e.Name(), e.Type()
	switch {
	case t&fs.ModeSymlink != 0:
		return Link
	case !e.IsDir() && !t.IsRegular():
		return Special
	case own == ignored:
		return Ignored
	case name == ".git":
		return Hidden
	case own == kept:
		return ""
	case git == ignored:
		return Ignored
	case strings.HasPrefix(name, "."):
		return Hidden
	case e.IsDir():
		if role.IsVendored(name) || built && output(name) {
			return Vendored
		}
		return ""
	default:
		return byName(name)
	}
}

// problem is an error without the path, which the skip has.
func problem(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

func readDir(root *os.Root, at string) ([]fs.DirEntry, error) {
	if at == "" {
		at = "."
	}
	f, err := root.Open(filepath.FromSlash(at))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}
