package web

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// previewLength is how many characters of a content a list shows.
const previewLength = 280

// item is a memory in a list.
type item struct {
	*hippo.Memory
	// Text is the beginning of the content, More how many characters it leaves out.
	Text markup
	More int
	When moment
	// Importance is that of now.
	Importance float64
	Badges     []string
}

// newItem returns a memory for a list.
func (v *visit) newItem(m *hippo.Memory) item {
	return v.itemOf(&hippo.Hit{Memory: m}, nil, 0)
}

// itemOf returns a hit for a list, with the words of a query marked. The importance is that of an active day; day 0 leaves it out.
func (v *visit) itemOf(h *hippo.Hit, words *marker, day hippo.Day) item {
	p := wire.PreviewOf(h, previewLength)
	x := item{Memory: h.Memory, Text: words.html(p.Text), More: p.More, When: v.moment(h.Memory.CreatedAt), Badges: badgesOf(v, h.Memory)}
	if note := query.ContradictionNote(h.ContradictedBy, v.now.In(v.memories.Zone())); note != "" {
		x.Badges = append(x.Badges, note)
	}
	if day > 0 {
		x.Importance = v.memories.Importance(h.Memory, day)
	}
	return x
}

func (v *visit) newItems(ms []*hippo.Memory) []item {
	out := make([]item, len(ms))
	for i, m := range ms {
		out[i] = v.newItem(m)
	}
	return out
}

// badgesOf say what is special about a memory.
func badgesOf(v *visit, m *hippo.Memory) []string {
	var out []string
	for _, b := range []struct {
		is   bool
		text string
	}{
		{m.Pinned, "pinned"},
		{m.Forgotten(), "forgotten"},
		{m.Archived(), "archived"},
		{m.StateAt(v.now) == hippo.Superseded, "superseded"},
		{m.StateAt(v.now) == hippo.Ended, "ended"},
		{m.StateAt(v.now) == hippo.NotYet, "not yet valid"},
		{m.Trust <= hippo.TrustLow, trustName(m.Trust) + " trust"},
		{len(wire.Flags(m)) > 0, wire.InstructionsNote},
	} {
		if b.is {
			out = append(out, b.text)
		}
	}
	return out
}

func trustName(t hippo.Trust) string {
	switch t {
	case hippo.TrustNone:
		return "no"
	case hippo.TrustLow:
		return "low"
	case hippo.TrustHigh:
		return "high"
	default:
		return "normal"
	}
}

// moment is a time for people and for machines.
type moment struct {
	// ISO is for machines, Text in the zone of the user, Age relative to now.
	ISO, Text, Age string
}

func (v *visit) moment(t time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	return moment{t.Format(time.RFC3339), t.In(v.memories.Zone()).Format("2 Jan 2006, 15:04"), age(v.now.Sub(t))}
}

// age returns a duration in its largest unit.
func age(d time.Duration) string {
	suffix := " ago"
	if d < 0 {
		d, suffix = -d, " from now"
	}
	const day = 24 * time.Hour
	for _, u := range []struct {
		unit      time.Duration
		one, many string
	}{{365 * day, "year", "years"}, {30 * day, "month", "months"}, {day, "day", "days"}, {time.Hour, "hour", "hours"}, {time.Minute, "minute", "minutes"}} {
		if d >= u.unit {
			return count(int(d/u.unit), u.one, u.many) + suffix
		}
	}
	if suffix == " ago" {
		return "just now"
	}
	return "in a moment"
}

// get returns the memory that the path names by its ID or a short form.
func (v *visit) get(ctx context.Context) (*hippo.Memory, error) {
	id, err := memory.Resolve(ctx, v.memories, v.r.PathValue("id"), 0)
	if err != nil {
		return nil, err
	}
	ms, err := memory.Get(ctx, v.memories, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	return ms[0], nil
}

// memoryPath returns the path of a memory, or of what is below it.
func memoryPath(id hippo.ID, below ...string) string {
	return strings.Join(append([]string{"/ui/memory", id.String()}, below...), "/")
}

// link returns a path with a query, without its empty fields.
func link(path string, fields ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i+1] != "" {
			q.Set(fields[i], fields[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
