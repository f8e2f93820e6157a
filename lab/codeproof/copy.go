package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// copyTree copies the files of a tree into a new folder; keep decides by the base name of a folder or file.
func copyTree(from fs.FS, to string, keep func(base string) bool) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if !keep(path.Base(name)) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}
