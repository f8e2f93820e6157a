package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// invitationTime is how long an invitation can be used.
const invitationTime = 24 * time.Hour

func newSyncCommand(s *shell) *cobra.Command {
	stdio := false
	c := &cobra.Command{
		Use:   "sync",
		Short: "Sync the memories of your machines by a folder, a repository, a machine or a server, encrypted",
		Long: `Sync the memories of your machines. Each has a store of its own, which works offline; a remote carries the changes between them, encrypted:
a folder that Dropbox, iCloud, OneDrive, Syncthing or a stick carries, a Git repository, a machine that ssh reaches, a server, or a bucket.
Nothing has to be resolved: what was changed at once on two machines is joined, and hippo log keeps the value that is not shown. docs/sync.md
says what is carried.`,
		Example: `  hippo sync init ~/Dropbox         # on the first machine
  hippo sync invite                 # prints the command for the next one:
  hippo sync join CODE ~/Dropbox
  hippo sync now`,
		Args: func(c *cobra.Command, args []string) error {
			if stdio {
				return maximumArguments(1)(c, args)
			}
			return refuseUnknownCommand(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if stdio {
				return app.ServeShelf(c.Context(), strings.Join(args, ""), s.in, s.out)
			}
			return c.Help()
		},
	}
	c.Flags().BoolVar(&stdio, "stdio", false, "serve a folder to a machine that syncs by ssh, which runs this; with a PATH no other one")
	c.AddCommand(newSyncInitCommand(s), newSyncInviteCommand(s), newSyncJoinCommand(s), newSyncAddCommand(s), newSyncRemoveCommand(s), newSyncStatusCommand(s),
		newSyncShareCommand(s), newSyncHeldCommand(s), newSyncExportReviewCommand(s))
	c.AddCommand(newSyncVerbCommands(s)...)
	return c
}

// withRemotes opens the remotes of a store, runs fn and closes them.
func withRemotes(ctx context.Context, s *shell, cfg config.Config, fn func(*app.Remotes) error) error {
	x, err := app.OpenRemotes(ctx, cfg, &app.Options{Now: s.now, Zone: zone(), Log: s.logger(cfg)})
	if err != nil {
		return err
	}
	return errors.Join(fn(x), x.Close())
}

// onRemotes is [withRemotes] for a store that exists.
func onRemotes(ctx context.Context, s *shell, fn func(*app.Remotes) error) (config.Config, error) {
	cfg, err := existingStore(s)
	if err != nil {
		return cfg, err
	}
	return cfg, withRemotes(ctx, s, cfg, fn)
}

// addMachine adds the flag for the name of this machine.
func addMachine(c *cobra.Command, name *string) {
	c.Flags().StringVar(name, "name", "", "the name of this machine, for hippo sync status (default: that of the system)")
}

// machineName returns the name of this machine.
func machineName(given string) (string, error) {
	name := strings.TrimSpace(given)
	if name == "" {
		host, err := os.Hostname()
		if err != nil {
			return "", usagef("the system has no name for this machine: give one with --name")
		}
		name, _, _ = strings.Cut(host, ".")
	}
	if len(name) > hippo.MaxName || termtext.Line(name) != name {
		return "", hippo.Fieldf("name", "must be a line of at most %d bytes, got %q", hippo.MaxName, name)
	}
	return name, nil
}

func newSyncInitCommand(s *shell) *cobra.Command {
	var name string
	var projects []string
	c := &cobra.Command{
		Use:   "init CARRIER",
		Short: "Begin to sync: send what this store has to a carrier, and print the recovery key",
		Long: `Begin to sync this store with other machines. CARRIER is what all of them reach: the PATH of a folder that something carries between them;
git:URL of a repository, in which a ref of its own is used that no branch sees; ssh:HOST or ssh:USER@HOST:PATH, a folder of a machine that has
hippo; https://HOST of hippo serve, after hippo login; or s3://BUCKET/PREFIX?endpoint=URL&region=NAME. What is sent is encrypted. The recovery
key is shown once: with it and the carrier a new machine can join when all others are lost.

With --team it is for several people: nothing leaves but confirmed memories of the projects that are named, without secrets and orders to the
reader; docs/sync.md says what stays at home.`,
		Example: `  hippo sync init ~/Dropbox
  hippo sync init git:git@github.com:me/memory.git
  hippo sync init ssh:me@nas
  hippo sync init https://memory.example.org
  hippo sync init ~/team --team github.com/us/shop`,
		Args: maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.NewCarrier(args)
			if err != nil {
				return err
			}
			machine, err := machineName(name)
			if err != nil {
				return err
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			team, err := teamOf(c.Context(), s, cfg, projects)
			if err != nil {
				return err
			}
			return withRemotes(c.Context(), s, cfg, func(x *app.Remotes) error {
				recovery, out, err := x.Init(c.Context(), at, machine, team)
				if err != nil {
					return err
				}
				err = printBegun(s, recovery, wire.SyncOutcomeOf(&out))
				return errors.Join(err, app.Shown(x, at))
			})
		},
	}
	addMachine(c, &name)
	addTeam(c, &projects)
	return c
}

func printBegun(s *shell, recovery string, o wire.SyncOutcome) error {
	if s.json {
		o.RecoveryKey = recovery
		return errors.Join(s.printJSON(o), o.Err)
	}
	fmt.Fprintf(s.out, "recovery key: %s\n", recovery)
	s.warn("write the recovery key down: it is shown this once, and with the folder it opens everything, also when all machines are lost")
	printOutcome(s, &o)
	if strings.HasPrefix(o.Carrier, "git:") {
		s.warn("the history of the ref keeps what is purged later, encrypted")
	}
	s.warn("on this machine, hippo sync invite prints the command for the next one")
	return o.Err
}

func newSyncInviteCommand(s *shell) *cobra.Command {
	var expires string
	var mine bool
	c := &cobra.Command{
		Use:   "invite [CARRIER]",
		Short: "Print the command with which one more machine joins, once",
		Long:  "Print the command with which one more machine joins, once, within a day. Its code is a secret: who has it and the folder reads everything.",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.CarrierOf(args)
			if err != nil {
				return err
			}
			until := s.now().Add(invitationTime)
			if expires != "" {
				x := verb.Time{Name: "expires", Text: expires}
				if err := cmp.Or(typedTimes(x), verb.Read(s.now().In(zone()), x.AheadInto(&until))); err != nil {
					return err
				}
			}
			if !until.After(s.now()) {
				return hippo.Fieldf("expires", "must be in the future, got %s", expires)
			}
			_, err = onRemotes(c.Context(), s, func(x *app.Remotes) error {
				code, at, err := x.Invite(c.Context(), at, until, mine)
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(wire.SyncInvitation{Code: code, Carrier: at.String(), Until: until.UTC().Truncate(time.Second)})
				}
				team, err := x.Team(at)
				if err != nil {
					return err
				}
				s.warn("run this on the other machine until %s, with its own path of the folder:", clock(until))
				fmt.Fprintf(s.out, "hippo sync join %s %s", code, termtext.Argument(at.String()))
				for _, arg := range app.TeamArguments(team) {
					fmt.Fprint(s.out, " ", termtext.Argument(arg))
				}
				fmt.Fprintln(s.out)
				return nil
			})
			return err
		},
	}
	c.Flags().StringVar(&expires, "expires", "", `until when it can be used, such as "in 1 hour" (default: in 1 day)`)
	c.Flags().BoolVar(&mine, "mine", false, "in a team: the other machine is yours, and may change what you have sent")
	return c
}

