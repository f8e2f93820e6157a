package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/termtext"
	"github.com/hippo-memory/hippo/internal/wire"
)

// rival is a memory that the one just recorded probably replaces.
type rival struct {
	UUID    hippo.ID `json:"uuid"`
	Content string   `json:"content"`
	Reason  string   `json:"reason"`
}

// conflict is two results that seem to contradict each other, the newer one first.
type conflict struct {
	A      hippo.ID `json:"a"`
	B      hippo.ID `json:"b"`
	Reason string   `json:"reason"`
}

// validity is how long the fact of a memory holds, and what replaces it.
type validity struct {
	ValidFrom    string    `json:"valid_from,omitempty"`
	ValidUntil   string    `json:"valid_until,omitempty"`
	SupersededBy *hippo.ID `json:"superseded_by,omitempty"`
}

func validityOf(m *hippo.Memory) validity {
	v := validity{ValidFrom: timeText(m.ValidFrom), ValidUntil: timeText(m.ValidUntil)}
	if !m.SupersededBy.IsZero() {
		v.SupersededBy = &m.SupersededBy
	}
	return v
}

// timeText is empty for an unset time.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

func conflictsOf(list []hippo.Conflict) []conflict {
	var out []conflict
	for _, c := range list {
		out = append(out, conflict(c))
	}
	return out
}

// rivalLength is how many characters of a rival's content a reply shows.
const rivalLength = 120

// compare adds to the reply to a record what the memory repeats and probably
// replaces. That it cannot be looked up is no failure: the memory is stored.
func (r *recorded) compare(ctx context.Context, e *engine.Engine, m *hippo.Memory) string {
	like, err := e.Resembling(ctx, m)
	if err != nil {
		r.Degraded = []string{"not compared with others: " + err.Error()}
		return "\ndegraded: " + termtext.Line(r.Degraded[0])
	}
	var b strings.Builder
	r.DuplicateOf = like.DuplicateOf
	for _, id := range like.DuplicateOf {
		fmt.Fprintf(&b, "\nduplicate of %v", id)
	}
	for _, x := range like.Replaces {
		short := wire.Clip(x.Memory.Content, rivalLength)
		r.LikelyReplaces = append(r.LikelyReplaces, rival{UUID: x.Memory.ID, Content: short, Reason: x.Reason})
		fmt.Fprintf(&b, "\nlikely replaces %v: %s (%s)", x.Memory.ID, termtext.Line(short), termtext.Line(x.Reason))
	}
	if len(like.Replaces) > 0 {
		b.WriteString("\nto confirm, modify the new insight with supersedes")
	}
	return b.String()
}
