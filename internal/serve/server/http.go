package server

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/doors/web"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// drainTimeout is how long the shutdown of an HTTP server waits for requests under way.
const drainTimeout = 10 * time.Second

// ServeHTTP serves the routes of the front ends until ctx ends. The store is one of this machine.
func ServeHTTP(ctx context.Context, o *Options, h *HTTP) error {
	if err := h.validate(o.Config.Store); err != nil {
		return err
	}
	tools, err := o.listed()
	if err != nil {
		return err
	}
	certs, err := h.TLS.source(o.Now, o.Log)
	if err != nil {
		return err
	}
	trees := o.trees("")
	stores, err := o.engines(trees, h)
	if err != nil {
		return err
	}
	f, err := newFrontEnds(o, h, tools, stores)
	if err != nil {
		return err
	}
	options, listener, err := listen(ctx, f, h)
	if err != nil {
		return errors.Join(err, stores.Shut(ctx), trees.Close())
	}
	certs.use(&options)
	if t, ok := stores.(*app.Tenants); ok {
		options.Quota = t.RequestLimit
		observeTenants(t, f.observer.Metrics)
	}
	hangups := notifyHangups() // before anybody knows of the server: a hangup ends a process that expects none
	defer signal.Stop(hangups)
	endCode := f.openCode()
	server := httpd.New(f.routes(stores.Engine), options)
	go f.openFirst(context.WithoutCancel(ctx), stores.Engine)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	f.announce(h, h.url(listener))
	certs.begin(ctx)
	endSchedules := h.schedule(ctx, o, stores)
	err = waitServed(ctx, served, hangups, func() { reload(f.tokens, &certs, o.Log) })
	endSchedules()
	if err == nil {
		drain(server, h.Drain)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	return errors.Join(err, server.Shutdown(closing), stores.Shut(closing), endCode(), trees.Close(), f.observer.Traces.Close(closing))
}

// newFrontEnds returns what the front ends of a server have in common, before the server listens.
func newFrontEnds(o *Options, h *HTTP, tools []string, stores engines) (f *frontEnds, err error) {
	f = &frontEnds{Options: o, listed: tools, tokens: o.tokens(stores), namespaces: o.namespaces(stores), sessions: web.NewSessions(o.Now)}
	f.sync = app.ServedRemotes(o.Config, &app.Options{Now: o.Now}, stores.Engine)
	if f.issuer, err = h.OAuth.verifier(o); err != nil {
		return nil, err
	}
	f.observer = &telemetry.Observer{Metrics: telemetry.NewMetrics(o.Version, o.Now)}
	f.observer.Traces, err = telemetry.NewTraces(o.Version, os.Getenv, o.Log)
	return f, err
}

// observeTenants adds the namespaces that are open to the metrics.
func observeTenants(t *app.Tenants, m *telemetry.Metrics) {
	t.Observe(m.Namespaces(func() (n telemetry.OpenNamespaces) {
		n.Open, n.Bytes, n.Evicted = t.Counts()
		return n
	}))
}

// announce says where a server is that answers.
func (f *frontEnds) announce(h *HTTP, url string) {
	f.Warn("serving " + f.Config.Store.String() + " on " + url)
	if h.Dashboard != nil {
		owner := httpd.Caller{Name: "you", Scope: hippo.Scope{Namespace: f.Config.Namespace, Rights: hippo.AllRights}}
		h.Dashboard(url + f.sessions.Link(owner))
	}
}

// openFirst opens the store before the first request, which reports a failure, and warns of tokens that reach nothing.
func (f *frontEnds) openFirst(ctx context.Context, open httpd.Opener) {
	e, err := open(ctx)
	if err != nil {
		return
	}
	if f.Config.Store.Database() {
		return // each namespace is a store, and that of a new token is empty
	}
	if list, err := f.tokens.List(); err == nil {
		for _, text := range StrayScopes(ctx, e, list) {
			f.Log.Warn(text)
		}
	}
}

func notifyHangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// schedule begins the scheduled work of a server, and returns what ends it.
func (h *HTTP) schedule(ctx context.Context, o *Options, stores engines) (end func()) {
	scheduled, cancel := context.WithCancel(ctx)
	store := o.Config.Store
	backups := h.Backups.repeat(scheduled, store, &app.Options{Now: o.Now, Log: o.Log})
	consolidations := h.Consolidations.repeat(scheduled, o, stores)
	return func() {
		cancel()
		<-backups
		<-consolidations
	}
}

// waitServed waits until a server has failed or ctx ends, and reloads at each hangup.
func waitServed(ctx context.Context, served <-chan error, hangups <-chan os.Signal, reload func()) error {
	for {
		select {
		case err := <-served:
			return err
		case <-ctx.Done():
			return nil
		case <-hangups:
			reload()
		}
	}
}

// drain announces the end of a server, and gives others the time d to notice; another signal cuts it short.
func drain(s *httpd.Server, d time.Duration) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM) // before a second one can follow what the server announces
	defer signal.Stop(again)
	s.Drain()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-again:
	}
}

// reload reads the tokens and certificates of a server again and logs the result. The server also reads them when they change.
func reload(tokens token.Book, certs *certificateSource, log *slog.Logger) {
	certs.reload()
	list, err := tokens.List()
	if err != nil {
		log.Error("tokens cannot be read", "error", err)
		return
	}
	log.Info("tokens and certificates are read again", "tokens", len(list))
}
