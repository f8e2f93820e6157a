package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/server"
	"github.com/hippo-memory/hippo/internal/serve/token"
	"github.com/hippo-memory/hippo/internal/verb"
)

func newTokenCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "token",
		Short: "Create, list and revoke tokens of the HTTP server",
		Long:  "Create, list and revoke tokens of an HTTP server. Changes take effect at once, even in a running server.",
		Args:  refuseUnknownCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTokenCreateCommand(s), newTokenListCommand(s), newTokenRevokeCommand(s))
	return c
}

// spellScope writes the projects of a token as the store of this machine knows them: one that differs by letters or blanks alone would reach
// nothing. A namespace that does is refused.
func spellScope(ctx context.Context, s *shell, cfg config.Config, t *token.Token) error {
	if cfg.Store.Remote() || !app.Exists(cfg.Store) || t.Namespace == "" && t.Projects == nil {
		return nil
	}
	return s.withShared(ctx, cfg, func(m *engine.Memories) error {
		if _, err := engine.ListProjects(ctx, m); err != nil {
			return err
		}
		for i := range t.Projects {
			var err error
			if t.Projects[i], err = engine.SpelledProject(ctx, m, t.Projects[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkScopes is [server.StrayScopes] as warnings, with the store of this machine, if there is one.
func checkScopes(ctx context.Context, s *shell, list []token.Token) error {
	cfg, err := s.config()
	if err != nil || cfg.Store.Remote() || !app.Exists(cfg.Store) || !slices.ContainsFunc(list, func(t token.Token) bool { return t.Namespace != "" || t.Projects != nil }) {
		return err
	}
	o := openOptions(s, cfg)
	o.Brief = true
	e, err := app.OpenShared(ctx, cfg, o)
	if err != nil {
		return err
	}
	for _, text := range server.StrayScopes(ctx, e, list) {
		s.warn("%s", text)
	}
	return e.Close()
}

// tokensOf returns the file of the tokens.
func tokensOf(s *shell) *token.File { return token.NewFile(config.TokensPath(os.Getenv), s.now) }

func newTokenCreateCommand(s *shell) *cobra.Command {
	var right, expires string
	var projects []string
	c := &cobra.Command{
		Use:   "create NAME",
		Short: "Create a token and print it; it cannot be shown again",
		Args:  oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			t := token.Token{Name: args[0], Right: token.Right(right), Namespace: cfg.Namespace}
			if c.Flags().Changed("projects") {
				t.Projects = renamed(projects, config.NoProject, "")
			}
			if err := spellScope(c.Context(), s, cfg, &t); err != nil {
				return err
			}
			if expires != "" {
				x := verb.Time{Name: "expires", Text: expires}
				if err := cmp.Or(typedTimes(x), verb.Read(s.now().In(zone()), x.AheadInto(&t.Expires))); err != nil {
					return err
				}
			}
			text, err := tokensOf(s).Create(c.Context(), t)
			if err != nil {
				return err
			}
			if s.json {
				return s.printJSON(map[string]string{"name": t.Name, "token": text})
			}
			s.warn("the token %q; it is not kept and will not be shown again:", t.Name)
			fmt.Fprintln(s.out, text)
			return nil
		},
	}
	c.Flags().StringVar(&right, "right", string(token.Write), "the right: read, write (includes read), admin (everything) or metrics (only /metrics)")
	c.Flags().StringSliceVar(&projects, "projects", nil, `the only projects that the token can reach, separated by commas; "none" is no project (default: all)`)
	c.Flags().StringVar(&expires, "expires", "", `when the token expires, such as "in 90 days" or 2027-01-31 (default: never)`)
	return c
}

// renamed returns a list with one element renamed.
func renamed(list []string, from, to string) []string {
	out := slices.Clone(list)
	for i := range out {
		if out[i] == from {
			out[i] = to
		}
	}
	return out
}

func newTokenListCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tokens, without their secrets",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := tokensOf(s).List()
			if err != nil {
				return err
			}
			if err := printTokens(s, list); err != nil {
				return err
			}
			if err := checkScopes(c.Context(), s, list); err != nil {
				s.warn("whether the tokens reach anything is not known: %v", err)
			}
			return nil
		},
	}
}

func printTokens(s *shell, list []token.Token) error {
	if s.json {
		return s.printJSON(append([]token.Token{}, list...))
	}
	if len(list) == 0 {
		s.warn("there are no tokens: hippo token create NAME")
		return nil
	}
	return s.table(func(w io.Writer) { writeTokens(w, list, s.now()) })
}

func writeTokens(w io.Writer, list []token.Token, now time.Time) {
	fmt.Fprint(w, "NAME\tRIGHT\tNAMESPACE\tPROJECTS\tCREATED\tEXPIRES\n")
	for _, t := range list {
		projects, expires, namespace := "all", "never", "-"
		if t.Projects != nil {
			projects = strings.Join(renamed(t.Projects, "", config.NoProject), ",")
		}
		if t.Namespace != "" {
			namespace = t.Namespace
		}
		if !t.Expires.IsZero() {
			expires = day(t.Expires)
			if t.Expired(now) {
				expires += " (over)"
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.Right, namespace, projects, day(t.Created), expires)
	}
}

// namespaceOf returns the namespace of the token with a name: the one that the command line names, or that of the only one.
func namespaceOf(s *shell, name string) (string, error) {
	if f := s.root.PersistentFlags().Lookup("namespace"); f.Changed {
		return f.Value.String(), nil
	}
	list, err := tokensOf(s).List()
	var found []string
	for _, t := range list {
		if t.Name == name {
			found = append(found, strconv.Quote(t.Namespace))
		}
	}
	if len(found) > 1 {
		return "", hippo.Fieldf("NAME", "%.80q is a token of several namespaces: give one of %s with --namespace", name, strings.Join(found, ", "))
	}
	i := slices.IndexFunc(list, func(t token.Token) bool { return t.Name == name })
	if err != nil || i < 0 {
		return "", err // Revoke names those that there are
	}
	return list[i].Namespace, nil
}

func newTokenRevokeCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token",
		Args:  oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			namespace, err := namespaceOf(s, args[0])
			if err != nil {
				return err
			}
			return tokensOf(s).Revoke(c.Context(), namespace, args[0])
		},
	}
}
