package cli

import (
	"github.com/hippo-memory/hippo/internal/app"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/server"
)

func newServeCommand(s *shell) *cobra.Command {
	var verbose bool
	var tools string
	var h server.HTTP
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve memories over MCP on stdin and stdout, or over HTTP",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if verbose {
				if err := s.root.PersistentFlags().Set("log", "debug"); err != nil {
					return err
				}
			}
			if h.Address != "" {
				return serveHTTP(c, s, &h, tools)
			}
			if err := refuseHTTPFlags(c.Flags()); err != nil {
				return err
			}
			return serveStdio(c, s, tools)
		},
	}
	c.Flags().StringVar(&tools, "tools", "", "the systems whose tools are listed, separated by commas: "+server.ToolSystems()+
		" or all; where names collide the first one answers, and unlisted tools still answer (default: hippo, and code once a source tree is indexed)")
	c.Flags().BoolVar(&verbose, "debug", false, "the same as --log debug")
	c.Flags().StringVar(&h.Address, "http", "", "serve HTTP on this address, such as :8420 (this machine only) or 0.0.0.0:8420")
	addHTTPFlags(c.Flags(), &h)
	return c
}

// addHTTPFlags adds the flags that count only with --http.
func addHTTPFlags(f *pflag.FlagSet, h *server.HTTP) {
	h.IndexMemory = server.DefaultIndexMemory
	tls, b, c, a := &h.TLS, &h.Backups, &h.Consolidations, &h.OAuth
	addPath(f, &tls.Cert, "tls-cert", "the file of the certificate and its chain, for HTTPS; reloaded when it changes")
	addPath(f, &tls.Key, "tls-key", "the file of its key")
	f.StringSliceVar(&tls.Domains, "acme-domain", nil, "obtain a certificate for this name through ACME, and accept the terms of the issuer; may be repeated")
	f.StringVar(&tls.Email, "acme-email", "", "the address for notices of the issuer")
	addPath(f, &tls.Folder, "acme-dir", "the folder of the account and the certificates (default: acme beside the tokens)")
	f.StringVar(&tls.Directory, "acme-url", "", "the directory URL of the issuer (default: Let's Encrypt)")
	f.StringSliceVar(&h.Hosts, "http-host", nil, "a further host name of the server, beside its addresses and the name of this machine; may be repeated")
	f.BoolVar(&h.Insecure, "insecure-http", false, "accept other machines without TLS, for use behind a TLS proxy")
	f.DurationVar(&h.Drain, "http-drain", 0, "how long /readyz reports not ready before the server stops accepting requests, such as 5s; at most 30s")
	f.Var((*bytesValue)(&h.IndexMemory), "index-memory", "with a database: how much memory the indexes of open namespaces may take together, such as 512MB")
	f.StringVar(&h.Snapshots, "snapshots", app.SnapshotsInDatabase, "with a database: where index files are kept for other machines: database, a folder, s3://BUCKET/PREFIX?endpoint=URL&region=NAME, or off")
	f.DurationVar(&b.Every, "backup-every", 0, "with --http: the interval between backups, such as 24h; 0 for none")
	f.IntVar(&b.Keep, "backup-keep", 7, "the number of backups to keep")
	addPath(f, &b.Dir, "backup-dir", "the folder of the backups (default: backups beside the store)")
	f.DurationVar(&c.Every, "consolidate-every", 0, "with --http: the interval between consolidations, such as 168h; 0 for none")
	f.StringVar(&c.Horizon, "consolidate-horizon", string(api.Weekly), "the horizon of these consolidations: "+server.Horizons())
	f.StringVar(&a.Issuer, "oauth-issuer", "", "also accept access tokens of this OAuth 2.1 issuer (a URL)")
	f.StringSliceVar(&a.Audiences, "oauth-audience", nil, "the audience of these tokens: the URL at which clients reach this server; may be repeated to accept others")
	f.StringVar(&a.NamespaceClaim, "oauth-namespace-claim", "", "the claim with the namespace of the caller; tokens without it are refused (default: --namespace for all)")
}

// refuseHTTPFlags refuses flags that count only with --http.
func refuseHTTPFlags(f *pflag.FlagSet) (err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	addHTTPFlags(own, &server.HTTP{})
	own.VisitAll(func(x *pflag.Flag) {
		if err == nil && f.Changed(x.Name) {
			err = usagef("--%s is for HTTP: also give --http", x.Name)
		}
	})
	return err
}

// serveHTTP serves a store that this process opens over HTTP.
func serveHTTP(c *cobra.Command, s *shell, h *server.HTTP, tools string) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	if err := openedHere(cfg.Store, "serves a store itself"); err != nil {
		return err
	}
	return server.ServeHTTP(c.Context(), serverOptions(s, cfg, tools), h)
}

// serveStdio serves over stdin and stdout; an empty text lists the default tools.
func serveStdio(c *cobra.Command, s *shell, tools string) error {
	client := &server.Stdio{In: s.in, Out: s.out}
	cfg, err := s.config()
	if err != nil {
		if s.isTerminal(s.in) {
			return err
		}
		client.Notices = s.notices
		return server.ServeProblem(c.Context(), serverOptions(s, config.Config{}, tools), client, err)
	}
	noticeElsewhere(s, cfg)
	client.Notices = s.notices
	if cfg.Project != "" {
		named := app.Project(c.Context(), cfg, ".")
		client.Project = &named
	}
	if s.isTerminal(s.in) {
		s.warn("this speaks MCP on stdin and stdout: an MCP client starts it, not a person; Ctrl-C ends it")
	}
	return server.ServeStdio(c.Context(), serverOptions(s, cfg, tools), client)
}

func serverOptions(s *shell, cfg config.Config, tools string) *server.Options {
	return &server.Options{
		Config: cfg, Repositories: app.Repositories(), Tools: tools, Version: version().Version, Now: s.now, Log: s.logger(cfg),
		Warn: func(text string) { s.warn("%s", text) },
	}
}
