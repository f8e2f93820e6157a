package sqlitex

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// damage is the known damage of a file. The zero value is none.
type damage struct {
	mu      sync.Mutex
	checked bool // by a quick check
	faults  []string
}

// note adds the text of an error, if it is about damaged pages.
func (d *damage) note(err error) {
	if Damaged(err) {
		d.add(false, err.Error())
	}
}

func (d *damage) add(checked bool, faults ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.checked = d.checked || checked
	for _, fault := range faults {
		if len(d.faults) < maxFaults && !slices.Contains(d.faults, fault) {
			d.faults = append(d.faults, fault)
		}
	}
}

func (d *damage) known() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.faults)
}

func (d *damage) wasChecked() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.checked
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
// Writes to a damaged file are rejected from then on.
func (d *DB) QuickCheck(ctx context.Context) ([]string, error) {
	f, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer f.release()
	if f.damage.wasChecked() || f.db != nil && f.db.Size() > maxQuickCheck {
		return f.damage.known(), nil
	}
	err = f.check(ctx, "quick_check")
	return f.damage.known(), d.Explain("check", err)
}

// IntegrityCheck lists the faults of the pages, the indexes and the references of the file.
// Cost: about 15 ms a MiB. Writes to a damaged file are rejected from then on.
func (d *DB) IntegrityCheck(ctx context.Context) ([]string, error) {
	f, err := d.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer f.release()
	if err := f.check(ctx, "integrity_check"); err != nil {
		return nil, d.Explain("check", err)
	}
	faults := f.damage.known()
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

// check runs a pragma that reads all pages, and records the faults. Unlike other
// reads it ends when ctx does.
func (f *File) check(ctx context.Context, pragma string) error {
	rows, err := f.reads.QueryContext(ctx, fmt.Sprintf("PRAGMA %s(%d)", pragma, maxFaults))
	if err == nil {
		defer rows.Close() //nolint:errcheck // rows.Err has it
		for rows.Next() {
			var fault string
			if err := rows.Scan(&fault); err != nil {
				return err
			}
			if fault != "ok" {
				f.damage.add(false, fault)
			}
		}
		err = rows.Err()
	}
	if err != nil && !Damaged(err) {
		return err
	}
	f.damage.note(err)
	f.damage.add(true)
	return nil
}
