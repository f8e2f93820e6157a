package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

const (
	// loginTime is how long hippo login waits for the server.
	loginTime = 20 * time.Second
	// maxTokenText is how many bytes of an input are read for a token.
	maxTokenText = 16 << 10
)

func newLoginCommand(s *shell) *cobra.Command {
	var file string
	var plain bool
	c := &cobra.Command{
		Use:   "login URL",
		Short: "Save the token for a server, for use with --store URL",
		Long: `Ask for a token, try it, and save it in a file that only you can read. Create one with hippo token create on the server. On a
terminal the token is not shown; in a pipe it is the first line of stdin. If $HIPPO_TOKEN is set, it takes precedence over the saved token.`,
		Example: "  hippo login https://memory.example.org\n  hippo login https://memory.example.org --token-file token.txt\n  hippo search gateway --store https://memory.example.org",
		Args:    oneArgument("URL"),
		RunE:    func(c *cobra.Command, args []string) error { return runLogin(c.Context(), s, args[0], file, plain) },
	}
	addPath(c.Flags(), &file, "token-file", "read the token from this file instead of asking for it")
	c.Flags().BoolVar(&plain, "insecure-http", false, "allow http: to another machine; anyone on the network path can read the token and the memories")
	return c
}

func runLogin(ctx context.Context, s *shell, url, file string, plain bool) error {
	store, err := config.ParseServer(url)
	if err != nil {
		return err
	}
	if config.Plain(store) && !plain { // before the token is typed
		return hippo.Fieldf("url", "must be https: over %s anyone on the way reads the token; --insecure-http allows it", store)
	}
	token, err := askToken(s, store, file)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("%w: %s: no answer within %v", hippo.ErrUnavailable, store, loginTime))
	defer cancel()
	g, err := app.Login(ctx, store, token, plain)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(g)
	}
	if slices.Equal(g.Rights, []string{"sync"}) {
		fmt.Fprintf(s.out, "logged in to %s, for hippo sync\n", store)
		return nil
	}
	fmt.Fprintf(s.out, "logged in to %s as %s: %s\n", store, termtext.Line(g.Token), termtext.Line(reachOf(g)))
	if !g.Understood() {
		s.warn("the server is hippo %s, this is %s: use the same version on both sides", g.Version, version().Version)
	}
	s.warn("use it with --store %s, or set HIPPO_STORE", store)
	return nil
}

// reachOf says what a token reaches.
func reachOf(g *app.Session) string {
	text := strings.Join(g.Rights, ", ")
	if g.Namespace != "" {
		text += "; namespace " + g.Namespace
	}
	if g.Projects != nil {
		text += "; projects " + strings.Join(renamed(g.Projects, "", memory.NoProject), ", ")
	}
	return text
}

// askToken reads the token: from a file, from the user without showing it, or from the first line of stdin.
func askToken(s *shell, store config.Store, file string) (text string, err error) {
	f, terminal := s.in.(*os.File)
	switch {
	case file != "":
		text, err = readTokenFile(file)
	case terminal && s.isTerminal(s.in):
		fmt.Fprintf(s.errw, "token for %s: ", store)
		var b []byte
		b, err = term.ReadPassword(int(f.Fd()))
		text = string(b)
		fmt.Fprintln(s.errw)
	default:
		text, err = bufio.NewReader(io.LimitReader(s.in, maxTokenText)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w: the token: %w", hippo.ErrUnavailable, err)
	}
	return text, nil
}

func readTokenFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(io.LimitReader(f, maxTokenText))
	return string(b), err
}

func newLogoutCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "logout [URL]",
		Short: "Delete the saved token for a server; without URL, for the one of --store",
		Long:  "Delete the token that hippo login saved for a server. The token stays valid until hippo token revoke revokes it on the server.",
		Args:  maximumArguments(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			store := cfg.Store
			if len(args) > 0 {
				if store, err = config.ParseServer(args[0]); err != nil {
					return err
				}
			}
			if !store.Remote() {
				return usagef("URL is missing: the store %s is on no server", store)
			}
			if err := app.Logout(store); err != nil {
				return err
			}
			origin := config.Origin(store)
			if s.json {
				return s.printJSON(map[string]string{"forgotten": origin})
			}
			_, err = fmt.Fprintf(s.out, "forgot the token for %s\n", origin)
			return err
		},
	}
}
