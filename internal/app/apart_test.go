package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
)

// No output of a command goes into the store that it reads, by whatever name.
func TestApart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "m.db"), filepath.Join(dir, "d")
	in := func(name string) string { return filepath.Join(dir, name) }
	err := errors.Join(os.WriteFile(file, nil, 0o600), os.WriteFile(file+"-wal", nil, 0o600), os.Mkdir(folder, 0o700), os.Mkdir(in("e"), 0o700),
		os.Link(file, in("hard.db")), os.Link(file+"-wal", in("hard-wal")), os.Symlink("m.db", in("soft.db")), os.Symlink("m.db-shm", in("nowhere")), os.Symlink("d", in("soft")))
	if err != nil {
		t.Skipf("this system lets the test create no link: %v", err)
	}
	for _, tc := range []struct {
		kind, path string
		want       error
	}{
		{"sqlite", "m.db", hippo.ErrConflict},
		{"sqlite", "e/../m.db", hippo.ErrConflict},
		{"sqlite", "hard.db", hippo.ErrConflict},
		{"sqlite", "soft.db", hippo.ErrConflict},
		{"sqlite", "m.db-wal", hippo.ErrConflict},
		{"sqlite", "hard-wal", hippo.ErrConflict},
		{"sqlite", "m.db-shm", hippo.ErrConflict},
		{"sqlite", "nowhere", hippo.ErrConflict},
		{"shared", "m.db-owner", hippo.ErrConflict},
		{"shared", "m.db.index", hippo.ErrConflict},
		{"sqlite", "m.db.bak", nil},
		{"sqlite", "d/x.jsonl", nil},
		{"dir", "d/x.jsonl", hippo.ErrConflict},
		{"dir", "soft/history/x", hippo.ErrConflict},
		{"dir", "d/../d", hippo.ErrConflict},
		{"dir", "dx.jsonl", nil},
		{"dir", "..jsonl", nil},
	} {
		s := config.Store{Kind: tc.kind, Path: file}
		if tc.kind == "dir" {
			s.Path = folder
		}
		if err := app.Apart(s, dir+"/"+tc.path); !errors.Is(err, tc.want) {
			t.Errorf("%s, %s: got %v, want %v", tc.kind, tc.path, err, tc.want)
		}
	}
	if !app.Same(config.Store{Kind: "sqlite", Path: file}, config.Store{Kind: "shared", Path: in("soft.db")}) || app.Same(config.Store{Kind: "sqlite", Path: file}, config.Store{Kind: "dir", Path: folder}) {
		t.Error("two stores are taken for one, or one for two")
	}
}
