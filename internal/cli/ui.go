package cli

import (
	"context"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/httpd"
	"github.com/hippo-memory/hippo/internal/token"
	"github.com/hippo-memory/hippo/internal/web"
)

func newUICommand(s *shell) *cobra.Command {
	var port int
	var stay bool
	c := &cobra.Command{
		Use:   "ui",
		Short: "Open the dashboard in the browser, until Ctrl-C",
		Long: "Serve the dashboard to this machine, and open the browser with a link that signs in once, within five minutes. " +
			"A server that runs for longer, or for other machines, is hippo serve --http.",
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			o := httpOptions{addr: fmt.Sprintf("127.0.0.1:%d", port)}
			o.started = func(url string, sessions *web.Sessions) {
				link := url + sessions.Link(httpd.Caller{Scope: s.scope(cfg, "")})
				if !stay {
					err := openBrowser(c.Context(), link)
					if err == nil {
						return
					}
					s.warn("the browser cannot be opened: %v", err)
				}
				fmt.Fprintln(s.out, link)
			}
			return serveHTTP(c.Context(), s, &o)
		},
	}
	c.Flags().IntVar(&port, "port", 0, "the port to listen on; 0: any that is free")
	c.Flags().BoolVar(&stay, "no-browser", false, "print the link instead of opening it")
	return c
}

// openBrowser opens a page in the browser of the user.
func openBrowser(ctx context.Context, url string) error {
	var c *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		c = exec.CommandContext(ctx, "open", url)
	case "windows":
		c = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", url)
	default:
		c = exec.CommandContext(ctx, "xdg-open", url)
	}
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }() // a browser may stay in the foreground
	return nil
}

// dashboardOptions returns the options of the dashboard of a server.
func dashboardOptions(s *shell, cfg *config.Config, sessions *web.Sessions, log *slog.Logger) *web.Options {
	tokens := tokensOf(s)
	return &web.Options{
		Sessions: sessions, Login: tokenFile{tokens}.Authenticate, Tokens: dashboardTokens{tokens}, Version: version().Version, Store: cfg.Store.String(),
		Now: s.now, Log: log,
	}
}

// dashboardTokens manages the file of the tokens for the dashboard.
type dashboardTokens struct{ file *token.File }

// List implements [web.Tokens].
func (d dashboardTokens) List(context.Context) ([]web.Token, error) {
	list, err := d.file.List()
	out := make([]web.Token, len(list))
	for i := range list {
		t := &list[i]
		out[i] = web.Token{Name: t.Name, Scope: t.Scope(), Created: t.Created, Expires: t.Expires}
	}
	return out, err
}

// Create implements [web.Tokens].
func (d dashboardTokens) Create(ctx context.Context, t web.Token) (secret string, err error) {
	right := token.Read
	switch t.Scope.Rights {
	case token.Write.Rights():
		right = token.Write
	case hippo.AllRights:
		right = token.Admin
	default:
	}
	return d.file.Create(ctx, token.Token{Name: t.Name, Right: right, Namespace: t.Scope.Namespace, Projects: t.Scope.Projects, Expires: t.Expires})
}

// Revoke implements [web.Tokens].
func (d dashboardTokens) Revoke(ctx context.Context, name string) error {
	return d.file.Revoke(ctx, name)
}
