package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/exchange/team"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
	"github.com/hippo-memory/hippo/internal/sync/shelf"
)

// Team is what is exchanged with a team.
type Team = shelf.Team

// Carrier is what carries the files of a remote.
type Carrier = exchange.Carrier

// Team is [exchange.Team].
func (x *Remotes) Team(c Carrier) (*Team, error) { return exchange.Team(x.Remotes, c) }

// Held is [exchange.Held].
func (x *Remotes) Held(ctx context.Context, c Carrier) (back, refused []team.Held, err error) {
	return exchange.Held(ctx, x.Remotes, c)
}

// Share is [exchange.Share].
func (x *Remotes) Share(ctx context.Context, c Carrier, projects []string, stop bool) ([]string, error) {
	return exchange.Share(ctx, x.Remotes, c, projects, stop)
}

// Review is how the files of a folder differ from a team's memory.
type Review struct {
	// Files is how many there have to be.
	Files int
	// Written are the names of those that are missing or differ, Removed of those that are there and ought not to be, with slashes.
	Written, Removed []string
	// Left are memories that nobody may take over.
	Left []team.Held
}

// ExportReview writes a team's memory to a folder as files for people to read, or only checks them.
func (x *Remotes) ExportReview(ctx context.Context, c exchange.Carrier, dir string, check bool) (out Review, err error) {
	files, left, err := exchange.Review(ctx, x.Remotes, c)
	if err != nil {
		return out, err
	}
	out.Files, out.Left = len(files), left
	there, err := reviewFiles(dir)
	if err != nil {
		return out, err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		there = slices.DeleteFunc(there, func(name string) bool { return name == f.Name })
		if b, err := os.ReadFile(path); err == nil && bytes.Equal(lineFeeds(b), f.Content) {
			continue
		}
		out.Written = append(out.Written, f.Name)
		if !check {
			if err := writeReview(path, f.Content); err != nil {
				return out, err
			}
		}
	}
	out.Removed = there
	for _, name := range there {
		if !check {
			err = errors.Join(err, os.Remove(filepath.Join(dir, filepath.FromSlash(name))))
		}
	}
	return out, err
}

// lineFeeds returns a text with the ends of lines that Git changes on Windows as they were.
func lineFeeds(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

func writeReview(path string, b []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755) //nolint:gosec // it is a folder for people to read
	if err == nil {
		err = atomicfile.Write(path, b)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	return nil
}

// reviewFiles returns the names of the files of a folder that a review has written, in order.
func reviewFiles(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err == nil && team.IsReviewName(name) {
			out = append(out, name)
		}
		return err
	})
	return out, err
}

// openCopy opens the store that reflects what a team has, which keeps nothing of what was changed.
func (o *Options) openCopy(ctx context.Context, path string) (*store.Store, error) {
	b, err := sqlitestore.Open(ctx, path, &sqlitestore.Options{Log: o.Log})
	if err != nil {
		return nil, err
	}
	return store.New(b, &store.Options{Now: o.Now, Zone: o.Zone, Retention: &hippo.Retention{}}), nil
}

// TeamOf returns what to exchange with a team: projects as a person names them. nil: none was named.
func TeamOf(ctx context.Context, m *engine.Memories, projects []string) (*shelf.Team, error) {
	if len(projects) == 0 {
		return nil, nil
	}
	t := &shelf.Team{}
	for _, name := range projects {
		names, err := memory.ResolveProject(ctx, m, name)
		_, text := memory.ReadProject(name)
		switch {
		case errors.Is(err, hippo.ErrNotFound) && project.IsRepository(text):
			names = []string{text} // nothing of it is stored yet
		case err != nil:
			return nil, err
		case len(names) == 0 || names[0] == "" || names[0] == hippo.AllProjects || names[0] == hippo.Unassigned:
			return nil, hippo.Fieldf("team", "must name a project whose memories to exchange, got %q", name)
		}
		for _, n := range names {
			if !slices.Contains(t.Projects, n) {
				t.Projects = append(t.Projects, n)
			}
		}
	}
	return t, nil
}

// TeamArguments returns the arguments with which another machine names the projects of a team; none for nil.
func TeamArguments(t *shelf.Team) (out []string) {
	if t == nil {
		return nil
	}
	for _, p := range t.Projects {
		if !project.IsRepository(p) {
			p = memory.NewProject + p
		}
		out = append(out, "--team", p)
	}
	return out
}
