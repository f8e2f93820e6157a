// Package sqlitestore keeps memories in one SQLite file. Several processes may share
// the file.
//
// The schema is in migrations/. Writes of concurrent callers are committed together;
// reads never wait for them. Package sqlitex opens the file, and refuses what is not a
// database, is damaged, or was written by another or a newer program.
package sqlitestore

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/filelease"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Store is a [driver.Backend] on a SQLite file. It is safe for concurrent use.
type Store struct {
	db     *sqlitex.DB
	writer *sqlitex.Writer[*Tx]
	bad    *unreadable
	vectors
	relations
	history
	leases
	replicas
}

// leases are the rights of a handle, in files beside that of the store.
type leases = *filelease.Leases

// Options configures a [Store]; the zero value and nil are useful.
type Options struct {
	// ReadOnly opens an existing file without the right to change it.
	ReadOnly bool
	// Log reports migrations; nil discards.
	Log *slog.Logger
}

// Open opens the file and creates it if it does not exist; see [sqlitex.Open] for the
// errors. A file that cannot be written is opened for reading, and writes are
// [hippo.ErrReadOnly].
func Open(ctx context.Context, path string, o *Options) (*Store, error) {
	if o == nil {
		o = &Options{}
	}
	db, err := sqlitex.Open(ctx, path, &sqlitex.Options{ReadOnly: o.ReadOnly, Schema: schema(), Log: o.Log})
	if err != nil {
		return nil, err
	}
	return newStore(db, path, o.Log), nil
}

func newStore(db *sqlitex.DB, path string, log *slog.Logger) *Store {
	s := &Store{db: db, bad: newUnreadable(path, log)}
	s.writer = sqlitex.NewWriter(db, nil, func(t *sqlitex.Tx, _ driver.Durability) (sqlitex.Group[*Tx], error) { return s.BeginGroup(t) })
	s.vectors = vectors{db, s.writer}
	s.leases = filelease.New(filepath.Clean(path)+".", time.Now) //nolint:forbidigo // processes compare these times
	s.history = history{db, s.bad}
	s.replicas = replicas{db, &packer{}}
	s.relations = relations{db, s.writer, newScopeQueries()}
	return s
}

//go:embed migrations/*.sql
var migrations embed.FS

func schema() sqlitex.Schema {
	s := sqlitex.Schema{Table: "state"}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	for _, name := range names {
		b, err := migrations.ReadFile(name)
		if err != nil {
			panic(err) // it was just listed
		}
		s.Migrations = append(s.Migrations, string(b))
	}
	return s
}

// Get implements [driver.Backend].
func (s *Store) Get(ctx context.Context, ids []hippo.ID) (ms []*hippo.Memory, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) error {
		found, err := get(ctx, f, ids)
		if err != nil {
			return err
		}
		ms, err = s.bad.split(found)
		return err
	})
	return ms, err
}

// Head implements [driver.Backend]. A copy of a file that takes its place has another
// Head.Store: it may have the revisions of the file, with other memories.
func (s *Store) Head(ctx context.Context) (h driver.Head, err error) {
	err = s.db.View(ctx, func(f *sqlitex.File) (err error) {
		if h, err = readHead(ctx, f); f.Number() != "" {
			h.Store += "-" + f.Number()
		}
		return err
	})
	return h, err
}

// Write implements [driver.Backend].
func (s *Store) Write(ctx context.Context, d driver.Durability, fn func(driver.Tx) error) error {
	return s.writer.Write(ctx, d, func(t *Tx) error { return fn(t) })
}

// Close implements [driver.Backend].
func (s *Store) Close() error {
	s.writer.Close()
	s.leases.Close()
	return s.db.Close()
}
