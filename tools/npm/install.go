// Package npm installs packages from npm in the versions, and with the checksums, of a lock file.
package npm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// lockFile is the file with the version and the checksum of every package.
const lockFile = "package-lock.json"

// Install brings a folder up to date with packages: the folder dir of files has a package.json and its lock file. It
// does nothing if they are there.
func Install(ctx context.Context, files fs.FS, dir, folder string) error {
	want, err := fs.ReadFile(files, path.Join(dir, lockFile))
	if err != nil {
		return err
	}
	done := filepath.Join(folder, "installed.json") // the lock file of what is there
	if got, err := os.ReadFile(done); err == nil && bytes.Equal(got, want) {
		return nil
	}
	manifest, err := fs.ReadFile(files, path.Join(dir, "package.json"))
	err = errors.Join(
		err, os.RemoveAll(done), os.MkdirAll(folder, 0o700), os.WriteFile(filepath.Join(folder, "package.json"), manifest, 0o600),
		os.WriteFile(filepath.Join(folder, lockFile), want, 0o600),
	)
	if err != nil {
		return err
	}
	// Not npm ci: a lock file made where a registry lacks the programs of other systems does not list them.
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-fund", "--no-audit", "--loglevel=error")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return os.WriteFile(done, want, 0o600)
}
