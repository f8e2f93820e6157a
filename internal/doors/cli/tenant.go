package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func newTenantCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "tenant",
		Short: "List, limit, export and delete the namespaces of a store",
		Long: `List, limit, export and delete the namespaces of a store, each of which is a tenant. NAME is that of --namespace; '' is the default
one. Limits need a store postgres://HOST/DATABASE. Over HTTP the same is below /api/v1/namespaces, for a token with the right admin that is
not restricted.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTenantListCommand(s), newTenantUsageCommand(s), newTenantLimitCommand(s), newTenantExportCommand(s), newTenantDeleteCommand(s))
	return c
}

// withNamespaces calls fn with what manages the namespaces of the store, which must exist.
func (s *shell) withNamespaces(ctx context.Context, fn func(memory.NamespaceAdmin) error) error {
	cfg, err := existingStore(s)
	if err != nil {
		return err
	}
	return onNamespaces(ctx, cfg, openOptions(s, cfg), fn)
}

func onNamespaces(ctx context.Context, cfg config.Config, o *app.Options, fn func(memory.NamespaceAdmin) error) error {
	admin, end, err := app.OpenNamespaces(cfg, o)
	if err != nil {
		return err
	}
	return errors.Join(fn(admin), end(context.WithoutCancel(ctx)))
}

func newTenantListCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the namespaces, with what each of them has",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return s.withNamespaces(c.Context(), func(admin memory.NamespaceAdmin) error {
				list, err := admin.List(c.Context())
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(list)
				}
				return s.table(func(w io.Writer) {
					fmt.Fprint(w, "NAMESPACE\tMEMORIES\tFORGOTTEN\tTEXTS\tLIMITS\tLAST USE\n")
					for i := range list {
						n := &list[i]
						fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\n", namespaceTitle(n.Name), n.Memories, n.Forgotten, sizeText(n.Bytes), limitsText(n.Limits), lastUse(n))
					}
				})
			})
		},
	}
}

// namespaceTitle shows a name in a table.
func namespaceTitle(name string) string {
	if name == "" {
		return "-"
	}
	return termtext.Line(name)
}

func sizeText(n int) string { return humanize.IBytes(uint64(max(0, n))) }

func lastUse(n *api.Namespace) string {
	if n.Used.IsZero() {
		return "never"
	}
	return clock(n.Used)
}

// limitsText lists the limits that there are.
func limitsText(l api.NamespaceLimits) string {
	var parts []string
	if l.Memories > 0 {
		parts = append(parts, memories(l.Memories))
	}
	if l.Bytes > 0 {
		parts = append(parts, sizeText(l.Bytes))
	}
	if l.Requests > 0 {
		parts = append(parts, strconv.Itoa(l.Requests)+" requests/min")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func newTenantUsageCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "usage NAME",
		Short: "Show what a namespace uses",
		Args:  oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			return s.withNamespaces(c.Context(), func(admin memory.NamespaceAdmin) error {
				u, err := admin.Usage(c.Context(), args[0])
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(u)
				}
				return s.table(func(w io.Writer) { usageRows(w, &u) })
			})
		},
	}
}

func usageRows(w io.Writer, u *api.NamespaceUsage) {
	row := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	row("namespace", "%s", namespaceTitle(u.Name))
	row("memories", "%d, %d forgotten", u.Memories, u.Forgotten)
	row("texts", "%s", sizeText(u.Bytes))
	row("relations", "%d", u.Relations)
	row("limits", "%s", limitsText(u.Limits))
	row("last use", "%s", lastUse(&u.Namespace))
	if u.Tables == nil {
		return
	}
	row("created", "%s", clock(u.Created))
	row("vectors", "%d", u.Vectors)
	row("on disk", "about %s", sizeText(u.Disk))
	for _, t := range u.Tables {
		row("  "+t.Table, "%d rows, about %s", t.Rows, sizeText(t.Bytes))
	}
	for _, l := range u.Leases {
		row("lease", "%s, until %s", termtext.Line(l.Name), clock(l.Until))
	}
}

// rateValue is a flag for a number of requests a minute.
type rateValue int

// Set implements [pflag.Value].
func (v *rateValue) Set(text string) error {
	number, unit, given := strings.Cut(text, "/")
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 || given && strings.TrimSpace(unit) != "min" {
		return errors.New("must be a number of requests a minute, such as 600/min")
	}
	*v = rateValue(n)
	return nil
}

// Type implements [pflag.Value]: it is how help shows the value.
func (*rateValue) Type() string { return "N/min" }

// String implements [pflag.Value].
func (v *rateValue) String() string { return strconv.Itoa(int(*v)) }

func newTenantLimitCommand(s *shell) *cobra.Command {
	var most int
	var size bytesValue
	var rate rateValue
	c := &cobra.Command{
		Use:   "limit NAME",
		Short: "Limit what a namespace keeps and how often it is asked; 0 removes a limit",
		Long: `Change limits of a namespace, and print all of them. One that does not exist is created. A write above a limit fails and changes
