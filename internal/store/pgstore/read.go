package pgstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// head is the row of a tenant.
type head struct {
	driver.Head
	versions int64 // the last number of table version
	buried   bool  // table tombstone has or had rows
	texts    int64 // bytes of the texts of all memories
	limits   limits
}

const selectHead = `SELECT store, revision, versions, buried, day, date, zone, memories, forgotten, relations, texts, max_memories, max_texts
	FROM hippo.tenant WHERE tenant = $1`

func scanHead(row pgx.CollectableRow) (h head, err error) {
	err = row.Scan(&h.Store, &h.Revision, &h.versions, &h.buried, &h.Calendar.Day, &h.Calendar.Date, &h.Calendar.Zone, &h.Memories, &h.Forgotten, &h.Relations,
		&h.texts, &h.limits.memories, &h.limits.texts)
	return h, err
}

// goneError says that a tenant is not there.
type goneError struct{ place *place }

func (e *goneError) Error() string {
	return fmt.Sprintf("%v: %s was deleted: open it again to begin a new one", hippo.ErrUnavailable, e.place)
}

func (e *goneError) Unwrap() error { return hippo.ErrUnavailable }

// only returns the head that a query found. That of another store, which was made since under the name, counts as none.
func (p *place) only(list []head, err error) (head, error) {
	if err != nil {
		return head{}, err
	}
	if len(list) == 0 || p.store != "" && list[0].Store != p.store {
		if p.gone != nil {
			p.gone()
		}
		return head{}, &goneError{p}
	}
	return list[0], nil
}

// head reads the row of the tenant. Cost: one round trip.
func (p *place) head(ctx context.Context) (h head, err error) {
	err = p.view(ctx, func(q querier) (err error) {
		h, err = p.only(collect(ctx, q, scanHead, selectHead, p.tenant))
		return err
	})
	return h, err
}

// Head implements [driver.Backend]. Cost: one round trip.
func (p *place) Head(ctx context.Context) (driver.Head, error) {
	h, err := p.head(ctx)
	return h.Head, err
}

const selectMemories = "SELECT " + memoryColumns + " FROM hippo.memory m" + withAccesses + "WHERE m.tenant = $1 AND id = ANY($2)"

// readMemories returns the memories with some IDs that are there.
func readMemories(ctx context.Context, q querier, tenant string, ids []hippo.ID) (map[hippo.ID]stored, error) {
	list, err := collect(ctx, q, scanMemory, selectMemories, tenant, uuids(ids))
	if err != nil {
		return nil, err
	}
	found := make(map[hippo.ID]stored, len(list))
	for _, m := range list {
		found[m.ID] = m
	}
	return found, nil
}

// Get implements [driver.Backend]. Cost: one round trip.
func (s *Store) Get(ctx context.Context, ids []hippo.ID) (ms []*hippo.Memory, err error) {
	var found map[hippo.ID]stored
	err = s.view(ctx, func(q querier) (err error) {
		found, err = readMemories(ctx, q, s.tenant, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.bad.split(ids, func(id hippo.ID) (stored, bool) {
		m, ok := found[id]
		return m, ok
	})
}
