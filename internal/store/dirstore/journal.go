package dirstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"strings"
)

// step is one change of a file by a commit.
type step struct {
	Name string `json:"name"`
	// Before is the hash of the content that is replaced; zero if there is no file.
	Before sum `json:"before"`
	// Temp is the file that is renamed to Name; empty: Name is removed.
	Temp string `json:"temp,omitempty"`
	// After is the hash of the content of Temp; zero in a journal of an earlier version, which was
	// written when all files had been flushed.
	After sum `json:"after,omitzero"`
}

// sum is the SHA-256 of a content.
type sum [sha256.Size]byte

// writeJournal writes the steps of a commit, when all its files were written. After that and
// their flush the commit will be finished, by this process or another.
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

// clearJournal ends a commit. It is flushed if a later replay of its steps could do harm.
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
// are left alone. A commit is undone if the machine crashed before all it needs was flushed:
// no file was replaced then.
func replay(d *directory) (names []string, err error) {
	steps, err := readJournal(d)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	folders := []string{"."}
	for _, s := range steps {
		names = append(names, s.Name)
		if _, past := historyID(s.Name); past && len(folders) == 1 {
			folders = append(folders, historyDir)
		}
	}
	left, err := unfinished(d, steps)
	for i := 0; err == nil && i < len(left); i++ {
		err = redo(d, left[i])
	}
	if err == nil {
		err = flushAll(d, folders...)
	}
	if err == nil {
		err = clearJournal(d, true)
	}
	return names, err
}

// unfinished returns the steps that are to be done; none if the commit was not complete when
// the machine crashed. That is so if a file is missing or not whole that was to replace another,
// and no file was replaced yet.
func unfinished(d *directory, steps []step) (left []step, err error) {
	var none sum
	begun, torn := false, false
	for _, s := range steps {
		now, err := sumOf(d, s.Name)
		if err != nil {
			return nil, err
		}
		temp := sum{}
		if s.Temp != "" {
			if temp, err = sumOf(d, s.Temp); err != nil {
				return nil, err
			}
		}
		switch {
		case s.Temp != "" && temp == none && now == s.After:
			begun = true
		case now != s.Before:
		case s.After == none || temp == s.After:
			left = append(left, s)
		default:
			torn = true
		}
	}
	if torn && !begun {
		return nil, nil
	}
	return left, nil
}

// sumOf returns the hash of a file; zero if there is none.
func sumOf(d *directory, name string) (sum, error) {
	b, _, err := d.read(name, math.MaxInt64)
	if errors.Is(err, fs.ErrNotExist) {
		return sum{}, nil
	}
	return sha256.Sum256(b), d.failed("read", name, err)
}

func redo(d *directory, s step) error {
	if s.Temp == "" {
		return d.remove(s.Name)
	}
	err := d.rename(s.Temp, s.Name)
	if errors.Is(err, fs.ErrNotExist) { // done before, with the same content
		return nil
	}
	return err
}
