package engine_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/store/join"
)

// pair are two stores that exchange exports. Both have one clock.
type pair struct {
	*testing.T
	stores [2]*fixture
	random *rand.Rand
	ids    []hippo.ID
	texts  map[string]hippo.ID // all that was ever written
}

// exportFile is what a store has, and its active day.
type exportFile struct {
	memories []*hippo.Memory
	calendar hippo.Calendar
}

func (p *pair) export(f *fixture) exportFile {
	p.Helper()
	t := transfer.New(f.Memories)
	cal, err := t.Calendar(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	out := exportFile{calendar: cal}
	for m, err := range t.Export(p.Context()) {
		if err != nil {
			p.Fatal(err)
		}
		m.Revision = 0
		out.memories = append(out.memories, m)
	}
	return out
}

func (p *pair) load(f *fixture, x exportFile) api.ImportReport {
	p.Helper()
	entries := iter.Seq2[*hippo.Memory, error](func(yield func(*hippo.Memory, error) bool) {
		for _, m := range x.memories {
			if !yield(m.Clone(), nil) {
				return
			}
		}
	})
	r, err := transfer.New(f.Memories).Logged(transfer.Origin{Store: true}).Import(p.Context(), x.calendar, entries, nil)
	if err != nil || len(r.Rejected) > 0 {
		p.Fatalf("%+v: %v", r, err)
	}
	return r
}

// step does something in one of the stores, or exchanges exports.
func (p *pair) step(n int) {
	f := p.stores[p.random.IntN(2)]
	f.advance(0, time.Minute)
	id := p.ids[p.random.IntN(len(p.ids))]
	ms, err := memory.Get(p.Context(), f.Memories, []hippo.ID{id})
	if err != nil || ms[0].Forgotten() && p.random.IntN(2) > 0 {
		p.exchange()
		return
	}
	switch text := fmt.Sprintf("text %d", n); p.random.IntN(9) {
	case 0, 1:
		p.texts[text] = id
		f.modify(id, api.Change{Content: &text})
	case 2:
		f.vote([]hippo.ID{id}, nil)
	case 3:
		f.vote(nil, []hippo.ID{id})
	case 4:
		f.modify(id, api.Change{Pinned: new(!ms[0].Pinned)})
	case 5:
		if ms[0].Forgotten() {
			f.restore(id)
		} else {
			f.forget(id)
		}
	case 6:
		f.modify(id, api.Change{Tags: &[]string{text}})
	case 7:
		f.modify(id, api.Change{Importance: new(float64(n%10) / 10)})
	default:
		p.exchange()
	}
}

// exchange imports the export of one store into the other, or those of both at once.
func (p *pair) exchange() {
	a, b := p.export(p.stores[0]), p.export(p.stores[1])
	way := p.random.IntN(3)
	if way != 0 {
		p.load(p.stores[1], a)
	}
	if way != 1 {
		p.load(p.stores[0], b)
	}
}

// equal compares the stores.
func (p *pair) equal(what string) {
	p.Helper()
	other := make(map[hippo.ID]*hippo.Memory)
	for _, m := range p.export(p.stores[1]).memories {
		other[m.ID] = m
	}
	for _, m := range p.export(p.stores[0]).memories {
		if o := other[m.ID]; o == nil || !join.Same(m, o) {
			p.Errorf("%s: the stores differ (-first +second):\n%s", what, cmp.Diff(m, o))
		}
	}
}

// lost reports the texts that neither store shows or has in its history.
func (p *pair) lost() (out []string) {
	known := make(map[string]bool)
	for _, f := range p.stores {
		for _, m := range p.export(f).memories {
			known[m.Content] = true
			vs, err := memory.Versions(p.Context(), f.Memories, api.Versions{Memory: m.ID})
			if err != nil {
				p.Fatal(err)
			}
			for _, v := range vs {
				if v.Before != nil {
					known[v.Before.Content] = true
				}
			}
		}
	}
	for text := range p.texts {
		if !known[text] {
			out = append(out, text)
		}
	}
	slices.Sort(out)
	return out
}

// Two stores that change what they like and import the exports of each other whenever they like end equal, lose no text, and
// importing again changes nothing.
func TestImport_TwoStoresEndEqual(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		c := newClock()
		p := &pair{T: t, stores: [2]*fixture{open(t, options{clock: c}), open(t, options{clock: c})}, random: rand.New(rand.NewPCG(seed, 7)), texts: make(map[string]hippo.ID)}
		for i := range 3 {
			p.ids = append(p.ids, p.stores[0].record(fmt.Sprintf("memory %d", i), .5))
		}
		p.load(p.stores[1], p.export(p.stores[0]))
		for n := range 16 {
			p.step(n)
		}
		p.load(p.stores[1], p.export(p.stores[0]))
		p.load(p.stores[0], p.export(p.stores[1]))
		p.equal(fmt.Sprintf("seed %d", seed))
		for i, f := range p.stores {
			if r := p.load(f, p.export(p.stores[1-i])); r.Updated+r.Kept+r.Added > 0 {
				t.Errorf("seed %d: again: %+v", seed, r)
			}
		}
		if lost := p.lost(); lost != nil {
			t.Errorf("seed %d: %q are lost", seed, lost)
		}
	}
}
