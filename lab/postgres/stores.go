package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/database"
)

// pair is the same in SQLite and in Postgres.
type pair[T any] [2]T

// sqlite returns the configuration of a file.
func (b *bench) sqlite(name string) config.Config {
	return config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(b.dir, name+".db")}, Model: config.Model{Name: b.model}}
}

// postgres returns the configuration of the database.
func (b *bench) postgres(namespace string) (config.Config, error) {
	s, err := config.ParseStore(b.url)
	return config.Config{Store: s, Namespace: namespace, Model: config.Model{Name: b.model}}, err
}

// pool returns the namespaces of the database, within a bound of MB; 0: none.
func (b *bench) pool(megabytes int) (*app.Tenants, error) {
	c, err := b.postgres("")
	return app.NewTenants(c, &app.Options{Log: slog.New(slog.DiscardHandler)}, nil, int64(megabytes)<<20), err
}

// open opens a namespace in both.
func (b *bench) open(ctx context.Context, name string) (p pair[*engine.Memories], err error) {
	server, err := b.postgres(name)
	if err != nil {
		return p, err
	}
	for i, c := range []config.Config{b.sqlite(name), server} {
		e, err := app.Open(ctx, c, nil)
		if err != nil {
			return p, err
		}
		p[i] = database.In(e, name)
	}
	return p, nil
}

// fill imports n memories of about 400 bytes, and embeds them.
func (b *bench) fill(ctx context.Context, m *engine.Memories, seed uint64, n int) error {
	w := corpus.New(seed, b.words)
	entries := func(yield func(*hippo.Memory, error) bool) {
		for i := range n {
			x := &hippo.Memory{
				ID: hippo.ID{1, byte(i >> 16), byte(i >> 8), byte(i), 15: byte(seed)}, Content: w.Text(60), Namespace: m.Scope.Namespace, Trust: hippo.TrustNormal,
				Importance: hippo.Importance{Base: .5, Value: .5}, CreatedAt: time.Now().Add(-time.Duration(n-i) * time.Minute),
			}
			if !yield(x, nil) {
				return
			}
		}
	}
	r, err := transfer.New(m).Import(ctx, hippo.Calendar{}, entries, nil)
	if err == nil && r.Added != n {
		err = fmt.Errorf("imported %d of %d", r.Added, n)
	}
	if err == nil && b.model == config.Builtin {
		err = m.Embed(ctx, func(int, int) {})
	}
	return err
}

// times are how long something took, each time.
type times []time.Duration

// at returns a quantile.
func (t times) at(q float64) time.Duration {
	slices.Sort(t)
	return t[min(len(t)-1, int(q*float64(len(t))))]
}

// compare prints quantiles of both.
func compare(what string, p pair[times], must string) {
	for _, q := range []float64{.5, .1} {
		a, b := p[0].at(q), p[1].at(q)
		row(fmt.Sprintf("%s, p%.0f", what, 100*q), millis(a), millis(b), fmt.Sprintf("%.2f", float64(b)/float64(a)), must)
	}
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
