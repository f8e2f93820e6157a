package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/hippo-memory/hippo/tools/npm"
)

// packages has a folder for the clients, and one for each client that needs packages in its home. Each has a
// package.json and its lock file.
//
//go:embed npm
var packages embed.FS

// programs returns the folder of the programs in the folder of the clients.
func programs(folder string) string { return filepath.Join(folder, "clients", "node_modules", ".bin") }

// install brings a folder up to date with packages.
func install(ctx context.Context, folder string) error {
	groups, err := fs.ReadDir(packages, "npm")
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := npm.Install(ctx, packages, path.Join("npm", g.Name()), filepath.Join(folder, g.Name())); err != nil {
			return fmt.Errorf("install %s: %w", g.Name(), err)
		}
	}
	return nil
}
