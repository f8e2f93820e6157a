package memoryservice

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// stored is a memory as this system shows it to programs.
type stored struct {
	Content      string                     `json:"content"`
	ContentHash  string                     `json:"content_hash"`
	Tags         []string                   `json:"tags"`
	MemoryType   string                     `json:"memory_type"`
	Metadata     map[string]json.RawMessage `json:"metadata"`
	CreatedAt    float64                    `json:"created_at"`
	UpdatedAt    float64                    `json:"updated_at"`
	CreatedAtISO string                     `json:"created_at_iso"`
	UpdatedAtISO string                     `json:"updated_at_iso"`
	// State is absent for a memory that holds.
	State hippo.State `json:"state,omitempty"`
}

func storedOf(m *hippo.Memory, now time.Time) stored {
	s := stored{
		Content: m.Content, ContentHash: d.HashOf(m), Tags: m.Tags, MemoryType: m.Type, Metadata: m.Metadata,
		CreatedAt: seconds(m.CreatedAt), UpdatedAt: seconds(m.UpdatedAt), CreatedAtISO: iso(m.CreatedAt), UpdatedAtISO: iso(m.UpdatedAt),
		State: wire.StateOf(m, now),
	}
	if s.Tags == nil {
		s.Tags = []string{}
	}
	if s.Metadata == nil {
		s.Metadata = map[string]json.RawMessage{}
	}
	return s
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// findOne is find for a verb that takes one memory; of several with the same text it is the newest.
func findOne(ctx context.Context, c *d.Call, field string) (*hippo.Memory, error) {
	ms, err := d.Find(ctx, c, field, c.Text(field))
	if err != nil {
		return nil, err
	}
	return slices.MaxFunc(ms, func(a, b *hippo.Memory) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

// selectionOf reads the arguments that select memories.
func selectionOf(ctx context.Context, c *d.Call) (d.Selection, error) {
	s, err := d.SelectionOf(c)
	if err != nil {
		return s, err
	}
	s.Tags, s.Filter.Author = filterTags(s.Tags, s.All), c.Text("agent_id")
	s.Filter.Projects, err = storeOf(c, "store").Filter(ctx, c.Memories)
	return s, err
}

// storeOf returns the project that an argument names: "default" is what is meant without it.
func storeOf(c *d.Call, name string) *verb.Project {
	p := c.Project(name)
	if p.Text == "default" {
		p.Text = ""
	}
	return p
}

// normalTags returns tags in the form of this system: lower case, no commas, each once.
func normalTags(tags []string) []string {
	var out []string
	for _, t := range tags {
		t = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(t), ",", "-"))
		if t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// filterTags returns the tags to look for. Other front ends do not change tags, so where any tag
// suffices, each is looked for in both forms.
func filterTags(tags []string, all bool) []string {
	out := normalTags(tags)
	for _, t := range tags {
		if !all && t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
