package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/oauth"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

// httpOptions are the flags of serve that are about HTTP.
type httpOptions struct {
	addr     string
	hosts    []string
	insecure bool
	drain    time.Duration
	tls      certificateOptions
	backup   backupPlan
	tidy     consolidationPlan
	oauth    oauthOptions
}

// add adds the flags.
func (o *httpOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.addr, "http", "", "serve HTTP on this address, such as :8420 (this machine only) or 0.0.0.0:8420")
	o.tls.add(f)
	f.StringSliceVar(&o.hosts, "http-host", nil, "a further host name of the server, beside its addresses and the name of this machine; may be repeated")
	f.BoolVar(&o.insecure, "insecure-http", false, "accept other machines without TLS, for use behind a TLS proxy")
	f.DurationVar(&o.drain, "http-drain", 0, "how long /readyz reports not ready before the server stops accepting requests, such as 5s; at most 30s")
	o.backup.add(f)
	o.tidy.add(f)
	o.oauth.add(f)
}

// validate refuses flags that count only with --http.
func (o *httpOptions) validate(f *pflag.FlagSet) error {
	if o.addr != "" {
		if o.drain < 0 || o.drain > maxDrain {
			return usagef("--http-drain must be between 0 and %v, got %v", maxDrain, o.drain)
		}
		return nil
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&httpOptions{}).add(own)
	var err error
	own.VisitAll(func(x *pflag.Flag) {
		if err == nil && x.Name != "http" && f.Changed(x.Name) {
			err = usagef("--%s is for HTTP: also give --http", x.Name)
		}
	})
	return err
}

// maxDrain is the longest time that a server waits for others to notice its end.
const maxDrain = 30 * time.Second

// drainTimeout is how long the shutdown of an HTTP server waits for requests under way.
const drainTimeout = 10 * time.Second

// localToken is the name of the token that is created if there is none.
const localToken = "local"

// serveHTTP serves the routes of the front ends until ctx ends. Started, if not nil, is called with the address when the
// server answers.
func serveHTTP(ctx context.Context, s *shell, o *httpOptions, f *httpFront, started func(url string)) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if err := ownStore(cfg.Store, "serves a store of this machine"); err != nil {
		return err
	}
	if err := cmp.Or(o.backup.validate(cfg.Store), o.tidy.validate()); err != nil {
		return err
	}
	log := s.logger(cfg)
	certs, err := o.tls.source(s, log)
	if err != nil {
		return err
	}
	f.store, f.kind, f.log = cfg.Store.String(), cfg.Store.Kind, log
	server, listener, err := prepareHTTP(ctx, s, o, f)
	if err != nil {
		return err
	}
	certs.use(&server)
	hangups := notifyHangups() // before anybody knows of the server: a hangup ends a process that expects none
	defer signal.Stop(hangups)
	trees := app.NewCode("", &app.Options{Now: s.now, Log: log, CodeModel: cfg.Model})
	sharing := app.NewSharing(cfg, &app.Options{Repositories: projects(), IndexWait: indexWait, Now: s.now, Log: log, Verbs: sharedVerbs(trees)}, app.SharingOptions{Listens: true, Own: true})
	endCode := f.openCode(s, &cfg)
	web := httpd.New(httpRoutes(s, sharing.Engine, f), server)
	go openFirst(context.WithoutCancel(ctx), s, sharing.Engine, log)
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	url := address(listener, o)
	s.warn("serving %s on %s", f.store, url)
	if started != nil {
		started(url)
	}
	certs.begin(ctx)
	endSchedules := o.schedule(ctx, s, cfg, sharing.Engine)
	err = waitServed(ctx, served, hangups, func() { reload(s, &certs, log) })
	endSchedules()
	if err == nil {
		drain(web, o.drain)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	return errors.Join(err, web.Shutdown(closing), sharing.Shut(closing), endCode(), trees.Close(), f.observer.Traces.Close(closing))
}

// openFirst opens the store before the first request, which reports a failure, and warns of tokens that reach nothing.
func openFirst(ctx context.Context, s *shell, open httpd.Opener, log *slog.Logger) {
	e, err := open(ctx)
	if err != nil {
		return
	}
	if list, err := tokensOf(s).List(); err == nil {
		for _, text := range strayScopes(ctx, e, list) {
			log.Warn(text)
		}
	}
}

func notifyHangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// schedule begins the scheduled work of a server, and returns what ends it.
func (o *httpOptions) schedule(ctx context.Context, s *shell, cfg config.Config, open httpd.Opener) (end func()) {
	log := s.logger(cfg)
	scheduled, cancel := context.WithCancel(ctx)
	backups := o.backup.repeat(scheduled, cfg.Store, &app.Options{Now: s.now, Log: log})
	tidied := o.tidy.repeat(scheduled, newLease(cfg.Store.String(), s.now), s.scope(cfg), open, log)
	return func() {
		cancel()
		<-backups
		<-tidied
	}
}

// prepareHTTP returns the options of a server and its listener, and sets what the front ends need of them.
func prepareHTTP(ctx context.Context, s *shell, o *httpOptions, f *httpFront) (httpd.Options, net.Listener, error) {
	var err error
	if f.issuer, err = o.oauth.verifier(s, f.log); err != nil {
		return httpd.Options{}, nil, err
	}
	f.observer = &telemetry.Observer{Metrics: telemetry.NewMetrics(version().Version, s.now)}
	if f.observer.Traces, err = telemetry.NewTraces(version().Version, os.Getenv, f.log); err != nil {
		return httpd.Options{}, nil, err
	}
	out, l, err := listen(ctx, s, o, f.issuer, f.log)
	out.Observer = f.observer
	return out, l, err
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
func drain(web *httpd.Server, d time.Duration) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM) // before a second one can follow what the server announces
	defer signal.Stop(again)
	web.Drain()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-again:
	}
}

// reload reads the files of a server again, and says what it found. They are read when they change, too.
func reload(s *shell, certs *certificates, log *slog.Logger) {
	certs.reload()
	list, err := tokensOf(s).List()
	if err != nil {
		log.Error("tokens cannot be read", "error", err)
		return
	}
	log.Info("tokens and certificates are read again", "tokens", len(list))
}

// address returns the URL of a server.
func address(l net.Listener, o *httpOptions) string {
	if o.tls.given() {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// listen checks that it is safe to listen, and does.
func listen(ctx context.Context, s *shell, o *httpOptions, issuer *oauth.Verifier, log *slog.Logger) (httpd.Options, net.Listener, error) {
	out := httpd.Options{Tokens: newAuthenticator(tokensOf(s), issuer), Hosts: o.hosts, Now: s.now, Log: log}
	if issuer != nil {
		out.Metadata, out.Hosts = issuer.MetadataURL(), append(slices.Clone(o.hosts), issuer.Host())
	}
	addr, local, err := listenAddress(o.addr)
	if err != nil {
		return out, nil, err
	}
	if !local && !o.insecure && !o.tls.given() {
		return out, nil, usagef("--http %s is reached from other machines, and without TLS anyone on the way reads the tokens: give --tls-cert and --tls-key, --acme-domain, "+
			"or --insecure-http if a proxy before it has TLS", o.addr)
	}
	if issuer == nil {
		if err := someToken(ctx, s, local); err != nil {
			return out, nil, err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return out, nil, fmt.Errorf("%w: --http: %w", hippo.ErrUnavailable, err)
	}
	return out, l, nil
}

// listenAddress returns the address to listen on, and whether only this machine reaches it. One without a host is of
// this machine.
func listenAddress(addr string) (full string, local bool, err error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false, usagef("--http must be an address with a port, such as 127.0.0.1:8420 or :8420, got %q", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return "", false, usagef("the port of --http must be a number between 0 and 65535, got %q", port)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	local = host == "localhost" || err == nil && ip.IsLoopback()
	return net.JoinHostPort(host, port), local, nil
}

// someToken ensures that there is a token: without one nobody could use the server. For other machines the user
// creates it.
func someToken(ctx context.Context, s *shell, local bool) error {
	list, err := tokensOf(s).List()
	if err != nil || len(list) > 0 {
		return err
	}
	if !local {
		return usagef("there is no token, so that nobody may use the server: hippo token create NAME")
	}
	text, err := tokensOf(s).Create(ctx, token.Token{Name: localToken, Right: token.Admin})
	if errors.Is(err, hippo.ErrConflict) {
		return nil // another server was faster
	}
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(config.TokensPath(os.Getenv)), "token")
	if err := atomicfile.Write(path, []byte(text+"\n")); err != nil {
		return err
	}
	s.warn("created the token %q, which allows everything; its text is in %s", localToken, path)
	return nil
}
