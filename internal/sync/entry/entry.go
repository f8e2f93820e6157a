// Package entry defines what independently changed stores exchange: entries, grouped in segments, encoded as lines of JSON.
//
// An entry is one write by one replica: the parts of a memory that the write set. A segment is a run of entries that one replica wrote
// with the same knowledge of the others. Stores may join entries in any order and any number of times; see package merge.
//
// The package keeps parts and fields that it does not know and passes them on byte for byte. It rejects a line that breaks a limit or
// is not an entry, with an error that names the line.
package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Limits on input from other replicas.
const (
	MaxLine    = 4 << 20 // bytes: enough for metadata and a content with every byte escaped
	MaxParts   = 1 << 14 // per entry: as many keys as a memory's metadata can hold
	MaxPart    = hippo.MaxMetadata + 256
	MaxVector  = 1 << 12 // replicas
	MaxSeq     = 1 << 53 // every JSON reader represents integers up to this exactly
	MaxEntries = 1 << 14 // per segment
)

// Entry is one write by a replica to one memory.
type Entry struct {
	Dot
	Time clock.Time
	// Subject is the memory written to; for a relation, its source memory. It is zero if the entry belongs to no memory.
	Subject hippo.ID
	// Seen extends the segment's vector: for each replica listed, the writer had seen every change to this entry's parts up to that number.
	Seen Vector
	// Also lists single entries that the writer had seen beyond the vector and Seen.
	Also []Dot
	// Parts holds the values that the entry sets, keyed by part name. Relations and metadata keys are parts as well.
	Parts map[string]json.RawMessage

	others []field // fields that this program does not know
	line   []byte  // the source line; nil once the entry has changed
}

// field is a member of a JSON object, exactly as in the source.
type field struct {
	key   string
	value json.RawMessage
}

// Stamp orders the entry among all others.
func (e *Entry) Stamp() clock.Stamp { return clock.Stamp{Time: e.Time, Origin: e.Origin} }

// Drop removes a part.
func (e *Entry) Drop(part string) {
	if _, ok := e.Parts[part]; ok {
		delete(e.Parts, part)
		e.line = nil
	}
}

// Set sets a part.
func (e *Entry) Set(part string, value json.RawMessage) {
	if e.Parts == nil {
		e.Parts = make(map[string]json.RawMessage)
	}
	e.Parts[part], e.line = value, nil
}

// Clone returns a copy whose parts can change independently. Both share the values.
func (e *Entry) Clone() *Entry {
	c := *e
	c.Parts = maps.Clone(e.Parts)
	return &c
}

// Renumbered returns a copy of the entry with another dot.
func (e *Entry) Renumbered(d Dot) *Entry {
	c := e.Clone()
	c.Dot, c.line = d, nil
	return c
}

// Names returns the sorted names of the parts.
func (e *Entry) Names() []string {
	return slices.Sorted(maps.Keys(e.Parts))
}

