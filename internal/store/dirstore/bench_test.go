package dirstore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func manyMemories(n int) []*hippo.Memory {
	ms := make([]*hippo.Memory, n)
	for i := range ms {
		ms[i] = memory(i)
	}
	return ms
}

// BenchmarkOpen measures opening a directory with nothing new in it.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			p := newPlace(b)
			put(b, p.open(), manyMemories(n)...)
			o := p.options()
			o.Now = nil // the clock of a place stands, and what was just written would be read each time
			for b.Loop() {
				s, err := dirstore.Open(context.Background(), p.dir, &o)
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSync10k measures the comparison of all contents.
func BenchmarkSync10k(b *testing.B) {
	p := newPlace(b)
	s := p.open()
	put(b, s, manyMemories(10_000)...)
	for b.Loop() {
		rescan(b, s)
	}
}

// BenchmarkPipelined200 counts 200 durable writes, all under way at a time, as one
// operation.
func BenchmarkPipelined200(b *testing.B) {
	p := newPlace(b)
	s := p.open()
	n := 0
	for b.Loop() {
		var wg sync.WaitGroup
		for range 200 {
			n++
			m := memory(n % 60_000)
			wg.Go(func() {
				if err := s.Write(b.Context(), driver.Durable, func(tx driver.Tx) error { return tx.Put(m) }); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// BenchmarkPutBesideBusyHandle measures one durable write while another handle
// writes without a pause.
func BenchmarkPutBesideBusyHandle(b *testing.B) {
	p := newPlace(b)
	s, busy := p.open(), p.open()
	ctx, stop := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for ctx.Err() == nil {
				_ = busy.Write(ctx, driver.Durable, func(tx driver.Tx) error { return tx.Put(memory(i)) }) // until it is stopped
			}
		})
	}
	n := 100
	for b.Loop() {
		n++
		put(b, s, memory(n%60_000))
	}
	stop()
	wg.Wait()
}

// BenchmarkImport10k stores 10,000 memories in transactions of 500, as an import does.
func BenchmarkImport10k(b *testing.B) {
	for b.Loop() {
		p := newPlace(b)
		s := p.open()
		for part := range slices.Chunk(manyMemories(10_000), 500) {
			put(b, s, part...)
		}
	}
}

// BenchmarkGet10 measures reading a page of 10 memories of 500 bytes.
func BenchmarkGet10(b *testing.B) {
	p := newPlace(b)
	s := p.open()
	ms := manyMemories(1000)
	ids := make([]hippo.ID, 10)
	for i, m := range ms {
		m.Content = strings.Repeat(m.Content+" ", 50)
		m.ContentHash = hippo.HashContent(m.Content)
		if i < len(ids) {
			ids[i] = m.ID
		}
	}
	put(b, s, ms...)
	for b.Loop() {
		if _, err := s.Get(b.Context(), ids); err != nil {
			b.Fatal(err)
		}
	}
}
