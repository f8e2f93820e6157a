package web

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
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
	form, filter, err := v.filter(v.r.Context())
	b, p := browseBody{Form: form}, page{Title: "Browse"}
	if err == nil {
		err = b.list(v, filter)
	}
	err = b.Form.kept(&p, err)
	p.Content = browseContent(b)
	return p, err
}

// list fills in the memories.
func (b *browseBody) list(v *visit, filter hippo.Filter) error {
	offset, err := v.offset()
	if err != nil {
		return err
	}
	q := api.List{Filter: filter, When: b.Form.When, Forgotten: b.Form.Forgotten, Arrival: b.Form.Arrival, Offset: offset, Count: pageSize}
	list, err := memory.List(v.r.Context(), v.memories, q)
	if err != nil {
		return err
	}
	b.Items, b.Pager = v.newItems(list.Memories), v.pager(offset, len(list.Memories), list.Total, pageSize)
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
	return nil
}
