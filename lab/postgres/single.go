package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/lab/corpus"
	"github.com/hippo-memory/hippo/lab/database"
)

// single measures one client on a warm tenant.
func (b *bench) single(ctx context.Context) error {
	p, err := b.open(ctx, "single")
	if err != nil {
		return err
	}
	defer p[0].Close() //nolint:errcheck // the folder is deleted
	defer p[1].Close() //nolint:errcheck // as above
	for _, m := range p {
		if err := b.fill(ctx, m, 1, b.memories); err != nil {
			return err
		}
	}
	w := corpus.New(2, b.words)
	searches, err := b.turns(p, func(m *engine.Memories, text string) error {
		_, err := query.Search(ctx, m, hippo.Query{Text: text})
		return err
	}, w.Query)
	if err != nil {
		return err
	}
	compare("search", searches, "1.15")
	records, err := b.turns(p, func(m *engine.Memories, text string) error {
		_, err := memory.Record(ctx, m, &hippo.Memory{Content: text, Importance: hippo.Importance{Base: .5}})
		return err
	}, func() string { return w.Text(60) })
	if err != nil {
		return err
	}
	compare("record, one client", records, "1.70")
	return errors.Join(b.commit(ctx), b.wal(ctx, p[1], w))
}

// commit measures the least that a record costs: a statement of its own.
func (b *bench) commit(ctx context.Context) error {
	c, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return err
	}
	defer c.Close(ctx) //nolint:errcheck // it is not used again
	_, err = c.Exec(ctx, "CREATE TABLE one (n int); INSERT INTO one VALUES (0)")
	var took times
	for range b.rounds {
		began := time.Now()
		_, execErr := c.Exec(ctx, "UPDATE one SET n = n + 1")
		err = errors.Join(err, execErr)
		took = append(took, time.Since(began))
	}
	for _, q := range []float64{.5, .1} {
		row(fmt.Sprintf("one statement that changes a row, p%.0f", 100*q), "", millis(took.at(q)), "", "")
	}
	return err
}

// turns does something in both stores with the same texts, in turns.
func (b *bench) turns(p pair[*engine.Memories], do func(*engine.Memories, string) error, text func() string) (out pair[times], err error) {
	for round := range b.rounds + 20 {
		t := text()
		for k := range p {
			i := (k + round) % 2
			began := time.Now()
			err = errors.Join(err, do(p[i], t))
			if round >= 20 { // the first ones are to warm up
				out[i] = append(out[i], time.Since(began))
			}
		}
	}
	return out, err
}

// wal measures the bytes of the log of searches that count ten memories each, and are stored one by one.
func (b *bench) wal(ctx context.Context, m *engine.Memories, w *corpus.Writer) error {
	c, err := pgx.Connect(ctx, b.url)
	if err != nil {
		return err
	}
	defer c.Close(ctx) //nolint:errcheck // it is not used again
	position := func() (n int64) {
		err = errors.Join(err, c.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&n))
		return n
	}
	const searches = 50
	counted := 0
	var texts []string
	for range searches {
		texts = append(texts, w.Text(9))
	}
	_, err = c.Exec(ctx, "CHECKPOINT")
	for warm := range 2 { // the first changes of pages after a checkpoint are logged whole
		begin := position()
		counted = 0
		for _, text := range texts {
			a, searchErr := query.Search(ctx, m, hippo.Query{Text: text, Relevance: &hippo.Range{Max: 9}})
			if err = errors.Join(err, searchErr, m.Flush(ctx)); err != nil {
				return err
			}
			counted += len(a.Hits)
		}
		name := [2]string{"just after a checkpoint", "later"}[warm]
		row(fmt.Sprintf("log of a search that counts %.1f memories, %s", float64(counted)/searches, name), "", fmt.Sprintf("%d B", (position()-begin)/searches), "", "2000 B")
	}
	return err
}

// writes measures records of many clients, on one tenant and on many.
func (b *bench) writes(ctx context.Context) error {
	p, err := b.open(ctx, "writes")
	if err != nil {
		return err
	}
	defer p[0].Close() //nolint:errcheck // the folder is deleted
	defer p[1].Close() //nolint:errcheck // as above
	var rates [2]float64
	for i, m := range p {
		rates[i], err = b.hammer(ctx, func(int) *engine.Memories { return m })
		if err != nil {
			return err
		}
	}
	row(fmt.Sprintf("%d clients on one tenant", b.clients), fmt.Sprintf("%.0f /s", rates[0]), fmt.Sprintf("%.0f /s", rates[1]), "", "2000 /s")
	all, err := b.pool(0)
	if err != nil {
		return err
	}
	own := make([]*engine.Memories, b.clients)
	for i := range own {
		name := fmt.Sprint("writes", i)
		e, err := all.Of(ctx, name)
		if err != nil {
			return err
		}
		own[i] = database.In(e, name)
	}
	rate, err := b.hammer(ctx, func(client int) *engine.Memories { return own[client] })
	row(fmt.Sprintf("%d clients on %d tenants", b.clients, b.clients), "", fmt.Sprintf("%.0f /s", rate), "", "2000 /s")
	return errors.Join(err, all.Shut(context.WithoutCancel(ctx)))
}

// hammer records with all clients for some seconds, and returns how many were acknowledged a second.
func (b *bench) hammer(ctx context.Context, of func(client int) *engine.Memories) (float64, error) {
	var all sync.WaitGroup
	var done atomic.Int64
	errs := make(chan error, b.clients)
	d := time.Duration(b.load) * time.Second
	began := time.Now()
	for client := range b.clients {
		all.Go(func() {
			w := corpus.New(uint64(client), b.words)
			for time.Since(began) < d {
				if _, err := memory.Record(ctx, of(client), &hippo.Memory{Content: w.Text(60), Importance: hippo.Importance{Base: .5}}); err != nil {
					errs <- err
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	close(errs)
	return float64(done.Load()) / time.Since(began).Seconds(), <-errs
}
