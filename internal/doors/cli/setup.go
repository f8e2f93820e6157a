package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/base/termtext"
)

// setupFlags are the flags of hippo setup.
type setupFlags struct {
	scope, plugin               string
	dryRun, noHooks, remove, ok bool
	replace                     bool // entries of other programs
	tools                       []string
}

func newSetupCommand(s *shell) *cobra.Command {
	var f setupFlags
	c := &cobra.Command{
		Use:   "setup [CLIENT...]",
		Short: "Register Hippo with the agents on this machine",
		Long: `Register the server, the hooks and the guidance with agents: ` + strings.Join(clientNames(), ", ") + `.
Without names, setup shows the clients it finds and the changes it would make, and asks. It changes only its own entries and keeps comments
and other keys. FILE.hippo-backup is a copy of each original file, a second run changes nothing, and --remove restores every byte.
A client that already names a store keeps it; --store, --memory-dir and --db register another one.`,
		Example: "  hippo setup\n  hippo setup claude-code codex\n  hippo setup --dry-run\n  hippo setup --remove --yes",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return clientNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, names []string) error {
			err := runSetup(c.Context(), s, &f, append(names, f.tools...))
			if err == nil && !f.remove && !f.dryRun && f.plugin == "" {
				offerAtSetup(c.Context(), s)
				noticeAtSetup(c.Context(), s)
			}
			return err
		},
	}
	c.Flags().StringVar(&f.scope, "scope", string(setup.User), "user (all folders), project (everyone in this folder) or local (only you in this folder)")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "print the changes as a diff; change nothing")
	c.Flags().BoolVar(&f.noHooks, "no-hooks", false, "register no hooks")
	c.Flags().BoolVar(&f.remove, "remove", false, "remove everything that setup registered")
	c.Flags().BoolVar(&f.ok, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.replace, "replace", false, "replace entries named hippo of other programs without asking; --yes alone keeps them")
	c.Flags().StringArrayVar(&f.tools, "tool", nil, "another way to name a client: --tool claude, --tool q")
	c.Flags().Bool("dev", false, "no effect: setup always registers the program that runs")
	_ = c.Flags().MarkHidden("dev") // it has just been defined
	addPath(c.Flags(), &f.plugin, "plugin", "write a Claude Code plugin and a Gemini CLI extension into a folder instead")
	return c
}

func clientNames() []string {
	var names []string
	for _, c := range setup.Clients() {
		names = append(names, c.Name)
	}
	return names
}

// failedClients is the error of a setup that could not set up some clients, which it printed.
type failedClients struct {
	names   []string
	removed bool // they were to be removed
}

func (e *failedClients) Error() string {
	if e.removed {
		return "not removed: " + strings.Join(e.names, ", ") + "; the reasons are above"
	}
	return "not set up: " + strings.Join(e.names, ", ") + "; the reasons are above"
}

func runSetup(ctx context.Context, s *shell, f *setupFlags, names []string) error {
	scope := setup.Scope(f.scope)
	if !slices.Contains(setup.Scopes(), scope) {
		return usagef("scope must be user, project or local, got %q", f.scope)
	}
	if f.plugin != "" {
		return writePlugins(s, f, names)
	}
	host, err := setup.NewHost()
	if err != nil {
		return err
	}
	clients, err := chosen(host, names, f.remove)
	if err != nil {
		return err
	}
	o, err := setupOptions(s, f, scope)
	if err != nil {
		return err
	}
	plans := planAll(host, o, clients, len(names) == 0)
	switch {
	case f.dryRun:
		return printDiffs(s, plans, f.remove)
	case s.json:
	default:
		printPlans(s, host, plans)
	}
	if !slices.ContainsFunc(plans, func(p setup.Plan) bool { return p.Err == nil && !p.Same() }) {
		return finishSetup(s, plans, o, "nothing to do: everything is as it should be")
	}
	if len(names) == 0 && !f.ok {
		if err := confirm(ctx, s, "Make these changes?", "setup changes files of the clients above"); err != nil {
			return err
		}
	}
	if !f.replace {
		if err := askToReplace(ctx, s, plans, !f.ok); err != nil {
			return err
		}
	}
	for i := range plans {
		for _, c := range plans[i].Changes {
			if err := c.Write(); err != nil {
				plans[i].Err = err
				s.warn("%s: %v; what was written of it stays, run again when that is repaired", plans[i].Client.Title, err)
				break
			}
		}
	}
	return finishSetup(s, plans, o, "done")
}

