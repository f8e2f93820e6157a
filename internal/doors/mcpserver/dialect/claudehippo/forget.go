package claudehippo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

func forgetParams() verb.Table {
	return verb.Table{
		{Name: hashField, Also: "hash", To: verb.New[string]},
		{Name: "id", Field: "ID IDs Memories", To: verb.New[verb.Ref]},
		{Name: "uuids", Also: "uuid ids", To: verb.New[[]string]},
		{Name: "dry_run", To: verb.New[bool]},
		{Name: "restore", To: verb.New[bool]},
	}
}

// DeleteParams returns the parameters of a deletion.
func DeleteParams() verb.Table {
	return verb.With(forgetParams(),
		append(verb.Table{d.TagsArg(), d.MatchArg(), d.TypeArg()}, d.TimeArgs()...)...)
}

// forgot is the result of forgetting.
type forgot struct {
	Success bool `json:"success"`
	Deleted int  `json:"deleted"`
	DryRun  bool `json:"dry_run"`
}

// deleted is that with the fields of mcp-memory-service.
type deleted struct {
	forgot
	Count  int      `json:"deleted_count"`
	Hashes []string `json:"deleted_hashes"`
}

func callForget(ctx context.Context, c *d.Call) (d.Result, error) {
	if c.Flag("restore") {
		return restore(ctx, c)
	}
	ms, err := named(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	out, err := forget(ctx, c, ms)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(out.forgot, out.Count)
}

func callDelete(ctx context.Context, c *d.Call) (d.Result, error) {
	var ms []*hippo.Memory
	var err error
	switch filters := given(c, "tags", "memory_type", "after", "before"); {
	case c.Flag("restore"):
		return restore(ctx, c)
	case filters == "":
		ms, err = named(ctx, c)
	case given(c, hashField, "id", "uuids") != "":
		err = hippo.Fieldf(filters, "and content_hash, id or uuids exclude each other")
	default:
		ms, err = selected(ctx, c)
	}
	if err != nil {
		return d.Result{}, err
	}
	out, err := forget(ctx, c, ms)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(out, out.Count)
}

// given returns the first of some arguments that is given; empty if none is.
func given(c *d.Call, names ...string) string {
	if i := slices.IndexFunc(names, c.Has); i >= 0 {
		return names[i]
	}
	return ""
}

// selected returns the memories that the filters of the arguments select.
func selected(ctx context.Context, c *d.Call) ([]*hippo.Memory, error) {
	s, err := d.SelectionOf(c)
	if err != nil {
		return nil, err
	}
	return s.Deletion(ctx, c)
}

// named returns the memories that content_hash, or else id or uuids mean; none of those that are not there.
func named(ctx context.Context, c *d.Call) ([]*hippo.Memory, error) {
	refs, err := references(c)
	if err != nil {
		return nil, err
	}
	var out []*hippo.Memory
	for _, r := range refs {
		ms, err := find(ctx, c, r.field, r.text)
		if err != nil && !errors.Is(err, hippo.ErrNotFound) {
			return nil, err
		}
		for _, m := range ms {
			if !slices.ContainsFunc(out, func(x *hippo.Memory) bool { return x.ID == m.ID }) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// reference is one that was given in an argument.
type reference struct{ field, text string }

// references returns what says which memories are meant: content_hash wins.
func references(c *d.Call) ([]reference, error) {
	for _, field := range []string{hashField, "id"} {
		if text := c.Text(field); text != "" {
			return []reference{{field, text}}, nil
		}
	}
	list := c.Texts("uuids")
	if len(list) == 0 || len(list) > hippo.MaxIDs {
		return nil, hippo.Fieldf(hashField, "or id is required, or uuids with 1 to %d elements", hippo.MaxIDs)
	}
	out := make([]reference, len(list))
	for i, text := range list {
		out[i] = reference{fmt.Sprintf("uuids[%d]", i), text}
	}
	return out, nil
}

// forget forgets memories, or counts them.
func forget(ctx context.Context, c *d.Call, ms []*hippo.Memory) (*deleted, error) {
	out := &deleted{forgot: forgot{Success: true, DryRun: c.Flag("dry_run")}, Hashes: []string{}}
	for batch := range slices.Chunk(ms, hippo.MaxIDs) {
		ids := make([]hippo.ID, len(batch))
		for i, m := range batch {
			ids[i] = m.ID
			out.Hashes = append(out.Hashes, d.HashOf(m))
		}
		if !out.DryRun {
			if _, err := memory.Forget(ctx, c.Memories, ids); err != nil {
				return nil, fmt.Errorf("%d of %d were deleted: %w", out.Count, len(ms), err)
			}
		}
		out.Count += len(batch)
	}
	out.Deleted = out.Count
	return out, nil
}

// restored is the result of undoing.
type restored struct {
	Success  bool `json:"success"`
	Restored int  `json:"restored"`
}

func restore(ctx context.Context, c *d.Call) (d.Result, error) {
	refs, err := references(c)
	if err != nil {
		return d.Result{}, err
	}
	out := restored{Success: true}
	for _, r := range refs {
		m, err := forgotten(ctx, c, r.field, r.text)
		if err != nil {
			return d.Result{}, err
		}
		if !m.Forgotten() {
			continue
		}
		if !c.Flag("dry_run") {
			if _, err := memory.Restore(ctx, c.Memories, []hippo.ID{m.ID}); err != nil {
				return d.Result{}, err
			}
		}
		out.Restored++
	}
	return d.JSON(out, out.Restored)
}
