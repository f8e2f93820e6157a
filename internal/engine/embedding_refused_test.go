package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// A text that is refused, and is the only one without a vector, is found lexically, and is not
// tried again.
func TestEmbedding_OneBadTextAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Spoil(func(texts []string, v [][]float32) ([][]float32, error) {
			if strings.Contains(strings.Join(texts, " "), "overlong") {
				return nil, fmt.Errorf("text is not accepted: %w", hippo.ErrInvalid)
			}
			return v, nil
		})
		f := openWithModels(t, slow(w))
		f.record("overlong", .5)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		w.Passages()
		time.Sleep(time.Hour)
		if s, again := f.status().Models[0], w.Passages(); s.Embedded != 1 || s.Err != nil || len(again) != 0 {
			t.Errorf("got %+v, and %d texts were tried again", s, len(again))
		}
		f.wantOrder(hippo.Query{Text: "overlong"}, "overlong")
	})
}

// A model that refuses every text embeds none of them.
func TestEmbedding_EveryTextRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := embedtest.NewWords("best")
		w.Spoil(func([]string, [][]float32) ([][]float32, error) {
			return nil, fmt.Errorf("bad request: %w", hippo.ErrInvalid)
		})
		f := openWithModels(t, slow(w))
		f.fill(3)
		f.search(hippo.Query{Text: "x"})
		synctest.Wait()
		if s := f.status().Models[0]; s.Embedded != 0 || s.Err == nil {
			t.Errorf("got %+v", s)
		}
		f.wantStored(map[string]int{})
	})
}

// What a model says of the texts of others is for administrators.
func TestEmbedding_HidesErrorsOfOthers(t *testing.T) {
	t.Parallel()
	for name, model := range map[string]func(*embedtest.Words) embedding.Model{"slow": func(w *embedtest.Words) embedding.Model { return slow(w) }, "instant": instant} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := embedtest.NewWords("best")
				f := openWithModels(t, model(w))
				w.Spoil(func(texts []string, _ [][]float32) ([][]float32, error) {
					return nil, fmt.Errorf("cannot embed %q", texts)
				})
				f.record("confidential", .5)
				f.search(hippo.Query{Text: "x"})
				synctest.Wait()
				for rights, shown := range map[hippo.Rights]bool{hippo.AllRights: true, hippo.RightRead: false} {
					in := f.In(hippo.Scope{Namespace: "tenant", Rights: rights})
					a, err := query.Search(t.Context(), in, hippo.Query{Text: "x"})
					if err != nil {
						t.Fatal(err)
					}
					st, err := memory.Status(t.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					said := append(a.Degraded, st.Degraded...)
					if e := st.Models[0].Err; e != nil {
						said = append(said, e.Error())
					}
					if text := strings.Join(said, "; "); strings.Contains(text, "confidential") && !shown || !strings.Contains(text, "failed") && !shown || shown && !strings.Contains(text, "cannot embed") {
						t.Errorf("rights %b: got %q", rights, text)
					}
				}
			})
		})
	}
}
