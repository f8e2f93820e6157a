package main

import "strings"

// many is the number of hits that the task of [meter.programs] filters.
const many = 20

// program does that task at once.
const program = `found = search("` + query + `", limit=20)
store("Fridays: " + "; ".join([m.content.split(".")[0] for m in found if "Friday" in m.content]), situation=["planning deploys"])`

// programs measures one task, to search, filter, combine and store, in separate calls and by a program. In calls the model
// reads all hits and writes the combination itself.
func (m *meter) programs() error {
	const share = 10 // a program costs at most a tenth of the calls
	var fridays []string
	for i := range many {
		n := notes()[i%len(notes())]
		if i >= len(notes()) {
			n.content = strings.Replace(n.content, "gateway", "gateway of the shop", 1)
			if _, err := m.call("hippo_record_insight", map[string]any{"content": n.content, "situation": []string{n.situation}}); err != nil {
				return err
			}
		}
		if strings.Contains(n.content, "Friday") {
			first, _, _ := strings.Cut(n.content, ".")
			fridays = append(fridays, first)
		}
	}
	done, err := m.call("hippo_run", map[string]any{"program": program})
	if err != nil {
		return err
	}
	calls := Row{What: "search 20, filter, combine, store: calls"}
	for _, c := range []struct {
		tool      string
		arguments map[string]any
	}{
		{"hippo_search_insights", map[string]any{"query": query, "limit": many, "max_tokens": 4000}},
		{"hippo_record_insight", map[string]any{"content": "Fridays: " + strings.Join(fridays, "; "), "situation": []string{"planning deploys"}}},
	} {
		r, err := m.call(c.tool, c.arguments)
		if err != nil {
			return err
		}
		calls.Call, calls.Result = calls.Call+m.count(r.call), calls.Result+m.count(r.text)
	}
	m.rows = append(m.rows, calls)
	m.add("  by a program", done, calls.Total()/share)
	return nil
}
