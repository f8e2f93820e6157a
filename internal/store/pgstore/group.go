package pgstore

import (
	"context"
	"errors"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// group is a transaction of the database, in which those of several callers run one after the other. What they read is kept for the
// next, as nobody else can change it.
type group struct {
	*place
	ctx    context.Context //nolint:containedctx // that of the transaction
	conn   *pgx.Conn
	bad    *unreadable
	stored head
	kept   changes // those of the transactions that succeeded
	// broken is the first error of a statement: the transaction of the database is undone then.
	broken error

	looked
	edges   map[driver.RelationKey]hippo.Relation // stored relations
	walked  map[driver.RelationKey]bool           // without the time: edges has all that are stored
	models  map[string]model                      // nil: not read
	entries map[hippo.ID][]entry                  // stored versions of memories
}

// looked are the memories that a group has looked up.
type looked struct {
	known     map[hippo.ID]known
	postpones bool       // memories that are not known are noted as wanted, and read later
	wanted    []hippo.ID // by transactions that run again
}

// known is what a group knows of a stored memory: without whole and counted, only whether it exists and whether it is forgotten.
type known struct {
	there, forgotten bool
	whole            bool  // all of it was read
	counted          bool  // its accesses were read
	size             int64 // bytes of its text
	stored
}

func newGroup(ctx context.Context, conn *pgx.Conn, w *writer) *group {
	return &group{
		place: w.place, ctx: ctx, conn: conn, bad: w.bad,
		looked: looked{known: make(map[hippo.ID]known)}, edges: make(map[driver.RelationKey]hippo.Relation), walked: make(map[driver.RelationKey]bool),
		entries: make(map[hippo.ID][]entry),
	}
}

// run runs the transactions. Its error is about the database; what a function did wrong is the reply to its caller. Those of a group
// that ask for memories, as most do, run again when what all of them ask for has been read in one round trip.
func (g *group) run(requests []*request) error {
	g.postpones = len(requests) > 1
	var postponed []*request
	for _, r := range requests {
		later, err := g.runOne(r)
		if err != nil {
			return err
		}
		if later {
			postponed = append(postponed, r)
		}
	}
	g.postpones = false
	if err := g.fetch(g.wanted); err != nil {
		return err
	}
	for _, r := range postponed {
		if _, err := g.runOne(r); err != nil {
			return err
		}
	}
	return nil
}

// errPostponed ends a transaction that runs again later. No caller sees it.
var errPostponed = errors.New("what the transaction asks for is read later")

// runOne runs a transaction; later reports that it is to run again.
func (g *group) runOne(r *request) (later bool, err error) {
	if !r.Start() {
		return false, nil
	}
	t := &tx{staging{group: g, changes: g.kept.clone()}}
	wanted := len(g.wanted)
	err = r.Run(t)
	if err == nil {
		err = r.Context().Err()
	}
	if err == nil {
		err = g.within(&g.kept.head, &t.head)
	}
	switch {
	case g.broken != nil:
		return false, g.broken
	case len(g.wanted) > wanted: // whatever it made of errPostponed
		return true, nil
	case err != nil:
		r.Reply(err)
	default:
		g.kept = t.changes
	}
	return false, nil
}

// read runs a query in the transaction of a group.
func read[T any](g *group, row pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	list, err := collect(g.ctx, g.conn, row, sql, args...)
	if err != nil && g.broken == nil {
		g.broken = err
	}
	return list, err
}

// learn keeps a memory that was read.
func (g *group) learn(m stored) {
	g.known[m.ID] = known{there: true, forgotten: m.Forgotten(), whole: true, counted: m.err == nil, size: int64(len(m.Content)), stored: m}
}

// fetch reads those of some memories that are not known yet as a whole.
func (g *group) fetch(ids []hippo.ID) error {
	missing := g.missing(ids, func(k known) bool { return k.whole || !k.there })
	if len(missing) == 0 {
		return nil
	}
	if g.postpones {
		g.wanted = append(g.wanted, missing...)
		return errPostponed
	}
	found, err := read(g, scanMemory, selectMemories, g.tenant, uuids(missing))
	if err != nil {
		return err
	}
	for _, id := range missing {
		g.known[id] = known{}
	}
	for _, m := range found {
		g.learn(m)
	}
	return nil
}

const selectStates = "SELECT id, forgotten_at IS NOT NULL, octet_length(content) FROM hippo.memory WHERE tenant = $1 AND id = ANY($2)"

// probe finds out which of some memories are there, without reading them.
func (g *group) probe(ids []hippo.ID) error {
	missing := g.missing(ids, func(known) bool { return true })
	if len(missing) == 0 {
		return nil
	}
	type state struct {
		id hippo.ID
		known
	}
	found, err := read(g, func(row pgx.CollectableRow) (s state, err error) {
		s.there = true
		err = row.Scan((*[16]byte)(&s.id), &s.forgotten, &s.size)
		return s, err
	}, selectStates, g.tenant, uuids(missing))
	if err != nil {
		return err
	}
	for _, id := range missing {
		g.known[id] = known{}
	}
	for _, s := range found {
		g.known[s.id] = s.known
	}
	return nil
}

// missing returns those of some IDs, each once, of which not enough is known.
func (g *group) missing(ids []hippo.ID, enough func(known) bool) (out []hippo.ID) {
	seen := make(map[hippo.ID]bool, len(ids))
	for _, id := range ids {
		if k, ok := g.known[id]; !seen[id] && (!ok || !enough(k)) {
			out = append(out, id)
		}
		seen[id] = true
	}
	return out
}

// row is the state of a memory after its last change; without one it was purged.
type row struct {
	revision hippo.Revision
	memory   *hippo.Memory
}

// changes are those that transactions made and that are not written yet. What a map holds is replaced, never changed.
type changes struct {
	head     head
	rows     map[hippo.ID]row
	purged   map[hippo.ID]bool // also if put again since
	accesses map[hippo.ID][]hippo.Access
	related  map[driver.RelationKey]hippo.Relation // Weight 0: removed
	vectors  map[vectorKey]driver.Vector
	past     pastChanges
}

func (c *changes) clone() changes {
	return changes{
		head: c.head, rows: clone(c.rows), purged: clone(c.purged), accesses: clone(c.accesses), related: clone(c.related),
		vectors: clone(c.vectors), past: c.past.clone(),
	}
}

// clone returns a copy, never nil.
func clone[K comparable, V any](m map[K]V) map[K]V {
	c := make(map[K]V, len(m))
	maps.Copy(c, m)
	return c
}
