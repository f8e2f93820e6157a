package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/serve/server"
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
			t := server.NewToken{Name: args[0], Right: right, Namespace: cfg.Namespace}
			if c.Flags().Changed("project") {
				t.Projects = renamed(projects, memory.NoProject, "")
			}
			if expires != "" {
				x := verb.Time{Name: "expires", Text: expires}
				if err := cmp.Or(typedTimes(x), verb.Read(s.now().In(zone()), x.AheadInto(&t.Expires))); err != nil {
					return err
				}
			}
			o := serverOptions(s, cfg, "")
			tokens := server.NewTokens(o)
			text, err := tokens.Create(c.Context(), o, t)
			if err := errors.Join(err, tokens.Close()); err != nil {
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
	c.Flags().StringVar(&right, "right", "write", "the right: read, write (includes read), admin (everything), metrics (only /metrics) or sync (only what machines sync by)")
	c.Flags().StringSliceVar(&projects, "project", nil, `the only projects that the token can reach, separated by commas; "none" is no project (default: all)`)
	also(c.Flags(), "project", "projects")
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
			cfg, wrong := s.config() // the tokens of this machine can be listed without
			o := serverOptions(s, cfg, "")
			tokens := server.NewTokens(o)
			if err := printTokens(s, tokens); err != nil {
				return errors.Join(err, tokens.Close())
			}
			stray, err := tokens.Stray(c.Context(), o)
			for _, text := range stray {
				s.warn("%s", text)
			}
			if err := cmp.Or(wrong, err); err != nil {
				s.warn("whether the tokens reach anything is not known: %v", err)
			}
			return tokens.Close()
		},
	}
}

func printTokens(s *shell, tokens *server.Tokens) error {
	list, err := tokens.List()
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list) == 0 {
		s.warn("there are no tokens: hippo token create NAME")
		return nil
	}
	return s.table(func(w io.Writer) {
		fmt.Fprint(w, "NAME\tRIGHT\tNAMESPACE\tPROJECTS\tCREATED\tEXPIRES\n")
		for _, t := range list {
			projects, expires, namespace := "all", "never", "-"
			if t.Projects != nil {
				projects = strings.Join(renamed(t.Projects, "", memory.NoProject), ",")
			}
			if t.Namespace != "" {
				namespace = t.Namespace
			}
			if !t.Expires.IsZero() {
				expires = day(t.Expires)
				if t.Expired(s.now()) {
					expires += " (over)"
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.Right, namespace, projects, day(t.Created), expires)
		}
	})
}

func newTokenRevokeCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Revoke a token",
		Args:  oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, _ := s.config() // a wrong setting keeps nobody from revoking a token of this machine
			tokens := server.NewTokens(serverOptions(s, cfg, ""))
			return errors.Join(tokens.Revoke(c.Context(), givenNamespace(s), args[0]), tokens.Close())
		},
	}
}
