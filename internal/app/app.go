// Package app wires the parts of the program. It is the only place that knows
// every back end; what it returns is ready to use.
package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/power"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/filelease"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sharedstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// Options are the settings that do not come from the user; the zero value and nil are useful.
type Options struct {
	// Now is the clock; nil means the system's. Zone decides where a day begins.
	Now  func() time.Time
	Zone *time.Location
	Log  *slog.Logger
	// IndexWait is [engine.Config.IndexWait]. With one, the many new rows of another program's file are awaited no more
	// than the index; see [sharedstore.Options].
	IndexWait time.Duration
	// Brief is that of [engine.Background].
	Brief bool
	// ReadOnly: the file of the index is not written, see [index.Options].
	ReadOnly bool
	// CodeModel is the setting of the model, for code indexes: [config.Static] and [config.NoModel] leave the encoder out, which
	// works in the background.
	CodeModel config.Model
	// Client is the HTTP client for model endpoints; nil means one like [http.DefaultClient].
	Client *http.Client
	// Verbs are those of packages above the engine that processes which share the store may call.
	Verbs []engine.Verb
	// Repositories is [engine.Config.Repositories].
	Repositories project.Cache
	// Snapshots is where the index files of a database are kept for other machines.
	Snapshots Snapshots
	// Token is that for a server, instead of $HIPPO_TOKEN and the login of the user.
	Token secret.Value
}

// Open opens the store of c, its index and its models; of a store on a server it opens nothing, and returns an engine
// whose verbs the server carries out. The caller closes the engine.
func Open(ctx context.Context, c config.Config, o *Options) (*engine.Engine, error) {
	if o == nil {
		o = &Options{}
	}
	if c.Store.Remote() {
		r, err := connect(c.Store, o)
		if err != nil {
			return nil, err
		}
		return remoteEngine(r, &c, o), nil
	}
	if c.Store.Database() {
		return openNamespace(ctx, &c, o)
	}
	backend, path, err := openBackend(ctx, c.Store, o)
	if err != nil {
		return nil, err
	}
	s := store.New(backend, &store.Options{Now: o.Now, Zone: o.Zone, Retention: c.History})
	m, err := selectModels(ctx, c.Model, s, o.Client)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	e, err := assemble(ctx, s, path, &m, &c, o)
	if err != nil {
		return nil, errors.Join(err, m.close(), s.Close())
	}
	return e, nil
}

// assemble returns the engine of a store, with its index and its models.
func assemble(ctx context.Context, s *store.Store, path string, m *selection, c *config.Config, o *Options) (*engine.Engine, error) {
	scoring, err := surpriseOf(&c.Surprise, o)
	if err != nil {
		return nil, err
	}
	x, err := openIndex(ctx, s, path, m, o)
	if err != nil {
		return nil, err
	}
	e := engine.New(engine.Config{
		Store: s, Index: x, Ranker: c.Ranker, Models: m.models, Tokens: m.reranker, Degraded: m.degraded,
		IndexWait: o.IndexWait, Background: engine.Background{OnBattery: power.OnBattery, Brief: o.Brief, Shared: m.shared}, Repositories: o.Repositories, Now: o.Now, Log: o.Log,
	})
	e.Score(scoring, o.Log)
	return e, nil
}

func openIndex(ctx context.Context, s *store.Store, path string, m *selection, o *Options) (*index.Index, error) {
	indexed, instant := embedding.Indexed(m.models)
	x := &index.Options{Path: path, Tokens: m.table, Models: indexed, Instant: instant, Stored: embedding.Stored(s, m.models), ReadOnly: o.ReadOnly, Log: o.Log}
	if place := o.Snapshots.Place; place != nil {
		x.Sharing = &index.Sharing{Snapshots: place, Leases: s.Leases()}
	}
	return index.Open(ctx, s, x)
}

// openBackend returns the back end and the path of its index file; empty if it has none.
func openBackend(ctx context.Context, s config.Store, o *Options) (driver.Backend, string, error) {
	switch s.Kind {
	case "memory":
		return Memory(), "", nil
	case "dir":
		b, err := dirstore.Open(ctx, s.Path, &dirstore.Options{Now: o.Now, Log: o.Log})
		if err != nil {
			return nil, "", err
		}
		return b, b.IndexPath(), nil
	case "sqlite":
		b, err := sqlitestore.Open(ctx, s.Path, &sqlitestore.Options{Log: o.Log})
		if err != nil {
			return nil, "", err
		}
		return b, filepath.Clean(s.Path) + ".index", nil
	case "shared":
		b, err := sharedstore.Open(ctx, s.Path, &sharedstore.Options{Now: o.Now, Gradual: o.IndexWait > 0, Log: o.Log})
		if err != nil {
			return nil, "", err
		}
		return b, filepath.Clean(s.Path) + ".index", nil
	case "postgres":
		return nil, "", InFiles(s)
	case "http", "https":
		return nil, "", fmt.Errorf("%w, %s: do this there", engine.ErrAway, s)
	default:
		return nil, "", fmt.Errorf("%w: a store of kind %q", hippo.ErrUnsupported, s.Kind)
	}
}

// Leases returns the rights of a store that one process has at a time. Where another process answers for the store, they are
// those of its files, or, of a store on another machine, rights of the processes of this one.
func Leases(s config.Store, e *engine.Engine, now func() time.Time) driver.Leases {
	switch {
	case e.Store != nil:
		return e.Store.Leases()
	case s.Kind == "dir":
		return dirstore.Leases(s.Path, now)
	case s.Remote():
		sum := sha256.Sum256([]byte(s.String()))
		return filelease.New(filepath.Join(config.StateDir(os.Getenv), hex.EncodeToString(sum[:12])+"."), now)
	default:
		return filelease.New(filepath.Clean(s.Path)+".", now)
	}
}

// Exists reports whether there is a store where s says, so that opening it makes none. A store that is not in files always exists.
func Exists(s config.Store) bool {
	switch {
	case !s.Files():
		return true
	case s.Kind == "dir":
		return dirstore.Holds(s.Path)
	default:
		_, err := os.Stat(s.Path)
		return !errors.Is(err, os.ErrNotExist)
	}
}

// Memory returns an empty back end in RAM, for evaluations.
func Memory() driver.Backend { return memstore.New(nil) }
