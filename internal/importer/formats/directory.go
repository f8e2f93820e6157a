package formats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/hippo-memory/hippo"
)

// metadataName is the file of a directory that holds its calendar.
const metadataName = "metadata.json"

// listing is what a directory of insights holds.
type listing struct {
	kind  Kind
	path  string
	files []string // relative to path, in order of their names
	meta  bool
	// relations: there is a file of them.
	relations bool
}

// listDirectory finds the insight files at path and in its folder insights/.
// Other files and links are skipped, as the old programs did.
func listDirectory(dir string) (listing, error) {
	l := listing{kind: KindDirectory, path: dir}
	top, err := os.ReadDir(dir)
	if err != nil {
		return l, err
	}
	below := false
	for _, f := range top {
		switch {
		case f.IsDir() && f.Name() == insightsKey:
			below = true
		case f.Type().IsRegular() && f.Name() == metadataName:
			l.meta = true
		case f.Type().IsRegular() && f.Name() == RelationsName:
			l.relations = true
		case isInsightFile(f):
			l.files = append(l.files, f.Name())
		}
	}
	if below {
		sub, err := os.ReadDir(path.Join(dir, insightsKey))
		if err != nil {
			return l, err
		}
		if len(l.files) == 0 {
			l.kind = KindInsights
		}
		for _, f := range sub {
			if isInsightFile(f) {
				l.files = append(l.files, path.Join(insightsKey, f.Name()))
			}
		}
	}
	if len(l.files) == 0 && !below && !l.meta {
		return l, fmt.Errorf("%w: %s is no directory of memories: it holds neither <uuid>.json nor %s", hippo.ErrInvalid, dir, metadataName)
	}
	return l, nil
}

func isInsightFile(f fs.DirEntry) bool {
	_, ok := idOfFile(f.Name())
	return ok && f.Type().IsRegular()
}

func idOfFile(name string) (hippo.ID, bool) {
	stem, ok := strings.CutSuffix(path.Base(name), ".json")
	if !ok {
		return hippo.ID{}, false
	}
	id, err := hippo.ParseID(stem)
	return id, err == nil
}

func openDirectory(dir string) (*Source, error) {
	l, err := listDirectory(dir)
	if err != nil {
		return nil, err
	}
	cal, trouble := l.calendar()
	s := &Source{Kind: l.kind, Calendar: cal, Count: len(l.files)}
	s.each = func(y yield) error {
		if trouble != nil && !y(nil, trouble) {
			return errStop
		}
		if err := l.each(y); err != nil || !l.relations {
			return err
		}
		return s.readRelations(path.Join(l.path, RelationsName), y)
	}
	if cal.Day == 0 {
		// The counter is lost; the newest access day is a lower bound.
		err = l.each(func(m *hippo.Memory, _ error) bool {
			s.Calendar.Day = max(s.Calendar.Day, newestDay(m))
			return true
		})
	}
	return s, err
}

// calendar reads the metadata file; the error is for the user to see.
func (l listing) calendar() (cal hippo.Calendar, err error) {
	if !l.meta {
		return cal, nil
	}
	var keys calendarKeys
	b, err := os.ReadFile(path.Join(l.path, metadataName))
	if err == nil {
		err = json.Unmarshal(b, &keys)
		if err != nil {
			err = broken(err)
		} else {
			cal, err = keys.calendar()
		}
	}
	if err != nil {
		err = fmt.Errorf("%s: the newest access counts as the active day instead: %w", metadataName, err)
	}
	return cal, err
}

// each yields the insight of every file.
func (l listing) each(y yield) (err error) {
	root, err := os.OpenRoot(l.path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	here := make(map[hippo.ID]bool, len(l.files))
	for _, name := range l.files {
		id, _ := idOfFile(name)
		here[id] = true
	}
	for _, name := range l.files {
		m, err := readInsightFile(root, name)
		if id, _ := idOfFile(name); err == nil && m.ID != id && here[m.ID] {
			m, err = nil, fmt.Errorf("%w: uuid is that of another file, %s.json", hippo.ErrConflict, m.ID)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		if !y(m, err) {
			return errStop
		}
	}
	return nil
}

func readInsightFile(root *os.Root, name string) (*hippo.Memory, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > MaxEntry {
		return nil, tooLong("file")
	}
	b, err := root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return checked(DecodeInsight(b))
}
