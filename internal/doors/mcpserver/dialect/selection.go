package dialect

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Selection says which memories a list or a deletion is about.
type Selection struct {
	Filter hippo.Filter
	When   string
	Tags   []string
	All    bool // tags must all be present, else any of them
	Place  api.Place
}

// Filters returns the filters whose results together are the selection: one for each of several tags
// of which any will do.
func (s *Selection) Filters() []hippo.Filter {
	f := s.Filter
	if s.All || len(s.Tags) <= 1 {
		f.Tags = s.Tags
		return []hippo.Filter{f}
	}
	out := make([]hippo.Filter, len(s.Tags))
	for i, tag := range s.Tags {
		out[i] = f
		out[i].Tags = []string{tag}
	}
	return out
}

// Every returns all memories of the selection, those that hold first, the newest first, each once. Cost: a read of all.
func (s *Selection) Every(ctx context.Context, c *Call) ([]*hippo.Memory, error) {
	l, err := memory.ListAny(ctx, c.Memories, api.List{When: s.When, Place: s.Place}, s.Filters(), math.MaxInt, c.Now)
	if err != nil {
		return nil, err
	}
	return l.Memories, nil
}

// Page returns a page of the selection, the first is 1, the newest first, and the number of memories on all pages. Cost:
// a read of the page; of several tags of which any will do, a read of all.
func (s *Selection) Page(ctx context.Context, c *Call, page, size int) (list []*hippo.Memory, total int, err error) {
	from := (page - 1) * size
	if filters := s.Filters(); len(filters) == 1 {
		l, err := memory.List(ctx, c.Memories, api.List{Filter: filters[0], When: s.When, Place: s.Place, Offset: from, Count: size})
		if err != nil {
			return nil, 0, err
		}
		return l.Memories, l.Total, nil
	}
	all, err := s.Every(ctx, c)
	from = min(from, len(all))
	return all[from:min(from+size, len(all))], len(all), err
}

// TagsArg is the argument for labels.
func TagsArg() verb.Arg {
	return verb.Arg{Name: "tags", Also: "tag", Field: "Tags", To: verb.New[[]string]}
}

// TypeArg is the argument for the type of a memory.
func TypeArg() verb.Arg {
	return verb.Arg{Name: "memory_type", Also: "type", Field: "Types type", To: verb.New[string]}
}

// MatchArg says whether all tags must be present.
func MatchArg() verb.Arg {
	return verb.Arg{Name: "tag_match", Values: []string{"any", "all"}, Rules: verb.Schema{"default": "any"}, To: verb.New[string]}
}

// TimeArgs are a time between two others.
func TimeArgs() verb.Table {
	return verb.Table{{Name: "after", About: "2026-03-01", To: verb.New[verb.Time]}, {Name: "before", Field: "CreatedBefore", About: "2026-03-01, excluded", To: verb.New[verb.Time]}}
}

// Deletion returns the memories that the arguments select to be deleted. A blank filter is an error, because it would widen the deletion.
func (s *Selection) Deletion(ctx context.Context, c *Call) ([]*hippo.Memory, error) {
	if c.Has("tags") && len(s.Tags) == 0 {
		return nil, hippo.Fieldf("tags", `must have at least one element if they are given, such as ["a"]`)
	}
	if err := NotBlank(c, "memory_type", "after", "before", "start_date", "end_date", "before_date"); err != nil {
		return nil, err
	}
	if len(s.Tags)+len(s.Filter.Types) == 0 && s.Filter.CreatedAfter.IsZero() && s.Filter.CreatedBefore.IsZero() {
		names := selecting(c.Args)
		last := len(names) - 1
		return nil, hippo.Fieldf(names[0], "or %s or %s must say what to delete", strings.Join(names[1:last], ", "), names[last])
	}
	s.Filter.Archived = true // a deletion includes what a search finds
	return s.Every(ctx, c)
}

// NotBlank refuses arguments that were given a blank text.
func NotBlank(c *Call, names ...string) error {
	for _, name := range names {
		if c.Blank(name) {
			return hippo.Fieldf(name, "must not be empty if it is given")
		}
	}
	return nil
}

// selecting returns the names of those arguments of a deletion that say what to delete.
func selecting(args []verb.Arg) (out []string) {
	all := []string{"content_hash", "id", "uuids", "tags", "memory_type", "after", "before", "start_date", "end_date", "before_date"}
	for i := range args {
		if slices.Contains(all, args[i].Name) {
			out = append(out, args[i].Name)
		}
	}
	return out
}

// SelectionOf reads the arguments time_expr, after, before, tags, tag_match and memory_type.
func SelectionOf(c *Call) (Selection, error) {
	s := Selection{When: c.Text("time_expr"), Tags: c.Texts("tags"), All: c.Text("tag_match") == "all"}
	if t := c.Text("memory_type"); t != "" {
		s.Filter.Types = []string{t}
	}
	if s.When != "" { // an expression takes precedence over dates
		return s, nil
	}
	err := verb.Read(c.Now, c.Time("after").Into(&s.Filter.CreatedAfter), c.Time("before").Into(&s.Filter.CreatedBefore))
	return s, err
}
