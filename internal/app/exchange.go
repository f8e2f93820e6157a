package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// Remotes are the remotes of a store, which is closed with them.
type Remotes struct {
	*exchange.Remotes
	store *store.Store
}

// Close closes the store, and then lets other processes have the remotes.
func (x *Remotes) Close() error { return errors.Join(x.store.Close(), x.Remotes.Close()) }

// OpenRemotes opens the remotes of a store. Other processes may use the store meanwhile, and follow what is joined. The caller closes them.
func OpenRemotes(ctx context.Context, c config.Config, o *Options) (*Remotes, error) {
	if err := syncs(&c); err != nil {
		return nil, err
	}
	backend, _, err := openBackend(ctx, c.Store, o)
	if err != nil {
		return nil, err
	}
	s := store.New(backend, &store.Options{Now: o.Now, Zone: o.Zone, Retention: c.History})
	x, err := exchange.Open(ctx, s, exchangeOptions(c.Store, o))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Remotes{x, s}, nil
}

// ServedRemotes returns how the callers of a server reach the remotes of its store.
func ServedRemotes(c config.Config, o *Options, open func(context.Context) (*engine.Engine, error)) *exchange.Served {
	a := &exchange.Served{Options: exchangeOptions(c.Store, o), Why: syncs(&c)}
	a.Store = func(ctx context.Context) (*store.Store, error) {
		e, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return e.Store, nil
	}
	a.Changed = func() {
		if e, err := open(context.Background()); err == nil {
			e.Embedding.Wake()
		}
	}
	return a
}

// KnownRemotes returns what was seen of the remotes of a store when they were used last; none if it does not sync.
func KnownRemotes(c config.Config) ([]exchange.RemoteStatus, error) {
	if syncs(&c) != nil {
		return nil, nil
	}
	return exchange.Known(exchangeFolder(c.Store))
}

// LastSync returns when a process last began to sync a store; ok is false if it has no remotes.
func LastSync(c config.Config) (at time.Time, ok bool) {
	if syncs(&c) != nil {
		return time.Time{}, false
	}
	return exchange.LastUse(exchangeFolder(c.Store))
}

func exchangeOptions(s config.Store, o *Options) exchange.Options {
	now := o.Now
	if now == nil {
		now = time.Now //nolint:forbidigo // the default clock
	}
	return exchange.Options{Dir: exchangeFolder(s), Now: now, Screen: memory.ScreenedImport, OpenCopy: o.openCopy, Access: exchange.Access{
		Env: os.Getenv,
		SSH: strings.Fields(os.Getenv(sshVariable)),
		Token: func(s config.Store) (secret.Value, error) {
			token, _, err := tokenFor(s, o.Token)
			return token, err
		},
	}}
}

// exchangeFolder is the folder for the keys and states of the remotes of a store.
func exchangeFolder(s config.Store) string { return filepath.Clean(s.Path) + ".sync" }

// syncing begins to sync the store of an open engine by itself; nil: it never does.
func syncing(c *config.Config, o *Options, e *engine.Engine) *exchange.Background {
	if c.SyncEvery <= 0 || syncs(c) != nil {
		return nil
	}
	options := exchangeOptions(c.Store, o)
	options.Changed = e.Embedding.Wake
	return exchange.Begin(e.Store, exchange.BackgroundOptions{Options: options, Every: c.SyncEvery, Log: o.Log})
}

// OpenShelf returns the folder in which a server keeps what the machines of a namespace sync by, beside its store. It is made if it is missing.
func OpenShelf(s config.Store, namespace string) (*folder.Dir, error) {
	if s.Kind != "sqlite" && s.Kind != "dir" {
		return nil, fmt.Errorf("%w: this server has no folder for what machines sync by, because its store is not a file of its own", hippo.ErrUnsupported)
	}
	path := filepath.Clean(s.Path) + ".shelf"
	if namespace != "" {
		sum := sha256.Sum256([]byte(namespace))
		path = filepath.Join(path, "namespaces", hex.EncodeToString(sum[:16]))
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return folder.OpenDir(path)
}

// sshVariable is the environment variable of the command that connects to another machine.
const sshVariable = "HIPPO_SSH_COMMAND"

// ServeShelf serves a folder to a machine that syncs by it over stdin and stdout, until the input ends. Only is the path of the only folder
// that is served; empty: the other machine chooses one.
func ServeShelf(ctx context.Context, only string, in io.Reader, out io.Writer) (err error) {
	expand := func(path string) (string, error) { return config.Expand("PATH", path) }
	if only != "" {
		if only, err = expand(only); err != nil {
			return err
		}
	}
	return (&far.Stdio{Only: only, Default: config.ShelfPath(os.Getenv), Expand: expand, Now: time.Now}).Serve(ctx, in, out) //nolint:forbidigo // the clock of deadlines
}

// CarrierOf reads the first argument of a command as a carrier; there may be none.
func CarrierOf(args []string) (exchange.Carrier, error) {
	if len(args) == 0 {
		return "", nil
	}
	return exchange.ParseCarrier(args[0])
}

// NewCarrier is [CarrierOf] for a command that needs one.
func NewCarrier(args []string) (exchange.Carrier, error) {
	return exchange.ParseCarrier(append(args, "")[0])
}

// syncs says why a store cannot be one of several.
func syncs(c *config.Config) error {
	why := ""
	switch {
	case c.Namespace != "":
		why = "memories of a namespace are not synced: leave out --namespace"
	case c.Store.Kind == "sqlite":
		return nil
	case c.Store.Remote():
		why = "the store is on a server, " + c.Store.String() + ": other machines can use it there, with --store; to sync it, run this on the server"
	case c.Store.Database():
		why = "a store in a database needs no sync: other machines use the same database, with --store"
	case c.Store.Kind == "dir":
		why = "a directory store cannot be synced yet: keep it in Git, which merges it after hippo merge-file --setup, or move it to a file with hippo migrate"
	case c.Store.Kind == "shared":
		why = "the file of another program cannot be synced: copy its memories to a store of Hippo with hippo migrate"
	default:
		why = "a store in RAM cannot be synced"
	}
	return fmt.Errorf("%w: %s", hippo.ErrUnsupported, why)
}

// Shown ends the beginning of a vault, whose recovery key was shown.
func Shown(x *Remotes, c exchange.Carrier) error { return exchange.Shown(x.Remotes, c) }
