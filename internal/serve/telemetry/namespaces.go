package telemetry

import (
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/metrics"
)

// OpenNamespaces are the namespaces of a database that a server has open, all together.
type OpenNamespaces struct {
	Open int
	// Bytes of memory of their indexes that the system cannot take back.
	Bytes int64
	// Evicted counts those that were closed to make room.
	Evicted int64
}

// Namespaces adds figures of the namespaces that are open, without their names, however many there are. It returns what hears of each
// that was opened, or could not be.
func (m *Metrics) Namespaces(read func() OpenNamespaces) (opened func(took time.Duration, err error)) {
	opens := m.set.Counter("hippo_namespace_opens_total", "Namespaces of a database that were opened, by code.", "code")
	times := m.set.Times("hippo_namespace_open_seconds", "Time to open a namespace, with its index.")
	opens.Add(0, string(hippo.CodeOK))
	m.set.Figures(func() []metrics.Figure {
		n := read()
		return []metrics.Figure{
			metrics.One("hippo_namespaces_open", "Namespaces of a database that are open.", metrics.Gauge, float64(n.Open)),
			metrics.One("hippo_namespace_index_bytes", "Memory of the indexes of all namespaces that are open.", metrics.Gauge, float64(n.Bytes)),
			metrics.One("hippo_namespace_evictions_total", "Namespaces that were closed to make room for others.", metrics.Counter, float64(n.Evicted)),
		}
	})
	return func(took time.Duration, err error) {
		opens.Add(1, string(hippo.CodeOf(err)))
		times.Observe(took)
	}
}
