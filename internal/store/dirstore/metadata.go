package dirstore

import (
	"cmp"
	"context"
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
	"github.com/hippo-memory/hippo/internal/store/sqlitex"
)

// The keys of metadata.json; others are kept.
const (
	dayKey  = "active_day_counter"
	dateKey = "last_calendar_date_used"
	zoneKey = "time_zone" // only of a calendar with a zone
	// formatKey is the version of the format of the directory; absent in version 1.
	formatKey = "format"
)

// formatVersion is the newest format that this program knows.
const formatVersion = 1

// decodeMetadata returns the calendar and all keys of a metadata.json. An
// invalid date counts as absent.
func decodeMetadata(b []byte) (driver.Calendar, map[string]json.RawMessage, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil || keys == nil {
		return driver.Calendar{}, nil, fmt.Errorf("%w: %s is not a JSON object", hippo.ErrCorrupt, metadataName)
	}
	var format int
	if keys[formatKey] != nil && (json.Unmarshal(keys[formatKey], &format) != nil || format > formatVersion) {
		return driver.Calendar{}, nil, fmt.Errorf("%w: the directory has format version %s, this program knows %d: use a newer hippo",
			hippo.ErrUnsupported, keys[formatKey], formatVersion)
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
	var zone string
	if json.Unmarshal(keys[zoneKey], &zone) != nil {
		zone = ""
	}
	return driver.Calendar{Day: hippo.Day(day), Date: date, Zone: zone}, keys, nil
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
		Zone string    `json:"time_zone,omitempty"`
	}{c.Day, date, c.Zone}, "", "  ")
	if err != nil {
		return nil, err
	}
	rest := maps.Clone(others)
	delete(rest, dayKey)
	delete(rest, dateKey)
	delete(rest, zoneKey)
	if len(rest) == 0 {
		return first, nil
	}
	second, err := json.MarshalIndent(rest, "", "  ")
	if err != nil {
		return nil, err
	}
	return slices.Concat(first[:len(first)-2], []byte(","), second[1:]), nil
}

// metadata applies what another program wrote to metadata.json. A lower day is
// ignored: the active day never goes back.
func (r *reconciler) metadata(e entry) error {
	s := r.group.sync
	b, st, err := s.dir.read(metadataName, maxFile)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errIrregular) {
		r.entries.set(metadataName, entry{})
		return nil
	}
	var c driver.Calendar
	if err == nil {
		c, _, err = decodeMetadata(b)
	}
	if errors.Is(err, hippo.ErrUnsupported) {
		return s.dir.failed("read", metadataName, err)
	}
	if err != nil {
		return r.unreadableMetadata(inspection{name: metadataName, stamp: st, recent: st.recent(s.now()), err: err, broken: errors.Is(err, hippo.ErrCorrupt)}, e)
	}
	r.entries.set(metadataName, entry{name: metadataName, stamp: st, recent: st.recent(s.now()), sum: sha256.Sum256(b)})
	now, err := r.Calendar()
	if err != nil || c.Day < now.Day || c.Day == now.Day && c.Date <= now.Date {
		return err
	}
	c.Zone = cmp.Or(c.Zone, now.Zone)
	return r.Tx.SetCalendar(c)
}

// unreadableMetadata waits until the file has settled, then moves it to quarantine and writes it
// with the known day, or with that of the newest use of a memory.
func (r *reconciler) unreadableMetadata(v inspection, e entry) error {
	before := r.data[metadataName]
	if err := r.applyUnreadable(v, e); err != nil {
		return err
	}
	if _, displaced := r.displaced[metadataName]; !displaced {
		return nil
	}
	r.data[metadataName] = before
	c, err := r.Calendar()
	if err != nil {
		return err
	}
	day, err := newestDay(r)
	c.Day = max(c.Day, day)
	return errors.Join(err, r.SetCalendar(c))
}

// newestDay returns the last active day on which a memory was used.
func newestDay(q sqlitex.Queryer) (day hippo.Day, err error) {
	_, err = sqlitex.First(context.Background(), q, "SELECT ifnull(max(day), 0) FROM access", nil, &day)
	return day, err
}

// writeCalendar adds metadata.json to the files to write, if it does not exist, or if other files are
// written and it has another day: a day that only searches begin is in the replica alone.
// Cost: that of reading a small file.
func (g *group) writeCalendar() error {
	if len(g.data) == 0 && !g.calendar || g.sync.dir.readOnly != nil {
		return nil
	}
	var inFile driver.Calendar
	var keys map[string]json.RawMessage
	b, _, err := g.sync.dir.read(metadataName, maxFile)
	if err == nil {
		inFile, keys, err = decodeMetadata(b)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist): // written, unless there is no day yet
	case err != nil && !g.calendar:
		return nil // an unreadable file is replaced when the day is set, without keys to keep
	case err == nil && len(g.data) == 0:
		return nil
	}
	if inFile == g.Calendar() {
		return nil
	}
	data, err := encodeMetadata(g.Calendar(), keys)
	if err != nil {
		return err
	}
	g.write(metadataName, data)
	return nil
}

// write adds metadata.json or relations.jsonl to the files to write.
func (g *group) write(name string, data []byte) {
	g.data[name] = nil
	e := entry{}
	if data != nil {
		g.data[name] = g.staged.start(data)
		e = entry{name: name, sum: sha256.Sum256(data), recent: true}
	}
	g.table.changed.set(name, e)
}
