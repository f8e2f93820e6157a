package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
)

// InFiles refuses a store in a database, for what reads or writes the files of a store. The error says what to use there.
func InFiles(s config.Store) error {
	if !s.Database() {
		return nil
	}
	return fmt.Errorf("%w: the store is a database, %s: hippo db check checks it, and its own tools, such as pg_dump and pg_restore, back it up and restore it", hippo.ErrUnsupported, s)
}

// DatabasePlan is what a migration would do.
type DatabasePlan = pgstore.Plan

// DatabaseServer is what a database says of itself.
type DatabaseServer = pgstore.Server

// withDatabase calls fn with the database of a store, whose tables may be missing or of another version.
func withDatabase(ctx context.Context, s config.Store, o *Options, fn func(*pgstore.DB) error) error {
	if !s.Database() {
		return fmt.Errorf("%w: the store %s is not a database: give --store postgres://HOST/DATABASE", hippo.ErrUnsupported, s)
	}
	db, err := pgstore.OpenDB(ctx, s.URL(), &pgstore.DBOptions{Log: o.Log})
	if err != nil {
		return err
	}
	defer db.Close()
	return fn(db)
}

// PlanDatabase returns what [MigrateDatabase] would do. It changes nothing.
func PlanDatabase(ctx context.Context, s config.Store, o *Options) (p DatabasePlan, err error) {
	err = withDatabase(ctx, s, o, func(db *pgstore.DB) (err error) {
		p, err = pgstore.PlanMigration(ctx, db)
		return err
	})
	return p, err
}

// MigrateDatabase brings the tables of a database to the version of this program, and returns the version before and after.
func MigrateDatabase(ctx context.Context, s config.Store, o *Options) (from, to int, err error) {
	err = withDatabase(ctx, s, o, func(db *pgstore.DB) (err error) {
		if from, to, err = pgstore.SchemaVersion(ctx, db); err != nil {
			return err
		}
		return db.Migrate(ctx)
	})
	return from, to, err
}

// NamespaceReport is the outcome of the check of a namespace.
type NamespaceReport struct {
	Namespace string
	Memories  int
	Forgotten int
	Problems  []api.StoreProblem
}

// DatabaseReport is the outcome of [CheckDatabase].
type DatabaseReport struct {
	DatabaseServer
	// Problems keep programs from using the database. Each says what mends it.
	Problems []string
	// Namespaces are those that were checked: none if the tables cannot be read.
	Namespaces []NamespaceReport
}

// CheckDatabase checks a database: its server, its tables, the rights of the role, and all data of a namespace, or of each if it is
// nil. It changes nothing.
func CheckDatabase(ctx context.Context, s config.Store, namespace *string, o *Options) (r DatabaseReport, err error) {
	err = withDatabase(ctx, s, o, func(db *pgstore.DB) (err error) {
		if r.DatabaseServer, err = pgstore.Inspect(ctx, db); err != nil {
			return err
		}
		r.Problems = r.DatabaseServer.Problems(db)
		if r.Schema != r.Known || len(r.Lacking) > 0 {
			return nil // it would be the same problem again
		}
		names := []string{}
		if namespace != nil {
			names = append(names, *namespace)
		} else if names, err = db.Tenants(ctx); err != nil {
			return err
		}
		for _, name := range names {
			n, err := checkNamespace(ctx, db, name)
			if err != nil {
				return err
			}
			r.Namespaces = append(r.Namespaces, n)
		}
		return nil
	})
	return r, err
}

// checkNamespace checks all data of a namespace.
func checkNamespace(ctx context.Context, db *pgstore.DB, name string) (r NamespaceReport, err error) {
	r.Namespace = name
	b, err := pgstore.Open(ctx, db, name, &pgstore.Options{Existing: true})
	if err != nil {
		return r, err
	}
	r.Problems, err = b.Check(ctx)
	h, headErr := b.Head(ctx)
	r.Memories, r.Forgotten = h.Memories-h.Forgotten, h.Forgotten
	return r, errors.Join(err, headErr, b.Close())
}
