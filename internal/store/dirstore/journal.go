package dirstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
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

// ours reports whether this program may change a file of the directory by this name.
func ours(name string) bool {
	_, ok := idOf(name)
	return ok || name == metadataName || name == relationsName
}

// writeJournal writes down the steps of a commit: from then on it will be finished, by this
// process or another.
func (d *disk) writeJournal(steps []step, sync bool) error {
	err := d.at("write", journalName)
	if err == nil {
		var b []byte
		if b, err = json.Marshal(steps); err == nil {
			err = d.overwrite(journalName, b, sync)
		}
	}
	if err != nil {
		return d.failed("write", journalName, errors.Join(err, d.clearJournal(sync)))
	}
	return d.at("promised", journalName)
}

// clearJournal ends a commit. After a durable one that must be durable
// too: else a memory purged later could come back.
func (d *disk) clearJournal(sync bool) error {
	return d.failed("write", journalName, d.overwrite(journalName, nil, sync))
}

func (d *disk) overwrite(name string, b []byte, sync bool) error {
	f, err := d.root().OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// leftJournal returns the steps of a commit that was not finished. A journal that is not
// whole was never in force.
func (d *disk) leftJournal() (steps []step, err error) {
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

// decodeJournal returns nil if b is not a whole journal.
func decodeJournal(b []byte) (steps []step) {
	if json.Unmarshal(b, &steps) != nil {
		return nil
	}
	for _, s := range steps {
		if !ours(s.Name) || s.Temp != "" && !strings.HasPrefix(s.Temp, stateDir+"/"+tempPrefix) {
			return nil
		}
	}
	return steps
}

// replay finishes the steps of a left journal and returns the names of their files. Files
// that are no longer as the commit found them are done already, or were changed since, and stay.
func (d *disk) replay() (names []string, err error) {
	steps, err := d.leftJournal()
	for i := 0; err == nil && i < len(steps); i++ {
		names = append(names, steps[i].Name)
		err = d.redo(steps[i])
	}
	if err == nil && len(steps) > 0 {
		if err = d.syncDir("."); err == nil {
			err = d.clearJournal(true)
		}
	}
	return names, err
}

func (d *disk) redo(s step) error {
	var now sum
	switch b, _, err := d.read(s.Name); {
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
