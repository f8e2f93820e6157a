package main

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Count returns how many tokens a model reads a text as.
type Count func(text string) int

// Row is one measurement, in tokens.
type Row struct {
	What string `json:"what"`
	// Call is what the model writes, without the content that it stores; Result what it reads.
	Call   int `json:"call,omitempty"`
	Result int `json:"result"`
	// Most is the bound that Call and Result together are to keep; 0: none.
	Most int `json:"most,omitempty"`
}

// Total is what the model pays.
func (r *Row) Total() int { return r.Call + r.Result }

// meter measures one server.
type meter struct {
	*session
	count Count
	rows  []Row
}

// Measure measures a server with an empty memory, into which it records notes of 40 words. Calls
// and results are as Claude Code shows them to its model.
func Measure(ctx context.Context, serve Serve, count Count) (rows []Row, err error) {
	s, hello, err := connect(ctx, serve)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	m := &meter{session: s, count: count}
	for _, step := range []func() error{func() error { return m.list(hello) }, m.records, m.searches, m.others, m.programs, m.long} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return append(m.rows, peers(count)...), nil
}

// add adds a row for a call.
func (m *meter) add(what string, r *result, most int) {
	m.rows = append(m.rows, Row{What: what, Call: m.count(r.call), Result: m.count(r.text), Most: most})
}

// list measures what every session costs: the list of tools, name, description and schema of
// each, and the instructions of the server.
func (m *meter) list(hello json.RawMessage) error {
	const most = 1200
	raw, err := m.request("tools/list", struct{}{})
	if err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"inputSchema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	tokens := 0
	for _, t := range list.Tools {
		text, err := json.Marshal(map[string]any{"name": t.Name, "description": t.Description, "input_schema": t.Schema})
		if err != nil {
			return err
		}
		tokens += m.count(string(text))
	}
	var answer struct {
		Instructions string `json:"instructions"`
	}
	if err := json.Unmarshal(hello, &answer); err != nil {
		return err
	}
	m.rows = append(
		m.rows, Row{What: "tool list", Result: tokens, Most: most},
		Row{What: "instructions of the server", Result: m.count(answer.Instructions)},
	)
	return nil
}

// records stores the notes and measures the first, without its content, which every memory needs.
func (m *meter) records() error {
	const most = 40
	for i, n := range notes() {
		r, err := m.call("hippo_record_insight", map[string]any{"content": n.content, "situation": []string{n.situation}, "importance": 0.6})
		if err != nil {
			return err
		}
		if i == 0 {
			r.call = strings.Replace(r.call, n.content, "", 1)
			m.add("store, without the content", r, most)
		}
	}
	return nil
}

// searches measures pages of 5 and 10 hits.
func (m *meter) searches() error {
	const five, ten = 385, 700
	for _, page := range []struct {
		what  string
		count int
		most  int
	}{{"search, 5 hits", 5, five}, {"search, 10 hits", 10, ten}} {
		args := map[string]any{"query": query}
		if page.count != 10 { // the default
			args["limit"] = page.count
		}
		r, err := m.call("hippo_search_insights", args)
		if err != nil {
			return err
		}
		m.add(page.what, r, page.most)
	}
	r, err := m.call("hippo_search_insights", map[string]any{"query": query, "format": "json"})
	if err == nil {
		m.add("search, 10 hits, format json", r, 0)
	}
	return err
}

// others measures the other tools.
func (m *meter) others() error {
	const status = 60
	found, err := m.call("hippo_search_insights", map[string]any{"query": query, "limit": 1})
	if err != nil {
		return err
	}
	id := found.ids[0]
	id = id[len(id)-8:]
	for _, c := range []struct {
		what, tool string
		arguments  map[string]any
		most       int
	}{
		{"get one", "hippo_get", map[string]any{"ids": []string{id}}, 0},
		{"vote", "hippo_reinforce_insight", map[string]any{"upvotes": []string{id}}, 0},
		{"context at the start of a session", "hippo_context", map[string]any{}, 0},
		{"status", "hippo_status", map[string]any{}, status},
	} {
		r, err := m.call(c.tool, c.arguments)
		if err != nil {
			return err
		}
		m.add(c.what, r, c.most)
	}
	return nil
}

// long measures a search that finds a memory of 150 KB.
func (m *meter) long() error {
	const most = 1200
	content := strings.Repeat("The gateway went down on Friday, and this is a long log of it. ", 2400)
	if _, err := m.call("hippo_record_insight", map[string]any{"content": content, "situation": []string{"reading a log"}}); err != nil {
		return err
	}
	r, err := m.call("hippo_search_insights", map[string]any{"query": query})
	if err == nil {
		m.add("search, 150 KB among the hits", r, most)
	}
	return err
}
