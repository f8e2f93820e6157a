package dirstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
)

// step is one change of a file by a commit.
type step struct {
	Name string `json:"name"`
	// Before is the hash of the content that is replaced; zero if there is no file.
	Before sum `json:"before"`
	// Temp is the file that is renamed to Name; empty: Name is removed.
	Temp string `json:"temp,omitempty"`
}

// sum is the SHA-256 of a content.
type sum [sha256.Size]byte

// writeJournal writes the steps of a commit. After that the commit will be finished, by this
// process or another.
func writeJournal(d *directory, steps []step, flush bool) error {
	err := d.permit("write", journalName)
	if err == nil {
		var b []byte
		if b, err = json.Marshal(steps); err == nil {
			err = d.overwrite(journalName, b, flush)
		}
	}
	if err != nil {
		return d.failed("write", journalName, errors.Join(err, clearJournal(d, flush)))
	}
	return d.permit("journaled", journalName)
}

// clearJournal ends a commit. After a durable one this must be durable
// too: else a replay could restore a memory that was purged later.
func clearJournal(d *directory, flush bool) error {
	return d.failed("write", journalName, d.overwrite(journalName, nil, flush))
}

// readJournal returns the steps of a commit that was not finished. An incomplete
// journal has none: no file was replaced yet.
func readJournal(d *directory) (steps []step, err error) {
	i, err := d.root().Lstat(journalName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && i.Size() == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", journalName, err)
	}
	b, err := d.root().ReadFile(journalName)
	return decodeJournal(b), d.failed("read", journalName, err)
}

// decodeJournal returns nil if b is not a complete journal.
func decodeJournal(b []byte) (steps []step) {
	if json.Unmarshal(b, &steps) != nil {
		return nil
	}
	for _, s := range steps {
		if !managed(s.Name) || s.Temp != "" && !strings.HasPrefix(s.Temp, stateDir+"/"+tempPrefix) {
			return nil
		}
	}
	return steps
}

// replay finishes the steps of the journal and returns the names of their files. Files
// whose content is no longer that before the commit were replaced already, or changed since, and
// are left alone.
func replay(d *directory) (names []string, err error) {
	steps, err := readJournal(d)
	history := false
	for i := 0; err == nil && i < len(steps); i++ {
		names = append(names, steps[i].Name)
		_, past := historyID(steps[i].Name)
		history = history || past
		err = redo(d, steps[i])
	}
	if err == nil && len(steps) > 0 {
		if err = flushAll(d, history); err == nil {
			err = clearJournal(d, true)
		}
	}
	return names, err
}

func redo(d *directory, s step) error {
	var now sum
	switch b, _, err := d.read(s.Name, maxFile); {
	case err == nil:
		now = sha256.Sum256(b)
	case !errors.Is(err, fs.ErrNotExist):
		return d.failed("read", s.Name, err)
	}
	if now != s.Before {
		return nil
	}
	if s.Temp == "" {
		return d.remove(s.Name)
	}
	err := d.rename(s.Temp, s.Name)
	if errors.Is(err, fs.ErrNotExist) { // done before, with the same content
		return nil
	}
	return err
}
