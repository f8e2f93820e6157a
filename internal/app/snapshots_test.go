package app_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

func TestParseSnapshots(t *testing.T) {
	t.Parallel()
	env := func(string) string { return "" }
	for text, want := range map[string]string{
		"":                              "",
		"off":                           "",
		"database":                      "",
		"/var/lib/hippo/indexes":        "/var/lib/hippo/indexes",
		"s3://notes/index?region=eu":    "notes",
		"s3://notes?endpoint=http://s3": "notes",
	} {
		s, err := app.ParseSnapshots(text, env, time.Now)
		if err != nil || (s.Place != nil) != (want != "") || s.InDatabase != (text == "database") {
			t.Errorf("%q: got %v (%v), want %q", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"ftp://host/path":                "s3://BUCKET",
		"s3://":                          "s3://BUCKET",
		"s3://key:secret@notes":          "AWS_SECRET_ACCESS_KEY",
		"s3://notes?regoin=eu":           `"regoin"`,
		"s3://notes?endpoint=not a host": "",
	} {
		if _, err := app.ParseSnapshots(text, env, time.Now); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

// TestSnapshots: a machine that has no index file takes that of another one.
func TestSnapshots(t *testing.T) {
	url, shared := pgtest.URL(t), t.TempDir()
	database := newMigrated(t, url)
	keep, err := app.ParseSnapshots(shared, func(string) string { return "" }, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	fetched := ""
	for range 2 {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache)
		e, err := app.Open(t.Context(), database.Config, &app.Options{Snapshots: keep, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		m := e.In(hippo.LocalScope(""))
		if fetched == "" {
			for range 250 {
				database.record(m, "a note about gateways "+time.Now().String())
			}
		}
		fetched = wantIndexed(t, m)
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		if files, _ := filepath.Glob(filepath.Join(shared, "*", "*.index")); len(files) == 0 {
			t.Fatal("no snapshot is kept")
		}
	}
	if fetched == "0" {
		t.Error("the second machine has built its index")
	}
}

// wantIndexed searches, and returns the revision of the file that the index was opened with.
func wantIndexed(t *testing.T, m *engine.Memories) string {
	t.Helper()
	saved := m.Index.Stats().Saved
	if err := m.Index.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := m.Index.Stats().Memories; got != 250 {
		t.Errorf("%d memories are indexed, want 250", got)
	}
	if saved == 0 {
		return "0"
	}
	return "kept"
}
