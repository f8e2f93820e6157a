package memoryservice

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/lang/when"
	d "github.com/hippo-memory/hippo/internal/mcpserver/dialect"
)

// hashDigits is the length of a whole content hash.
const hashDigits = 64

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
}

func storedOf(m *hippo.Memory) stored {
	s := stored{
		Content: m.Content, ContentHash: hashOf(m), Tags: m.Tags, MemoryType: m.Type, Metadata: m.Metadata,
		CreatedAt: seconds(m.CreatedAt), UpdatedAt: seconds(m.UpdatedAt), CreatedAtISO: iso(m.CreatedAt), UpdatedAtISO: iso(m.UpdatedAt),
	}
	if s.Tags == nil {
		s.Tags = []string{}
	}
	if s.Metadata == nil {
		s.Metadata = map[string]json.RawMessage{}
	}
	return s
}

func hashOf(m *hippo.Memory) string { return hex.EncodeToString(m.ContentHash[:]) }

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

func iso(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// find returns the live memories that a reference names: a content hash names all with that text,
// any other reference one.
func find(ctx context.Context, c *d.Call, field, ref string) ([]*hippo.Memory, error) {
	ref = strings.TrimSpace(ref)
	id, err := c.Resolve(ctx, ref, engine.PreferLive)
	ids := []hippo.ID{id}
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); ok && len(ref) == hashDigits {
		ids, err = candidates(ctx, c, several)
	}
	if err != nil {
		return nil, renamed(err, field)
	}
	ms, err := c.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	ms = slices.DeleteFunc(ms, func(m *hippo.Memory) bool {
		return m.Forgotten() || len(ref) == hashDigits && !strings.EqualFold(hashOf(m), ref)
	})
	if len(ms) == 0 {
		return nil, notFound(ref)
	}
	return ms, nil
}

func candidates(ctx context.Context, c *d.Call, several *hippo.AmbiguousError) ([]hippo.ID, error) {
	ids := make([]hippo.ID, len(several.Candidates))
	for i, candidate := range several.Candidates {
		var err error
		if ids[i], err = c.Resolve(ctx, candidate[0], engine.PreferLive); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// findOne is find for a verb that takes one memory; of several with the same text it is the newest.
func findOne(ctx context.Context, c *d.Call, field string) (*hippo.Memory, error) {
	ms, err := find(ctx, c, field, c.Text(field))
	if err != nil {
		return nil, err
	}
	return slices.MaxFunc(ms, func(a, b *hippo.Memory) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

func renamed(err error, field string) error {
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return hippo.Fieldf(field, "%s", bad.Why)
	}
	if bad, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		return hippo.Fieldf(field, "%v", bad)
	}
	return err
}

// selection says which memories a list or a deletion is about.
type selection struct {
	filter hippo.Filter
	when   string
	tags   []string
	all    bool // tags must all be present, else any of them
}

// filters returns the filters whose results together are the selection: one for each of several tags
// of which any will do.
func (s *selection) filters() []hippo.Filter {
	f := s.filter
	if s.all || len(s.tags) <= 1 {
		f.Tags = s.tags
		return []hippo.Filter{f}
	}
	out := make([]hippo.Filter, len(s.tags))
	for i, tag := range s.tags {
		out[i] = f
		out[i].Tags = []string{tag}
	}
	return out
}

// every returns all memories of the selection, the newest first, each once. Cost: a read of all.
func (s *selection) every(ctx context.Context, c *d.Call) ([]*hippo.Memory, error) {
	var out []*hippo.Memory
	seen := make(map[hippo.ID]bool)
	for _, f := range s.filters() {
		q := engine.ListQuery{Filter: f, When: s.when, Count: hippo.MaxCount}
		for {
			page, err := c.List(ctx, q)
			if err != nil {
				return nil, err
			}
			for _, m := range page.Memories {
				if !seen[m.ID] {
					seen[m.ID] = true
					out = append(out, m)
				}
			}
			if q.Offset += hippo.MaxCount; q.Offset >= page.Total {
				break
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *hippo.Memory) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return out, nil
}

// selectionOf reads the arguments that select memories.
func selectionOf(c *d.Call) (selection, error) {
	s := selection{when: c.Text("time_expr"), all: c.Text("tag_match") == "all"}
	s.tags = filterTags(c.Texts("tags"), s.all)
	s.filter = hippo.Filter{Projects: projects(c.Text("store")), Origin: hippo.Origin{Author: c.Text("agent_id")}}
	if t := c.Text("memory_type"); t != "" {
		s.filter.Types = []string{t}
	}
	if s.when != "" { // an expression takes precedence over dates
		return s, nil
	}
	if text := c.Text("after"); text != "" {
		t, err := when.At("after", text, c.Now)
		if err != nil {
			return s, err
		}
		s.filter.CreatedAfter = t
	}
	if text := c.Text("before"); text != "" {
		t, err := when.At("before", text, c.Now)
		if err != nil {
			return s, err
		}
		s.filter.CreatedBefore = t
	}
	if a, b := s.filter.CreatedAfter, s.filter.CreatedBefore; !a.IsZero() && !b.IsZero() && !a.Before(b) {
		return s, hippo.Fieldf("before", "must be after the argument after")
	}
	return s, nil
}

// projects returns the filter for a store of this system.
func projects(store string) []string {
	switch store {
	case "", "default":
		return nil
	case "all":
		return []string{hippo.AllProjects}
	default:
		return []string{store}
	}
}

// project returns the project that is written to.
func project(c *d.Call) (string, error) {
	switch store := c.Text("store"); store {
	case "", "default":
		return c.Scope.Project, nil
	case "all":
		return "", hippo.Fieldf("store", "must be one store to write to, not all")
	default:
		return store, nil
	}
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

func notFound(ref string) error {
	return fmt.Errorf("%w: no memory with hash %.80q", hippo.ErrNotFound, ref)
}

// filterTags returns the tags to look for. Other front ends keep tags as they are given, so that one of
// which any will do is looked for in both forms.
func filterTags(tags []string, all bool) []string {
	out := normalTags(tags)
	for _, t := range tags {
		if !all && t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
