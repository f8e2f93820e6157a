// Package entry has what stores that are changed apart from each other exchange: entries, in segments, as lines of JSON.
//
// An entry is one write of one replica: the parts of a memory that it has set. A segment is a run of entries of one replica that
// were written on the same knowledge of the others. Entries are joined in any order and any number of times; see package merge.
//
// Parts and fields that this program does not know are kept and passed on byte for byte. What breaks a limit, or is no entry at all,
// is an error that names the line.
package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Limits of what is accepted from others.
const (
	MaxLine    = 4 << 20 // bytes: a content of which every byte is escaped, and metadata
	MaxParts   = 1 << 14 // of an entry: as many keys as fit into the metadata of a memory
	MaxPart    = hippo.MaxMetadata + 256
	MaxVector  = 1 << 12 // replicas
	MaxSeq     = 1 << 53 // what every reader of JSON holds exactly
	MaxEntries = 1 << 14 // of a segment
)

// Entry is one write of a replica to one memory.
type Entry struct {
	Dot
	Time clock.Time
	// Subject is the memory, that from which a relation leads, or zero for what belongs to no memory.
	Subject hippo.ID
	// Seen is what the writer had seen beyond the vector of the segment: all that these replicas have set of its parts up to a number.
	Seen Vector
	// Also are single entries that the writer had seen beyond that.
	Also []Dot
	// Parts are the values that were set, by the name of the part. A relation and a key of the metadata are parts, too.
	Parts map[string]json.RawMessage

	others []field // that this program does not know
	line   []byte  // as it was read; nil if it was changed since
}

// field is a member of an object, as it was written.
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

// Clone returns a copy whose parts can be changed apart. The values are shared.
func (e *Entry) Clone() *Entry {
	c := *e
	c.Parts = maps.Clone(e.Parts)
	return &c
}

// Names returns the names of the parts, in order.
func (e *Entry) Names() []string {
	return slices.Sorted(maps.Keys(e.Parts))
}

// Line returns the entry as one line of JSON, without its end. What was read and not changed is returned as it was.
func (e *Entry) Line() []byte {
	if e.line != nil {
		return e.line
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"n":%d,"t":"%v"`, e.Seq, e.Time)
	if !e.Subject.IsZero() {
		fmt.Fprintf(&b, `,"id":"%v"`, e.Subject)
	}
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
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(f.key)     // a string can be encoded, and a buffer written
	b.Truncate(b.Len() - 1) // the end of the line
	b.WriteByte(':')
	b.Write(f.value)
}

// json returns an object of numbers by replica, in the order of replicas.
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

// Parse reads the line of an entry of a replica. The error is [hippo.ErrInvalid].
func Parse(origin clock.Replica, line []byte) (*Entry, error) {
	list, err := fields(line)
	if err != nil {
		return nil, err
	}
	e := &Entry{Dot: Dot{Origin: origin}, line: slices.Clone(line)}
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
