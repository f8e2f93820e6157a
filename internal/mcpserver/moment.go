package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/lang/when"
)

// moment is a time or a date as it was given; empty is unset. When a date begins
// depends on the zone of the store, which opens after arguments are checked.
type moment string

// set reads one value, and refuses what is neither.
func (m *moment) set(name string, raw json.RawMessage) error {
	var s string
	if err := set(name, raw, &s); err != nil {
		return err
	}
	if _, ok := when.Moment(s, time.UTC); !ok {
		return hippo.Fieldf(name, "must be a time like 2026-03-01 or 2026-03-01T12:00:00Z, got %.40q", s)
	}
	*m = moment(s)
	return nil
}

// in returns the time that m is in a zone, the zero time if it is unset.
func (m moment) in(zone *time.Location) time.Time {
	t, _ := when.Moment(string(m), zone) // it was checked
	return t
}
