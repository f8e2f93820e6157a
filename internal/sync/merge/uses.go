package merge

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// maxUses caps the count of one replica on one date.
const maxUses = 1 << 20

// UsesBy returns how often a replica used a memory, by date.
func UsesBy(s *Subject, r clock.Replica) map[string]int {
	out := make(map[string]int)
	for _, h := range s.Register(Uses) {
		if h.Origin == r {
			maps.Copy(out, usesIn(h))
		}
	}
	return out
}

func usesIn(h *entry.Held) map[string]int {
	var days map[string]int
	if !read(h, Uses, &days) {
		return nil
	}
	for date, n := range days {
		days[date] = min(max(0, n), maxUses)
	}
	return days
}

// UsesValue encodes uses by date. It keeps the newest [hippo.MaxAccessDays] dates and deletes the others from days.
func UsesValue(days map[string]int) json.RawMessage {
	dates := slices.Sorted(maps.Keys(days))
	for _, date := range dates[:max(0, len(dates)-hippo.MaxAccessDays)] {
		delete(days, date)
	}
	return raw(days)
}

// UsesSince returns the uses, by date, that now has and before lacks.
func UsesSince(before, now *Subject) map[string]int {
	counted := make(map[clock.Replica]map[string]int)
	for _, h := range before.Register(Uses) {
		counted[h.Origin] = usesIn(h)
	}
	out := make(map[string]int)
	for _, h := range now.Register(Uses) {
		for date, n := range usesIn(h) {
			if more := n - counted[h.Origin][date]; more > 0 {
				out[date] += more
			}
		}
	}
	return out
}
