package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/store/sqlitestore"
)

// BenchmarkWrite measures the verbs that write, on 1,000 memories.
func BenchmarkWrite(b *testing.B) {
	for name, place := range map[string]func(b *testing.B) (driver.Backend, error){
		"memory": func(*testing.B) (driver.Backend, error) { return memstore.New(nil), nil },
		"sqlite": func(b *testing.B) (driver.Backend, error) {
			return sqlitestore.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), nil)
		},
		"dir": func(b *testing.B) (driver.Backend, error) { return dirstore.Open(b.Context(), b.TempDir(), nil) },
	} {
		for verb, run := range map[string]func(f *fixture, ids []hippo.ID, n int) error{
			"record": func(f *fixture, _ []hippo.ID, n int) error {
				_, err := memory.Record(f.t.Context(), f.Memories, &hippo.Memory{Content: fmt.Sprintf("the gateway of cluster %d listens on port 80", n)})
				return err
			},
			"modify": func(f *fixture, ids []hippo.ID, n int) error {
				text := fmt.Sprintf("the gateway of the cluster listens on port %d", n)
				_, err := memory.Modify(f.t.Context(), f.Memories, ids[n%len(ids)], api.Change{Content: &text, Vote: api.VoteNone})
				return err
			},
			"vote": func(f *fixture, ids []hippo.ID, n int) error {
				up, down := ids[n%len(ids):][:1], []hippo.ID(nil)
				if n/len(ids)%2 == 1 {
					up, down = down, up
				}
				_, err := memory.Reinforce(f.t.Context(), f.Memories, up, down)
				return err
			},
		} {
			b.Run(name+"/"+verb, func(b *testing.B) {
				backend, err := place(b)
				if err != nil {
					b.Fatal(err)
				}
				f := open(b, options{backend: backend})
				ids := make([]hippo.ID, 1000)
				for i := range ids {
					ids[i] = f.record(fmt.Sprintf("the gateway of cluster %d listens on port 80", i), .5)
				}
				n := 0
				for b.Loop() {
					if err := run(f, ids, n); err != nil {
						b.Fatal(err)
					}
					n++
				}
			})
		}
	}
}
