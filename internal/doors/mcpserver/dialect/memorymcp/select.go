package memorymcp

import (
	"context"
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

func typeParam() verb.Arg {
	return verb.Arg{Name: "memory_type", Field: "Types type", Values: []string{episodic, semantic, procedural}, To: verb.New[string]}
}

// ownerParams are whose a memory is.
func ownerParams() verb.Table {
	return verb.Table{
		{Name: "user_id", Field: "Author source.author", To: verb.New[string]},
		{Name: "agent_id", Field: "source.client", To: verb.New[string]},
		{Name: "run_id", Field: "Session source.session", To: verb.New[string]},
		{Name: "namespace", Field: "Projects project", About: "a project; default: the current one", To: verb.New[verb.Project]},
	}
}

// selectParams are the filters of reads.
func selectParams() verb.Table {
	return verb.With(ownerParams(), typeParam(),
		verb.Arg{Name: "metadata_filter", About: "keys and values that the metadata has", To: verb.New[verb.Metadata]},
		verb.Arg{Name: "valid_at", Also: "as_of", About: "ISO 8601", To: verb.New[verb.Time]},
		verb.Arg{Name: "known_at", To: verb.New[verb.Time]},
		verb.Arg{Name: "event_after", To: verb.New[verb.Time]}, verb.Arg{Name: "event_before", Field: "EventBefore", To: verb.New[verb.Time]},
		verb.Arg{Name: "ingestion_after", To: verb.New[verb.Time]}, verb.Arg{Name: "ingestion_before", Field: "CreatedBefore", To: verb.New[verb.Time]})
}

// Pages.
const (
	maxLimit     = 100
	defaultLimit = 20
	maxOffset    = 1_000_000_000
)

func limitParam(standard int) verb.Arg {
	return verb.Arg{Name: "limit", Field: "Count", Rules: verb.Between(1, maxLimit, standard), To: verb.New[int]}
}

// selection says which memories a read is about.
type selection struct {
	filter hippo.Filter
	// client and metadata are compared with what the engine has found: it does not filter by them.
	client   string
	metadata map[string]json.RawMessage
}

func selectionOf(ctx context.Context, c *d.Call) (selection, error) {
	s := selection{client: c.Text("agent_id"), metadata: c.Object("metadata_filter")}
	n := verb.Narrow{
		Types: verb.Given([]string{c.Text("memory_type")}), Author: c.Text("user_id"), Session: c.Text("run_id"), At: verb.Moment{AsOf: c.Time("valid_at"), KnownAt: c.Time("known_at")},
		Event: verb.Span{After: c.Time("event_after"), Before: c.Time("event_before")}, Created: verb.Span{After: c.Time("ingestion_after"), Before: c.Time("ingestion_before")},
	}
	var err error
	if s.filter, err = n.Filter(c.Now); err != nil {
		return s, err
	}
	s.filter.Projects, err = c.Project("namespace").Filter(ctx, c.Memories)
	return s, err
}

// narrows reports whether the selection has conditions that the engine has not.
func (s *selection) narrows() bool { return s.client != "" || len(s.metadata) > 0 }

func (s *selection) admits(m *hippo.Memory) bool {
	return (s.client == "" || m.Source.Client == s.client) && holdsAll(m.Metadata, s.metadata)
}

// list returns a page, the newest first, without entities, which are no memories to this system, and the number of memories on all pages. Cost: a read of the page; of all that the filter
// keeps if the selection narrows it.
func (s *selection) list(ctx context.Context, c *d.Call, offset, limit int) (ms []*hippo.Memory, total int, err error) {
	if !s.narrows() {
		l, err := memory.List(ctx, c.Memories, api.List{Filter: s.filter, Insights: true, Offset: offset, Count: limit})
		if err != nil {
			return nil, 0, err
		}
		return l.Memories, l.Total, nil
	}
	for from := 0; ; from += hippo.MaxCount {
		l, err := memory.List(ctx, c.Memories, api.List{Filter: s.filter, Insights: true, Offset: from, Count: hippo.MaxCount})
		if err != nil {
			return nil, 0, err
		}
		for _, m := range l.Memories {
			if !s.admits(m) {
				continue
			}
			if total >= offset && len(ms) < limit {
				ms = append(ms, m)
			}
			total++
		}
		if from+hippo.MaxCount >= l.Total {
			return ms, total, nil
		}
	}
}
