package app_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// A language model in a folder predicts what is recorded; what is wrong with the folder is in the status.
func TestOpen_PredictionByFolder(t *testing.T) {
	t.Parallel()
	const tiny = "../retrieval/embed/causal/testdata/gpt2"
	empty := t.TempDir()
	for _, tc := range []struct {
		name, folder string
		loss         float64
		degraded     string
	}{
		{"tiny", tiny, 1, ""}, // random weights are surprised by everything
		{"no model", empty, 0, "prediction loss: open " + filepath.Join(empty, "config.json")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s, err := config.ParseSurprise("", "", "local:"+tc.folder, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			c := config.Config{
				Store: config.Store{Kind: "sqlite", Path: filepath.Join(t.TempDir(), "memory.db")}, Model: config.Model{Name: config.NoModel}, Surprise: s,
			}
			synctest.Test(t, func(t *testing.T) {
				e, err := app.Open(t.Context(), c, &app.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := e.Close(); err != nil {
						t.Error(err)
					}
				}()
				m, err := memory.Record(t.Context(), local(e), &hippo.Memory{Content: "We had pizza on Friday"})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Second) // of the bubble
				synctest.Wait()
				got, err := memory.Get(t.Context(), local(e), []hippo.ID{m.ID})
				if err != nil || math.Abs(got[0].Surprise.Loss-tc.loss) > .5 || got[0].Surprise.Score == 0 {
					t.Errorf("got %+v, %v, want the loss %v", got, err, tc.loss)
				}
				st, err := memory.Status(t.Context(), local(e))
				if said := strings.Join(st.Degraded, "; "); err != nil || !strings.HasPrefix(said, tc.degraded) || tc.degraded == "" && said != "" {
					t.Errorf("degraded: %q, %v, want %q", said, err, tc.degraded)
				}
			})
		})
	}
}
