package formats

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
)

// insightsKey is the key of a legacy file that holds its insights.
const insightsKey = "insights"

// calendarKeys are the keys of metadata.json, which a legacy file and the
// header of an export also have.
type calendarKeys struct {
	Day  json.RawMessage `json:"active_day_counter"`
	Date json.RawMessage `json:"last_calendar_date_used"`
}

// calendar reads the keys; missing ones and null are zero.
func (k calendarKeys) calendar() (hippo.Calendar, error) {
	var c hippo.Calendar
	if len(k.Day) > 0 {
		if err := json.Unmarshal(k.Day, &c.Day); err != nil || c.Day < 0 || c.Day > maxCount {
			return hippo.Calendar{}, hippo.Fieldf("active_day_counter", "must be a whole number from 0 to %d", maxCount)
		}
	}
	if len(k.Date) > 0 {
		if err := json.Unmarshal(k.Date, &c.Date); err != nil || !isDate(c.Date) {
			return hippo.Calendar{}, hippo.Fieldf("last_calendar_date_used", "must be a date as 2006-01-02 or null")
		}
	}
	if c.Day == 0 {
		return hippo.Calendar{}, nil
	}
	return c, nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil || s == ""
}

// walkLegacy reads a legacy file. It calls element for each insight and other for each other
// key.
func walkLegacy(r *bufio.Reader, element func([]byte, int, int, error) error, other func(key string, value []byte)) error {
	e := NewScanner(r)
	err := e.Object(func(key string) error {
		if key == insightsKey {
			return e.Array(element)
		}
		line := e.Line()
		b, err := e.Value()
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		other(key, b)
		return nil
	})
	if err != nil {
		return err
	}
	return e.End()
}

func readLegacy(r *bufio.Reader, y yield) error {
	return walkLegacy(r, decodeElements(DecodeInsight, y), func(string, []byte) {})
}

// countLegacy returns the calendar and the number of insights. [readLegacy] reports where a
// truncated file ends.
func countLegacy(r *bufio.Reader) (hippo.Calendar, int, error) {
	var keys calendarKeys
	var newest hippo.Day
	n := 0
	visit := func(m *hippo.Memory, _ error) bool {
		n++
		newest = max(newest, newestDay(m))
		return true
	}
	err := walkLegacy(r, decodeElements(DecodeInsight, visit), func(key string, value []byte) {
		switch key {
		case "active_day_counter":
			keys.Day = value
		case "last_calendar_date_used":
			keys.Date = value
		}
	})
	if err != nil && !errors.Is(err, hippo.ErrCorrupt) {
		return hippo.Calendar{}, 0, err
	}
	cal, err := keys.calendar()
	if cal.Day == 0 {
		cal = hippo.Calendar{Day: newest}
	}
	return cal, n, err
}
