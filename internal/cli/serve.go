package cli

import (
	"context"
	"errors"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/mcpserver"
)

func (s *shell) serveCommand() *cobra.Command {
	var debug bool
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the memory to an agent over MCP on stdin and stdout",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			if debug {
				if err := s.root.PersistentFlags().Set("log", "debug"); err != nil {
					return err
				}
			}
			return s.serve(c.Context())
		},
	}
	c.Flags().BoolVar(&debug, "debug", false, "the same as --log debug")
	return c
}

func (s *shell) serve(ctx context.Context) error {
	cfg, err := s.config()
	if err != nil {
		return err
	}
	log := s.logger(cfg)
	opener := app.NewOpener(cfg, &app.Options{Now: s.now, Log: log})
	project := sync.OnceValue(func() string {
		name, err := s.project(context.WithoutCancel(ctx))
		if err != nil {
			log.Warn("project not known", "error", err)
		}
		return name
	})
	server := mcpserver.New(opener.Engine, &mcpserver.Options{
		Version: version().Version, Store: cfg.Store.String(), Now: s.now, Log: log,
		Project: func(context.Context) string { return project() },
	})
	err = server.Serve(ctx, s.in, s.out)
	if errors.Is(err, context.Canceled) {
		err = nil // told to stop
	}
	return errors.Join(err, opener.Close())
}
