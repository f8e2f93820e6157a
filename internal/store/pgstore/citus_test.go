package pgstore_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/drivertest"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// A worker of a cluster is entered as the coordinator is.
func TestCitus_Worker(t *testing.T) {
	c := pgtest.StartCluster(t)
	name := c.Database(t)
	openDB(t, c.Coordinator.URL(name))
	drivertest.Run(t, harness(t, c.Workers[0].URL(name)))
}

// All tables are distributed: by tenant those that have one, all alike.
func TestCitus_Tables(t *testing.T) {
	c := pgtest.StartCluster(t)
	url := c.Coordinator.URL(c.Database(t))
	openDB(t, url)
	local := texts(t, url, "SELECT relname::text FROM pg_class WHERE relnamespace = 'hippo'::regnamespace AND relkind = 'r' AND oid NOT IN (SELECT logicalrelid FROM pg_dist_partition)")
	if len(local) > 0 {
		t.Errorf("one server alone has the tables %v", local)
	}
	together := texts(t, url, `SELECT relname::text FROM pg_class c JOIN pg_dist_partition p ON p.logicalrelid = c.oid
		WHERE partmethod = 'h' AND colocationid = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'hippo.tenant'::regclass) ORDER BY relname`)
	if want := slices.Sorted(slices.Values(pgstore.Tables())); !slices.Equal(together, want) {
		t.Errorf("together by tenant are %v, want %v", together, want)
	}
}

// load has clients that record, each in a tenant of its own.
type load struct {
	stores       []*pgstore.Store
	acknowledged [][]hippo.ID
	done         atomic.Int64 // writes
	slowest      atomic.Int64 // nanoseconds
	stop         chan struct{}
	all          sync.WaitGroup
}

func startLoad(t *testing.T, db *pgstore.DB, clients int) *load {
	t.Helper()
	l := &load{stop: make(chan struct{}), acknowledged: make([][]hippo.ID, clients)}
	for i := range clients {
		l.stores = append(l.stores, open(t, db, fmt.Sprintf("tenant %d", i)))
	}
	for i := range clients {
		l.all.Go(func() { l.record(t, i) })
	}
	return l
}

// record writes to one tenant until the load ends.
func (l *load) record(t *testing.T, i int) {
	for {
		select {
		case <-l.stop:
			return
		default:
		}
		m, began := fresh(), time.Now()
		if err := l.stores[i].Write(t.Context(), driver.Durable, put(m)); err != nil {
			if t.Context().Err() == nil { // the test goes on
				t.Errorf("a write of tenant %d failed: %v", i, err)
			}
			return
		}
		took := int64(time.Since(began))
		for old := l.slowest.Load(); took > old && !l.slowest.CompareAndSwap(old, took); old = l.slowest.Load() {
		}
		l.acknowledged[i] = append(l.acknowledged[i], m.ID)
		l.done.Add(1)
	}
}

// during reports how many writes were acknowledged while something happened.
func (l *load) during(t *testing.T, what string, happens func()) {
	t.Helper()
	began, before := time.Now(), l.done.Load()
	l.slowest.Store(0)
	happens()
	n, took := l.done.Load()-before, time.Since(began)
	t.Logf("%s: %d writes acknowledged in %.1f s, %.0f a second; the slowest took %v", what, n, took.Seconds(), float64(n)/took.Seconds(), time.Duration(l.slowest.Load()).Round(time.Millisecond))
	if n == 0 {
		t.Errorf("%s: no write was acknowledged", what)
	}
}

// end stops the clients and checks that the database holds each acknowledged memory exactly once.
func (l *load) end(t *testing.T) {
	t.Helper()
	close(l.stop)
	l.all.Wait()
	for i, s := range l.stores {
		recorded(t, s, l.acknowledged[i])
	}
	t.Logf("%d writes acknowledged in all", l.done.Load())
}

// for a while, the time for which a load runs.
const while = 5 * time.Second

// Clients record while shards move to a new worker, and while a worker is killed and comes back: no write fails, nothing that was
// acknowledged is lost or there twice.
func TestCitus_Load(t *testing.T) {
	c := pgtest.StartCluster(t)
	name := c.Database(t)
	url := c.Coordinator.URL(name)
	db, err := pgstore.OpenDB(t.Context(), url, &pgstore.DBOptions{Wait: time.Minute}) // a machine that is busy needs long to start a worker
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := startLoad(t, db, 64)
	l.during(t, "undisturbed", func() { time.Sleep(while) })
	l.during(t, "rebalance", func() {
		c.Add(t, name)
		pgtest.Exec(t, url, "SELECT rebalance_table_shards()")
	})
	added := texts(t, url, "SELECT count(*)::text FROM citus_shards WHERE table_name = 'hippo.tenant'::regclass AND nodeport = (SELECT max(nodeport) FILTER (WHERE nodeid = (SELECT max(nodeid) FROM pg_dist_node)) FROM pg_dist_node)")
	t.Logf("the new worker has %s shards of each table", added[0])
	for round := range drivertest.Rounds(3) {
		worker := c.Workers[round%len(c.Workers)]
		l.during(t, "a worker killed", func() {
			worker.Crash(t)
			time.Sleep(while / 5)
			worker.Restart(t)
			time.Sleep(while / 5)
		})
	}
	l.end(t)
}
