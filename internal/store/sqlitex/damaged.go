package sqlitex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// damagedSuffix is of a file beside a damaged database: the number of that, and a fault on each line that follows. While it is
// there, no process writes the database. It does not hold for another file that takes the path, such as one that was restored.
const damagedSuffix = "-damaged"

// markDamaged makes all processes reject writes to the file.
func markDamaged(f *File, faults []string) error {
	lines := []string{number(f.db)}
	for _, fault := range faults {
		lines = append(lines, strings.ReplaceAll(fault, "\n", " "))
	}
	err := atomicfile.Write(f.path+damagedSuffix, []byte(strings.Join(lines, "\n")+"\n"))
	if errors.Is(err, fs.ErrPermission) || f.tx == nil {
		return nil // who cannot write here cannot write the database
	}
	if err != nil {
		return fmt.Errorf("%w: store %s is damaged, and other programs cannot be told: %w", hippo.ErrUnavailable, f.path, err)
	}
	return nil
}

// unmarkDamaged takes back what [markDamaged] has done.
func unmarkDamaged(f *File) error {
	err := os.Remove(f.path + damagedSuffix)
	if err == nil || errors.Is(err, fs.ErrNotExist) || f.tx == nil {
		return nil
	}
	return fmt.Errorf("%w: store %s is sound again, but is not written while %[2]s%s is there: %w", hippo.ErrUnavailable, f.path, damagedSuffix, err)
}

// markedFaults returns the faults that a process has found in the file. Cost of none: a system call.
func markedFaults(f *File) []string {
	if _, err := os.Lstat(f.path + damagedSuffix); err != nil {
		return nil
	}
	b, err := os.ReadFile(f.path + damagedSuffix)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if err != nil || len(lines) < 2 {
		return nil
	}
	if lines[0] != number(f.db) {
		_ = os.Remove(f.path + damagedSuffix) // the number may be given to another file now
		return nil
	}
	return lines[1:]
}
