package pgstore_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgstore"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// Three nodes write to one tenant at whatever level of isolation: revisions are unique, nothing is lost, and each node has what another
// one acknowledged.
func TestNodes(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"read committed", "repeatable read", "serializable"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			url := pgtest.With(t, pgtest.URL(t), "default_transaction_isolation", level)
			var nodes [3]*pgstore.Store
			for i := range nodes {
				nodes[i] = open(t, openDB(t, url), "x")
			}
			write(t, nodes[0], put(withText(0, "0")))
			const writers, each = 9, 20
			var all sync.WaitGroup
			for w := range writers {
				all.Go(func() {
					for i := range each {
						m := memory(1 + w*each + i)
						if err := nodes[w%3].Write(t.Context(), driver.Lazy, func(tx driver.Tx) error { return errors.Join(countUp(tx), tx.Put(m)) }); err != nil {
							t.Errorf("write: %v", err)
							return
						}
						if ms, err := nodes[(w+1)%3].Get(t.Context(), []hippo.ID{m.ID}); err != nil || len(ms) != 1 {
							t.Errorf("another node has %d memories of one that was acknowledged (%v)", len(ms), err)
						}
					}
				})
			}
			all.Wait()
			ms, err := nodes[0].Get(t.Context(), []hippo.ID{idOf(0)})
			h, headErr := nodes[0].Head(t.Context())
			if err := errors.Join(err, headErr); err != nil || ms[0].Content != strconv.Itoa(writers*each) || int(h.Revision) != 1+2*writers*each {
				t.Errorf("%s writes are counted, head is %+v (%v), want %d writes and twice as many revisions", ms[0].Content, h, err, writers*each)
			}
			sound(t, nodes[0])
		})
	}
}

// Statements are prepared, but not through a proxy.
func TestConnections_Prepared(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	for name, c := range map[string]struct {
		url  string
		want bool
	}{
		"direct":    {url, true},
		"in a mode": {pgtest.With(t, url, "default_query_exec_mode", "exec"), false},
		"a tunnel":  {pgtest.Proxy(t, url, func(bool) pgtest.Fault { return pgtest.Pass }), true},
		"PgBouncer": {pgtest.Bouncer(t, url), false},
	} {
		db := openDB(t, c.url)
		filled(t, open(t, db, name))
		list, err := pgstore.Texts(t.Context(), db, "SELECT name FROM pg_prepared_statements")
		if err != nil || (len(list) > 0) != c.want {
			t.Errorf("%s: %d statements are prepared (%v), want any: %t", name, len(list), err, c.want)
		}
	}
}

// Connections are left as they were found, as a proxy may hand them to others between transactions: no statement is prepared, no
// setting changed, no lock held.
func TestConnections_Clean(t *testing.T) {
	t.Parallel()
	url := pgtest.With(t, pgtest.With(t, pgtest.URL(t), "pool_max_conns", "1"), "default_query_exec_mode", "cache_describe")
	db := openDB(t, url)
	settings := func() string {
		return fmt.Sprint(pgstore.Texts(t.Context(), db, `SELECT name || '=' || setting FROM pg_settings WHERE source = 'session'
			UNION ALL SELECT name FROM pg_prepared_statements UNION ALL SELECT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'`))
	}
	before := settings()
	s := open(t, db, "x")
	filled(t, s)
	for _, err := range s.Changes(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Write(t.Context(), driver.Lazy, func(tx driver.Tx) error { return tx.Touch(1, map[hippo.ID]int{idOf(1): 1}) }); err != nil {
		t.Fatal(err)
	}
	if after := settings(); after != before {
		t.Errorf("a connection has %s, want %s", after, before)
	}
}

// The memories of a page are bounded by their size, before they are read.
func TestChanges_PageSize(t *testing.T) {
	t.Parallel()
	s := open(t, openDB(t, pgtest.URL(t)), "x")
	const n = 30
	var ms []*hippo.Memory
	for i := range n {
		ms = append(ms, withText(i, strings.Repeat(strconv.Itoa(i), hippo.MaxContent/2)))
	}
	write(t, s, put(ms...))
	size, pages, err := pgstore.Pages(t.Context(), s)
	if err != nil || size > 4<<20+hippo.MaxContent || pages < 3 {
		t.Errorf("the largest of %d pages has %d bytes (%v)", pages, size, err)
	}
	i := 0
	for c, err := range s.Changes(t.Context(), 0) {
		if err != nil || c.Memory.Content != ms[i].Content {
			t.Errorf("change %d has %d bytes (%v)", i, len(c.Memory.Content), err)
		}
		i++
	}
	if i != n {
		t.Errorf("%d changes, want %d", i, n)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	s := open(t, openDB(t, url), "x")
	filled(t, s)
	sound(t, s)
	pgtest.Exec(t, url,
		"UPDATE hippo.memory SET content = 'memorz 1' WHERE content = 'memory 1'", "UPDATE hippo.memory SET base = 7 WHERE content = 'memory 2'",
		"UPDATE hippo.tenant SET memories = 5, revision = 3", "UPDATE hippo.vector SET value = '\\x00'", "DELETE FROM hippo.operation")
	ps, err := s.Check(t.Context())
	for _, want := range []string{"does not have the hash", "importance", "there are 2 memories, but 5", "revisions, but 3", "1 vectors", "1 former versions"} {
		found := 0
		for _, p := range ps {
			found += strings.Count(p.String(), want)
		}
		if err != nil || found != 1 {
			t.Errorf("found (%v)\n%v\nwant one with %q", err, ps, want)
		}
	}
}
