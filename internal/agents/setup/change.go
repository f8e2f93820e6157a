package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hippo-memory/hippo/internal/agents/setup/splice"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// Change is what setup does to a file.
type Change struct {
	// Path is the file that the client reads; it may be a link.
	Path string
	// Before and After are its text; nil if there is no file.
	Before, After []byte
	host          *Host
	edits         []splice.Edit
	// drop are edits of a former setup that are taken back while those of edits are made.
	drop   []splice.Edit
	remove bool
	// others are the edits of the client's other scopes in the same file.
	others []splice.Edit
	// folders, which the change may have to create, go again if they are empty.
	folders []string
}

// Same reports whether there is nothing to do.
func (c *Change) Same() bool {
	return (c.Before == nil) == (c.After == nil) && bytes.Equal(c.Before, c.After)
}

// Diff returns the change in the unified format; empty if there is none.
func (c *Change) Diff() string {
	if c.Same() {
		return ""
	}
	before, after := c.Path, c.Path
	if c.Before == nil {
		before = os.DevNull
	}
	if c.After == nil {
		after = os.DevNull
	}
	return string(diff.Diff(before, c.Before, after, c.After))
}

// next returns the text of a file after the change; nil if the file goes.
func (c *Change) next(f *atomicfile.File) ([]byte, error) {
	before, err := readBackup(f.Path)
	if err != nil {
		return nil, err
	}
	if !c.remove {
		text, err := applyAll(c.edits, f.Content)
		if err != nil {
			return nil, err
		}
		return removeAll(c.drop, text, before)
	}
	if !f.Exists {
		return nil, nil
	}
	// What setup would make of the file from before is what is there: nobody changed it since.
	if made, err := applyAll(c.edits, before); err == nil && bytes.Equal(made, f.Content) {
		return before, nil
	}
	out, err := removeAll(c.edits, f.Content, before)
	if err != nil {
		return nil, err
	}
	if before == nil && !bytes.Equal(out, f.Content) && isEmpty(out) {
		return nil, nil
	}
	return out, nil
}

// isEmpty reports whether a file that setup created holds nothing of anybody: the version of its
// format at most.
func isEmpty(text []byte) bool {
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	var v map[string]any
	if json.Unmarshal(text, &v) != nil {
		return false
	}
	delete(v, versionKey)
	return len(v) == 0
}

// removeAll removes edits from a text, the last one first.
func removeAll(edits []splice.Edit, text, before []byte) (out []byte, err error) {
	out = text
	for _, e := range slices.Backward(edits) {
		if out, err = e.Remove(out, before); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// applyAll applies edits to a text; the result is not nil.
func applyAll(edits []splice.Edit, text []byte) ([]byte, error) {
	out := append([]byte{}, text...)
	for _, e := range edits {
		var err error
		if out, err = e.Apply(out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readBackup returns the text of the backup of a file; nil if there is none.
func readBackup(path string) ([]byte, error) {
	b, err := os.ReadFile(path + backupSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && b == nil {
		b = []byte{}
	}
	return b, err
}

// tries is how often a change is made again after another program changed the file.
const tries = 3

// Write makes the change. It reads the file again, so that what was written meanwhile stays.
// An error leaves the file as it is.
func (c *Change) Write() error {
	for i := range tries {
		err := c.write()
		if err == nil {
			return nil
		}
		if !errors.Is(err, atomicfile.ErrChanged) || i == tries-1 {
			return fmt.Errorf("%s: %w", c.Path, err)
		}
	}
	return nil
}

func (c *Change) write() error {
	f, err := c.host.readFile(c.Path)
	if err != nil {
		return err
	}
	text, err := c.next(&f)
	if err != nil {
		return err
	}
	if c.remove {
		return c.takeBack(&f, text)
	}
	if f.Exists && bytes.Equal(text, f.Content) {
		return nil
	}
	if !c.has(f.Content) {
		if err := c.backUp(&f); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
	return replaceFile(&f, text)
}

// has reports whether a text has an entry that a setup wrote, in any scope. Then its backup is of
// the time before it; without a backup, setup created the file.
func (c *Change) has(text []byte) bool {
	return slices.ContainsFunc(slices.Concat(c.edits, c.drop, c.others), func(e splice.Edit) bool { return e.Has(text) })
}

// backUp keeps the file as it is beside it, over an older backup; one of a file that is gone
// is removed.
func (c *Change) backUp(f *atomicfile.File) error {
	path := f.Path + backupSuffix
	if !f.Exists {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	old, err := c.host.readFile(path)
	if err != nil {
		return err
	}
	old.Mode = f.Mode
	return replaceFile(&old, f.Content)
}

// takeBack replaces or removes the file, and then its backup and folders that are empty.
func (c *Change) takeBack(f *atomicfile.File, text []byte) error {
	switch {
	case !f.Exists:
		return nil
	case text == nil:
		if err := os.Remove(f.Path); err != nil {
			return err
		}
		_ = atomicfile.SyncDir(filepath.Dir(f.Path)) // the file is gone; a crash may bring it back
	case !bytes.Equal(text, f.Content):
		if err := replaceFile(f, text); err != nil {
			return err
		}
	}
	if text != nil && c.has(text) {
		return nil // another scope needs the backup
	}
	if err := os.Remove(f.Path + backupSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, dir := range c.folders {
		_ = os.Remove(dir) // refused if it is not empty, which is right
	}
	return nil
}

// Verb returns what happens to the file: create, edit or delete.
func (c *Change) Verb() string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "delete"
	default:
		return "edit"
	}
}
