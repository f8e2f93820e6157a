package cli

import (
	"context"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/server"
)

func newUICommand(s *shell) *cobra.Command {
	var h server.HTTP
	var silent bool
	c := &cobra.Command{
		Use:   "ui",
		Short: "Open the dashboard in a browser",
		Long: "Serve the dashboard to this machine, and open it in the browser with a one-time link. Ctrl-C ends the server. " +
			"hippo serve --http ADDR serves it along with the rest, for browsers with a token. With a store on a server, the page of that server is opened.",
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			if cfg.Store.Remote() {
				return showRemote(c.Context(), s, cfg.Store, silent)
			}
			h.Dashboard = func(link string) {
				if silent || !openBrowser(c.Context(), link) {
					s.warn("open this link; it works once: %s", link)
					return
				}
				s.warn("the browser opens this link, which works once; if none appears, open it yourself: %s", link)
			}
			return serveHTTP(c, s, &h, "")
		},
	}
	c.Flags().StringVar(&h.Address, "http", "127.0.0.1:0", "the address to listen on; port 0 picks a free one")
	c.Flags().BoolVar(&silent, "no-browser", false, "print the link instead of opening it")
	return c
}

// showRemote opens the page of a server, which asks for a token: none is in the link.
func showRemote(ctx context.Context, s *shell, store config.Store, silent bool) error {
	link := store.String() + "/"
	if silent || !openBrowser(ctx, link) {
		s.warn("open this page, and sign in with a token: %s", link)
	}
	return nil
}

// openBrowser opens a link in the browser of the user, and reports whether that could be started.
func openBrowser(ctx context.Context, link string) bool {
	var command []string
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open", link}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", link}
	default:
		command = []string{"xdg-open", link}
	}
	return exec.CommandContext(ctx, command[0], command[1:]...).Start() == nil //nolint:gosec // the link is our own
}
