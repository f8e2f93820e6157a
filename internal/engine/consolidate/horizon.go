package consolidate

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Horizon decides which steps of a plan run, and the ages of the memories that they act on.
type Horizon string

// The horizons. All of them plan which learned relations have faded.
const (
	// Daily acts on memories of the last two days: near-duplicates.
	Daily Horizon = "daily"
	// Weekly acts on all: near-duplicates and summaries.
	Weekly Horizon = "weekly"
	// Monthly is Weekly with archival.
	Monthly Horizon = "monthly"
	// Quarterly acts on memories older than 90 days: summaries and archival.
	Quarterly Horizon = "quarterly"
	// Yearly acts on memories older than 365 days: archival.
	Yearly Horizon = "yearly"
)

// Horizons returns every horizon, from the shortest.
func Horizons() []Horizon { return []Horizon{Daily, Weekly, Monthly, Quarterly, Yearly} }

// HorizonNames returns the names of [Horizons].
func HorizonNames() []string {
	names := make([]string, 0, len(Horizons()))
	for _, h := range Horizons() {
		names = append(names, string(h))
	}
	return names
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
func windowOf(h Horizon) (window, error) {
	switch h {
	case Daily:
		return window{to: 2 * day, duplicates: true}, nil
	case Weekly:
		return window{duplicates: true, summaries: true}, nil
	case Monthly:
		return window{duplicates: true, summaries: true, archive: true}, nil
	case Quarterly:
		return window{from: 90 * day, summaries: true, archive: true}, nil
	case Yearly:
		return window{from: 365 * day, archive: true}, nil
	}
	return window{}, hippo.Fieldf("horizon", "must be one of %q, got %q", HorizonNames(), string(h))
}