nothing. Requests above the limit are refused with 429; each server counts for itself, and notices a change within ten seconds.`,
		Example: "  hippo tenant limit acme --memories 100000 --bytes 1GB --requests 600/min",
		Args:    oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			by := api.NamespaceLimit{}
			bytes, requests := int(size), int(rate)
			for flag, set := range map[string]func(){"memories": func() { by.Memories = &most }, "bytes": func() { by.Bytes = &bytes }, "requests": func() { by.Requests = &requests }} {
				if c.Flags().Changed(flag) {
					set()
				}
			}
			if by == (api.NamespaceLimit{}) {
				return usagef("a limit is missing: --memories, --bytes or --requests; hippo tenant usage shows them")
			}
			return s.withNamespaces(c.Context(), func(admin memory.NamespaceAdmin) error {
				l, err := admin.Limit(c.Context(), args[0], by)
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(l)
				}
				fmt.Fprintf(s.out, "limits of %s: %s\n", namespaceTitle(args[0]), limitsText(l))
				return nil
			})
		},
	}
	c.Flags().IntVar(&most, "memories", 0, "the most memories, forgotten ones included")
	c.Flags().Var(&size, "bytes", "the largest size of all texts together, such as 500MB")
	c.Flags().Var(&rate, "requests", "the most requests a minute, at each server over HTTP")
	return c
}

func newTenantExportCommand(s *shell) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "export NAME [FILE]",
		Short: "Export all memories of a namespace as JSON lines, as hippo export does",
		Args:  cobra.MatchAll(requireArgument("NAME"), maximumArguments(2)),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			return s.withNamespaces(c.Context(), func(admin memory.NamespaceAdmin) error {
				m, err := admin.Memories(c.Context(), args[0])
				if err != nil {
					return err
				}
				x, err := exportOf(c.Context(), m)
				if err != nil {
					return err
				}
				return exportTo(s, cfg.Store, x, args[1:], force)
			})
		},
	}
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return c
}

func newTenantDeleteCommand(s *shell) *cobra.Command {
	var yes bool
	var snapshots string
	c := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a namespace with everything in it, for good",
		Long: `Delete a namespace with everything in it: memories, history, relations, vectors, limits, and in a database the tokens for it. Servers
notice it at the next call. hippo tenant export saves it before.`,
		Args: oneArgument("NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := existingStore(s)
			if err != nil {
				return err
			}
			o := openOptions(s, cfg)
			if o.Snapshots, err = app.ParseSnapshots(snapshots, os.Getenv, s.now); err != nil {
				return err
			}
			return onNamespaces(c.Context(), cfg, o, func(admin memory.NamespaceAdmin) error {
				return deleteNamespace(c.Context(), s, admin, args[0], yes)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before")
	c.Flags().StringVar(&snapshots, "snapshots", "", "the value of --snapshots of the servers, to delete the index files there as well")
	return c
}

func deleteNamespace(ctx context.Context, s *shell, admin memory.NamespaceAdmin, name string, yes bool) error {
	u, err := admin.Usage(ctx, name)
	if err != nil {
		return err
	}
	if !yes {
		question := fmt.Sprintf("Delete namespace %q, with %s and %d forgotten, for good?", name, memories(u.Memories), u.Forgotten)
		if err := confirm(ctx, s, termtext.Line(question), fmt.Sprintf("deleting namespace %q removes %s for good", name, memories(u.Memories+u.Forgotten))); err != nil {
			return err
		}
	}
	if err := admin.Delete(ctx, name); err != nil && !errors.Is(err, hippo.ErrNotFound) { // somebody else was faster
		return err
	}
	if s.json {
		return s.printJSON(map[string]any{"namespace": name, "deleted": u.Memories + u.Forgotten})
	}
	fmt.Fprintf(s.out, "deleted namespace %s, %s and %d forgotten\n", namespaceTitle(name), memories(u.Memories), u.Forgotten)
	return nil
}
