package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/lang/when"
)

// moment is a time as it was given: in digits or in words; empty is unset. When a date begins
// depends on the zone of the store, which opens after arguments are checked.
type moment struct {
	name string // of the argument
	text string
}

// set implements [setter].
func (m *moment) set(name string, raw json.RawMessage) error {
	m.name = name
	if text, ok := unixTime(raw); ok {
		m.text = text
		return nil
	}
	return set(name, raw, &m.text)
}

// momentInput is the moment as of which something is read.
type momentInput struct{ asOf, knownAt moment }

func (in *momentInput) fields() []field {
	return []field{{name: "as_of", to: &in.asOf, unlisted: true}, {name: "known_at", to: &in.knownAt, unlisted: true}}
}

func (in *momentInput) value(s *session) (hippo.Moment, error) {
	var at hippo.Moment
	return at, s.times([]moment{in.asOf, in.knownAt}, &at.ValidAt, &at.KnownAt)
}

// now returns the time in the zone of the store, in which days are read and shown.
func (s *session) now() time.Time { return s.server.Now().In(s.Zone()) }

// times sets times to those that were given, the first to the first; an unset one leaves it.
func (s *session) times(given []moment, to ...*time.Time) error {
	now := s.now()
	for i, m := range given {
		if m.name == "" {
			continue
		}
		read := when.At
		if m.name == "valid_until" {
			read = when.Ahead
		}
		var err error
		if *to[i], err = read(m.name, m.text, now); err != nil {
			return err
		}
	}
	return nil
}
