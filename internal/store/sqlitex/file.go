package sqlitex

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// File is one opening of the file of a [DB], for reading, inside of [DB.View].
type File struct {
	location  // what was at the path when it was opened
	inode     string
	immutable bool
	unfit     error // why it must not be written; nil if it may be
	rollback  bool  // it has a journal for each transaction in place of a log, as where no memory can be shared
	reads     *sql.DB
	stmts     sync.Map       // of the reads: query -> *sql.Stmt, prepared at first use
	writes    *sql.DB        // nil if the file can only be read
	tx        *Tx            // nil if the file can only be read
	users     sync.WaitGroup // calls that read or write
	damage    damage
	watch     watch
}

// openFile opens a file that exists.
func openFile(ctx context.Context, path string, o *Options) (f *File, err error) {
	for range openAttempts {
		if f, err = openOnce(ctx, path, o); !logGone(err) {
			break
		}
	}
	return f, err
}

// openAttempts is how often a file is opened whose log another process removes meanwhile.
const openAttempts = 3

func openOnce(ctx context.Context, path string, o *Options) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: store: %w", hippo.ErrUnavailable, err)
	case info.IsDir():
		return nil, fmt.Errorf("%w: store %s is a directory, want a file (dir:%s opens a directory of JSON files)", hippo.ErrInvalid, path, path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: store %s is a device or a pipe, want a file", hippo.ErrInvalid, path)
	}
	if err := removeForeignLog(path, o.Log); err != nil {
		return nil, err
	}
	f := &File{location: locate(path), damage: damage{path: path}}
	if o.ensure == nil {
		f.unfit = Unfit(path)
	}
	if errors.Is(f.unfit, hippo.ErrCorrupt) {
		return nil, f.unfit
	}
	if !replaceable || !same(f.db, locate(path).db) { // a file system without stable file numbers
		f.db = nil
	}
	readOnly := o.ReadOnly || f.unfit != nil || !canWrite(path)
	err = openReadsPatiently(ctx, f, o.Schema, readOnly)
	if (needsFolder(err) || noMaps(err)) && f.withoutLog() {
		f.immutable, readOnly = true, true
		err = f.openReads(ctx, o.Schema, true)
	}
	ready := true
	if err == nil && o.Guest != nil {
		ready, err = prepare(ctx, f, o, readOnly)
	}
	if err == nil && !readOnly {
		err = f.openWriter(ctx, o)
	}
	if err == nil && !ready {
		err = transact(ctx, f, driver.Durable, o.Guest.Prepare)
	}
	if err == nil && o.ensure != nil {
		err = whenFree(ctx, f, func() error { return o.ensure(ctx, f) })
	}
	if err == nil {
		err = f.findLog()
	}
	if f.unfit != nil && errors.Is(err, hippo.ErrReadOnly) {
		err = f.unfit // that is why
	}
	if err != nil {
		return nil, errors.Join(explain("open", path, err), f.close())
	}
	return f, nil
}

// openReadsPatiently is openReads again and again while a process that locks readers out, as the last one that leaves the file does,
// makes progress.
func openReadsPatiently(ctx context.Context, f *File, s Schema, readOnly bool) error {
	for waited := time.Duration(0); ; waited += busyTimeout {
		seen := progressOf(nil, f.path)
		err := f.openReads(ctx, s, readOnly)
		if !busy(err) || waited >= maxWait || progressOf(nil, f.path) == seen {
			return err
		}
	}
}

// openReads opens the connections that read, and refuses a file that does not fit.
func (f *File) openReads(ctx context.Context, s Schema, readOnly bool) (err error) {
	if f.reads, err = f.pool(readOnly, "_pragma=query_only(1)&"+readSettings(f)); err != nil {
		return err
	}
	f.reads.SetMaxOpenConns(readConns)
	f.reads.SetMaxIdleConns(readConns)
	err = s.check(ctx, f.reads, f.path, readOnly)
	if err != nil {
		err = errors.Join(err, f.reads.Close())
		f.reads = nil
	}
	return err
}

// readSettings are the settings of connections that read.
func readSettings(f *File) string {
	if f.immutable {
		return "immutable=1"
	}
	return ""
}

// writePragmas make every commit flush the disk, keep what a savepoint undoes in RAM, and overwrite what is deleted with
// zeros: a purge would leave the text in free parts of the file.
const writePragmas = "_txlock=immediate&_pragma=temp_store(memory)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=secure_delete(1)"

// derivedCheckpoint lets the log of derived data grow to 32 MiB before it is brought into the
// file. That flushes the disk, which commits of derived data do not.
const derivedCheckpoint = "PRAGMA wal_autocheckpoint = 8192"

// readConns bounds concurrent reads, and with it the RAM of their caches.
const readConns = 2

// openWriter opens the connection that writes, and migrates.
func (f *File) openWriter(ctx context.Context, o *Options) (err error) {
	if f.writes, err = f.pool(false, writePragmas); err != nil {
		return err
	}
	conn, err := f.writes.Conn(ctx)
	if err != nil {
		return err
	}
	f.tx = &Tx{conn: conn, stmts: make(map[string]*sql.Stmt), damage: &f.damage, file: f}
	if err := f.tx.waitFor(0); err != nil { // see whenFree
		return err
	}
	return whenFree(ctx, f, func() error { return prepareWriter(ctx, f, o) })
}

