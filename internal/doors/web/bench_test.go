package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// BenchmarkPages renders pages over 100,000 memories in four projects, in RAM.
func BenchmarkPages(b *testing.B) {
	s := newSite(b)
	m := s.engine.In(hippo.LocalScope(""))
	const memories = 100_000
	_, err := transfer.New(m).Import(b.Context(), hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for i := range memories {
			x := &hippo.Memory{
				Content: fmt.Sprintf("note %d about the gateway of shop %d, which failed after %d seconds", i, i%97, i%1009), Project: fmt.Sprintf("project %d", i%4),
				CreatedAt: s.now.Add(-time.Duration(i) * 11 * time.Minute), Importance: hippo.Importance{Base: .5, Value: .5}, Trust: hippo.TrustNormal,
			}
			if !yield(x, nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	h := s.handler()
	list, err := memory.List(b.Context(), m, api.List{Count: 1})
	if err != nil {
		b.Fatal(err)
	}
	id := list.Memories[0].ID.String()
	for name, path := range map[string]string{
		"first": "/", "search": "/?q=gateway+failed+42", "browse": "/ui/browse", "memory": "/ui/memory/" + id, "timeline": "/ui/timeline", "captures": "/ui/review",
		"pairs": "/ui/review?part=pairs", "audit": "/ui/review?part=audit", "status": "/ui/status",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r := httptest.NewRequestWithContext(httpd.WithCaller(b.Context(), httpd.Caller{Scope: hippo.LocalScope("")}), http.MethodGet, path, http.NoBody)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