// chosen returns the clients that were named, else those that are found, or all: a client that is gone may have left entries to
// remove.
func chosen(host *setup.Host, names []string, all bool) ([]setup.Client, error) {
	var out []setup.Client
	for _, name := range names {
		c, ok := setup.Find(name)
		if !ok {
			return nil, usagef("unknown client %q: want %s", name, strings.Join(clientNames(), ", "))
		}
		out = append(out, *c)
	}
	if len(names) > 0 {
		return out, nil
	}
	for _, c := range setup.Clients() {
		if all || host.Found(&c) != "" {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("found no client on this machine: name one of %s", strings.Join(clientNames(), ", "))
	}
	return out, nil
}

// setupOptions returns what to set up.
func setupOptions(s *shell, f *setupFlags, scope setup.Scope) (*setup.Options, error) {
	cfg, err := s.config()
	if err != nil {
		return nil, err
	}
	binary, err := setup.BinaryPath(os.Args[0])
	if err != nil {
		return nil, err
	}
	if !f.remove && setup.IsTemporary(binary, os.TempDir()) {
		s.warn("%s is in a temporary folder: install the program where it stays, and run setup again", binary)
	}
	o := &setup.Options{
		Scope: scope, Command: setup.Command{Binary: binary, Store: cfg.Store.String()}, Hooks: !f.noHooks, Remove: f.remove,
		KeepStore: !namesStore(s),
	}
	if o.Hooks && !hasCommand(s, "hook") {
		o.Hooks = false // a client would take the error of an unknown command as a refusal
		if !f.noHooks && !f.remove {
			s.warn("this program has no command hook: no hooks are registered")
		}
	}
	return o, nil
}

// hasCommand reports whether the program has a subcommand.
func hasCommand(s *shell, name string) bool {
	return slices.ContainsFunc(s.root.Commands(), func(c *cobra.Command) bool { return c.Name() == name })
}

// planAll plans for all clients. Those without the scope are left out if nobody named them.
func planAll(host *setup.Host, o *setup.Options, clients []setup.Client, found bool) []setup.Plan {
	planner := setup.NewPlanner(host, o)
	var plans []setup.Plan
	for i := range clients {
		if found && !clients[i].Has(o.Scope) {
			continue
		}
		p := planner.Plan(&clients[i])
		if found && o.Remove && host.Found(&clients[i]) == "" && p.Err == nil && p.Same() {
			continue // it is not here, and has nothing of ours
		}
		plans = append(plans, p)
	}
	return plans
}

// printPlans prints a line for each client and each file that changes.
func printPlans(s *shell, host *setup.Host, plans []setup.Plan) {
	for _, p := range plans {
		state := "to change"
		switch {
		case p.Err != nil:
			state = "error"
		case p.Same():
			state = "nothing to do"
		}
		if found := host.Found(p.Client); found != "" {
			state = fmt.Sprintf("%-14s %s", state, "found "+host.Short(found))
		}
		fmt.Fprintf(s.out, "%-15s %s\n", p.Client.Title, termtext.Line(state))
		if p.Err != nil {
			fmt.Fprintf(s.out, "    %s\n", termtext.Line(p.Err.Error()))
		}
		if p.Replaces != "" {
			fmt.Fprintf(s.out, "    replace another program's entry named %s, %s\n", setup.ServerName, termtext.Line(p.Replaces))
		}
		for _, c := range p.Changes {
			if !c.Same() {
				fmt.Fprintf(s.out, "    %s %s\n", c.Verb(), termtext.Line(host.Short(c.Path)))
			}
		}
	}
}

// printDiffs prints the changes in the unified format; errors go to stderr.
func printDiffs(s *shell, plans []setup.Plan, remove bool) error {
	for _, p := range plans {
		if p.Err != nil {
			s.warn("%s: %v", p.Client.Title, p.Err)
		}
		if p.Replaces != "" {
			s.warn("%s", p.Declined())
		}
		if s.json {
			continue
		}
		for _, c := range p.Changes {
			printDiff(s, c.Diff())
		}
	}
	if s.json {
		return printSetup(s, plans)
	}
	return failedOf(plans, remove)
}

// printDiff prints a diff: as it is for programs, without effects on a terminal.
func printDiff(s *shell, diff string) {
	if !s.isTerminal(s.out) {
		fmt.Fprint(s.out, diff)
		return
	}
	for line := range strings.Lines(diff) {
		fmt.Fprintln(s.out, termtext.Line(strings.TrimRight(line, "\r\n")))
	}
}

// finishSetup prints what is left to the user, and returns an error if a client failed.
func finishSetup(s *shell, plans []setup.Plan, o *setup.Options, done string) error {
	if s.json {
		return errors.Join(printSetup(s, plans), failedOf(plans, o.Remove))
	}
	err := failedOf(plans, o.Remove)
	if err == nil {
		fmt.Fprintln(s.out, done)
	}
	for _, p := range plans {
		for _, note := range p.Notes {
			if p.Err == nil {
				fmt.Fprintf(s.out, "  %s: %s\n", p.Client.Title, note)
			}
		}
	}
	if err == nil && !o.Remove {
		fmt.Fprintln(s.out, "hippo doctor checks that it works")
	}
	return err
}

// setupReport is the JSON of a client.
type setupReport struct {
	Client  string   `json:"client"`
	Changed []string `json:"changed,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	// Replaces says what the entry of another program starts.
	Replaces string `json:"replaces,omitempty"`
	Error    string `json:"error,omitempty"`
}

// printSetup prints the plans as JSON.
func printSetup(s *shell, plans []setup.Plan) error {
	out := make([]setupReport, 0, len(plans))
	for _, p := range plans {
		r := setupReport{Client: p.Client.Name, Notes: p.Notes, Replaces: p.Replaces}
		if p.Err != nil {
			r.Error = p.Err.Error()
		}
		for _, c := range p.Changes {
			if !c.Same() {
				r.Changed = append(r.Changed, c.Path)
			}
		}
		out = append(out, r)
	}
	return s.printJSON(out)
}

// failedOf returns an error that names the clients that failed; nil if none did.
func failedOf(plans []setup.Plan, removed bool) error {
	var names []string
	for _, p := range plans {
		if p.Err != nil {
			names = append(names, p.Client.Name)
		}
	}
	if names == nil {
		return nil
	}
	return &failedClients{names, removed}
}
