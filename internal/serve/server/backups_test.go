package server_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/server"
)

// TestBackupSchedule: the newest backups are kept, other files are left alone, and a restart waits for the rest of the
// interval.
func TestBackupSchedule(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "backups")
	store := config.Store{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "memory.db")}
	now := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	if got := server.BackupDue(dir, time.Hour, now); got != 0 {
		t.Errorf("without a backup it waits %v", got)
	}
	for i := range 4 {
		next, err := server.RunBackup(t.Context(), store, dir, time.Hour, 2, clock)
		if err != nil || next != time.Hour {
			t.Fatalf("backup %d: next in %v (%v)", i+1, next, err)
		}
		if i == 0 {
			for _, name := range []string{"mine.db", "hippo-20200101T000000Z.db.old"} {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		now = now.Add(time.Hour)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	want := []string{"hippo-20200101T000000Z.db.old", "hippo-20261123T120000Z.db", "hippo-20261123T130000Z.db", "mine.db"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, tc := range []struct{ since, want time.Duration }{
		{20 * time.Minute, 40 * time.Minute}, {2 * time.Hour, 0}, {-48 * time.Hour, time.Hour}, // a clock that went back
	} {
		if got := server.BackupDue(dir, time.Hour, time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC).Add(tc.since)); got != tc.want {
			t.Errorf("%v after the last one: %v, want %v", tc.since, got, tc.want)
		}
	}
}
