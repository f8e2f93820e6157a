package peers

import (
	"encoding/json"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// mem0Entry reads a memory as get_all and the export of mem0 return it.
func mem0Entry(b []byte) (*hippo.Memory, error) {
	r, err := objectRow(b)
	if err != nil {
		return nil, err
	}
	text := r.text("memory", "data", "text")
	if text == "" {
		return nil, hippo.Fieldf("memory", "must be given")
	}
	m := mem0Memory(r.text("id"), text)
	formats.SetTimes(m, r.time("created_at"), r.time("updated_at"))
	m.Source.Author = r.text("actor_id", "user_id")
	m.Source.Session = r.text("run_id")
	m.Tags = r.texts("categories")
	r.object("metadata").keep(m)
	r.keep(m, "hash", "score", "embedding")
	return m, nil
}

func mem0Memory(id, text string) *hippo.Memory {
	if id == "" {
		id = text
	}
	m := formats.Imported("mem0", id)
	m.Content = text
	return m
}

// readMem0JSON reads {"results": [...], "relations": [...]}. The relations name things that are
// no memories, so each becomes a memory of its own.
func readMem0JSON(f file, out *formats.Out) error {
	return readObjectFile(f, out, map[string]entryReader{
		"results": func(where string, b []byte, err error) error {
			var m *hippo.Memory
			if err == nil {
				m, err = mem0Entry(b)
			}
			return out.Memory(where, m, err)
		},
		"relations": eachRow(out, func(where string, r row) error {
			text := strings.Join([]string{r.text("source"), r.text("relationship", "relation"), r.text("target", "destination")}, " ")
			if len(strings.Fields(text)) < 3 {
				out.Skip("incomplete relations", 1)
				return nil
			}
			m := mem0Memory("", text)
			m.Type = "relation"
			return out.Memory(where, m, nil)
		}),
	}, func(string, json.RawMessage) {})
}

// readMem0History reads history.db, in which mem0 notes each change of a memory: the last text
// of each that was not deleted.
func readMem0History(d *database, out *formats.Out) error {
	var order []string
	last := make(map[string]*hippo.Memory)
	err := d.each("history", func(r row) error {
		id := r.text("memory_id")
		if id == "" {
			out.Skip("changes without a memory", 1)
			return nil
		}
		if _, known := last[id]; !known {
			order = append(order, id)
		}
		last[id] = mem0Change(last[id], id, r)
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range order {
		if last[id] == nil {
			out.Skip("deleted memories", 1)
			continue
		}
		if err := out.Memory("memory "+id, last[id], nil); err != nil {
			return err
		}
	}
	return nil
}

// mem0Change returns a memory after a change; nil for one that was deleted.
func mem0Change(before *hippo.Memory, id string, r row) *hippo.Memory {
	text := r.text("new_memory")
	if deleted, _ := r.number("is_deleted"); deleted != 0 || r.text("event") == "DELETE" || text == "" {
		return nil
	}
	m := mem0Memory(id, text)
	created := r.time("created_at")
	if before != nil && !before.CreatedAt.IsZero() {
		created = before.CreatedAt
	}
	formats.SetTimes(m, created, r.time("updated_at", "created_at"))
	m.Source.Author = r.text("actor_id")
	formats.SetMeta(m, "role", r.text("role"))
	return m
}
