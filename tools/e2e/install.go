package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// packages has a folder for the clients, and one for each client that needs packages in its home. Each has a
// package.json and its lock file.
//
//go:embed npm
var packages embed.FS

// lockFile is the file with the version and the checksum of every package.
const lockFile = "package-lock.json"

// programs returns the folder of the programs in the folder of the clients.
func programs(folder string) string { return filepath.Join(folder, "clients", "node_modules", ".bin") }

// install brings a folder up to date with packages.
func install(ctx context.Context, folder string) error {
	groups, err := fs.ReadDir(packages, "npm")
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := installGroup(ctx, path.Join("npm", g.Name()), filepath.Join(folder, g.Name())); err != nil {
			return fmt.Errorf("install %s: %w", g.Name(), err)
		}
	}
	return nil
}

// installGroup installs the packages of a folder of packages, unless they are there.
func installGroup(ctx context.Context, from, folder string) error {
	want, err := packages.ReadFile(path.Join(from, lockFile))
	if err != nil {
		return err
	}
	done := filepath.Join(folder, "installed.json") // the lock file of what is there
	if got, err := os.ReadFile(done); err == nil && bytes.Equal(got, want) {
		return nil
	}
	manifest, err := packages.ReadFile(path.Join(from, "package.json"))
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
