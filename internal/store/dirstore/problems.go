package dirstore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// Problems implements [driver.Backend]: files in quarantine, by this handle or
// another, files that cannot be read, files whose name is not the UUID
// inside, and JSON files that are ignored. It is ordered by path.
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	list, err := findProblems(ctx, s.sync)
	return list, s.life.explain(err)
}

// Check implements [driver.Checker]: it rebuilds the replica of the memories if that is damaged, and returns the problems of the
// files. Cost: about 15 ms for each MiB of the replica.
func (s *Store) Check(ctx context.Context) ([]api.StoreProblem, error) {
	err := s.sync.read(ctx, func() error {
		faults, err := s.replica.store.DB().IntegrityCheck(ctx)
		if err == nil && len(faults) > 0 {
			err = fmt.Errorf("%w: %s", hippo.ErrCorrupt, faults[0])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.Problems(ctx)
}

func findProblems(ctx context.Context, s *synchronizer) (list []api.StoreProblem, err error) {
	err = s.read(ctx, func() error {
		return s.replica.store.DB().View(ctx, func(f *sqlitex.File) (err error) {
			list, err = faultyFiles(ctx, s.dir, f)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	old, err := quarantined(s.dir)
	if err != nil {
		return nil, err
	}
	ignored, err := ignoredFiles(s.dir)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, old, ignored)
	declared, _, err := readDeclared(s.dir)
	if err != nil {
		return nil, err
	}
	if declared.bad != nil {
		list = append(list, problem(s.dir, relationsName, declared.bad.Error()))
	}
	slices.SortFunc(list, func(a, b api.StoreProblem) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

func problem(d *directory, name, why string) api.StoreProblem {
	return api.StoreProblem{Path: d.full(name), Was: d.full(name), Err: why}
}

// faultyFiles lists the files that cannot be read, or whose memory is read from another file
// or has another name.
func faultyFiles(ctx context.Context, d *directory, f *sqlitex.File) (list []api.StoreProblem, err error) {
	const suspicious = " WHERE fault IS NOT NULL OR memory IS NOT NULL AND (NOT holder OR lower(replace(name, '-', '')) <> lower(hex(memory)) || '.json')"
	var held []entry
	err = selectEntries(ctx, f, suspicious, nil, func(e entry) {
		named, _ := idOf(e.name)
		switch {
		case e.fault != "":
			list = append(list, problem(d, e.name, e.fault))
		case !e.holder:
			held = append(held, e)
		case named != e.id:
			list = append(list, problem(d, e.name, fmt.Sprintf("holds memory %s, as which it is read", e.id)))
		}
	})
	for _, e := range held {
		holder := ""
		failed := selectEntries(ctx, f, " WHERE memory = ? AND holder", []any{e.id[:]}, func(e entry) { holder = e.name })
		if failed != nil {
			return nil, failed
		}
		list = append(list, problem(d, e.name, fmt.Sprintf("holds memory %s, which %s holds too", e.id, holder)))
	}
	return list, err
}

// pythonFolder is where the Python program kept its insights.
const pythonFolder = "insights"

// unread returns how many insights of the Python program are not among the files here.
func unread(d *directory, here map[string]bool) (n int) {
	if !here[pythonFolder] {
		return 0
	}
	old, err := d.list(pythonFolder)
	if err != nil {
		return 0 // no folder, or not ours to read
	}
	for _, e := range old {
		if _, named := idOf(e.Name()); named && !here[e.Name()] {
			n++
		}
	}
	return n
}

// copyOf returns the file of a memory of which another one is a copy by its name, as Dropbox, Syncthing, iCloud and OneDrive name
// those of two changes at a time; empty if it is none.
func copyOf(name string) string {
	const uuid = 36
	if len(name) <= uuid+len(".json") || filepath.Ext(name) != ".json" {
		return ""
	}
	if _, err := hippo.ParseID(name[:uuid]); err != nil {
		return ""
	}
	return name[:uuid] + ".json"
}

// ignoredFiles lists the JSON files that are not read.
func ignoredFiles(d *directory) ([]api.StoreProblem, error) {
	all, err := d.list(".")
	list, here := []api.StoreProblem(nil), make(map[string]bool, len(all))
	for _, e := range all {
		here[e.Name()] = true
	}
	if n := unread(d, here); n > 0 {
		why := fmt.Sprintf("holds %d insights of the Python program, which are not read: hippo import %s --store %s adds them", n, termtext.Argument(d.full(".")), termtext.Argument("dir:"+d.full(".")))
		list = append(list, problem(d, pythonFolder, why))
	}
	for _, e := range all {
		_, named := idOf(e.Name())
		switch {
		case named && !e.Type().IsRegular():
			list = append(list, problem(d, e.Name(), "is ignored, because it is not a regular file"))
		case copyOf(e.Name()) != "" && e.Type().IsRegular():
			why := fmt.Sprintf("is ignored: it seems to be a copy of %s that a program for synchronisation made, because two machines changed that file. "+
				"To take this one in, rename it to %[1]s; else delete it", copyOf(e.Name()))
			list = append(list, problem(d, e.Name(), why))
		case !named && e.Name() != metadataName && e.Type().IsRegular() && filepath.Ext(e.Name()) == ".json":
			list = append(list, problem(d, e.Name(), "is ignored, because its name is not a UUID and .json: hippo import "+termtext.Argument(d.full(e.Name()))+" reads it"))
		}
	}
	return list, err
}
