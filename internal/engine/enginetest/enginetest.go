// Package enginetest opens engines for tests: on a store in RAM, with a clock that stands still, without models, unless a test says otherwise.
package enginetest

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// T is what tests, benchmarks and checks of rapid have in common.
type T interface {
	Helper()
	Error(args ...any)
	Fatal(args ...any)
	Cleanup(fn func())
	Context() context.Context
}

// Options are those of an engine. The zero value is ready.
type Options struct {
	// Config is that of the engine; Store and Index are set by [New]. Now is [Noon] unless it is given.
	engine.Config
	// Backend is the store; nil: a new one in RAM.
	Backend driver.Backend
	// Zone is that of the active days; nil: UTC.
	Zone *time.Location
	// Path is that of the file of the index; empty: none.
	Path string
	// Retention is that of former versions; nil: the default.
	Retention *hippo.Retention
}

// Noon is the time on a clock that stands still: a Sunday.
func Noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// New returns an engine that the caller closes.
func New(t T, o *Options) *engine.Engine {
	t.Helper()
	if o.Backend == nil {
		o.Backend = memstore.New(nil)
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.Now == nil {
		o.Now = Noon
	}
	o.Store = store.New(o.Backend, &store.Options{Now: o.Now, Zone: o.Zone, Retention: o.Retention})
	x := &index.Options{Path: o.Path, Tokens: o.Tokens}
	x.Models, x.Instant = embedding.Indexed(o.Models)
	x.Stored = embedding.Stored(o.Store, o.Models)
	var err error
	if o.Index, err = index.Open(t.Context(), o.Store, x); err != nil {
		t.Fatal(err)
	}
	return engine.New(o.Config)
}

// Open returns an engine that is closed at the end of the test.
func Open(t T, o Options) *engine.Engine {
	t.Helper()
	e := New(t, &o)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
