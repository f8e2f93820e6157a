package formats

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hippo-memory/hippo"
)

// exportKey marks the header of an export; its value is the version.
const exportKey = "hippo_export"

// exportVersion is the version of the format that is written.
// 1: the header and [EncodeInsight] on one line.
const exportVersion = 1

// Writer writes an export: the header, then a memory a line. It is used by one
// goroutine.
type Writer struct {
	// SecretAllowed, if not nil, reports whether a memory holds a secret that its store has
	// accepted. It is marked, so that importing the export also accepts it.
	SecretAllowed func(*hippo.Memory) bool

	b *bufio.Writer
}

// allowedKey is the key of the mark of [Writer.SecretAllowed] in a line of an export.
const allowedKey = "secret_allowed"

// NewWriter returns a Writer to w for the memories of a store with calendar
// cal. Errors of writing the header come with those of the memories.
func NewWriter(w io.Writer, cal hippo.Calendar) *Writer {
	e := &Writer{b: bufio.NewWriter(w)}
	header := &objectWriter{}
	header.put(exportKey, exportVersion)
	header.put("active_day_counter", cal.Day)
	var date any // null for a store that was never used
	if cal.Date != "" {
		date = cal.Date
	}
	header.put("last_calendar_date_used", date)
	b, _ := header.plain()            // a number and a date always encode
	_, _ = e.b.Write(append(b, '\n')) // the buffer repeats the error
	return e
}

// Write appends one memory with the relations from it; Revision is not written. If the memory
// cannot be encoded, the error is [hippo.ErrInvalid] and names it, nothing is written, and
// the next one can be written.
func (e *Writer) Write(m *hippo.Memory, from ...hippo.Relation) error {
	w := &objectWriter{}
	writeLegacy(w, m)
	writeOwn(w, m)
	writeRelations(w, from)
	if e.SecretAllowed != nil && e.SecretAllowed(m) {
		w.put(allowedKey, true)
	}
	writeMetadata(w, m)
	b, err := w.plain()
	if err != nil {
		return fmt.Errorf("memory %s: %w", m.ID, err)
	}
	var line bytes.Buffer
	line.Grow(len(b) + 1)
	if err := json.Compact(&line, b); err != nil {
		return fmt.Errorf("memory %s: %w: %w", m.ID, hippo.ErrInvalid, err)
	}
	line.WriteByte('\n')
	_, err = e.b.Write(line.Bytes())
	return err
}

// Flush writes the buffer. The export is complete after it returned nil.
func (e *Writer) Flush() error { return e.b.Flush() }

// readHeader reads the first line of an export.
func readHeader(in *lines) (hippo.Calendar, error) {
	line, err := in.next()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: no header", hippo.ErrCorrupt)
		}
		return hippo.Calendar{}, err
	}
	var h struct {
		Version json.Number `json:"hippo_export"`
		calendarKeys
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return hippo.Calendar{}, fmt.Errorf("line %d: %w", in.n, broken(err))
	}
	v, err := h.Version.Int64()
	if err != nil || v < 1 {
		return hippo.Calendar{}, fmt.Errorf("line %d: %w", in.n, hippo.Fieldf(exportKey, "must be %d, got %q", exportVersion, h.Version))
	}
	if v > exportVersion {
		return hippo.Calendar{}, fmt.Errorf("%w: %s is %d, this program reads up to %d", hippo.ErrUnsupported, exportKey, v, exportVersion)
	}
	cal, err := h.calendar()
	if err != nil {
		return cal, fmt.Errorf("line %d: %w", in.n, err)
	}
	return cal, nil
}
