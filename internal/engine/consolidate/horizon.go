package consolidate

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// HorizonList lists the horizons: "daily, weekly or monthly".
func HorizonList() string {
	names := api.HorizonNames()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Day is a calendar day as a duration.
const day = 24 * time.Hour

// window is what a horizon acts on.
type window struct {
	from, to time.Duration // age; to 0: no end
	// The steps.
	duplicates, summaries, archive bool
}

// contains reports whether a memory of an age is acted on.
func (w *window) contains(age time.Duration) bool {
	return age >= w.from && (w.to == 0 || age <= w.to)
}

// Source of steps and ages: mcp-memory-service 10.59; its associations are links between near-duplicates
// here.
func windowOf(h api.Horizon) (window, error) {
	switch h {
	case api.Daily:
		return window{to: 2 * day, duplicates: true}, nil
	case api.Weekly:
		return window{duplicates: true, summaries: true}, nil
	case api.Monthly:
		return window{duplicates: true, summaries: true, archive: true}, nil
	case api.Quarterly:
		return window{from: 90 * day, summaries: true, archive: true}, nil
	case api.Yearly:
		return window{from: 365 * day, archive: true}, nil
	}
	return window{}, hippo.Fieldf("horizon", "must be one of %q, got %q", api.HorizonNames(), string(h))
}