func newSyncJoinCommand(s *shell) *cobra.Command {
	var name string
	var projects []string
	c := &cobra.Command{
		Use:   "join CODE CARRIER",
		Short: "Join the machines that sync by a carrier, by an invitation or the recovery key",
		Long: `Join the machines that sync by CARRIER. CODE is printed by hippo sync invite on one of them, or is the recovery key; - reads it from stdin.
What this store has is kept and sent to the others: take a code of somebody else only with --team, which names the projects to exchange with a
team, and sends nothing to a vault that is not one of a team.`,
		Example: `  hippo sync join 1QX...0C ~/Dropbox
  pass hippo-recovery | hippo sync join - git:git@github.com:me/memory.git
  hippo sync join 1QX...0C ~/team --team github.com/us/shop`,
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0, 1:
				return usagef("two arguments are needed: CODE CARRIER, as hippo sync invite prints them on another machine")
			case 2:
				return nil
			}
			return usagef("unexpected argument %q", args[2])
		},
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.NewCarrier(args[1:])
			if err != nil {
				return err
			}
			machine, err := machineName(name)
			if err != nil {
				return err
			}
			code, err := readCode(s, args[0])
			if err != nil {
				return err
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			team, err := teamOf(c.Context(), s, cfg, projects)
			if err != nil {
				return err
			}
			return oneOutcome(c.Context(), s, cfg, func(x *app.Remotes) (wire.SyncOutcome, error) {
				out, err := x.Join(c.Context(), code, at, machine, team)
				return wire.SyncOutcomeOf(&out), err
			})
		},
	}
	addMachine(c, &name)
	addTeam(c, &projects)
	return c
}

func newSyncAddCommand(s *shell) *cobra.Command {
	var of string
	c := &cobra.Command{
		Use:   "add CARRIER",
		Short: "Sync the same machines by one more carrier",
		Long: `Sync the same machines by one more carrier, such as a repository beside a folder. Run it on each of them that reaches it; they need no
invitation. With a team beside your own machines, --of says whose carrier it is.`,
		Args: maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.NewCarrier(args)
			if err != nil {
				return err
			}
			like, err := app.CarrierOf(slices.DeleteFunc([]string{of}, func(x string) bool { return x == "" }))
			if err != nil {
				return err
			}
			cfg, err := existingStore(s)
			if err != nil {
				return err
			}
			return oneOutcome(c.Context(), s, cfg, func(x *app.Remotes) (wire.SyncOutcome, error) {
				out, err := x.Add(c.Context(), at, like)
				return wire.SyncOutcomeOf(&out), err
			})
		},
	}
	c.Flags().StringVar(&of, "of", "", "another carrier of the same machines (default: that of your own machines)")
	return c
}

func newSyncRemoveCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "remove [CARRIER]",
		Short: "Stop syncing by a carrier; memories and the folder stay as they are",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			at, err := app.CarrierOf(args)
			if err != nil {
				return err
			}
			_, err = onRemotes(c.Context(), s, func(x *app.Remotes) error {
				last, err := x.Remove(c.Context(), at)
				if err != nil {
					return err
				}
				if s.json {
					return s.printJSON(map[string]bool{"removed": true, "last": last})
				}
				if last {
					fmt.Fprintln(s.out, "removed; this store no longer syncs")
				} else {
					fmt.Fprintln(s.out, "removed")
				}
				return nil
			})
			return err
		},
	}
}
