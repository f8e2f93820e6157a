package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
)

// Migration copies the namespaces of one store to another, one of which is in a database: memories with their IDs, votes, uses and former
// versions, relations, vectors, and the active day.
type Migration struct {
	From, To config.Config
	// Namespaces are those to copy; nil: all that From has.
	Namespaces []string
	// Follow: after the copies, what is changed in From is copied every second until the context ends.
	Follow bool
	// Progress is called after each batch with the memories that were read of a namespace, and how many there are; nil: it is not
	// reported.
	Progress func(namespace string, read, of int)
	// Copied is called when a namespace is copied and verified; nil: it is not reported.
	Copied func(Migrated)
}

// Migrated is what a [Migration] copied of a namespace.
type Migrated struct {
	Namespace string `json:"namespace"`
	// Memories counts those of the source, forgotten ones included; Copied are those that were new or different in the other store.
	Memories  int `json:"memories"`
	Copied    int `json:"copied"`
	Relations int `json:"relations"`
	// Hash is that of all memories, in both stores.
	Hash string `json:"sha256"`
}

const (
	// followPause is the time between two looks at the source; at each one of relationsEvery the relations are compared as well.
	followPause    = time.Second
	relationsEvery = 10
	// maxPasses bounds how often what was changed during a copy is copied before the stores are equal.
	maxPasses = 5
)

// Run copies, and verifies the copy by number and hash. What the other store has of the same IDs is replaced; other memories of it stay.
// A run that was cut is completed by the next one, which reads all and writes what differs. The source may be in use.
func (m *Migration) Run(ctx context.Context, o *Options) (err error) {
	if o == nil {
		o = &Options{}
	}
	namespaces, err := m.namespaces(ctx, o)
	if err != nil {
		return err
	}
	var all []*copying
	defer func() {
		for _, c := range all {
			err = errors.Join(err, c.close())
		}
	}()
	for _, namespace := range namespaces {
		c, err := m.begin(ctx, namespace, o)
		if err != nil {
			return fmt.Errorf("namespace %q: %w", namespace, err)
		}
		if all = append(all, c); !m.Follow {
			all = all[:0]
			err = errors.Join(m.copy(ctx, c), c.close())
		} else {
			err = m.copy(ctx, c)
		}
		if err != nil {
			return fmt.Errorf("namespace %q: %w", namespace, err)
		}
	}
	return follow(ctx, all)
}

// follow copies what is changed until the context ends. A change of a relation has no revision: all of them are compared now and then.
func follow(ctx context.Context, all []*copying) error {
	for pass := 1; len(all) > 0 && ctx.Err() == nil; pass++ {
		pause(ctx, followPause)
		for _, c := range all {
			err := c.changed(ctx)
			if err == nil && pass%relationsEvery == 0 {
				err = c.related(ctx)
			}
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("namespace %q: %w", c.done.Namespace, err)
			}
		}
	}
	return nil
}

// namespaces returns those to copy.
func (m *Migration) namespaces(ctx context.Context, o *Options) ([]string, error) {
	if m.Namespaces != nil {
		return m.Namespaces, nil
	}
	if m.From.Store.Database() {
		db, err := openDatabase(ctx, &m.From, o)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return db.Tenants(ctx)
	}
	b, _, err := openBackend(ctx, m.From.Store, o)
	if err != nil {
		return nil, err
	}
	var all []string
	for c, err := range b.Changes(ctx, 0) {
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		if c.Memory != nil && !slices.Contains(all, c.Memory.Namespace) {
			all = append(all, c.Memory.Namespace)
		}
	}
	slices.Sort(all)
	return all, b.Close()
}

// openFor returns the back end that has a namespace.
func openFor(ctx context.Context, c *config.Config, namespace string, existing bool, o *Options) (driver.Backend, error) {
	if !c.Store.Database() {
		b, _, err := openBackend(ctx, c.Store, o)
		return b, err
	}
	db, err := openDatabase(ctx, c, o)
	if err != nil {
		return nil, err
	}
	s, err := pgstore.Open(ctx, db, namespace, &pgstore.Options{Existing: existing})
	if err != nil {
		db.Close()
		return nil, err
	}
	return onlyTenant{s, db}, nil
}

// begin opens a namespace on both sides.
func (m *Migration) begin(ctx context.Context, namespace string, o *Options) (*copying, error) {
	from, err := openFor(ctx, &m.From, namespace, true, o)
	if err != nil {
		return nil, err
	}
	to, err := openFor(ctx, &m.To, namespace, false, o)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return &copying{from: from, to: to, done: Migrated{Namespace: namespace}, progress: m.Progress}, nil
}

// copy copies a namespace.
func (m *Migration) copy(ctx context.Context, c *copying) error {
	err := c.all(ctx)
	if err == nil && m.Copied != nil {
		m.Copied(c.done)
	}
	return err
}

// copying is a migration of one namespace.
type copying struct {
	from, to driver.Backend
	done     Migrated
	progress func(namespace string, read, of int)
	since    hippo.Revision // what the copy has of the source
}

func (c *copying) close() error { return errors.Join(c.from.Close(), c.to.Close()) }

// all copies everything, and what is changed meanwhile, until both stores have the same.
func (c *copying) all(ctx context.Context) error {
	var wrong []hippo.ID
	for range maxPasses {
		err := c.changed(ctx)
		if err == nil {
			wrong, err = c.compare(ctx)
		}
		if err != nil || len(wrong) == 0 {
			return err
		}
	}
	return fmt.Errorf("%w: %d memories differ after the copy, such as %s: run it again, best while the source is not written", hippo.ErrConflict, len(wrong), wrong[0])
}

