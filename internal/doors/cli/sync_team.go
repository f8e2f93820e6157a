package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// addTeam adds the flag that makes a remote one of a team.
func addTeam(c *cobra.Command, projects *[]string) {
	c.Flags().StringArrayVar(projects, "team", nil, "a project whose memories to exchange with a team, such as current; may be repeated")
}

// teamOf returns what to exchange with a team; nil: no project was named.
func teamOf(ctx context.Context, s *shell, cfg config.Config, projects []string) (team *app.Team, err error) {
	if len(projects) == 0 {
		return nil, nil
	}
	err = s.withShared(ctx, cfg, func(m *engine.Memories) error {
		if m, err = memory.Locate(ctx, m, app.ProjectOf(ctx, ".")); err == nil {
			team, err = app.TeamOf(ctx, m, projects)
		}
		return err
	})
	return team, err
}

func newSyncShareCommand(s *shell) *cobra.Command {
	var at string
	var stop bool
	c := &cobra.Command{
		Use:   "share PROJECT...",
		Short: "Exchange the memories of more projects with a team, or of fewer",
		Long: `Exchange the memories of more projects with a team. --stop takes projects out again: the next sync withdraws what was sent of them, and takes
over nothing more. What others have taken over is marked as forgotten in their stores.`,
		Example: `  hippo sync share current
  hippo sync share github.com/us/shop --stop`,
		Args: requireArgument("a project"),
		RunE: func(c *cobra.Command, args []string) error {
			from, err := carrierFlag(at)
			if err != nil {
				return err
			}
			cfg, err := existingStore(s)
			if err != nil {
				return err
			}
			team, err := teamOf(c.Context(), s, cfg, args)
			if err != nil {
				return err
			}
			return withRemotes(c.Context(), s, cfg, func(x *app.Remotes) error {
				projects, err := x.Share(c.Context(), from, team.Projects, stop)
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(map[string][]string{"projects": append([]string{}, projects...)})
				}
				fmt.Fprintf(s.out, "exchanged with the team: %s\n", projectList(projects))
				s.warn("hippo sync now sends or withdraws what follows from it")
				return nil
			})
		},
	}
	c.Flags().BoolVar(&stop, "stop", false, "take the projects out")
	addCarrier(c, &at)
	return c
}

// addCarrier adds the flag that says which team is meant.
func addCarrier(c *cobra.Command, at *string) {
	c.Flags().StringVar(at, "carrier", "", "the carrier of the team, if there are several teams")
}

// carrierFlag reads a carrier that may be absent.
func carrierFlag(text string) (app.Carrier, error) {
	if text == "" {
		return "", nil
	}
	return app.CarrierOf([]string{text})
}

func projectList(names []string) string {
	if len(names) == 0 {
		return "no project"
	}
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = termtext.Line(n)
	}
	return strings.Join(list, ", ")
}

func newSyncHeldCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "held [CARRIER]",
		Short: "List the memories that must not leave for a team, and those of others that were not taken over, with the reasons",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.CarrierOf(args)
			if err != nil {
				return err
			}
			_, err = onRemotes(c.Context(), s, func(x *app.Remotes) error {
				back, refused, err := x.Held(c.Context(), at)
				if err != nil {
					return err
				}
				out := wire.SyncHeld{Back: wire.HeldOf(back), Refused: wire.HeldOf(refused)}
				if s.json {
					return s.printJSON(out)
				}
				return printHeld(s, &out)
			})
			return err
		},
	}
}

func printHeld(s *shell, h *wire.SyncHeld) error {
	fmt.Fprintf(s.out, "held back: %s; not taken over: %s\n", memories(len(h.Back)), memories(len(h.Refused)))
	return s.table(func(w io.Writer) {
		for i := range h.Back {
			x := &h.Back[i]
			fmt.Fprintf(w, "  %s\t%s\t%s\n", x.ID.Short(), termtext.Line(x.Why()), preview(x.Text, heldPreview))
		}
		for i := range h.Refused {
			x := &h.Refused[i]
			fmt.Fprintf(w, "  from %s\t%s\t%s\n", termtext.Line(x.By), termtext.Line(x.Why()), preview(x.Text, heldPreview))
		}
	})
}

