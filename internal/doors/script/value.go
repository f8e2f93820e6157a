package script

import (
	"encoding/hex"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/script/sandbox"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// hashDigits is the length of the hash of a memory in the interface of mcp-memory-service.
const hashDigits = 8

// valueOf returns a memory as the child makes a value of it, but for what changes with time, and its state now. Its times are in the
// zone of now, in which the program names days.
func valueOf(m *hippo.Memory, short hippo.ShortIDs, now time.Time) map[string]any {
	zone := now.Location()
	v := map[string]any{
		"$": "memory", "id": short.Of(m.ID), "uuid": m.ID, "hash": hex.EncodeToString(m.ContentHash[:])[:hashDigits], "content": m.Content,
		"situation": list(m.Situation), "tags": list(m.Tags), "type": m.Type, "pinned": m.Pinned, "project": m.Project,
		"source": m.Source.Kind, "author": m.Source.Author, "session": m.Source.Session, "version": m.Version, "forgotten": m.Forgotten(),
		"created": timeOrNil(m.CreatedAt, zone), "updated": timeOrNil(m.UpdatedAt, zone), "event_time": timeOrNil(m.EventTime, zone),
		"valid_from": timeOrNil(m.ValidFrom, zone), "valid_until": timeOrNil(m.ValidUntil, zone),
		"state": m.StateAt(now), "superseded_by": nil, "same": []hippo.ID{}, "uses": 0, "metadata": map[string]any{},
	}
	if !m.SupersededBy.IsZero() {
		v["superseded_by"] = short.Of(m.SupersededBy)
	}
	uses := 0
	for _, a := range m.Accesses {
		uses += a.Count
	}
	v["uses"] = uses
	if m.Metadata != nil {
		v["metadata"] = m.Metadata
	}
	return v
}

// list returns a list that JSON does not write as null.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// timeOrNil returns a time in a zone, and nil for one that is unset.
func timeOrNil(t time.Time, zone *time.Location) any {
	if t.IsZero() {
		return nil
	}
	return t.In(zone)
}

// factsOf returns the facts of an answer, a text each.
func factsOf(s *session, a *hippo.Answer) []string {
	out := make([]string, len(a.Facts))
	for i := range a.Facts {
		out[i] = strings.TrimPrefix(knowledge.FactText(&a.Facts[i], nowOf(s)), "fact: ")
	}
	return out
}

// nowOf is the time of the caller, in the zone of the store.
func nowOf(s *session) time.Time { return s.caller.Now().In(s.memories.Zone()) }

// hits returns the memories of an answer as a program sees them. Their previews have the sentences that answer.
func (s *session) hits(a *hippo.Answer) []map[string]any {
	ms := make([]*hippo.Memory, len(a.Hits))
	for i := range a.Hits {
		ms[i] = a.Hits[i].Memory
	}
	out := s.values(ms, a.Day, func(i int) float64 { return a.Hits[i].Relevance })
	for i := range out {
		p := wire.PreviewOf(&a.Hits[i], sandbox.PreviewLength)
		if !p.Ends {
			p.Text += "…"
		}
		out[i]["preview"] = p.Text
		out[i]["contradicted_by"] = query.ContradictionNote(a.Hits[i].ContradictedBy, nowOf(s))
		if same := a.Hits[i].Same.IDs; same != nil {
			out[i]["same"] = same
		}
	}
	return out
}

// relations returns relations as a program sees them.
func (s *session) relations(rs []hippo.Relation) []map[string]any {
	out := make([]map[string]any, len(rs))
	ends := make([]hippo.ID, 0, 2*len(rs))
	for _, r := range rs {
		ends = append(ends, r.From, r.To)
	}
	short, zone := memory.ShortIDs(s.memories, ends), s.memories.Zone()
	for i, r := range rs {
		out[i] = map[string]any{
			"$": "struct", "source": short.Of(r.From), "target": short.Of(r.To), "kind": r.Kind, "weight": wire.Round(r.Weight, 4),
			"valid_from": timeOrNil(r.ValidFrom, zone), "valid_until": timeOrNil(r.ValidUntil, zone),
			"state": r.StateAt(s.caller.Now()),
		}
	}
	return out
}
