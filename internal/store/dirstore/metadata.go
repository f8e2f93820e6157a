package dirstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// The keys of metadata.json; others are kept.
const (
	dayKey  = "active_day_counter"
	dateKey = "last_calendar_date_used"
)

// metadataFile is what is known of metadata.json; zero if there is none.
type metadataFile struct {
	stamp stamp
	sum   sum
	keys  map[string]json.RawMessage
	err   error // why it cannot be read
	since time.Time
}

// decodeMetadata returns the calendar and all keys of a metadata.json. A date
// that is none counts as absent.
func decodeMetadata(b []byte) (driver.Calendar, map[string]json.RawMessage, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil || keys == nil {
		return driver.Calendar{}, nil, fmt.Errorf("%w: %s is not a JSON object", hippo.ErrCorrupt, metadataName)
	}
	var day int64
	if err := json.Unmarshal(keys[dayKey], &day); err != nil || day < 0 || day > math.MaxInt32 {
		return driver.Calendar{}, nil, fmt.Errorf("%w: %s must be a number of days", hippo.ErrCorrupt, dayKey)
	}
	var date string
	if json.Unmarshal(keys[dateKey], &date) != nil {
		date = ""
	}
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		date = ""
	}
	return driver.Calendar{Day: hippo.Day(day), Date: date}, keys, nil
}

// encodeMetadata returns a metadata.json with the calendar first, then the
// other keys in order.
func encodeMetadata(c driver.Calendar, others map[string]json.RawMessage) ([]byte, error) {
	var date any
	if c.Date != "" {
		date = c.Date
	}
	first, err := json.MarshalIndent(struct {
		Day  hippo.Day `json:"active_day_counter"`
		Date any       `json:"last_calendar_date_used"`
	}{c.Day, date}, "", "  ")
	if err != nil {
		return nil, err
	}
	rest := maps.Clone(others)
	delete(rest, dayKey)
	delete(rest, dateKey)
	if len(rest) == 0 {
		return first, nil
	}
	second, err := json.MarshalIndent(rest, "", "  ")
	if err != nil {
		return nil, err
	}
	return slices.Concat(first[:len(first)-2], []byte(","), second[1:]), nil
}

// metadataMoved reports whether metadata.json is not as it was read.
func (s *Store) metadataMoved() bool {
	st, err := s.disk.stat(metadataName)
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := &s.state.metadata
	return m.err != nil || err == nil && st != m.stamp || err != nil && m.stamp != stamp{}
}

// reconcileMetadata takes over what another program wrote to metadata.json. A
// lower day is not taken over: the active day never goes back. It needs the lock.
func (s *Store) reconcileMetadata() error {
	b, st, err := s.disk.read(metadataName)
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.state.metadata
	if errors.Is(err, fs.ErrNotExist) {
		*m = metadataFile{keys: m.keys}
		return nil
	}
	var c driver.Calendar
	var keys map[string]json.RawMessage
	if err == nil {
		c, keys, err = decodeMetadata(b)
	}
	if err != nil {
		return s.badMetadata(st, err)
	}
	*m = metadataFile{stamp: st, sum: sha256.Sum256(b), keys: keys}
	now := s.state.calendar
	if c.Day < now.Day || c.Day == now.Day && c.Date <= now.Date {
		return nil
	}
	return s.turn(c)
}

// badMetadata waits until the file has settled, then puts it aside; what is
// known of the day, or else the newest use of a memory, takes its place.
// It needs the lock and s.mu.
func (s *Store) badMetadata(st stamp, err error) error {
	m := &s.state.metadata
	if m.err == nil || m.stamp != st {
		m.since = s.now()
	}
	m.err, m.stamp = err, st
	if s.wait(err, errors.Is(err, hippo.ErrCorrupt), st, m.since) {
		return nil
	}
	aside, err := s.disk.putAside(metadataName)
	if err != nil {
		return err
	}
	s.log.Warn("unreadable file put aside", "file", s.disk.full(metadataName), "now", s.disk.full(aside), "why", m.err)
	*m = metadataFile{keys: m.keys}
	c := s.state.calendar
	c.Day = max(c.Day, s.state.newestDay())
	if err := s.turn(c); err != nil {
		return err
	}
	s.later.calendar = true
	return nil
}

// turn makes c the calendar and tells the other handles. It needs the lock and s.mu.
func (s *Store) turn(c driver.Calendar) error {
	s.state.calendar = c
	if s.readOnly != nil {
		return nil
	}
	return s.publish([]record{calendarRecord(c)})
}
