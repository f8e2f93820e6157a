package web

import (
	"github.com/hippo-memory/hippo/internal/engine"
)

// browseBody is a list of memories by filter, newest first.
type browseBody struct {
	Form  filterForm
	Items []item
	Pager pager
	// Types and Tags are those of the page, as suggestions.
	Types, Tags []string
}

func showBrowse(v *visit) (page, error) {
	ctx := v.r.Context()
	form, filter, err := v.filter(ctx)
	if err != nil {
		return page{}, err
	}
	offset, err := v.offset()
	if err != nil {
		return page{}, err
	}
	list, err := v.memories.List(ctx, engine.ListQuery{Filter: filter, When: form.When, Forgotten: form.Forgotten, Offset: offset, Count: pageSize})
	if err != nil {
		return page{}, err
	}
	b := browseBody{Form: form, Items: v.newItems(list.Memories), Pager: v.pager(offset, len(list.Memories), list.Total, pageSize)}
	seen := make(map[string]bool)
	for _, m := range list.Memories {
		if m.Type != "" && !seen["type "+m.Type] {
			seen["type "+m.Type] = true
			b.Types = append(b.Types, m.Type)
		}
		for _, t := range m.Tags {
			if !seen["tag "+t] {
				seen["tag "+t] = true
				b.Tags = append(b.Tags, t)
			}
		}
	}
	return page{Title: "Browse", Content: browseContent(b)}, nil
}
