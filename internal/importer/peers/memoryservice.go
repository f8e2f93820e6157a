package peers

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// readMemoryService reads the database of mcp-memory-service and of the programs that share
// it, claude-hippo among them: the table memories, and the relations of memory_graph, by hash,
// and of memory_associations, by row.
func readMemoryService(d *database, out *formats.Out) error {
	byRow := make(map[string]hippo.ID)
	byHash := make(map[string]hippo.ID)
	err := d.each("memories", func(r row) error {
		id := r.text("id")
		if r.text("deleted_at") != "" {
			out.Skip("deleted memories", 1)
			return nil
		}
		m := memoryServiceRow(r)
		byRow[id], byHash[r.text("content_hash")] = m.ID, m.ID
		return out.Memory("memories row "+id, m, nil)
	})
	if err != nil {
		return err
	}
	err = d.each("memory_graph", func(r row) error {
		relateKnown(out, byHash[r.text("source_hash")], byHash[r.text("target_hash")], graphEdge(r))
		return nil
	})
	if err != nil {
		return err
	}
	return d.each("memory_associations", func(r row) error {
		from, to := byRow[r.text("from_id")], byRow[r.text("to_id")]
		edge := hippo.CoRecall(from, to)
		edge.Weight, edge.LastReinforced = weight(r, "weight"), r.time("last_reinforced")
		relateKnown(out, edge.From, edge.To, edge)
		return nil
	})
}

// graphEdge returns the kind, weight and time of a row of memory_graph.
func graphEdge(r row) hippo.Relation {
	kind := r.text("relationship_type")
	if types := r.texts("connection_types"); kind == "" && len(types) > 0 {
		kind = types[0]
	}
	if kind == "" {
		kind = "related"
	}
	return hippo.Relation{Kind: kind, Weight: weight(r, "similarity"), LastReinforced: r.time("created_at")}
}

// weight reads a number in (0, 1]; 1 if there is none.
func weight(r row, key string) float64 {
	f, ok := r.number(key)
	if !ok || !(f > 0) {
		return 1
	}
	return min(f, 1)
}

// relateKnown adds a relation, if both of its ends are memories of the source.
func relateKnown(out *formats.Out, from, to hippo.ID, r hippo.Relation) {
	if from.IsZero() || to.IsZero() {
		out.Skip("relations of things that are no memories here", 1)
		return
	}
	r.From, r.To = from, to
	r.Kind = formats.Shorten(r.Kind, hippo.MaxKind)
	out.Relate(r)
}

// memoryServiceRow returns the memory of a row, or of an entry of an export. Its ID is that of
// its content, so that a database and an export of it give the same memories.
func memoryServiceRow(r row) *hippo.Memory {
	content := r.text("content")
	hash := hippo.HashContent(content)
	m := formats.Imported("memory-service", hex.EncodeToString(hash[:]))
	m.Source.Client = string(KindMemoryService)
	m.Content, m.Tags, m.Type = content, r.texts("tags"), r.text("memory_type", "type")
	if len(m.Tags) == 1 && m.Tags[0] == "untagged" {
		m.Tags = nil
	}
	formats.SetTimes(m, agreedTime(r, "created_at"), agreedTime(r, "updated_at"))
	meta := r.object("metadata")
	readQuality(m, meta, r)
	m.Source.Author = meta.text("agent_id")
	m.Source.Session = meta.text("conversation_id", "episode_id")
	if n, ok := meta.number("sequence_number"); ok && n > 0 && n < 1<<31 {
		m.Source.Seq = int(n)
	}
	if superseded := r.text("superseded_by"); superseded != "" {
		formats.SetMeta(m, "superseded_by", superseded)
		if m.UpdatedAt.After(m.CreatedAt) {
			m.ValidUntil = m.UpdatedAt // replaced then, at the latest
		}
	}
	meta.keep(m, "access_queries", "ai_scores")
	r.keep(m, "id", "content_hash", "tags_str", "embedding", "created_at_iso", "updated_at_iso", "export_source")
	if was := r.text("content_hash"); was != "" && was != hex.EncodeToString(hash[:]) && was != rawHash(content) {
		formats.SetMeta(m, "content_hash", was)
	}
	return m
}

// rawHash is the hash that the programs in Rust give a content.
func rawHash(content string) string {
	h := sha256.Sum256([]byte(content))
	return hex.EncodeToString(h[:])
}

// readQuality reads how much a memory matters there: an importance, or else a quality, and what
// claude-hippo keeps below _hippo.
func readQuality(m *hippo.Memory, meta, r row) {
	for _, at := range []row{r, meta} {
		for _, k := range []string{"importance", "importance_score", "quality_score"} {
			f, ok := at.number(k)
			if ok && f >= 0 && f <= 1 && m.Importance.Base == hippo.DefaultImportance {
				m.Importance = hippo.Importance{Base: f, Value: f}
			}
		}
	}
	surprise := meta.object("_hippo").object("surprise")
	parts := surprise.object("components")
	set := func(to *float64, at row, key string) {
		if f, ok := at.number(key); ok && f >= 0 && f <= 1 {
			*to = f
		}
	}
	set(&m.Surprise.Explicit, parts, "explicit")
	if !strings.HasSuffix(surprise.text("version"), formats.SurpriseEstimated) { // else there is no score yet, see docs/formats.md
		set(&m.Surprise.Score, surprise, "score")
		set(&m.Surprise.Outlier, parts, "embedding_outlier")
		set(&m.Surprise.Engagement, parts, "engagement")
		set(&m.Surprise.Loss, parts, "prediction_loss")
	}
	if e := m.Surprise.Explicit; e > 0 {
		m.Importance = hippo.Importance{Base: e, Value: e} // the importance that the agent gave
	}
}

// agreedTime reads a time that is there as a number, or else as a text.
func agreedTime(r row, key string) time.Time {
	number, text := r.time(key), r.time(key+"_iso")
	if number.IsZero() {
		return text
	}
	return number
}

// memoryServiceEntry reads an entry of a JSON export.
func memoryServiceEntry(b []byte) (*hippo.Memory, error) {
	r, err := objectRow(b)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.text("content")) == "" {
		return nil, hippo.Fieldf("content", "must be given")
	}
	return memoryServiceRow(r), nil
}

// readMemoryServiceJSON reads {"export_metadata": ..., "memories": [...]}.
func readMemoryServiceJSON(f file, out *formats.Out) error {
	return readObjectFile(f, out, map[string]entryReader{
		"memories": func(where string, b []byte, err error) error {
			var m *hippo.Memory
			if err == nil {
				m, err = memoryServiceEntry(b)
			}
			return out.Memory(where, m, err)
		},
	}, nil)
}
