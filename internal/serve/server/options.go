// Package server serves memories: all front ends over HTTP on one listener, with certificates, tokens, and scheduled backups
// and consolidations; or MCP over stdin and stdout. For the person who runs it, it manages the tokens, lists the tools and runs programs.
// Errors name options by the flags of hippo serve.
package server

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// Options are what every server needs.
type Options struct {
	// Config names the store, its model and its namespace.
	Config       config.Config
	Repositories project.Cache
	// Tools are the systems whose tools are listed, with commas, see [ToolSystems]; empty: the default.
	Tools   string
	Version string // of the program
	Now     func() time.Time
	Log     *slog.Logger
	// Warn shows a line to the person who started the server.
	Warn func(text string)
}

// HTTP are the options of a server over HTTP.
type HTTP struct {
	Address string
	// Hosts are further host names of the server, beside its addresses and the name of the machine.
	Hosts []string
	// Insecure accepts other machines without TLS.
	Insecure bool
	// Drain is how long the server reports that it is not ready before it stops accepting requests.
	Drain time.Duration
	// IndexMemory bounds the memory of the indexes that are open, in bytes, where each namespace has its own; 0 means
	// [DefaultIndexMemory].
	IndexMemory int64
	// Snapshots is where index files of a database are kept for other machines, see [app.ParseSnapshots]; empty: in it.
	Snapshots      string
	TLS            Certificates
	Backups        Backups
	Consolidations Consolidations
	OAuth          OAuth
	// Dashboard is called with a link to the dashboard, which works once, when the server answers; nil: there is no link.
	Dashboard func(link string)
}

// DefaultIndexMemory is that of [HTTP.IndexMemory] in the command, and minIndexMemory the least that serves.
const DefaultIndexMemory, minIndexMemory = 512 << 20, 16 << 20

func size(n int64) string { return humanize.IBytes(uint64(max(0, n))) }

// maxDrain is the longest time that a server waits for others to notice its end.
const maxDrain = 30 * time.Second

func (h *HTTP) validate(store config.Store) error {
	if h.Drain < 0 || h.Drain > maxDrain {
		return optionf("--http-drain must be between 0 and %v, got %v", maxDrain, h.Drain)
	}
	if h.IndexMemory != 0 && h.IndexMemory < minIndexMemory {
		return optionf("--index-memory must be at least %s, got %s", size(minIndexMemory), size(h.IndexMemory))
	}
	if h.Snapshots != "" && h.Snapshots != app.SnapshotsInDatabase && !store.Database() {
		return optionf("--snapshots is for a store in a database: index files of other stores stay beside them")
	}
	if err := h.Backups.validate(store); err != nil {
		return err
	}
	return h.Consolidations.validate()
}

// optionError is what is wrong with the options. Unlike a [hippo.FieldError], it may be about several.
type optionError struct{ text string }

func (e *optionError) Error() string { return e.text }

// Unwrap makes it a [hippo.ErrInvalid].
func (*optionError) Unwrap() error { return hippo.ErrInvalid }

func optionf(format string, args ...any) error { return &optionError{fmt.Sprintf(format, args...)} }

// indexWait is how long a search waits for an index that is being rebuilt before it searches
// the part that is complete.
const indexWait = 2 * time.Second

// engines gives the engine that answers a call.
type engines interface {
	Engine(ctx context.Context) (*engine.Engine, error)
	Shut(ctx context.Context) error
}

// engines returns how a server reaches its store: in a database each namespace is a store of its own.
func (o *Options) engines(trees *app.Code, h *HTTP) (engines, error) {
	if !o.Config.Store.Database() {
		return o.share(trees, app.SharingOptions{Own: true}), nil
	}
	stored := o.stored(trees)
	var err error
	if stored.Snapshots, err = app.ParseSnapshots(cmp.Or(h.Snapshots, app.SnapshotsInDatabase), os.Getenv, o.Now); err != nil {
		return nil, err
	}
	return app.NewTenants(o.Config, stored, o.namespaceOf, cmp.Or(h.IndexMemory, DefaultIndexMemory)), nil
}

// tokens returns the tokens of a server: those of its database, or else of this machine.
func (o *Options) tokens(stores engines) token.Book {
	if t, ok := stores.(*app.Tenants); ok {
		return t.Tokens()
	}
	return token.NewFile(config.TokensPath(os.Getenv), o.Now)
}

// namespaces returns what manages those of the store of a server.
func (o *Options) namespaces(stores engines) memory.NamespaceAdmin {
	if t, ok := stores.(*app.Tenants); ok {
		return t.Admin()
	}
	return memory.NewNamespaceAdmin(stores.Engine)
}

// namespaceOf returns the namespace of the caller of a request; without one, that of the server.
func (o *Options) namespaceOf(ctx context.Context) string {
	if c := httpd.CallerOf(ctx); c.Scope.Rights != 0 {
		return c.Scope.Namespace
	}
	return o.Config.Namespace
}

// share returns how a server reaches its store: this process answers others of the machine.
func (o *Options) share(trees *app.Code, so app.SharingOptions) *app.Sharing {
	so.Listens = true
	return app.NewSharing(o.Config, o.stored(trees), so)
}

// stored are the options of the stores of a server.
func (o *Options) stored(trees *app.Code) *app.Options {
	return &app.Options{Repositories: o.Repositories, IndexWait: indexWait, Now: o.Now, Log: o.Log, Verbs: sharedVerbs(trees)}
}

// trees returns the source trees of this machine; those of a folder first, if it is not empty.
func (o *Options) trees(folder string) *app.Code {
	return app.NewCode(folder, &app.Options{Now: o.Now, Log: o.Log, CodeModel: o.Config.Model})
}

// sharedVerbs are the verbs above the engine that other processes of the machine may call. Their programs see the trees of code as
// they are: who asks for one in an editor keeps it up to date.
func sharedVerbs(code *app.Code) []engine.Verb {
	return []engine.Verb{script.New(nil).Verb(func(dir string) sources.Trees { return app.UnwatchedCode{Code: code, Folder: dir} })}
}
