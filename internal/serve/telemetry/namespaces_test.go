package telemetry_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry"
)

func TestMetrics_Namespaces(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics("v1", time.Now)
	opened := m.Namespaces(func() telemetry.OpenNamespaces { return telemetry.OpenNamespaces{Open: 3, Bytes: 4096, Evicted: 7} })
	opened(20*time.Millisecond, nil)
	opened(time.Second, hippo.ErrUnavailable)
	s := httpd.New([]httpd.Route{m.Route(func(context.Context) (*engine.Engine, error) { return nil, hippo.ErrUnavailable })}, httpd.Options{Tokens: everybody{}})
	text := send(s, http.MethodGet, "/metrics", "", "X-API-Key", "x").Body.String()
	for _, want := range []string{
		"\nhippo_namespaces_open 3\n", "\nhippo_namespace_index_bytes 4096\n", "\nhippo_namespace_evictions_total 7\n",
		"\nhippo_namespace_opens_total{code=\"ok\"} 1\n", "\nhippo_namespace_opens_total{code=\"unavailable\"} 1\n",
		"\nhippo_namespace_open_seconds_bucket{le=\"0.025\"} 1\n", "\nhippo_namespace_open_seconds_count 2\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
