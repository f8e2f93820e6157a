package mcpserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// supersedeCandidate is a memory that the one just recorded probably supersedes.
type supersedeCandidate struct {
	UUID    hippo.ID `json:"uuid"`
	Content string   `json:"content"`
	Reason  string   `json:"reason"`
}

// candidatePreview is how many characters of a candidate's content a reply shows.
const candidatePreview = 120

// compared adds to the reply to a record the memories that it duplicates and probably
// supersedes. A comparison that failed makes no error, because the memory is stored.
func (r *recorded) compared(s *session, same *memory.Comparison) string {
	if same.Err != nil {
		r.Degraded = []string{"not compared with others: " + same.Err.Error()}
		return "\ndegraded: " + termtext.Line(r.Degraded[0])
	}
	var b strings.Builder
	r.DuplicateOf = same.Duplicates
	ids := slices.Clone(same.Duplicates)
	for _, x := range same.Replaces {
		ids = append(ids, x.Memory.ID)
	}
	shown := memory.ShortIDs(s.Memories, ids)
	for _, id := range same.Duplicates {
		fmt.Fprintf(&b, "\n%s has the same text already", shown.Of(id))
	}
	if len(same.Duplicates) > 0 {
		b.WriteString("; hippo_forget takes the new one back")
	}
	for _, x := range same.Replaces {
		short := wire.Clip(x.Memory.Content, candidatePreview)
		r.LikelyReplaces = append(r.LikelyReplaces, supersedeCandidate{UUID: x.Memory.ID, Content: short, Reason: x.Reason})
		fmt.Fprintf(&b, "\nlikely replaces %s: %s (%s)", shown.Of(x.Memory.ID), forModel(short), forModel(x.Reason))
	}
	if len(same.Replaces) > 0 {
		b.WriteString("\nto confirm, modify the new insight with supersedes")
	}
	return b.String()
}
