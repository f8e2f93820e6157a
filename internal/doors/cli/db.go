package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newDBCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "db",
		Short: "Check and migrate the Postgres database of a store",
		Long: `Check and migrate the database of a store postgres://HOST/DATABASE. Its own tools, such as pg_dump and pg_restore, back it up and
restore it.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newDBMigrateCommand(s), newDBPlanCommand(s), newDBCheckCommand(s))
	return c
}

func newDBMigrateCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the tables of the database to the version of this program",
		Long: `Bring the tables to the version of this program, in one transaction: a migration that is cut changes nothing. A database without
tables gets them. hippo db plan shows what would be locked.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			from, to, err := app.MigrateDatabase(c.Context(), cfg.Store, openOptions(s, cfg))
			if err != nil {
				return err
			}
			switch {
			case s.json:
				return s.printJSON(map[string]int{"from": from, "to": to})
			case from == to:
				fmt.Fprintf(s.out, "the tables have version %d already\n", to)
			case from == 0:
				fmt.Fprintf(s.out, "created the tables, version %d\n", to)
			default:
				fmt.Fprintf(s.out, "migrated the tables from version %d to %d\n", from, to)
			}
			return nil
		},
	}
}

func newDBPlanCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "plan",
		Short: "Show what hippo db migrate would do, which tables it would lock, and for how long",
		Long: `Show what hippo db migrate would do. It runs in one transaction, so all locks last until its end. The time is estimated from the sizes
of the tables; a migration also waits for the transactions that use them. Nothing is changed.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			p, err := app.PlanDatabase(c.Context(), cfg.Store, openOptions(s, cfg))
			if err != nil {
				return err
			}
			return printPlan(s, &p)
		},
	}
}

func printPlan(s *shell, p *app.DatabasePlan) error {
	switch {
	case s.json:
		return s.printJSON(p)
	case p.From > p.To:
		fmt.Fprintf(s.out, "the tables have version %d, this program knows %d: use a newer hippo\n", p.From, p.To)
		return nil
	case p.From == p.To:
		fmt.Fprintf(s.out, "nothing to do: the tables have version %d\n", p.To)
		return nil
	case p.From == 0:
		fmt.Fprintf(s.out, "would create the schema and its tables, version %d; nothing is locked\n", p.To)
		return nil
	}
	fmt.Fprintf(s.out, "would migrate the tables from version %d to %d in one transaction of about %s\n", p.From, p.To, planned(p.Seconds))
	if len(p.Tables) == 0 {
		return nil
	}
	return s.table(func(w io.Writer) {
		fmt.Fprint(w, "TABLE\tWAITS MEANWHILE\tROWS\tSIZE\n")
		for _, t := range p.Tables {
			fmt.Fprintf(w, "hippo.%s\t%s\t%s\t%s\n", t.Name, t.Waits, worked(string(t.Work)), humanize.IBytes(uint64(max(0, t.Bytes))))
		}
	})
}

// planned is a time that was estimated.
func planned(seconds float64) string {
	return max(time.Second, time.Duration(seconds*float64(time.Second)).Round(time.Second)).String()
}

// worked says what is done with the rows of a table.
func worked(work string) string {
	switch work {
	case "read":
		return "are read"
	case "rewrite":
		return "are rewritten"
	default:
		return "stay"
	}
}

func newDBCheckCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the database, and all data of the namespaces in it",
		Long: `Check the server, its encoding, the version of the tables and the rights of the role, and read all data of every namespace, or of the
one that --namespace names. The store may be in use. Exit code 0: sound; 3: damaged, or unusable for this program.`,
		Args: maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			r, err := app.CheckDatabase(c.Context(), cfg.Store, givenNamespace(s), openOptions(s, cfg))
			if err != nil {
				return err
			}
			return printDatabase(s, &r)
		},
	}
}

// givenNamespace returns the namespace that the command line names; nil if it names none.
func givenNamespace(s *shell) *string {
	f := s.root.PersistentFlags().Lookup("namespace")
	if !f.Changed {
		return nil
	}
	given := f.Value.String()
	return &given
}

// checkedDatabase is the outcome of a check as JSON.
type checkedDatabase struct {
	app.DatabaseServer
	Problems   []string           `json:"problems,omitempty"`
	Namespaces []checkedNamespace `json:"namespaces"`
}

type checkedNamespace struct {
	Namespace string         `json:"namespace"`
	Memories  int            `json:"memories"`
	Forgotten int            `json:"forgotten"`
	Problems  []wire.Problem `json:"problems,omitempty"`
}

func printDatabase(s *shell, r *app.DatabaseReport) error {
	out := checkedDatabase{DatabaseServer: r.DatabaseServer, Problems: r.Problems, Namespaces: []checkedNamespace{}}
	found := len(r.Problems)
	for i := range r.Namespaces {
		n := &r.Namespaces[i]
		found += len(n.Problems)
		out.Namespaces = append(out.Namespaces, checkedNamespace{n.Namespace, n.Memories, n.Forgotten, wire.ProblemsOf(n.Problems)})
	}
	var err error
	if s.json {
		err = s.printJSON(out)
	} else {
		err = s.table(func(w io.Writer) { databaseRows(w, r, found == 0) })
	}
	if err == nil && found > 0 {
		err = &damageError{found}
	}
	return err
}

// databaseRows prints the outcome of a check.
func databaseRows(w io.Writer, r *app.DatabaseReport, sound bool) {
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s\t%s\n", name, termtext.Line(fmt.Sprintf(format, args...)))
	}
	row("database", "%s", r.Database)
	server := "PostgreSQL " + r.Version
	switch {
	case r.Replica:
		server += ", a replica: it cannot be written"
	case r.ReadOnly:
		server += ", which refuses writes (default_transaction_read_only)"
	}
	row("server", "%s", server)
	row("encoding", "%s", r.Encoding)
	row("tables", "version %d of %d", r.Schema, r.Known)
	row("role", "%s, which %s", r.Role, mayMigrate(r))
	memories, forgotten := 0, 0
	for i := range r.Namespaces {
		memories, forgotten = memories+r.Namespaces[i].Memories, forgotten+r.Namespaces[i].Forgotten
	}
	row("namespaces", "%d", len(r.Namespaces))
	row("memories", "%d, %d forgotten", memories, forgotten)
	for _, p := range r.Problems {
		row("problem", "%s", p)
	}
	for i := range r.Namespaces {
		for _, p := range r.Namespaces[i].Problems {
			row("problem", "%s", p.String())
		}
	}
	if sound {
		row("sound", "yes")
	}
}

func mayMigrate(r *app.DatabaseReport) string {
	if r.MayMigrate {
		return "may migrate the tables"
	}
	return "may not migrate the tables"
}
