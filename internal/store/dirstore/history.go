package dirstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// historyDir is the folder with a file of former versions for each memory that was changed.
const historyDir = formats.HistoryFolder

const historySuffix = ".jsonl"

// historyOf returns the name of the file with the former versions of a memory.
func historyOf(id hippo.ID) string { return historyDir + "/" + id.String() + historySuffix }

// historyID returns the memory in the name of a file of [historyOf].
func historyID(name string) (hippo.ID, bool) {
	stem, ok := strings.CutSuffix(strings.TrimPrefix(name, historyDir+"/"), historySuffix)
	if !ok || path.Dir(name) != historyDir {
		return hippo.ID{}, false
	}
	id, err := hippo.ParseID(stem)
	return id, err == nil && name == historyOf(id)
}

// pastFile is the content of a file of former versions.
type pastFile struct {
	versions   []hippo.Version // the oldest first
	unreadable []string        // lines; they are kept
	bad        error           // of the first of them
}

// decodePast reads the file of a memory.
func decodePast(id hippo.ID, b []byte) (f pastFile) {
	n := 0
	for line := range bytes.Lines(b) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		v, err := formats.ReadVersion(line)
		if err == nil && v.ID != id {
			err = hippo.Fieldf("memory", "must be %s, as the file is named, is %s", id, v.ID)
		}
		if err != nil {
			if f.unreadable = append(f.unreadable, string(line)); f.bad == nil {
				f.bad = fmt.Errorf("line %d: %w", n, err)
			}
			continue
		}
		f.versions = append(f.versions, v)
	}
	return f
}

// history applies what another program did to the file of former versions of a memory.
func (r *reconciler) history(id hippo.ID, name string, before entry) error {
	s := r.group.sync
	b, st, err := s.dir.read(name, math.MaxInt64)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIrregular) {
		return s.dir.failed("read", name, err)
	}
	e := entry{}
	var f pastFile
	if err == nil {
		f = decodePast(id, b)
		e = entry{name: name, stamp: st, recent: st.recent(s.now()), sum: sha256.Sum256(b)}
		if f.bad != nil {
			e.fault = f.bad.Error()
		}
	}
	r.entries.set(name, e)
	if e.sum == before.sum && e.name == before.name {
		return nil
	}
	if err := r.Tx.DropHistory(id); err != nil {
		return err
	}
	return keepAll(r.Tx, f.versions)
}

// keepAll keeps versions as they were kept before.
func keepAll(t *sqlitestore.Tx, vs []hippo.Version) error {
	all := hippo.Retention{Versions: math.MaxInt32, Days: math.MaxInt32}
	for i := range vs {
		if err := t.Keep(vs[i].Operation, all, vs[i]); err != nil {
			return err
		}
	}
	return nil
}

// pastTx is the part of a transaction that keeps former versions.
type pastTx struct{ tx *tx }

// checkHistory applies what other programs did to the history of these memories.
// Cost: one system call for each memory of a group.
func checkHistory(t *tx, ids []hippo.ID) error {
	for _, id := range ids {
		name := historyOf(id)
		if t.checked[name] || t.group.checked[name] {
			continue
		}
		t.checked[name] = true
		if err := (&reconciler{tx: t}).other(name); err != nil {
			return err
		}
	}
	return nil
}

// Keep implements [driver.Tx].
func (p pastTx) Keep(op hippo.Operation, r hippo.Retention, vs ...hippo.Version) error {
	t := p.tx
	ids := make([]hippo.ID, len(vs))
	for i := range vs {
		ids[i] = vs[i].ID
	}
	if err := checkHistory(t, ids); err != nil {
		return err
	}
	for _, id := range ids {
		t.past[id] = true
	}
	return t.Tx.Keep(op, r, vs...)
}

// DropHistory implements [driver.Tx].
func (p pastTx) DropHistory(ids ...hippo.ID) error {
	t := p.tx
	for _, id := range ids {
		t.past[id] = true
	}
	return errors.Join(checkHistory(t, ids), t.Tx.DropHistory(ids...))
}

// Versions implements [driver.Tx].
func (p pastTx) Versions(q driver.VersionQuery) ([]hippo.Version, error) {
	t := p.tx
	if err := checkHistory(t, q.Memories); err != nil {
		return nil, err
	}
	return t.Tx.Versions(q)
}

// purgeHistory removes the history of purged memories.
func purgeHistory(t *tx, ids []hippo.ID) error {
	others, err := t.PurgeHistory(ids...)
	for _, other := range slices.Concat(others, ids) {
		t.past[other] = true
	}
	return err
}

// writeHistory adds the files of the memories to the files to write whose history was changed.
func (g *group) writeHistory() error {
	if len(g.past) == 0 {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(g.past), hippo.ID.Compare)
	vs, err := g.Group.Begin(context.Background()).EveryVersion(ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		data, err := g.encodePast(id, vs[id])
		if err != nil {
			return err
		}
		g.write(historyOf(id), data)
	}
	g.journaled = g.journaled || len(g.data) > 1
	return nil
}

// encodePast returns the content of the file of a memory; nil for none. Lines that cannot be read
// stay at its beginning.
func (g *group) encodePast(id hippo.ID, vs []hippo.Version) ([]byte, error) {
	e, err := g.table.get(historyOf(id))
	if err != nil || len(vs) == 0 {
		return nil, err
	}
	var b []byte
	if e.fault != "" {
		old, _, err := g.sync.dir.read(e.name, math.MaxInt64)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, g.sync.dir.failed("read", e.name, err)
		}
		for _, line := range decodePast(id, old).unreadable {
			b = append(append(b, line...), '\n')
		}
	}
	for i := range vs {
		line, err := formats.EncodeVersion(&vs[i])
		if err != nil {
			return nil, err
		}
		b = append(append(b, line...), '\n')
	}
	return b, nil
}

// prepareFolders returns the folders in which a commit renames files. It creates that of the
// history, if it is one of them.
func prepareFolders(d *directory, writes []write) ([]string, error) {
	if !slices.ContainsFunc(writes, func(w write) bool { return path.Dir(w.Name) == historyDir }) {
		return []string{"."}, nil
	}
	err := d.root().Mkdir(historyDir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return []string{".", historyDir}, d.failed("create", historyDir, err)
}

// Operations implements [driver.History].
func (s *Store) Operations(ctx context.Context, q driver.OperationQuery) (found []api.Operation, err error) {
	err = s.sync.read(ctx, func() error {
		found, err = s.replica.store.Operations(ctx, q)
		return err
	})
	return found, err
}

// Versions implements [driver.History].
func (s *Store) Versions(ctx context.Context, q driver.VersionQuery) (found []hippo.Version, err error) {
	err = s.sync.read(ctx, func() error {
		found, err = s.replica.store.Versions(ctx, q)
		return err
	})
	return found, err
}

// graves is the part of a [Store] that knows what was purged.
type graves struct {
	sync    *synchronizer
	replica *replica
}

// Purged implements [driver.History]. A file that was deleted by another program counts as purged. What a replica never saw,
// because it was rebuilt since, does not.
func (g *graves) Purged(ctx context.Context, ids []hippo.ID) (found []hippo.ID, err error) {
	err = g.sync.read(ctx, func() error {
		found, err = g.replica.store.Purged(ctx, ids)
		return err
	})
	return found, err
}
