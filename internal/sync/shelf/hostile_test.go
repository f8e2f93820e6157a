package shelf

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// local is the copy of a folder on a machine. A carrier brings changes to the other copies: late, in another order, some only in part at
// first, some with a copy that it calls conflicted, and now and then the disk is full or read-only.
type local struct {
	*mem
	pending map[string]*change // that the carrier has not brought here
	fault   error
	room    int // files that fit before the disk is full
}

// change is a file that is new, or was removed: nil.
type change struct{ data []byte }

func (l *local) Put(ctx context.Context, name string, b []byte) error {
	if l.fault != nil {
		if l.room--; l.room < 0 {
			return l.fault
		}
	}
	return l.mem.Put(ctx, name, b)
}

func (l *local) Remove(ctx context.Context, name string) error {
	if l.fault != nil && l.room < 0 {
		return l.fault
	}
	return l.mem.Remove(ctx, name)
}

type carrier struct {
	*rand.Rand
	list []*local
}

// sent notes what a machine has changed in its copy.
func (c *carrier) sent(from *local, before map[string][]byte) {
	for name := range before {
		if _, ok := from.files[name]; !ok {
			c.send(from, name, nil)
		}
	}
	for name, b := range from.files {
		if _, ok := before[name]; !ok {
			c.send(from, name, b)
		}
	}
}

func (c *carrier) send(from *local, name string, b []byte) {
	for _, to := range c.list {
		if to != from {
			to.pending[name] = &change{b}
		}
	}
}

// bring brings some of what is pending to a machine, or all.
func (c *carrier) bring(to *local, all bool) {
	names := slices.Sorted(maps.Keys(to.pending))
	c.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		x := to.pending[name]
		switch n := c.IntN(10); {
		case all, n < 4:
			delete(to.pending, name)
			if delete(to.files, name); x.data != nil {
				to.files[name] = x.data
			}
		case n < 5 && x.data != nil && to.files[name] == nil: // a half
			to.files[name] = x.data[:c.IntN(len(x.data))]
		case n < 6 && x.data != nil:
			to.files[strings.Replace(name, ".age", " (conflicted copy).age", 1)] = x.data
		}
	}
}

func TestSync_hostile_carrier(t *testing.T) {
	t.Parallel()
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for seed := range rounds {
		c := &carrier{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		c.hostile(t, seed)
	}
}

func (c *carrier) hostile(t *testing.T, seed int) {
	for range 2 + c.IntN(3) {
		c.list = append(c.list, &local{mem: newMem(), pending: make(map[string]*change)})
	}
	var ms []*machine
	acked := make(map[int]bool)
	act := func(i int, fn func()) {
		before := maps.Clone(c.list[i].files)
		fn()
		c.sent(c.list[i], before)
	}
	act(0, func() {
		m, _ := begin(t, c.list[0], "m0")
		ms = append(ms, m)
	})
	for i := 1; i < len(c.list); i++ {
		var code string
		act(0, func() {
			var err error
			if code, err = ms[0].shelf().Invite(context.Background(), noon().Add(1)); err != nil {
				t.Fatal(err)
			}
		})
		for { // until the folder has arrived, as the error says
			var err error
			m := &machine{t: t, name: fmt.Sprint("m", i), folder: c.list[i], store: newStore(t), now: noon}
			act(i, func() { err = Join(context.Background(), c.list[i], code, m.name, noon, m.keep) })
			if err == nil {
				ms = append(ms, m)
				break
			}
			if !errors.Is(err, hippo.ErrNotFound) && !errors.Is(err, hippo.ErrUnavailable) {
				t.Fatalf("seed %d: join: %v", seed, err)
			}
			c.bring(c.list[i], false)
		}
	}
	purged := make(map[int]bool)
	for step := range 150 {
		i := c.IntN(len(ms))
		m, at := ms[i], c.list[i]
		switch n := c.IntN(20); {
		case n < 8:
			k := c.IntN(12)
			m.store.text(k, fmt.Sprintf("TEXT%d", step))
			acked[k] = true
		case n == 8 && step > 50:
			k := c.IntN(12)
			m.store.purge(k)
			purged[k] = true
		case n < 12:
			c.bring(at, false)
		case n == 12:
			at.fault, at.room = []error{hippo.ErrFull, hippo.ErrReadOnly, nil}[c.IntN(3)], c.IntN(3)
		case n == 13 && c.IntN(4) == 0: // what it remembered is lost
			m.state = &State{}
		default:
			act(i, func() {
				_, err := m.trySync()
				allowed := errors.Is(err, hippo.ErrFull) || errors.Is(err, hippo.ErrReadOnly) || errors.Is(err, hippo.ErrForbidden) && len(m.state.Statements) == 0
				if err != nil && !allowed {
					t.Fatalf("seed %d, step %d: %v", seed, step, err)
				}
			})
		}
	}
	for range 5 {
		for i, m := range ms {
			c.list[i].fault = nil
			act(i, func() { m.sync() })
			for _, l := range c.list {
				c.bring(l, true)
			}
		}
	}
	same(t, ms...)
	for i, m := range ms {
		if res := m.sync(); !res.Idle || len(res.Skipped)+len(res.Backwards) > 0 {
			t.Fatalf("seed %d: %s is not idle at last: %+v", seed, m.name, res)
		}
		for k := range acked {
			if s := m.store.subject(memoryID(k)); purged[k] != s.Purged() || !purged[k] && len(s.Parts()) == 0 {
				t.Fatalf("seed %d: %s lacks memory %d", seed, m.name, k)
			}
		}
		for name := range c.list[i].files {
			if strings.Contains(name, "conflicted") {
				delete(c.list[i].files, name)
			}
		}
	}
	text := ms[0].plain(c.list[0].mem)
	for k := range purged {
		if n := strings.Count(text, `"id":"`+memoryID(k).String()+`"`); n > len(ms)*3 || strings.Contains(strings.ReplaceAll(text, `"p":{"purged":true}`, ""), memoryID(k).String()+`","p":{"text"`) {
			t.Fatalf("seed %d: the folder still holds memory %d, which was purged", seed, k)
		}
	}
}
