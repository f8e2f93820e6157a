package merge

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

// maxUses is the largest count of one replica on one date that is believed.
const maxUses = 1 << 20

// UsesBy returns how often a memory was used at a replica, by date.
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

// UsesValue returns the value of uses by date: the newest [hippo.MaxAccessDays] dates.
func UsesValue(days map[string]int) json.RawMessage {
	dates := slices.Sorted(maps.Keys(days))
	for _, date := range dates[:max(0, len(dates)-hippo.MaxAccessDays)] {
		delete(days, date)
	}
	return raw(days)
}

// UsesSince returns the uses, by date, that a memory has now and had not before.
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
