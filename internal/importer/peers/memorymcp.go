package peers

import (
	"encoding/json"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// readMemoryMCP reads the answer of list_memories or get_valid of memory-mcp: {"memories": [...]}. Its database is that of SurrealDB, in a
// format of its own, and is not read.
func readMemoryMCP(f file, out *formats.Out) error {
	return readObjectFile(f, out, map[string]entryReader{
		"memories": func(where string, b []byte, err error) error {
			var m *hippo.Memory
			if err == nil {
				m, err = memoryMCPEntry(b)
			}
			return out.Memory(where, m, err)
		},
	}, func(string, json.RawMessage) {})
}

// maxMCPScore is the largest importance_score of memory-mcp, of which 1 is the usual one. The importance is s / (1 + s).
const maxMCPScore = 10

// memoryMCPEntry reads a memory as memory-mcp returns it. An ID may be a text, or {"tb": TABLE, "id": {"String": KEY}}.
func memoryMCPEntry(b []byte) (*hippo.Memory, error) {
	r, err := objectRow(b)
	if err != nil {
		return nil, err
	}
	content := r.text("content")
	if content == "" {
		return nil, hippo.Fieldf("content", "must be given")
	}
	m := formats.Imported(string(KindMemoryMCP), mcpName(r, content))
	m.Content, m.Type, m.Project = content, r.text("memory_type"), r.text("namespace")
	formats.SetTimes(m, r.time("ingestion_time"), r.time("updated_at"))
	m.ValidUntil = r.time("valid_until")
	if from := r.time("valid_from"); !from.Equal(m.CreatedAt) { // which is what it has if nobody says otherwise
		m.ValidFrom = from
	}
	if event := r.time("event_time"); !event.Equal(m.CreatedAt) {
		m.EventTime = event
	}
	if s, ok := r.number("importance_score"); ok && s >= 0 && s <= maxMCPScore {
		m.Importance = hippo.Importance{Base: s / (1 + s), Value: s / (1 + s)}
	}
	m.Source.Author, m.Source.Session = r.text("user_id"), r.text("run_id")
	r.object("metadata").keep(m)
	if reason := r.text("invalidation_reason"); reason != "" {
		formats.SetMeta(m, "_hippo", map[string]string{"invalidation_reason": reason}) // where the tools of memory-mcp look for it
	}
	r.keep(m, "embedding", "embedding_state", "content_hash", "access_count", "last_accessed_at")
	return m, nil
}

// mcpName returns the key of a memory, or its text if it has none.
func mcpName(r row, content string) string {
	if name := r.text("id"); name != "" {
		return name
	}
	id := r.object("id")
	if name := id.text("id"); name != "" {
		return name
	}
	if name := id.object("id").text("String"); name != "" {
		return name
	}
	return content
}