// prepareWriter brings the file into the mode in which it is written, and migrates.
func prepareWriter(ctx context.Context, f *File, o *Options) (err error) {
	if f.rollback, err = withoutLog(ctx, f.tx.conn, f.path); err == nil && !f.rollback {
		err = f.tx.Script("PRAGMA journal_mode = WAL") // which the file stays in
	}
	if err == nil && o.ensure != nil {
		err = f.tx.Script(derivedCheckpoint)
	}
	if err == nil {
		err = o.Schema.migrate(ctx, f.tx.conn, o.Log)
	}
	return err
}

// dsn returns the data source name of the file. An absolute path is never taken
// for the name of something else, as ":memory:" and "//host" are.
func dsn(path string, readOnly bool, more string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	u.RawQuery = fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=cache_size(-%d)&%s", busyTimeout.Milliseconds(), cacheSize, more)
	if readOnly {
		u.RawQuery += "&mode=ro"
	}
	return u.String(), nil
}

// pool returns connections to the file, none of them open yet.
func (f *File) pool(readOnly bool, more string) (*sql.DB, error) {
	name, err := dsn(f.path, readOnly, more)
	if err != nil {
		return nil, err
	}
	c, err := sqlite.NewConnector(name)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{c, f}), nil
}

// connector opens connections to the file that was at the path at first, and to no other:
// connections of one process to different files would share one log.
type connector struct {
	sqldriver.Connector
	file *File
}

// Connect implements [sqldriver.Connector].
func (c connector) Connect(ctx context.Context) (sqldriver.Conn, error) {
	if !c.file.inPlace() {
		return nil, errReplaced(c.file.path)
	}
	conn, err := c.Connector.Connect(ctx)
	if err == nil && !c.file.inPlace() {
		// Never closed: that could checkpoint the log of the old file into the new one.
		return nil, errReplaced(c.file.path)
	}
	return conn, err
}

// errMoved is in the chain of [errReplaced].
var errMoved = errors.New("was replaced while it was opened")

func errReplaced(path string) error {
	return fmt.Errorf("%w: store %s %w: try again", hippo.ErrUnavailable, path, errMoved)
}

// QueryContext implements [Queryer] on the connections that read. All reads are short: ctx
// is looked at before, not during a query, because watching it costs the driver a
// goroutine each time.
func (f *File) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	st, err := f.stmt(ctx, query) //nolint:sqlclosecheck // it is kept until the file is closed
	if err != nil {
		return nil, err
	}
	return st.QueryContext(ctx, args...)
}

// Snapshot calls fn with the file as it is at one moment, for large reads: each of the
// statements is prepared.
func (f *File) Snapshot(ctx context.Context, fn func(Queryer) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := f.reads.BeginTx(context.WithoutCancel(ctx), nil)
	if err == nil {
		err = fn(snapshot{tx, &f.damage})
		_ = tx.Rollback() // it changed nothing
	}
	return f.damage.judge(err)
}

// snapshot is what [File.Snapshot] reads.
type snapshot struct {
	*sql.Tx
	*damage
}

// stmt returns a prepared statement on the connections that read.
func (f *File) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if st, ok := f.stmts.Load(query); ok {
		return st.(*sql.Stmt), nil //nolint:errcheck // nothing else is kept there
	}
	st, err := f.reads.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	f.stmts.Store(query, st) // a statement that lost a race is closed with the file
	return st, nil
}

// release ends a use that [DB.acquire] began.
func (f *File) release() { f.users.Done() }

// close closes all connections. The last one of all processes checkpoints the log into
// the file and deletes it.
func (f *File) close() error {
	var errs []error
	if f.tx != nil {
		errs = append(errs, f.tx.close())
	}
	errs = append(errs, closeReads(f))
	if f.writes != nil {
		errs = append(errs, f.writes.Close())
	}
	return errors.Join(errs...)
}

func closeReads(f *File) error {
	err := f.watch.close()
	if f.reads != nil {
		err = errors.Join(err, f.reads.Close())
	}
	f.reads = nil
	return err
}

// detach closes a file that is no longer at its path, or whose log is not. What the log
// has is brought into the file, wherever that is. If another file has taken the path, and the log there still belongs to this one,
// the log is moved away. If another program replaced the log of this file, the last process that closes the file removes that log:
// SQLite would bring former pages back from it.
func (f *File) detach(log *slog.Logger) error {
	f.users.Wait()
	if f.tx != nil {
		_ = f.tx.waitFor(maxWait) // for the checkpoints
	}
	err := detachLog(f, log)
	switch now := locate(f.path); {
	case f.tx == nil:
	case !same(f.db, now.db):
		err = errors.Join(err, closeReads(f))
		f.tx.checkpoint()
	case same(f.shm, now.shm), now.wal == nil && now.shm == nil:
		// Other processes still coordinate with this one: the index is the same, or nobody has begun another.
		_ = f.tx.Exec("PRAGMA wal_checkpoint(TRUNCATE)") // at least it was tried
	}
	return errors.Join(err, f.close(), removeEmptyLog(f))
}

// CopyTo writes the content of the file, as it is at one moment, into another file that is
// empty or does not exist, without free pages. Others may read and write meanwhile.
func (d *DB) CopyTo(ctx context.Context, path string) error {
	f, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer f.release()
	return d.Explain("copy", copyFile(ctx, f, path))
}

func copyFile(ctx context.Context, f *File, path string) error {
	pool, err := f.pool(true, readSettings(f))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", path)
	return errors.Join(err, pool.Close())
}
