package pgstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Plan is what [DB.Migrate] would do.
type Plan struct {
	// From is the version of the tables, 0 without any, and To that of this program.
	From int `json:"from"`
	To   int `json:"to"`
	// Tables are those with rows that the migration needs, by name. It runs in one transaction, so that all locks last as long as it does.
	Tables []PlannedTable `json:"tables"`
	// Seconds is about how long it takes once it has its locks.
	Seconds float64 `json:"seconds"`
}

// PlannedTable is a table that a migration needs.
type PlannedTable struct {
	Name  string `json:"table"`
	Waits Waits  `json:"waits"`
	Work  Work   `json:"work"`
	// Bytes is the size of the table, with its indexes if they are written.
	Bytes int64 `json:"bytes"`
}

// Waits is what has to wait for the end of a migration at a table.
type Waits string

// What waits.
const (
	NothingWaits Waits = "nothing"
	WritesWait   Waits = "writes"
	AllWait      Waits = "reads and writes"
)

// Work is what a migration does with the rows of a table.
type Work string

// The kinds of work.
const (
	NoWork  Work = "none" // the catalog alone changes
	Reads   Work = "read"
	Rewrite Work = "rewrite"
)

// speed returns about how many bytes a second a server of two cores does of some work, a slow disk included; 0 for work that takes no time.
func (w Work) speed() float64 {
	switch w {
	case Reads:
		return 100e6
	case Rewrite:
		return 20e6
	default:
		return 0
	}
}

// SchemaVersion returns the version of the tables, 0 without any, and that of this program.
func SchemaVersion(ctx context.Context, d *DB) (at, known int, err error) {
	err = d.view(ctx, func(q querier) (err error) {
		at, err = version(ctx, q)
		return err
	})
	return at, len(migrations()), err
}

const selectSizes = `SELECT c.relname::text, pg_table_size(c.oid), pg_total_relation_size(c.oid) FROM pg_catalog.pg_class c
	WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'hippo') AND c.relkind IN ('r', 'p')`

// sizes are those of a table in bytes.
type sizes struct{ rows, all int64 }

// PlanMigration returns what [DB.Migrate] would do. It changes nothing and locks nothing.
func PlanMigration(ctx context.Context, d *DB) (Plan, error) {
	p := Plan{Tables: []PlannedTable{}}
	var err error
	if p.From, p.To, err = SchemaVersion(ctx, d); err != nil || p.From >= p.To {
		return p, err
	}
	known := make(map[string]sizes)
	err = d.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, func(row pgx.CollectableRow) (struct{}, error) {
			var name string
			var size sizes
			err := row.Scan(&name, &size.rows, &size.all)
			known[name] = size
			return struct{}{}, err
		}, selectSizes)
		return err
	})
	if err != nil {
		return p, err
	}
	p.add(migrations()[p.From:], known)
	return p, nil
}

// add adds what scripts need of the tables that are there.
func (p *Plan) add(scripts []string, known map[string]sizes) {
	needs := make(map[string]PlannedTable)
	seconds := 0.
	for _, script := range scripts {
		for _, t := range declared(script) {
			size, there := known[t.Name]
			if !there {
				continue // a script before creates it
			}
			if t.Bytes = size.rows; t.Work == Rewrite {
				t.Bytes = size.all
			}
			if speed := t.Work.speed(); speed > 0 {
				seconds += float64(t.Bytes) / speed
			}
			needs[t.Name] = stricter(needs[t.Name], t)
		}
	}
	p.Seconds = time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond).Seconds()
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		p.Tables = append(p.Tables, needs[name])
	}
}

// stricter returns what two scripts need of a table.
func stricter(a, b PlannedTable) PlannedTable {
	if slices.Index(allWaits(), a.Waits) > slices.Index(allWaits(), b.Waits) {
		b.Waits = a.Waits
	}
	if a.Work.speed() > 0 && (b.Work.speed() == 0 || a.Work.speed() < b.Work.speed()) {
		b.Work, b.Bytes = a.Work, a.Bytes
	}
	return b
}

// allWaits lists the kinds, that which disturbs most last.
func allWaits() []Waits { return []Waits{NothingWaits, WritesWait, AllWait} }

// declaration begins the lines of a migration that say what it needs of a table, which the tests compare with the locks that it takes:
//
//	-- needs TABLE: WAITS wait, WORK
const declaration = "-- needs "

// declared returns what a migration says that it needs.
func declared(script string) (out []PlannedTable) {
	for line := range strings.Lines(script) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), declaration)
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(text, ": ")
		waits, work, _ := strings.Cut(rest, ", ")
		t := PlannedTable{Name: name, Waits: Waits(strings.TrimSuffix(strings.TrimSuffix(waits, " waits"), " wait")), Work: Work(work)}
		if !slices.Contains(allWaits(), t.Waits) || !slices.Contains([]Work{NoWork, Reads, Rewrite}, t.Work) {
			panic(fmt.Sprintf("pgstore: a migration has the line %q", line)) // it is a part of the program
		}
		out = append(out, t)
	}
	return out
}