// heldPreview is how many characters of a memory are shown.
const heldPreview = 60

func newSyncExportReviewCommand(s *shell) *cobra.Command {
	var at string
	var check bool
	c := &cobra.Command{
		Use:   "export-review DIR",
		Short: "Write a team's memory as Markdown files for a review, such as in a pull request",
		Long: `Write a team's memory as Markdown files, one for each memory, in a folder for each project: what its members have sent, and what this machine
would send. Each member writes the same files. Other files of DIR are left alone. --check writes nothing, and fails with exit code 1 if the
files are not those that would be written, so that a commit or a CI job can refuse them.`,
		Example: `  hippo sync export-review memory
  hippo sync export-review memory --check`,
		Args: oneArgument("a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			from, err := carrierFlag(at)
			if err != nil {
				return err
			}
			_, err = onRemotes(c.Context(), s, func(x *app.Remotes) error {
				r, err := x.ExportReview(c.Context(), from, args[0], check)
				if err != nil {
					return err
				}
				return printReview(s, args[0], wire.SyncReview{Files: r.Files, Written: append([]string{}, r.Written...), Removed: append([]string{}, r.Removed...), Left: wire.HeldOf(r.Left)}, check)
			})
			return err
		},
	}
	c.Flags().BoolVar(&check, "check", false, "compare the files with what would be written; write nothing")
	addCarrier(c, &at)
	return c
}

// printReview prints what was written, or what differs, which is an error of a check.
func printReview(s *shell, dir string, r wire.SyncReview, check bool) error {
	differ := len(r.Written) + len(r.Removed)
	var failed error
	if check && differ > 0 {
		failed = fmt.Errorf("%s differ from the team's memory: run hippo sync export-review %s", plural(differ, "file"), termtext.Argument(dir))
	}
	if s.json {
		return errors.Join(s.printJSON(r), failed)
	}
	for _, name := range r.Written {
		fmt.Fprintf(s.out, "%s %s\n", map[bool]string{true: "differs", false: "wrote"}[check], name)
	}
	for _, name := range r.Removed {
		fmt.Fprintf(s.out, "%s %s\n", map[bool]string{true: "is none", false: "removed"}[check], name)
	}
	for i := range r.Left {
		s.warn("left out a memory of %s: %s", termtext.Line(r.Left[i].By), termtext.Line(r.Left[i].Why()))
	}
	if failed == nil {
		fmt.Fprintf(s.out, "%s, %d changed\n", plural(r.Files, "file"), differ)
	}
	return failed
}

// printTeam warns of what was held back.
func printTeam(s *shell, t *wire.SyncTeam) {
	if t == nil || len(t.HeldBack)+len(t.Refused) == 0 {
		return
	}
	s.warn("held back from the team: %s; not taken over: %s; hippo sync held lists them", counts(t.HeldBack), counts(t.Refused))
}

// printTeamStatus prints what may leave for a team.
func printTeamStatus(s *shell, t *wire.SyncTeam) {
	if t == nil {
		return
	}
	fmt.Fprintf(s.out, "  exchanged with the team: %s\n", projectList(t.Projects))
	fmt.Fprintf(s.out, "  may leave: %s; held back: %s; of other projects: %d\n", memories(t.May), counts(t.HeldBack), t.Others)
	fmt.Fprintf(s.out, "  from others: %s; not taken over: %s\n", memories(t.Shown), counts(t.Refused))
}

// counts lists how many memories are held back for which reason.
func counts(of map[wire.HeldReason]int) string {
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%d %s", of[reason], wire.WhyHeld(reason)))
	}
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, ", ")
}
