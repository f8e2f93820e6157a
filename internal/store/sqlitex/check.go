package sqlitex

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hippo-memory/hippo"
)

// damage is the known damage of a file.
type damage struct {
	path    string // of the file
	mu      sync.Mutex
	checked bool // since the last fault that was noted
	faults  []string
}

// judge returns an error of SQLite as what it is: SQLite takes what the system cannot read for damage while it runs a statement. The
// text of one about damaged pages is added to the faults. A check confirms it later.
func (d *damage) judge(err error) error {
	if !Damaged(err) {
		return err
	}
	if unreadable(d.path) {
		return errDisk(d.path, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.checked && len(d.faults) > 0 {
		return err // a check has named it
	}
	d.checked = false
	if fault := err.Error(); len(d.faults) < maxFaults && !slices.Contains(d.faults, fault) {
		d.faults = append(d.faults, fault)
	}
	return err
}

// found sets what a check found.
func (d *damage) found(faults []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.checked, d.faults = true, faults
}

// known returns the faults, and whether a check found them.
func (d *damage) known() (faults []string, checked bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.faults), d.checked
}

const (
	// maxFaults is the number of faults that are reported of one file.
	maxFaults = 20
	// maxQuickCheck is the size in bytes of the largest file that QuickCheck reads, which
	// takes a second or two.
	maxQuickCheck = 256 << 20
)

// QuickCheck lists the known faults of the pages of the file. Its first call checks all
// pages, unless the file has more than 256 MiB. Cost: about 5 ms a MiB at the first call.
// Writes to a damaged file are rejected from then on, by every process.
func (d *DB) QuickCheck(ctx context.Context) ([]string, error) {
	f, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer f.release()
	if _, checked := f.damage.known(); !checked && !isLarge(f) {
		err = f.check(ctx, "quick_check", !d.derived())
	}
	return faultsOf(f), d.Explain("check", err)
}

// IntegrityCheck lists the faults of the pages, the indexes and the references of the file.
// Cost: about 15 ms a MiB. Writes to a file whose pages or indexes are damaged are rejected from
// then on, by every process, until a check finds the file sound.
func (d *DB) IntegrityCheck(ctx context.Context) ([]string, error) {
	f, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer f.release()
	if err := f.check(ctx, integrityCheck, !d.derived()); err != nil {
		return nil, d.Explain("check", err)
	}
	faults, _ := f.damage.known()
	if len(faults) == 0 {
		if err := unmarkDamaged(f); err != nil {
			return nil, err
		}
	}
	for rows, err := range Rows(ctx, f, `SELECT "table", rowid, parent FROM pragma_foreign_key_check`) {
		var table, parent string
		var row any
		if err == nil {
			err = rows.Scan(&table, &row, &parent)
		}
		if Damaged(err) {
			break // it is among the faults
		} else if err != nil {
			return nil, d.Explain("check", err)
		}
		if len(faults) < maxFaults {
			faults = append(faults, fmt.Sprintf("row %v of table %s refers to a row of %s that does not exist", row, table, parent))
		}
	}
	return faults, nil
}

// integrityCheck is the check that finds all faults.
const integrityCheck = "integrity_check"

func isLarge(f *File) bool { return f.db != nil && f.db.Size() > maxQuickCheck }

// check runs a pragma that reads all pages, and records the faults; mark: for all processes. Unlike other
// reads it ends when ctx does.
func (f *File) check(ctx context.Context, pragma string, mark bool) error {
	faults, err := inspect(ctx, f, pragma)
	if err == nil && len(faults) > 0 || Damaged(err) { // the disk may have failed in the midst of it: the next check does not find that
		faults, err = inspect(ctx, f, pragma)
	}
	switch {
	case Damaged(err) && unreadable(f.path):
		return errDisk(f.path, err)
	case Damaged(err):
		faults = append(faults, err.Error())
	case err != nil:
		return err
	}
	f.damage.found(faults)
	if mark && len(faults) > 0 {
		return markDamaged(f, faults)
	}
	return nil
}

// inspect runs a pragma that reads all pages, and returns the faults. The connection is a new one: others have pages in their caches
// that the file may no longer hold.
func inspect(ctx context.Context, f *File, pragma string) (faults []string, err error) {
	pool, err := f.pool(true, readSettings(f))
	if err != nil {
		return nil, err
	}
	defer pool.Close() //nolint:errcheck // nothing was written
	rows, err := pool.QueryContext(ctx, fmt.Sprintf("PRAGMA %s(%d)", pragma, maxFaults))
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	for rows.Next() {
		var fault string
		if err := rows.Scan(&fault); err != nil {
			return faults, err
		}
		if m := pageError().FindStringSubmatch(fault); m != nil {
			if code, _ := strconv.Atoi(m[1]); code&0xff == sqlite3.SQLITE_IOERR {
				return nil, errDisk(f.path, errors.New(fault))
			}
		}
		if fault != "ok" {
			faults = append(faults, fault)
		}
	}
	return faults, rows.Err()
}

// pageError finds the result code in a fault that says why a page cannot be read.
var pageError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`error code[ =](\d+)`) }) //nolint:gochecknoglobals // compiled when it is first used

// faultsOf returns the known faults of the file, also those that another process has found.
func faultsOf(f *File) []string {
	if known, _ := f.damage.known(); len(known) > 0 {
		return known
	}
	return markedFaults(f)
}

// whyDamaged returns why a file must not be written because it is damaged; nil if it can be. What a read has noted is checked first,
// because a disk that failed for a moment looks like damage. A derived file is rebuilt, so that other processes need not know.
// Cost: a system call; after a fault that is not checked yet, about 15 ms a MiB.
func whyDamaged(ctx context.Context, f *File, derived bool) error {
	faults, checked := f.damage.known()
	if !derived {
		if found := markedFaults(f); len(found) > 0 {
			faults, checked = found, true
		}
	}
	if len(faults) > 0 && !checked {
		err := f.check(ctx, integrityCheck, !derived)
		if err != nil && ctx.Err() == nil {
			return err
		}
		if err == nil { // else the time was too short for a large file, and what the read has noted counts
			faults, _ = f.damage.known()
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: store %s is damaged and is not written any more (%s): hippo check shows what to do", hippo.ErrCorrupt, f.path, faults[0])
	}
	return nil
}
