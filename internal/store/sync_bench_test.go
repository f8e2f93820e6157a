package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// BenchmarkSync measures the cost of recording and modifying a memory in a file of 5,000. It alternates between sync off and sync on.
func BenchmarkSync(b *testing.B) {
	text := strings.Repeat("A note of some length about what was decided. ", 14)
	var stores [2]*store.Store
	var ids [2][]hippo.ID
	for i, name := range []string{"alone", "one of several"} {
		back, err := sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), nil)
		if err != nil {
			b.Fatal(err)
		}
		s := store.New(back, nil)
		defer s.Close() //nolint:errcheck // a benchmark
		stores[i] = s
		if name != "alone" {
			if err := store.EnableSync(b.Context(), s); err != nil {
				b.Fatal(err)
			}
		}
		for n := range 50 {
			ms := make([]*hippo.Memory, 100)
			for k := range ms {
				ms[k] = memory(fmt.Sprint(text, n, k))
			}
			if err := s.Add(b.Context(), ms...); err != nil {
				b.Fatal(err)
			}
			for _, m := range ms {
				ids[i] = append(ids[i], m.ID)
			}
		}
	}
	for name, do := range map[string]func(s *store.Store, i, n int) error{
		"record": func(s *store.Store, _, n int) error { return s.Add(b.Context(), memory(fmt.Sprint(text, "new", n))) },
		"modify": func(s *store.Store, i, n int) error {
			_, err := local(s).Update(b.Context(), ids[i][n%5000:n%5000+1], func(m *hippo.Memory, _ hippo.Day) error {
				m.Content = fmt.Sprint(text, "changed", n)
				return nil
			})
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			var spent [2]time.Duration
			for n := range b.N {
				for i, s := range stores {
					begin := time.Now()
					if err := do(s, i, n); err != nil {
						b.Fatal(err)
					}
					spent[i] += time.Since(begin)
				}
			}
			b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N), "µs-alone/op")
			b.ReportMetric(float64(spent[1].Microseconds())/float64(b.N), "µs-synced/op")
			b.ReportMetric(0, "ns/op")
		})
	}
}
