package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
)

// Merge holds the arguments that Git passes to a merge driver: three files with the versions to merge, and the path that they belong to. The
// file Ours receives the result.
type Merge struct{ Base, Ours, Theirs, Path string }

// Run merges the versions. If the file does not belong to a directory store or cannot be read, Git merges it by lines. Run returns
// [hippo.ErrConflict] if Git fails to do so.
func (m *Merge) Run(ctx context.Context) error {
	versions := make([][]byte, 0, 3)
	for _, name := range []string{m.Base, m.Ours, m.Theirs} {
		b, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("%w: %w", hippo.ErrNotFound, err)
		}
		versions = append(versions, b)
	}
	w := rank.DefaultWeights()
	if merged, ok := dirstore.MergeFile(filepath.ToSlash(m.Path), versions[0], versions[1], versions[2], &w); ok {
		return os.WriteFile(m.Ours, merged, 0o600)
	}
	if _, err := git(ctx, ".", "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", m.Ours, m.Base, m.Theirs); err != nil {
		return fmt.Errorf("%w: %s was merged by lines, because it is no file of a directory store or cannot be read: %w", hippo.ErrConflict, m.Path, err)
	}
	return nil
}

// mergeDriver is the Git setting that holds the command of the merge driver.
const mergeDriver = "merge.hippo.driver"

// SetUpMerge registers a program as the merge driver for a directory store in the Git clone that contains it. program is its path. SetUpMerge
// returns the path of the attributes file if it wrote that file.
func SetUpMerge(ctx context.Context, dir, program string) (written string, err error) {
	if !dirstore.Holds(dir) {
		return "", fmt.Errorf("%w: there is no directory store in %s", hippo.ErrNotFound, dir)
	}
	command := "'" + strings.ReplaceAll(filepath.ToSlash(program), "'", `'\''`) + "' merge-file %O %A %B %P"
	for _, set := range [][2]string{{"merge.hippo.name", "memories of Hippo"}, {mergeDriver, command}} {
		if _, err := git(ctx, dir, "config", set[0], set[1]); err != nil {
			return "", fmt.Errorf("%w: %s: %w", hippo.ErrUnsupported, dir, err)
		}
	}
	if merges(ctx, dir) {
		return "", nil
	}
	path := filepath.Join(dir, dirstore.AttributesName)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		old = append(old, '\n')
	}
	return path, os.WriteFile(path, append(old, dirstore.Attributes()...), 0o600)
}

// Unmerged reports whether a directory store lies in a Git clone that would merge its files by lines.
func Unmerged(ctx context.Context, dir string) bool {
	if inside, err := git(ctx, dir, "rev-parse", "--is-inside-work-tree"); err != nil || inside != "true" {
		return false
	}
	if _, err := git(ctx, dir, "check-ignore", "-q", "metadata.json"); err == nil { // Git ignores the store
		return false
	}
	command, err := git(ctx, dir, "config", mergeDriver)
	return err != nil || command == "" || !merges(ctx, dir)
}

// merges reports whether the Git attributes of a directory name the merge driver.
func merges(ctx context.Context, dir string) bool {
	found, err := git(ctx, dir, "check-attr", "merge", "--", "metadata.json")
	return err == nil && strings.HasSuffix(found, ": hippo")
}

// git runs a Git command in a folder and returns its trimmed output.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = dir
	out, err := c.Output()
	if bad, ok := errors.AsType[*exec.ExitError](err); ok && len(bad.Stderr) > 0 {
		err = errors.New(strings.TrimSpace(string(bad.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
