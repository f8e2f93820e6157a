package mcpserver

import (
	"encoding/json"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/verb"
)

// moment is a time as it was given.
type moment verb.Time

// set implements [setter].
func (m *moment) set(name string, raw json.RawMessage) error {
	m.Name = name
	if text, ok := unixTime(raw); ok {
		m.Text = text
		return nil
	}
	return set(name, raw, &m.Text)
}

// momentInput is the moment as of which something is read.
type momentInput struct{ verb.Moment }

// fields implements [input]. No schema names them.
func (in *momentInput) fields() []field {
	list := fieldsOf(in.Args())
	for i := range list {
		list[i].unlisted = true
	}
	return list
}

func (in *momentInput) value(s *session) (hippo.Moment, error) { return in.Moment.Moment(s.now()) }

// now returns the time in the zone of the store, in which days are read and shown.
func (s *session) now() time.Time { return s.server.Now().In(s.Zone()) }
