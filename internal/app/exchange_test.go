package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/exchange"
)

// A server whose store cannot sync, or need not, says why, and opens nothing for it.
func TestServedRemotes_Unsupported(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://db.example.org/memory": "a store in a database needs no sync: other machines use the same database",
		"dir:" + t.TempDir():               "a directory store cannot be synced yet",
		"memory:":                          "a store in RAM cannot be synced",
	} {
		store, err := config.ParseStore(url)
		if err != nil {
			t.Fatal(err)
		}
		at := app.ServedRemotes(config.Config{Store: store}, &app.Options{}, func(context.Context) (*engine.Engine, error) {
			t.Errorf("%s: opened", url)
			return nil, errors.New("opened")
		})
		err = at.Use(t.Context(), func(*exchange.Remotes) error { return nil })
		if _, failed := at.Status(t.Context()); !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), want) || failed == nil || failed.Error() != err.Error() {
			t.Errorf("%s: %v, and the status %v", url, err, failed)
		}
	}
}
