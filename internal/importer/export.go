package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/base/atomicfile"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// Export is what a store holds, to be written or copied.
type Export struct {
	Calendar hippo.Calendar
	Memories iter.Seq2[*hippo.Memory, error]
	// Related are the relations, by the memory that they are from.
	Related map[hippo.ID][]hippo.Relation
}

// NewExport returns all that a caller can read.
func NewExport(ctx context.Context, m *engine.Memories) (x *Export, err error) {
	t := transfer.New(m)
	x = &Export{Memories: t.Export(ctx), Related: make(map[hippo.ID][]hippo.Relation)}
	if x.Calendar, err = t.Calendar(ctx); err != nil {
		return nil, err
	}
	for r, err := range t.ExportRelations(ctx) {
		if err != nil {
			return nil, err
		}
		x.Related[r.From] = append(x.Related[r.From], r)
	}
	return x, nil
}

// Written says how many memories were exported, and which could not be read.
type Written struct {
	Memories   int
	Unreadable []api.StoreProblem
}

// Write writes JSON lines. progress is called after each memory.
func (x *Export) Write(w io.Writer, progress func()) (out Written, err error) {
	lines := formats.NewWriter(w, x.Calendar)
	lines.SecretAllowed = transfer.HoldsSecret
	for m, err := range x.Memories {
		if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
			out.Unreadable = append(out.Unreadable, bad.Problems...)
			continue
		}
		if err == nil {
			err = lines.Write(m, x.Related[m.ID]...)
		}
		if err != nil {
			return out, err
		}
		out.Memories++
		progress()
	}
	return out, lines.Flush()
}

// WriteFile writes to a temporary file and renames it when it is complete. An existing link or pipe is kept and written directly; another file that
// is not empty is replaced only by force.
func (x *Export) WriteFile(path string, force bool, progress func()) (out Written, err error) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !force {
		return out, fmt.Errorf("%w: %s is there already: give --force to replace it", hippo.ErrConflict, path)
	}
	plain := true
	if info, err := os.Lstat(path); err == nil {
		plain = info.Mode().IsRegular()
	}
	var f *os.File
	if plain {
		f, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	} else {
		f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	}
	if err != nil {
		return out, atomicfile.OfTarget(err, path)
	}
	out, err = x.Write(f, progress)
	if err = errors.Join(err, f.Close()); plain {
		err = finishFile(f.Name(), path, err)
	}
	return out, err
}

// finishFile renames a temporary file, or removes it if err is not nil.
func finishFile(name, path string, err error) error {
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return atomicfile.Publish(name, path)
}
