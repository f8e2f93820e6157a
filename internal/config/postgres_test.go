package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/config"
)

func TestParseStore_postgres(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]struct{ shown, url string }{
		"postgres://":                                 {"postgres://", "postgres://"},
		"postgres:///notes":                           {"postgres:///notes", "postgres:///notes"},
		"postgres://ann@db.example.org:5433/m":        {"postgres://ann@db.example.org:5433/m", "postgres://ann@db.example.org:5433/m"},
		"postgresql://ann:s%23cret@db/m":              {"postgres://ann@db/m", "postgres://ann:s%23cret@db/m"},
		"postgres://ann:secret@a,b/m?sslmode=require": {"postgres://ann@a,b/m?sslmode=require", "postgres://ann:secret@a,b/m?sslmode=require"},
		"postgres:///m?host=/run/postgresql":          {"postgres:///m?host=/run/postgresql", "postgres:///m?host=/run/postgresql"},
	} {
		s, err := config.ParseStore(url)
		if err != nil || !s.Database() || s.String() != want.shown || s.URL() != want.url {
			t.Errorf("%s: got %s and %s (%v), want %+v", url, s, s.URL(), err, want)
		}
		if shown := fmt.Sprintf("%v %+v %#v", s, s, s); strings.Contains(shown, "s#cret") || strings.Contains(shown, "secret@") {
			t.Errorf("%s: printed as %s", url, shown)
		}
	}
	for url, want := range map[string]string{
		"postgres:notes":                "postgres://USER@HOST:PORT/DATABASE",
		"postgres://ann:se#cret@db/m":   "postgres://USER@HOST:PORT/DATABASE",
		"postgres://db/m#secret":        "%23",
		"postgres://db/m?password=x":    ".pgpass",
		"postgres://ann:se cret@db/%zz": "postgres://USER@HOST:PORT/DATABASE",
	} {
		if _, err := config.ParseStore(url); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cret") {
			t.Errorf("%s: got %v, want an error with %q and no password", url, err, want)
		}
	}
}
