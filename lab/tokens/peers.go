package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// hits is how many notes the formats of other systems show.
const hits = 10

// peers counts the notes in the formats of other systems: what their searches return for the same
// hits. Source of the formats: the public documentation of each.
func peers(count Count) []Row {
	return []Row{
		{What: "the contents alone, 10", Result: count(contents())},
		{What: "10 hits as npm server-memory", Result: count(serverMemory())},
		{What: "10 hits as claude-hippo", Result: count(claudeHippo())},
		{What: "10 hits as mcp-memory-service", Result: count(memoryService())},
	}
}

func contents() string {
	var b strings.Builder
	for _, n := range notes()[:hits] {
		b.WriteString(n.content + "\n")
	}
	return b.String()
}

// serverMemory is search_nodes of @modelcontextprotocol/server-memory: entities as indented JSON.
func serverMemory() string {
	type entity struct {
		Name         string   `json:"name"`
		EntityType   string   `json:"entityType"`
		Observations []string `json:"observations"`
	}
	var entities []entity
	for _, n := range notes()[:hits] {
		entities = append(entities, entity{n.situation, n.kind, []string{n.content}})
	}
	return indented(map[string]any{"entities": entities, "relations": []string{}})
}

// claudeHippo is hippo_recall of claude-hippo: an array of rows with scores.
func claudeHippo() string {
	type row struct {
		ID         int      `json:"id"`
		Hash       string   `json:"content_hash"`
		Content    string   `json:"content"`
		Tags       []string `json:"tags"`
		Type       string   `json:"memory_type"`
		Metadata   *string  `json:"metadata"`
		CreatedAt  float64  `json:"created_at"`
		UpdatedAt  float64  `json:"updated_at"`
		CreatedISO string   `json:"created_at_iso"`
		UpdatedISO string   `json:"updated_at_iso"`
	}
	type hit struct {
		Memory   row     `json:"memory"`
		Score    float64 `json:"score"`
		Cosine   float64 `json:"cosine_similarity"`
		Surprise float64 `json:"surprise_score"`
	}
	var list []hit
	for i, n := range notes()[:hits] {
		list = append(list, hit{
			row{i + 1, hash(i), n.content, []string{n.situation}, n.kind, nil, created, created, createdISO, createdISO},
			0.6721304059028625, 0.7312465906143188, 0.4298127293586731,
		})
	}
	b, _ := json.Marshal(list) //nolint:errchkjson // it has only texts and numbers
	return string(b)
}

// memoryService is memory_search of mcp-memory-service: a numbered list.
func memoryService() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Found %d memories (mode: semantic) for query: '%s'\n\n", hits, query)
	for i, n := range notes()[:hits] {
		fmt.Fprintf(&b, "%d. %s\n   Hash: %s\n   Created: %s [%s, %s]\n\n", i+1, n.content, hash(i), createdISO, n.situation, n.kind)
	}
	return b.String()
}

// The time of the memories, as other systems write it.
const (
	created    = 1793611800.1234567
	createdISO = "2026-11-02T09:30:00.123456Z"
)

// hash returns 64 hexadecimal digits.
func hash(i int) string {
	const prime = 0x9e3779b97f4a7c15
	var b strings.Builder
	for k := range uint64(4) {
		fmt.Fprintf(&b, "%016x", (uint64(i)*4+k+1)*prime)
	}
	return b.String()
}

func indented(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	_ = e.Encode(v) //nolint:errchkjson // it has only texts
	return b.String()
}
