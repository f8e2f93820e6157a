package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// Problems implements [driver.Backend]: files put aside, by this handle or
// another, files that cannot be read, and files whose name is not the UUID
// inside. It is ordered by path.
func (s *Store) Problems(ctx context.Context) ([]driver.Problem, error) {
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	list, err := s.disk.aside()
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	for name, f := range s.state.files {
		if why := s.state.trouble(name, f); why != "" {
			list = append(list, driver.Problem{Path: s.disk.full(name), Was: s.disk.full(name), Err: why})
		}
	}
	if err := s.state.metadata.err; err != nil {
		path := s.disk.full(metadataName)
		list = append(list, driver.Problem{Path: path, Was: path, Err: err.Error()})
	}
	s.mu.RUnlock()
	if err := s.relations.look(func() { list = append(list, s.relations.declared.problems()...) }); err != nil {
		return nil, s.orClosed(err)
	}
	slices.SortFunc(list, func(a, b driver.Problem) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// trouble tells what is wrong with a file; empty for nothing.
func (s *state) trouble(name string, f file) string {
	named, _ := idOf(name)
	switch {
	case f.err != nil:
		return f.err.Error()
	case s.rows[f.id].name != name:
		return fmt.Sprintf("holds memory %s, which %s holds too", f.id, s.rows[f.id].name)
	case named != f.id:
		return fmt.Sprintf("holds memory %s, as which it is read", f.id)
	default:
		return ""
	}
}

// aside lists the files put aside, with the reason they give today.
func (d *disk) aside() ([]driver.Problem, error) {
	f, err := d.root.Open(corruptDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed("read", corruptDir, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	all, err := f.ReadDir(-1)
	if err != nil {
		return nil, d.failed("read", corruptDir, err)
	}
	var list []driver.Problem
	for _, e := range all {
		name := corruptDir + "/" + e.Name()
		was := e.Name()
		if i := strings.LastIndexByte(was, '.'); i > 0 {
			was = was[:i]
		}
		list = append(list, driver.Problem{Path: d.full(name), Was: d.full(was), Err: d.why(name, was)})
	}
	return list, nil
}

func (d *disk) why(name, was string) string {
	b, _, err := d.read(name)
	switch {
	case err != nil:
	case was == metadataName:
		_, _, err = decodeMetadata(b)
	default:
		_, err = formats.DecodeInsight(b)
	}
	if err != nil {
		return err.Error()
	}
	return "was in the way of another memory"
}
