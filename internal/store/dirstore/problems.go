package dirstore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Problems implements [driver.Backend]: files put aside, by this handle or
// another, files that cannot be read, files whose name is not the UUID
// inside, and JSON files that are ignored. It is ordered by path.
func (s *Store) Problems(ctx context.Context) ([]driver.Problem, error) {
	list, err := s.problems(ctx)
	return list, s.orClosed(err)
}

func (s *Store) problems(ctx context.Context) (list []driver.Problem, err error) {
	err = s.read(ctx, func() error {
		return s.mirror.DB().View(ctx, func(f *sqlitex.File) (err error) {
			list, err = s.troubled(ctx, f)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	aside, err := s.disk.aside()
	if err != nil {
		return nil, err
	}
	ignored, err := s.disk.ignored()
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, aside, ignored)
	declared, _, err := s.disk.readDeclared()
	if err != nil {
		return nil, err
	}
	if declared.bad != nil {
		list = append(list, s.disk.problem(relationsName, declared.bad.Error()))
	}
	slices.SortFunc(list, func(a, b driver.Problem) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func (d *disk) problem(name, why string) driver.Problem {
	return driver.Problem{Path: d.full(name), Was: d.full(name), Err: why}
}

// troubled lists the files of memories with which something is wrong.
func (s *Store) troubled(ctx context.Context, f *sqlitex.File) (list []driver.Problem, err error) {
	const suspicious = " WHERE fault IS NOT NULL OR memory IS NOT NULL AND (NOT holder OR lower(replace(name, '-', '')) <> lower(hex(memory)) || '.json')"
	var held []entry
	err = selectEntries(ctx, f, suspicious, nil, func(e entry) {
		named, _ := idOf(e.name)
		switch {
		case e.fault != "":
			list = append(list, s.disk.problem(e.name, e.fault))
		case !e.holder:
			held = append(held, e)
		case named != e.id:
			list = append(list, s.disk.problem(e.name, fmt.Sprintf("holds memory %s, as which it is read", e.id)))
		}
	})
	for _, e := range held {
		holder := ""
		failed := selectEntries(ctx, f, " WHERE memory = ? AND holder", []any{e.id[:]}, func(e entry) { holder = e.name })
		if failed != nil {
			return nil, failed
		}
		list = append(list, s.disk.problem(e.name, fmt.Sprintf("holds memory %s, which %s holds too", e.id, holder)))
	}
	return list, err
}

// ignored lists what looks like a memory and is not read.
func (d *disk) ignored() (list []driver.Problem, err error) {
	all, err := d.entries(".")
	for _, e := range all {
		_, named := idOf(e.Name())
		switch {
		case named && !e.Type().IsRegular():
			list = append(list, d.problem(e.Name(), "is ignored, because it is not a regular file"))
		case !named && e.Name() != metadataName && e.Type().IsRegular() && filepath.Ext(e.Name()) == ".json":
			list = append(list, d.problem(e.Name(), "is ignored, because its name is not a UUID and .json: hippo import reads it"))
		}
	}
	return list, err
}

// aside lists the files put aside, with the reason they give today.
func (d *disk) aside() (list []driver.Problem, err error) {
	all, err := d.entries(corruptDir)
	for _, e := range all {
		name := corruptDir + "/" + e.Name()
		was := e.Name()
		if i := strings.LastIndexByte(was, '.'); i > 0 {
			was = was[:i]
		}
		list = append(list, driver.Problem{Path: d.full(name), Was: d.full(was), Err: d.why(name, was)})
	}
	return list, err
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
