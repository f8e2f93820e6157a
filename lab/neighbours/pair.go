package main

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite"     // reads the file
	_ "modernc.org/sqlite/vec" // and its vectors

	"github.com/hippo-memory/hippo/lab/others"
)

// pair is this program and another one on one file.
type pair struct {
	ours, theirs others.Program
	folder, keep string
	words        []string
	// seeds are those of the texts that are written.
	seeds *rand.Rand
	// dir is a folder that is removed at the end, file the file in it.
	dir, file   string
	here, there *others.Session
}

// all runs the steps on one file, each on what the others left.
func (p *pair) all(steps []step) (err error) {
	if p.dir, err = os.MkdirTemp("", "neighbours"); err != nil {
		return err
	}
	p.file = filepath.Join(p.dir, "memory.db")
	defer func() {
		p.end()
		err = errors.Join(err, p.save("after"), os.RemoveAll(p.dir))
	}()
	if err := p.startThere(); err != nil {
		return err
	}
	var errs []error
	for _, s := range steps {
		began := time.Now()
		found, err := s.run(p)
		if err == nil {
			err = p.sound()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.name, err))
			found = "FAILED: " + err.Error()
		}
		fmt.Printf("%-26s %-32s %s (%.1f s)\n", p.theirs.Name, s.name, found, time.Since(began).Seconds())
	}
	return errors.Join(errs...)
}

// save keeps a copy of the file, if it is wanted.
func (p *pair) save(when string) error {
	if p.keep == "" {
		return nil
	}
	name := strings.ReplaceAll(p.theirs.Name, " ", "-") + "-" + when + ".db"
	name = filepath.Join(p.keep, name)
	return errors.Join(os.MkdirAll(p.keep, 0o700), os.RemoveAll(name), p.query(nil, "VACUUM INTO ?", name))
}

func (p *pair) startThere() (err error) {
	dir := filepath.Join(p.dir, "theirs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	p.there, err = p.theirs.Start(p.file, dir)
	return err
}

func (p *pair) startHere() (err error) {
	dir := filepath.Join(p.dir, "ours")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	p.here, err = p.ours.Start(p.file, dir)
	return err
}

// end ends both programs.
func (p *pair) end() {
	for _, s := range []*others.Session{p.here, p.there} {
		if s != nil {
			s.Kill()
		}
	}
	p.here, p.there = nil, nil
}

// query reads one column of the file, or runs a statement, beside both programs.
func (p *pair) query(into *[]string, query string, args ...any) error {
	db, err := sql.Open("sqlite", "file:"+p.file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // it was only read, or the statement has ended
	if into == nil {
		_, err := db.Exec(query, args...)
		return err
	}
	rows, err := db.Query(query, args...)
	if err != nil {
		return fmt.Errorf("%.60s: %w", query, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err has it
	for rows.Next() {
		var s sql.NullString
		if err := rows.Scan(&s); err != nil {
			return err
		}
		*into = append(*into, s.String)
	}
	return rows.Err()
}

// sound checks the whole file.
func (p *pair) sound() error {
	var integrity, words, vectors []string
	err := errors.Join(p.query(&integrity, "PRAGMA integrity_check"),
		p.query(&words, "SELECT name FROM sqlite_schema WHERE name = 'memory_content_fts'"))
	switch {
	case err != nil:
		return err
	case !slices.Equal(integrity, []string{"ok"}):
		return fmt.Errorf("integrity_check: %v", integrity)
	case len(words) > 0:
		if err := p.query(nil, "INSERT INTO memory_content_fts(memory_content_fts, rank) VALUES('integrity-check', 1)"); err != nil {
			return fmt.Errorf("the full-text index: %w", err)
		}
	}
	err = p.query(&vectors, "SELECT v.rowid FROM memory_embeddings_rowids v WHERE v.rowid NOT IN (SELECT id FROM memories)")
	if err == nil && len(vectors) > 0 {
		err = fmt.Errorf("vectors of rows that are not there: %v", vectors)
	}
	return err
}

// contents are the texts that a program lists. Only this one may have one twice: the other ones compare texts.
func (p *pair) contents(s *others.Session) (map[string]others.Row, error) {
	rows, err := s.List()
	list := make(map[string]others.Row, len(rows))
	for _, r := range rows {
		if old, ok := list[r.Content]; ok && s.Program.Name != p.ours.Name {
			return nil, fmt.Errorf("%s lists %q twice: %+v, %+v", s.Program.Name, r.Content, old, r)
		}
		list[r.Content] = r
	}
	return list, err
}

// eventually tries until it works, for as long as embedding in the background may take.
func eventually(try func() error) (err error) {
	for range 120 {
		if err = try(); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// found says whether the program finds a text first.
func found(s *others.Session, query, key string) error {
	keys, err := s.Recall(query, 5)
	if err == nil && !slices.Contains(keys, key) {
		err = fmt.Errorf("%s does not find %q by %q: %s", s.Program.Name, key, query, s.Text)
	}
	return err
}
