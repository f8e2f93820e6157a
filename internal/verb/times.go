package verb

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// Time is a time as it was given, in digits or in words; the zero value was not given. When a day begins depends on the zone of the store, which
// may open after arguments are read.
type Time struct {
	// Name is what the caller called it.
	Name, Text string
}

// ReadArg implements [Value].
func (t *Time) ReadArg(d Door, name string, raw json.RawMessage) error {
	t.Name = name
	if text, ok := unixTime(raw); ok && d == MCP {
		t.Text = text
		return nil
	}
	return d.readTo(name, raw, &t.Text)
}

// Schema implements [Value].
func (*Time) Schema() Schema {
	return Schema{"type": "string", "description": "RFC 3339, a date, or words: " + when.Forms}
}

// unixTime returns a number of seconds or milliseconds since 1970 as a time of RFC 3339, if that is
// a time of this century.
func unixTime(raw json.RawMessage) (text string, ok bool) {
	const seconds, milliseconds, scale = 4e9, 4e12, 1000
	n, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || n < seconds/4 || n > milliseconds || n > seconds && n < milliseconds/4 {
		return "", false
	}
	if n > seconds {
		n /= scale
	}
	return time.Unix(int64(math.Floor(n)), 0).UTC().Format(time.RFC3339), true
}

// Reading is a time that was given, and where it goes.
type Reading struct {
	Time
	To *time.Time
	// Ahead: of a recurring time the next one is meant, as for the end of a validity.
	Ahead bool
}

// Into returns a time with where it goes.
func (t Time) Into(to *time.Time) Reading { return Reading{Time: t, To: to} }

// AheadInto is [Time.Into] for a time of which the next one is meant.
func (t Time) AheadInto(to *time.Time) Reading { return Reading{Time: t, To: to, Ahead: true} }

// Read sets the times that were given, as of a time in the zone of their days. The error is a [*hippo.FieldError] with the name that the caller
// used.
func Read(now time.Time, list ...Reading) error {
	for _, r := range list {
		if strings.TrimSpace(r.Text) == "" {
			continue
		}
		read := when.At
		if r.Ahead {
			read = when.Ahead
		}
		var err error
		if *r.To, err = read(r.Name, r.Text, now); err != nil {
			return err
		}
	}
	return nil
}
