package pgstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/groupcommit"
)

// request is a transaction that waits.
type request = groupcommit.Request[*tx]

// writer commits the transactions of concurrent callers together.
type writer struct {
	*place
	bad   *unreadable
	queue *groupcommit.Writer[*tx]
	// number is that of the last commit that was tried. Only the goroutine of the queue uses it.
	number int64
}

func newWriter(p *place, bad *unreadable) *writer {
	w := &writer{place: p, bad: bad}
	w.queue = groupcommit.New(w.commit)
	return w
}

func (w *writer) write(ctx context.Context, d driver.Durability, fn func(*tx) error) error {
	return w.queue.Write(ctx, d, fn)
}

// close waits for the running and the queued transactions.
func (w *writer) close() { w.queue.Close() }

// commit runs a group; see [groupcommit.New]. If the database refuses what one of them wrote, it does not say of which: then each
// has a commit of its own.
func (w *writer) commit(requests []*request) error {
	ctx, stop := groupcommit.Context(requests)
	defer stop()
	err := w.together(ctx, requests)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return requests[0].Context().Err() // as that of each
	}
	if len(requests) == 1 || !poisonous(err) {
		return w.db.explain("write", err)
	}
	for _, r := range requests {
		err := w.together(ctx, []*request{r})
		if r.Start() {
			r.Reply(w.db.explain("write", err))
		}
	}
	return nil
}

// together runs transactions in one of the database, again if that is lost, until it is committed or refused. A commit that is in doubt
// is looked up before they run again.
func (w *writer) together(ctx context.Context, requests []*request) error {
	inDoubt := false
	err := w.db.retry(ctx, func() error {
		c, err := w.db.acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release() // which ends a transaction that is open
		g, done, err := w.begin(ctx, c, inDoubt)
		if err != nil || done {
			return lost(c, err)
		}
		inDoubt = false
		if err := g.run(requests); err != nil {
			return lost(c, err)
		}
		err = lost(c, w.end(ctx, c, g, lazy(requests)))
		inDoubt = isLost(err) || uncommitted(err)
		return err
	})
	if err != nil && inDoubt && ctx.Err() == nil {
		return fmt.Errorf("%w: %s: %w: %w", hippo.ErrUnavailable, w.db, errInDoubt, err)
	}
	return err
}

// errInDoubt is a part of the error of a commit of which nobody could find out whether it took place.
var errInDoubt = errors.New("the connection was lost in a commit, and then it could not be read whether that took place: check before you write the same again")

// lazy reports whether no caller asks for more.
func lazy(requests []*request) bool {
	for _, r := range requests {
		if r.Durability() != driver.Lazy {
			return false
		}
	}
	return true
}

// idleLimit is the time after which the tenant is free if the machine of a writer is cut off: the server would notice that hours later.
const idleLimit = "1min"

// begin begins a transaction and excludes other writers of the tenant. If a commit before is in doubt it looks for its number, now
// that no transaction but this one can write it: done reports that the commit took place.
func (w *writer) begin(ctx context.Context, c *pgxpool.Conn, inDoubt bool) (g *group, done bool, err error) {
	g = newGroup(ctx, c.Conn(), w)
	b := &pgx.Batch{}
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	if !w.db.direct.Load() {
		b.Queue("SET LOCAL idle_in_transaction_session_timeout = '" + idleLimit + "'")
	}
	b.Queue(selectHead+" FOR NO KEY UPDATE", w.tenant).Query(func(rows pgx.Rows) (err error) {
		g.stored, err = w.only(pgx.CollectRows(rows, scanHead))
		return err
	})
	if inDoubt {
		b.Queue("SELECT number FROM hippo.writer WHERE tenant = $1 AND holder = $2", w.tenant, w.holder).Query(func(rows pgx.Rows) error {
			numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
			done = len(numbers) > 0 && numbers[0] == w.number
			return err
		})
	}
	err = c.SendBatch(ctx, b).Close()
	g.kept.head = g.stored
	if err == nil && done {
		_, err = c.Exec(ctx, "ROLLBACK")
		done = err == nil
	}
	return g, done, err
}

const countCommit = `INSERT INTO hippo.writer (tenant, holder, number) VALUES ($1, $2, $3)
	ON CONFLICT (tenant, holder) DO UPDATE SET number = excluded.number, at = excluded.at`

const updateHead = `UPDATE hippo.tenant SET (revision, versions, buried, day, date, zone, memories, forgotten, relations, texts) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11) WHERE tenant = $1`

// end writes the changes of a group, and commits them with the number of this try.
func (w *writer) end(ctx context.Context, c *pgxpool.Conn, g *group, lazy bool) error {
	b := &pgx.Batch{}
	if err := g.flush(b); err != nil {
		return err
	}
	if h := g.kept.head; h != g.stored {
		b.Queue(updateHead, w.tenant, h.Revision, h.versions, h.buried, h.Calendar.Day, h.Calendar.Date, h.Calendar.Zone, h.Memories, h.Forgotten, h.Relations, h.texts)
	}
	if b.Len() == 0 {
		_, err := c.Exec(ctx, "ROLLBACK")
		return err
	}
	w.wrote.Store(true)
	w.number++
	b.Queue(countCommit, w.tenant, w.holder, w.number)
	switch {
	case lazy:
		b.Queue("SET LOCAL synchronous_commit = off")
	case w.db.async:
		b.Queue("SET LOCAL synchronous_commit = on")
	}
	b.Queue("COMMIT")
	return c.SendBatch(ctx, b).Close()
}
