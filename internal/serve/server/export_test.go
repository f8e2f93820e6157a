package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Routes returns the routes of all front ends for a store that has all namespaces.
func Routes(now func() time.Time, open httpd.Opener, tokens token.Book, issuer *oauth.Verifier) []httpd.Route {
	return RoutesWith(now, open, tokens, issuer, memory.NewNamespaceAdmin(open))
}

// RoutesWith returns the routes of all front ends.
func RoutesWith(now func() time.Time, open httpd.Opener, tokens token.Book, issuer *oauth.Verifier, namespaces memory.NamespaceAdmin) []httpd.Route {
	o := &Options{Config: config.Config{Store: config.Store{Kind: "memory"}}, Version: "v0", Now: now, Log: slog.New(slog.DiscardHandler)}
	f := &frontEnds{Options: o, tokens: tokens, issuer: issuer, namespaces: namespaces, observer: &telemetry.Observer{Metrics: telemetry.NewMetrics("v0", now)}}
	return f.routes(open)
}

// TokenAuthenticator authenticates by the file of the tokens and by an issuer.
func TokenAuthenticator(f token.Book, issuer *oauth.Verifier) httpd.Authenticator {
	return authenticator{bookOfTokens{f}, issuer}
}

// RunBackup writes a scheduled backup of a store to a folder, keeps the newest ones, and returns how long to wait for the
// next one.
func RunBackup(ctx context.Context, store config.Store, dir string, every time.Duration, keep int, now func() time.Time) (next time.Duration, err error) {
	b := &Backups{Every: every, Keep: keep, Dir: dir}
	err = b.run(ctx, store, dir, &app.Options{Now: now, Log: slog.New(slog.DiscardHandler)})
	return b.due(dir, now()), err
}

// BackupDue returns how long a server that starts waits for its first backup.
func BackupDue(dir string, every time.Duration, now time.Time) time.Duration {
	return (&Backups{Every: every}).due(dir, now)
}

// AttemptConsolidation calls run if a store is due by its leases, and returns how long to wait.
func AttemptConsolidation(ctx context.Context, rights driver.Leases, every time.Duration, now func() time.Time, run func(context.Context) error) (time.Duration, error) {
	s := schedule{rights, now}
	return s.attempt(ctx, every, run)
}

// ConsolidateAll consolidates every namespace of a store, as the schedule of a server does.
func ConsolidateAll(ctx context.Context, e *engine.Engine, h api.Horizon) error {
	return consolidateAll(ctx, e, hippo.LocalScope(""), h, slog.New(slog.DiscardHandler))
}

// NamespaceOf returns the namespace of the caller of a request.
func NamespaceOf(ctx context.Context) string { return (&Options{}).namespaceOf(ctx) }

// ShelfRoutes returns the routes of the folders by which machines sync, beside a store.
func ShelfRoutes(s config.Store, log *slog.Logger) []httpd.Route {
	f := &frontEnds{Options: &Options{Config: config.Config{Store: s}, Now: time.Now, Log: log}}
	return f.shelves()
}
