// Package telemetry observes a server: metrics in the format of Prometheus, and traces for OpenTelemetry. It sees
// requests by the pattern of their route, calls by the name of a tool, and verbs by theirs; never a path, a query, a
// content, a project or a namespace.
package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/telemetry/metrics"
)

// Metrics counts what a server does. It is safe for concurrent use.
type Metrics struct {
	now     func() time.Time
	version string
	process func() []metrics.Figure
	set     metrics.Set

	requests, refused, tools, verbs, failed *metrics.Counters
	requestTimes, toolTimes, verbTimes      *metrics.Times
}

// NewMetrics returns counts that begin at zero now.
func NewMetrics(version string, now func() time.Time) *Metrics {
	m := &Metrics{now: now, version: version, process: metrics.Process(now())}
	m.requests = m.set.Counter("hippo_http_requests_total", "Requests, by the pattern of their route and by status.", "route", "status")
	m.requestTimes = m.set.Times("hippo_http_request_seconds", "Time to answer a request, by the pattern of its route; of a stream, how long it lasted.", "route")
	m.refused = m.set.Counter("hippo_http_refused_total", "Requests that were refused before they were carried out.", "reason")
	m.tools = m.set.Counter("hippo_tool_calls_total", "Calls of MCP tools, by code.", "tool", "code")
	m.toolTimes = m.set.Times("hippo_tool_call_seconds", "Time of a call of an MCP tool.", "tool")
	m.verbs = m.set.Counter("hippo_verb_calls_total", "Searches, records and other verbs of all front ends, by code.", "verb", "code")
	m.verbTimes = m.set.Times("hippo_verb_seconds", "Time of a search, a record or another verb.", "verb")
	m.failed = m.set.Counter("hippo_failed_writes_total", "Writes that failed through no fault of the caller; they were not acknowledged.", "verb")
	for _, reason := range httpd.Reasons() {
		m.refused.Add(0, string(reason))
	}
	for _, verb := range []string{"search", "record"} {
		m.verbs.Add(0, verb, string(hippo.CodeOK))
	}
	m.failed.Add(0, "record")
	return m
}

// noRoute is the label of requests that match no route: their paths are theirs.
const noRoute = "none"

// end counts a request.
func (m *Metrics) end(s *httpd.Served) {
	route := s.Route
	if route == "" {
		route = noRoute
	}
	m.requests.Add(1, route, strconv.Itoa(s.Status))
	m.requestTimes.Observe(s.Took, route)
	if s.Refused != "" {
		m.refused.Add(1, string(s.Refused))
	}
}

// tool returns what counts a call of a tool that begins now; verb that of a verb.
func (m *Metrics) tool(tool string) (end func(error)) {
	began := m.now()
	return func(err error) {
		m.tools.Add(1, tool, string(hippo.CodeOf(err)))
		m.toolTimes.Observe(m.now().Sub(began), tool)
	}
}

func (m *Metrics) verb(verb string) (end func(error)) {
	began := m.now()
	return func(err error) {
		code := hippo.CodeOf(err)
		m.verbs.Add(1, verb, string(code))
		m.verbTimes.Observe(m.now().Sub(began), verb)
		if writes(verb) && ownFault(code) {
			m.failed.Add(1, verb)
		}
	}
}

// writes reports whether a verb changes the store.
func writes(verb string) bool {
	switch verb {
	case "record", "modify", "reinforce", "forget", "restore", "purge", "relate", "unrelate", "undo":
		return true
	default:
		return false
	}
}

// ownFault reports whether a failure is that of the server and not of the caller.
func ownFault(code hippo.Code) bool {
	switch code {
	case hippo.CodeReadOnly, hippo.CodeFull, hippo.CodeCorrupt, hippo.CodeUnavailable, hippo.CodeInternal:
		return true
	default:
		return false
	}
}

// openTime is how long a request for metrics waits for the store.
const openTime = 2 * time.Second

// Route returns the route /metrics.
func (m *Metrics) Route(open httpd.Opener) httpd.Route {
	return httpd.Route{Pattern: "GET /metrics", Rights: hippo.RightMetrics, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), openTime)
		defer cancel()
		w.Header().Set("Content-Type", metrics.ContentType)
		w.Header().Set("Cache-Control", "no-store")
		_ = m.set.Write(w, append(m.stored(ctx, open), m.process()...)...) // the client may be gone
	})}
}

// stored returns the figures of the store and of its index.
func (m *Metrics) stored(ctx context.Context, open httpd.Opener) []metrics.Figure {
	out := []metrics.Figure{{Name: "hippo_info", Help: "The version of Hippo.", Kind: metrics.Gauge, Label: "version", Points: []metrics.Point{{Label: m.version, Value: 1}}}}
	const up, help = "hippo_store_open", "1 if the store can be read, 0 if not; the figures of the store are missing then."
	e, err := open(ctx)
	var f engine.Figures
	if err == nil {
		f, err = e.Figures(ctx)
	}
	if err != nil {
		return append(out, metrics.One(up, help, metrics.Gauge, 0))
	}
	queue := metrics.Figure{Name: "hippo_embed_queue", Help: "Memories that wait for a vector, by model.", Kind: metrics.Gauge, Label: "model"}
	for _, q := range f.Queues {
		queue.Points = append(queue.Points, metrics.Point{Label: q.Model, Value: float64(q.Waiting)})
	}
	x := &f.Index
	return append(out,
		metrics.One(up, help, metrics.Gauge, 1),
		metrics.Figure{Name: "hippo_memories", Help: "Memories in the index, of all scopes together.", Kind: metrics.Gauge, Label: "state", Points: []metrics.Point{
			{Label: "found", Value: float64(x.Memories)}, {Label: "forgotten", Value: float64(x.Forgotten)},
		}},
		metrics.One("hippo_store_revision", "Changes that the store has seen.", metrics.Gauge, float64(f.Revision)),
		metrics.One("hippo_index_revision", "The revision of the store that the index has reached.", metrics.Gauge, float64(x.Revision)),
		metrics.One("hippo_index_segments", "Segments of the index.", metrics.Gauge, float64(x.Segments)),
		metrics.One("hippo_index_deleted", "Deleted documents that the index still has.", metrics.Gauge, float64(x.Deleted)),
		metrics.One("hippo_index_terms", "Entries in the dictionaries of the index.", metrics.Gauge, float64(x.Terms)),
		metrics.One("hippo_index_bytes", "Size of the file of the index when it was last opened or written.", metrics.Gauge, float64(x.Bytes)),
		queue,
		metrics.One("hippo_pending_accesses", "Memories whose use is counted and not stored yet.", metrics.Gauge, float64(f.PendingAccesses)),
		metrics.One("hippo_lost_accesses_total", "Counts of use that were given up because they could not be stored; no memory was lost.", metrics.Counter, float64(f.LostAccesses)),
	)
}
