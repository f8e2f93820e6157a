package web

import (
	"context"
	"net/url"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// maxBulk is the number of memories that one change may concern.
const maxBulk = 10_000

// bulkChange changes the chosen memories as one operation, and returns how many it has changed.
type bulkChange func(v *visit, by *engine.Memories, ms []*hippo.Memory) (changed int, err error)

// bulkAction is what a button does to the chosen memories.
type bulkAction struct {
	said   string // the message before the number of changed memories
	change bulkChange
}

// bulkActions returns the actions by the value of their button.
func bulkActions() map[string]bulkAction {
	return map[string]bulkAction{
		"tag":     {"Tagged ", tagAll},
		"untag":   {"Removed the tags of ", untagAll},
		"move":    {"Moved ", moveAll},
		"confirm": {"Confirmed ", confirmAll},
		"forget":  {"Forgot ", forgetAll},
		"restore": {"Restored ", restoreAll},
	}
}

// bulk changes the memories that a list has selected, or all that pass its filter.
func bulk(v *visit) error {
	f := v.r.PostForm
	action, known := bulkActions()[f.Get("do")]
	if !known {
		return hippo.Fieldf("do", "must be one of the buttons of the list")
	}
	ms, err := chosen(v, f)
	if err != nil {
		return v.refused(err)
	}
	return applyTo(v, undoEntry{}, "", func(by *engine.Memories) (string, error) {
		changed, err := action.change(v, by, ms)
		if err != nil || changed == 0 {
			return "", err
		}
		return action.said + count(changed, "memory", "memories") + ".", nil
	})
}

// chosen returns the memories that a form or the query of a page names: those with the given IDs, or with "all" those that pass the filter.
func chosen(v *visit, f url.Values) ([]*hippo.Memory, error) {
	if f.Get("all") != "" {
		q, err := url.ParseQuery(f.Get("filter"))
		if err != nil {
			return nil, hippo.Fieldf("filter", "must be the query of a list")
		}
		return passing(v, q)
	}
	var ids []hippo.ID
	for _, text := range f["id"] {
		id, err := hippo.ParseID(text)
		if err != nil {
			return nil, hippo.Fieldf("id", "must be the id of a memory")
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, hippo.Fieldf("selection", "is empty: select memories, or all that pass the filter")
	}
	return memory.Get(v.r.Context(), v.memories, ids)
}

// passing returns all memories that pass the filter of a list.
func passing(v *visit, q url.Values) (out []*hippo.Memory, err error) {
	ctx := v.r.Context()
	form, filter, err := v.filter(ctx, q)
	if err != nil {
		return nil, err
	}
	for total := 1; len(out) < total; {
		list, err := memory.List(ctx, v.memories, listOf(&form, filter, len(out), hippo.MaxCount))
		if err != nil {
			return nil, err
		}
		if list.Total > maxBulk {
			return nil, hippo.Fieldf("selection", "has %d memories, and at most %d are changed at once: narrow the filter", list.Total, maxBulk)
		}
		if total = list.Total; len(list.Memories) == 0 {
			break
		}
		out = append(out, list.Memories...)
	}
	if len(out) == 0 {
		return nil, hippo.Fieldf("selection", "is empty: no memory passes the filter")
	}
	return out, nil
}

// modifyAll changes those memories for which change returns something.
func modifyAll(ctx context.Context, by *engine.Memories, ms []*hippo.Memory, change func(m *hippo.Memory) (api.Change, bool)) (int, error) {
	var list []api.Modify
	for _, m := range ms {
		if c, ok := change(m); ok {
			list = append(list, api.Modify{ID: m.ID, Change: c})
		}
	}
	if len(list) == 0 {
		return 0, nil
	}
	_, err := memory.ModifyAll(ctx, by, list)
	return len(list), err
}

// tags returns the tags of the form.
func tags(v *visit) ([]string, error) {
	list := splitList(v.r.PostForm.Get("tags"))
	if len(list) == 0 {
		return nil, hippo.Fieldf("tags", "must name at least one tag")
	}
	return list, nil
}

func tagAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	more, err := tags(v)
	if err != nil {
		return 0, err
	}
	return modifyAll(v.r.Context(), by, ms, func(m *hippo.Memory) (api.Change, bool) {
		list := union(m.Tags, more)
		return api.Change{Tags: &list}, len(list) > len(m.Tags)
	})
}

func untagAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	less, err := tags(v)
	if err != nil {
		return 0, err
	}
	return modifyAll(v.r.Context(), by, ms, func(m *hippo.Memory) (api.Change, bool) {
		list := slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return slices.Contains(less, t) })
		return api.Change{Tags: &list}, len(list) < len(m.Tags)
	})
}

func moveAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	to := draft{Project: v.r.PostForm.Get("to")}
	name, err := named(v, "to", to.Project)
	if err != nil {
		return 0, err
	}
	project := to.project()
	return modifyAll(v.r.Context(), by, ms, func(m *hippo.Memory) (api.Change, bool) { return api.Change{Project: &project}, m.Project != name })
}

func confirmAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	return modifyAll(v.r.Context(), by, ms, func(m *hippo.Memory) (api.Change, bool) { return memory.Confirmation(m), waits(m) })
}

func forgetAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	ids := idsWhere(ms, func(m *hippo.Memory) bool { return !m.Forgotten() })
	if len(ids) == 0 {
		return 0, nil
	}
	_, err := memory.Forget(v.r.Context(), by, ids)
	return len(ids), err
}

func restoreAll(v *visit, by *engine.Memories, ms []*hippo.Memory) (int, error) {
	ids := idsWhere(ms, func(m *hippo.Memory) bool { return m.Forgotten() || m.Archived() })
	if len(ids) == 0 {
		return 0, nil
	}
	_, err := memory.Restore(v.r.Context(), by, ids)
	return len(ids), err
}

func idsWhere(ms []*hippo.Memory, is func(*hippo.Memory) bool) (ids []hippo.ID) {
	for _, m := range ms {
		if is(m) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}