// Line returns the entry as one line of JSON, without the newline. An entry that has not changed since Parse keeps its source line.
func (e *Entry) Line() []byte {
	if e.line != nil {
		return e.line
	}
	var b bytes.Buffer
	b.WriteString(`{"n":`)
	b.WriteString(strconv.FormatUint(e.Seq, 10))
	b.WriteString(`,"t":"` + e.Time.String())
	if !e.Subject.IsZero() {
		b.WriteString(`","id":"` + e.Subject.String())
	}
	b.WriteByte('"')
	if len(e.Seen) > 0 {
		b.WriteString(`,"seen":`)
		b.Write(e.Seen.json())
	}
	for i, d := range e.Also {
		fmt.Fprintf(&b, `%s["%v",%d]`, map[bool]string{true: `,"also":[`, false: ","}[i == 0], d.Origin, d.Seq)
	}
	if len(e.Also) > 0 {
		b.WriteByte(']')
	}
	b.WriteString(`,"p":{`)
	for i, name := range e.Names() {
		if i > 0 {
			b.WriteByte(',')
		}
		writeField(&b, field{name, e.Parts[name]})
	}
	b.WriteByte('}')
	for _, f := range e.others {
		b.WriteByte(',')
		writeField(&b, f)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func writeField(b *bytes.Buffer, f field) {
	if plain(f.key) {
		b.WriteByte('"')
		b.WriteString(f.key)
		b.WriteByte('"')
	} else {
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		_ = e.Encode(f.key)     // encoding a string and writing to a buffer never fail
		b.Truncate(b.Len() - 1) // drops the newline
	}
	b.WriteByte(':')
	b.Write(f.value)
}

// plain reports whether JSON encodes a string without escapes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// json returns a JSON object that maps replicas to numbers, ordered by replica.
func (v Vector) json() []byte {
	var b strings.Builder
	b.WriteByte('{')
	for i, r := range v.Replicas() {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"%v":%d`, r, v[r])
	}
	b.WriteByte('}')
	return []byte(b.String())
}

// MarshalJSON implements [json.Marshaler].
func (v Vector) MarshalJSON() ([]byte, error) { return v.json(), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (v *Vector) UnmarshalJSON(b []byte) error {
	list, err := fields(b)
	if err != nil {
		return err
	}
	if len(list) > MaxVector {
		return fmt.Errorf("%w: a vector of %d replicas, at most %d are allowed", hippo.ErrInvalid, len(list), MaxVector)
	}
	*v = make(Vector, len(list))
	for _, f := range list {
		r, err := clock.ParseReplica(f.key)
		if err != nil {
			return err
		}
		if (*v)[r], err = number(f); err != nil {
			return err
		}
	}
	return nil
}

// Parse reads one line as an entry of a replica. Its errors are [hippo.ErrInvalid].
func Parse(origin clock.Replica, line []byte) (*Entry, error) {
	e := &Entry{Dot: Dot{Origin: origin}, line: slices.Clone(line)}
	list, err := fields(e.line)
	if err != nil {
		return nil, err
	}
	timed := false
	for _, f := range list {
		switch f.key {
		case "n":
			e.Seq, err = number(f)
		case "t":
			timed = true
			e.Time, err = moment(f)
		case "id":
			e.Subject, err = identity(f)
		case "seen":
			err = e.Seen.UnmarshalJSON(f.value)
		case "also":
			e.Also, err = dots(f.value)
		case "p":
			e.Parts, err = parts(f.value)
		default:
			e.others = append(e.others, f)
		}
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", f.key, err)
		}
	}
	if e.Seq == 0 || !timed || e.Parts == nil {
		return nil, fmt.Errorf("%w: an entry needs a number n, a time t and parts p", hippo.ErrInvalid)
	}
	return e, nil
}

func dots(b []byte) ([]Dot, error) {
	var list [][2]json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil || len(list) > MaxVector {
		return nil, fmt.Errorf("%w: must be a list of at most %d pairs of a replica and a number", hippo.ErrInvalid, MaxVector)
	}
	out := make([]Dot, len(list))
	for i, pair := range list {
		id, err := text(field{value: pair[0]})
		if err != nil {
			return nil, err
		}
		if out[i].Origin, err = clock.ParseReplica(id); err != nil {
			return nil, err
		}
		if out[i].Seq, err = number(field{value: pair[1]}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func parts(b []byte) (map[string]json.RawMessage, error) {
	list, err := fields(b)
	if err != nil {
		return nil, err
	}
	if len(list) > MaxParts {
		return nil, fmt.Errorf("%w: %d parts, at most %d are allowed", hippo.ErrInvalid, len(list), MaxParts)
	}
	out := make(map[string]json.RawMessage, len(list))
	for _, f := range list {
		if len(f.key) > MaxPart || f.key == "" {
			return nil, fmt.Errorf("%w: the name of a part must have 1 to %d bytes, got %d", hippo.ErrInvalid, MaxPart, len(f.key))
		}
		out[f.key] = f.value
	}
	return out, nil
}
