package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/engine/memory"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents/setup"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
)

// doctorLimit is how long the doctor waits for each program that it starts.
const doctorLimit = 10 * time.Second

func newDoctorCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor [CLIENT...]",
		Short: "Check that the agents on this machine can reach the memory",
		Long: `Check the registration end to end: start each server and each hook as its client would, search once, and check the store, the
guidance and the PATH. Every problem is shown with its remedy. Exit code 1: something does not work.`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return clientNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, names []string) error { return runDoctor(c.Context(), s, names) },
	}
}

// unhealthyError reports that the doctor found what does not work; it printed what.
type unhealthyError struct{ n int }

func (e *unhealthyError) Error() string { return plural(e.n, "failure") }

func runDoctor(ctx context.Context, s *shell, names []string) error {
	host, err := setup.NewHost()
	if err != nil {
		return err
	}
	var clients []setup.Client
	if len(names) > 0 {
		if clients, err = chosen(host, names, false); err != nil {
			return err
		}
	} else {
		for _, c := range setup.Clients() {
			if host.Found(&c) != "" {
				clients = append(clients, c)
			}
		}
	}
	binary, err := setup.BinaryPath(os.Args[0])
	if err != nil {
		return err
	}
	cfg, _ := s.config() // checkSettings reports settings that cannot be read
	var all []setup.Check
	failures := 0
	d := setup.Doctor{
		Host: host, Binary: binary, Version: version().Version, Hooks: hasCommand(s, "hook"), Limit: doctorLimit,
		Report: func(k setup.Check) {
			all = append(all, k)
			if k.State == setup.Failure {
				failures++
			}
			if !s.json {
				printCheckLine(s, k)
			}
		},
		Store: cfg.Store, Imported: importedInto(ctx, s, cfg),
		Unfit: app.Unfit, Unmerged: unmerged,
		Shared: func(ctx context.Context, at config.Store) (string, []string, error) {
			return describeShared(ctx, s, at)
		},
	}
	for _, k := range slices.Concat(checkSettings(ctx, s), checkCode(ctx, s), checkSync(cfg)) {
		d.Report(k)
	}
	d.Run(ctx, clients)
	if s.json {
		if err := s.printJSON(all); err != nil {
			return err
		}
	}
	if failures > 0 {
		return &unhealthyError{failures}
	}
	return ctx.Err()
}

// checkCode names the source trees that are there and whose index is damaged or does not answer.
func checkCode(ctx context.Context, s *shell) (checks []setup.Check) {
	add := func(text, fix string) {
		checks = append(checks, setup.Check{Name: "code", State: setup.Warning, Text: text, Fix: fix})
	}
	err := withCode(s, func(l code.Library) error {
		list, err := l.Problems(ctx)
		for _, p := range list {
			add(p.Root+": "+p.Text, "hippo code index "+termtext.Argument(p.Root))
		}
		return err
	})
	if err != nil && len(checks) == 0 {
		add(err.Error(), "")
	}
	return checks
}

// checkSync says how the last exchange with each remote of the store has ended.
func checkSync(cfg config.Config) (checks []setup.Check) {
	list, err := knownRemotes(cfg)
	if err != nil {
		checks = append(checks, setup.Check{Name: "sync", State: setup.Warning, Text: err.Error()})
	}
	for i := range list {
		k := setup.Check{Name: "sync", State: setup.OK, Text: syncText(&list[i])}
		if list[i].Failure != nil || list[i].Error != nil {
			k.State, k.Fix = setup.Warning, "hippo sync now"
		}
		checks = append(checks, k)
	}
	return checks
}

// describeShared opens the file of another program and says on a line what is in it.
func describeShared(ctx context.Context, s *shell, at config.Store) (text string, odd []string, err error) {
	cfg, err := s.named()
	if err != nil {
		return "", nil, err
	}
	cfg.Store = at
	err = s.withShared(ctx, cfg, func(m *engine.Memories) error {
		st, err := memory.Status(ctx, m)
		if err != nil {
			return err
		}
		if f := wire.StatusOf(&st).Shared; f != nil {
			text, odd = "file of "+f.Program+": "+f.Text(), f.Odd
			if f.Backup != "" {
				text += ", as it was in " + f.Backup
			}
		}
		return nil
	})
	return text, odd, err
}

// printCheckLine prints a check, and below it what to do.
func printCheckLine(s *shell, k setup.Check) {
	who := "hippo"
	if k.Client != "" {
		who = k.Client
	}
	if k.Scope != "" && k.Scope != setup.User {
		who += " (" + string(k.Scope) + ")"
	}
	fmt.Fprintf(s.out, "%-8s %-16s %-9s %s\n", k.State, who, k.Name, termtext.Line(k.Text))
	if k.Fix != "" {
		fmt.Fprintf(s.out, "         %s\n", termtext.Line("-> "+k.Fix))
	}
}