// changed copies what was changed in the source since the last time.
func (c *copying) changed(ctx context.Context) error {
	head, err := c.from.Head(ctx)
	if err != nil || head.Revision == c.since {
		return err
	}
	var batch []*hippo.Memory
	var gone []hippo.ID
	read := 0
	for x, err := range c.from.Changes(ctx, c.since) {
		switch {
		case err != nil:
			return err
		case x.Unreadable != nil:
			return x.Unreadable
		case x.Memory == nil:
			gone = append(gone, x.ID)
		case x.Memory.Namespace == c.done.Namespace:
			batch = append(batch, x.Memory)
			read++
		}
		if len(batch) == copyBatch {
			if err := c.put(ctx, head.Calendar, batch, nil); err != nil {
				return err
			}
			batch = nil
			if c.progress != nil {
				c.progress(c.done.Namespace, read, head.Memories)
			}
		}
	}
	if err := c.put(ctx, head.Calendar, batch, gone); err != nil {
		return err
	}
	c.since = head.Revision
	return nil
}

// put stores memories of the source with their former versions and vectors.
func (c *copying) put(ctx context.Context, day driver.Calendar, ms []*hippo.Memory, gone []hippo.ID) error {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	versions, err := c.from.Versions(ctx, driver.VersionQuery{Memories: ids})
	if len(ids) > 0 && driver.Readable(err) != nil {
		return err
	}
	copied := 0
	err = c.to.Write(ctx, driver.Durable, func(tx driver.Tx) error {
		before, err := tx.Get(ids...)
		if driver.Readable(err) != nil {
			return err
		}
		if err := errors.Join(tx.Purge(gone...), advance(tx, day), putChanged(tx, ms)); err != nil {
			return err
		}
		copied = len(ms) - same(before, ms)
		if len(ids) == 0 {
			return nil
		}
		return putHistory(tx, ids, versions)
	})
	if err != nil {
		return err
	}
	c.done.Copied += copied
	return copyVectors(ctx, c.from, c.to, ids)
}

// same counts the memories of a list that another list has in the same state.
func same(list, others []*hippo.Memory) (n int) {
	known := make(map[hippo.ID][sha256.Size]byte, len(list))
	for _, m := range list {
		known[m.ID] = digest(m)
	}
	for _, m := range others {
		if d, ok := known[m.ID]; ok && d == digest(m) {
			n++
		}
	}
	return n
}

// compare purges in the copy what was purged in the source, copies the relations, and returns the memories that differ.
func (c *copying) compare(ctx context.Context) (wrong []hippo.ID, err error) {
	want, hash, err := c.digests(ctx, c.from)
	if err != nil {
		return nil, err
	}
	got, _, err := c.digests(ctx, c.to)
	if err != nil {
		return nil, err
	}
	if err := c.purge(ctx, want, got); err != nil {
		return nil, err
	}
	if err := c.relate(ctx, want); err != nil {
		return nil, err
	}
	for id, d := range want {
		if got[id] != d {
			wrong = append(wrong, id)
		}
	}
	slices.SortFunc(wrong, hippo.ID.Compare)
	c.done.Memories, c.done.Hash = len(want), hash
	return wrong, nil
}

// digests are those of the memories of a namespace.
type digests map[hippo.ID][sha256.Size]byte

// purge purges those memories of the copy that were purged in the source before this run. What only the copy has stays.
func (c *copying) purge(ctx context.Context, want, got digests) error {
	var others []hippo.ID
	for id := range got {
		if _, ok := want[id]; !ok {
			others = append(others, id)
		}
	}
	if len(others) == 0 {
		return nil
	}
	gone, err := c.from.Purged(ctx, others)
	if err != nil || len(gone) == 0 {
		return err
	}
	return c.to.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Purge(gone...) })
}

// related copies the relations of the memories that the source has now.
func (c *copying) related(ctx context.Context) error {
	here, _, err := c.digests(ctx, c.from)
	if err != nil {
		return err
	}
	return c.relate(ctx, here)
}

// relate replaces the relations between memories of the source by those that it has.
func (c *copying) relate(ctx context.Context, here digests) error {
	mine := func(r *hippo.Relation) bool {
		_, from := here[r.From]
		_, to := here[r.To]
		return from && to
	}
	want, err := allRelations(ctx, c.from)
	if err != nil {
		return err
	}
	want = slices.DeleteFunc(want, func(r hippo.Relation) bool { return !mine(&r) })
	c.done.Relations = len(want)
	return c.to.Write(ctx, driver.Durable, func(tx driver.Tx) error { return replaceRelations(tx, want, mine) })
}

// digests returns those of the memories of the namespace in a store, and one of them all.
func (c *copying) digests(ctx context.Context, b driver.Backend) (digests, string, error) {
	out := make(digests)
	var sum [sha256.Size]byte
	for x, err := range b.Changes(ctx, 0) {
		if err != nil {
			return nil, "", err
		}
		if x.Memory == nil || x.Memory.Namespace != c.done.Namespace {
			continue
		}
		d := digest(x.Memory)
		out[x.ID] = d
		for i := range sum { // in whatever order they come
			sum[i] ^= d[i]
		}
	}
	return out, fmt.Sprintf("%x", sum), nil
}

// digest is the hash of all of a memory but its revision, and its uses, which are counted while it is copied.
func digest(m *hippo.Memory) [sha256.Size]byte {
	c := *m
	c.Revision, c.Accesses = 0, nil
	b, err := json.Marshal(&c)
	if err != nil {
		panic(err) // a stored memory can be encoded
	}
	return sha256.Sum256(b)
}
