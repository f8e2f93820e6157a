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
	// Query is that of the page, which names all that pass its filter.
	Query string
}

// names returns the names of the projects.
func (b *browseBody) names() (out []string) {
	for _, p := range b.Form.Projects {
		out = append(out, p.Value)
	}
	return out
}

func showBrowse(v *visit) (page, error) {
	form, filter, err := v.filter(v.r.Context(), v.r.URL.Query())
	b, p := browseBody{Form: form, Query: v.r.URL.RawQuery}, page{Title: "Browse"}
	if err == nil {
		err = b.list(v, filter)
	}
	err = b.Form.kept(&p, err)
	p.Content = browseContent(formsOf(v), b)
	return p, err
}

// list fills in the memories.
func (b *browseBody) list(v *visit, filter hippo.Filter) error {
	offset, err := v.offset()
	if err != nil {
		return err
	}
	list, err := memory.List(v.r.Context(), v.memories, listOf(&b.Form, filter, offset, pageSize))
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

// listOf returns the request for a part of a list.
func listOf(form *filterForm, filter hippo.Filter, offset, count int) api.List {
	return api.List{Filter: filter, When: form.When, Forgotten: form.Forgotten, Arrival: form.Arrival, Offset: offset, Count: count}
}
