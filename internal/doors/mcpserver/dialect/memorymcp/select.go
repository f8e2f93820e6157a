package memorymcp

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

func typeParam() d.Param {
	return d.Param{Name: "memory_type", Of: "Types type", Kind: d.Text, Choices: []string{episodic, semantic, procedural}}
}

// ownerParams are whose a memory is.
func ownerParams() []d.Param {
	return []d.Param{
		{Name: "user_id", Of: "Author source.author", Kind: d.Text},
		{Name: "agent_id", Of: "source.client", Kind: d.Text},
		{Name: "run_id", Of: "Session source.session", Kind: d.Text},
		{Name: "namespace", Of: "Projects project", Kind: d.Text, About: "a project; default: the current one"},
	}
}

// selectParams are the filters of reads.
func selectParams() []d.Param {
	return d.With(ownerParams(), typeParam(),
		d.Param{Name: "metadata_filter", Kind: d.Object, About: "keys and values that the metadata has"},
		d.Param{Name: "valid_at", Kind: d.Text, Aliases: []string{"as_of"}, About: "ISO 8601"},
		d.Param{Name: "known_at", Kind: d.Text},
		d.Param{Name: "event_after", Kind: d.Text}, d.Param{Name: "event_before", Kind: d.Text},
		d.Param{Name: "ingestion_after", Kind: d.Text}, d.Param{Name: "ingestion_before", Kind: d.Text})
}

// Pages.
const (
	maxLimit     = 100
	defaultLimit = 20
	maxOffset    = 1_000_000_000
)

func limitParam(standard int) d.Param {
	return d.Param{Name: "limit", Of: "Count", Kind: d.Whole, Min: 1, Max: maxLimit, Default: standard}
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
	s.filter.Author, s.filter.Session = c.Text("user_id"), c.Text("run_id")
	if t := c.Text("memory_type"); t != "" {
		s.filter.Types = []string{t}
	}
	if p := c.Text("namespace"); p != "" {
		var err error
		if s.filter.Projects, err = engine.KnownProjects(ctx, c.Memories, p); err != nil {
			return s, err
		}
	}
	for _, x := range []struct {
		name string
		to   *time.Time
	}{
		{"valid_at", &s.filter.ValidAt},
		{"known_at", &s.filter.KnownAt},
		{"event_after", &s.filter.EventAfter},
		{"event_before", &s.filter.EventBefore},
		{"ingestion_after", &s.filter.CreatedAfter},
		{"ingestion_before", &s.filter.CreatedBefore},
	} {
		t, err := moment(c, x.name)
		if err != nil {
			return s, err
		}
		*x.to = t
	}
	for _, x := range []struct {
		name         string
		after, until time.Time
	}{{"event", s.filter.EventAfter, s.filter.EventBefore}, {"ingestion", s.filter.CreatedAfter, s.filter.CreatedBefore}} {
		if !x.after.IsZero() && !x.until.IsZero() && !x.after.Before(x.until) {
			return s, hippo.Fieldf(x.name+"_before", "must be after %s_after", x.name)
		}
	}
	return s, nil
}

// moment reads an argument that is a time; absent: the zero time.
func moment(c *d.Call, name string) (time.Time, error) {
	text := c.Text(name)
	if text == "" {
		return time.Time{}, nil
	}
	t, err := when.At(name, text, c.Now)
	if _, bad := errors.AsType[*hippo.FieldError](err); bad {
		return t, hippo.Fieldf(name, "Invalid timestamp format. Use ISO 8601, such as 2026-03-01T12:00:00Z, got %.60q", text)
	}
	return t, err
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
		l, err := c.List(ctx, api.List{Filter: s.filter, Insights: true, Offset: offset, Count: limit})
		if err != nil {
			return nil, 0, err
		}
		return l.Memories, l.Total, nil
	}
	for from := 0; ; from += hippo.MaxCount {
		l, err := c.List(ctx, api.List{Filter: s.filter, Insights: true, Offset: from, Count: hippo.MaxCount})
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
