package pgstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// unreadable holds the memories that could not be read so far.
type unreadable struct {
	path string
	log  *slog.Logger
	mu   sync.Mutex
	ids  map[hippo.ID]bool
}

func newUnreadable(path string, log *slog.Logger) *unreadable {
	return &unreadable{path: path, log: log, ids: make(map[hippo.ID]bool)}
}

// problem describes a memory that cannot be read. The first time it is logged.
func (u *unreadable) problem(id hippo.ID, err error) api.StoreProblem {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.ids[id] {
		u.ids[id] = true
		u.log.Error("a memory cannot be read", "store", u.path, "id", id, "error", err)
	}
	return api.StoreProblem{ID: id, Path: u.path, Err: err.Error()}
}

// split returns the memories with some IDs that find has and that can be read, and an error about those that cannot. Each is a copy.
func (u *unreadable) split(ids []hippo.ID, find func(hippo.ID) (stored, bool)) ([]*hippo.Memory, error) {
	ms := make([]*hippo.Memory, 0, len(ids))
	var bad []api.StoreProblem
	for _, id := range ids {
		m, ok := find(id)
		switch {
		case !ok:
		case m.err != nil:
			bad = append(bad, u.problem(id, m.err))
		default:
			ms = append(ms, m.Clone())
		}
	}
	return ms, driver.Unreadable(bad)
}

func (u *unreadable) list() []hippo.ID {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.SortedFunc(maps.Keys(u.ids), hippo.ID.Compare)
}

// Problems implements [driver.Backend]: the memories that could not be read so far, and still cannot.
func (s *Store) Problems(ctx context.Context) ([]api.StoreProblem, error) {
	_, err := s.Get(ctx, s.bad.list())
	if bad, ok := errors.AsType[*api.UnreadableError](err); ok {
		return bad.Problems, nil
	}
	return nil, err
}

// Check implements [driver.Checker].
func (s *Store) Check(ctx context.Context) (ps []api.StoreProblem, err error) {
	faults, err := s.checkCounts(ctx)
	if err != nil {
		return nil, err
	}
	for _, fault := range faults {
		ps = append(ps, api.StoreProblem{Path: s.bad.path, Err: fault})
	}
	for c, err := range s.Changes(ctx, 0) {
		switch {
		case err != nil:
			return ps, err
		case c.Unreadable != nil:
			ps = append(ps, c.Unreadable.Problems...)
		case c.Memory != nil:
			if err := valid(c.Memory); err != nil {
				ps = append(ps, api.StoreProblem{ID: c.ID, Path: s.bad.path, Err: err.Error()})
			}
		}
	}
	return ps, nil
}

func valid(m *hippo.Memory) error {
	if m.ContentHash != hippo.HashContent(m.Content) {
		return errors.New("the content does not have the hash that is stored with it")
	}
	return m.Validate()
}

// selectCounts reads the counts of the tenant and the numbers of its rows, in one statement, so that both are of one state.
const selectCounts = `SELECT memories, forgotten, relations, revision, versions, texts,
	(SELECT count(*) FROM hippo.memory m WHERE m.tenant = $1),
	(SELECT count(*) FROM hippo.memory m WHERE m.tenant = $1 AND forgotten_at IS NOT NULL),
	(SELECT count(*) FROM hippo.relation r WHERE r.tenant = $1),
	greatest(revision, (SELECT max(m.revision) FROM hippo.memory m WHERE m.tenant = $1), (SELECT max(t.revision) FROM hippo.tombstone t WHERE t.tenant = $1)),
	greatest(versions, (SELECT max(v.number) FROM hippo.version v WHERE v.tenant = $1)),
	(SELECT coalesce(sum(octet_length(content)), 0) FROM hippo.memory m WHERE m.tenant = $1)::bigint,
	(SELECT count(*) FROM hippo.vector v LEFT JOIN hippo.model o ON o.tenant = v.tenant AND o.number = v.model
		WHERE v.tenant = $1 AND coalesce(length(v.value) = 0 OR length(v.value) % (4 * o.dimension) <> 0, true)),
	(SELECT count(*) FROM hippo.version v WHERE v.tenant = $1 AND NOT EXISTS (SELECT FROM hippo.operation o WHERE o.tenant = $1 AND o.id = v.operation))
	FROM hippo.tenant WHERE tenant = $1`

// checkCounts compares the counts of the tenant with its rows, and rows with those that they refer to.
func (s *Store) checkCounts(ctx context.Context) (faults []string, err error) {
	what := [...]string{"memories", "forgotten memories", "relations", "revisions", "versions", "bytes of texts"}
	var counted, there [len(what)]int64
	vectors, orphans := 0, 0
	err = s.view(ctx, func(q querier) error {
		_, err := collect(ctx, q, func(row pgx.CollectableRow) (struct{}, error) {
			return struct{}{}, row.Scan(&counted[0], &counted[1], &counted[2], &counted[3], &counted[4], &counted[5],
				&there[0], &there[1], &there[2], &there[3], &there[4], &there[5], &vectors, &orphans)
		}, selectCounts, s.tenant)
		return err
	})
	for i := range what {
		if there[i] != counted[i] {
			faults = append(faults, fmt.Sprintf("there are %d %s, but %d are counted", there[i], what[i], counted[i]))
		}
	}
	if vectors > 0 {
		faults = append(faults, fmt.Sprintf("%d vectors do not have the dimension of their model", vectors))
	}
	if orphans > 0 {
		faults = append(faults, fmt.Sprintf("%d former versions do not have an operation", orphans))
	}
	return faults, err
}
