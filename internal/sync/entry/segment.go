package entry

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
)

// Format is the version of the line format that this program reads and writes.
const Format = 1

// Segment holds the entries of a replica from one number to another that still count. It omits entries that have no parts left. Vector
// records what the replica had seen of others when it began the segment: an entry of another replica is older than these entries if and
// only if Vector, or an entry's Seen, covers it. Readers drop header fields that they do not know.
type Segment struct {
	Replica  clock.Replica
	From, To uint64
	Vector   Vector
	Entries  []*Entry
}

// Write writes each segment as lines: a header, then its entries.
func Write(w io.Writer, list ...*Segment) error {
	b := bufio.NewWriter(w)
	line := func(text []byte) { // Flush reports the first error
		_, _ = b.Write(text)
		_ = b.WriteByte('\n')
	}
	for _, s := range list {
		line(s.header())
		for _, e := range s.Entries {
			line(e.Line())
		}
	}
	return b.Flush()
}

func (s *Segment) header() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"format":%d,"replica":"%v","from":%d,"to":%d,"vector":`, Format, s.Replica, s.From, s.To)
	b.Write(s.Vector.json())
	b.WriteByte('}')
	return b.Bytes()
}

// Read yields the segments that [Write] wrote. It stops at the first error; the segments before it remain usable. Errors name the line.
// They are [hippo.ErrInvalid], [hippo.ErrUnsupported] for a newer format, or an error of the reader.
func Read(r io.Reader) iter.Seq2[*Segment, error] {
	return func(yield func(*Segment, error) bool) {
		in := bufio.NewReader(r)
		var s *Segment
		for n := 1; ; n++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) {
				break
			}
			var next *Segment
			if err == nil {
				next, err = s.read(line)
			}
			if err != nil {
				yield(nil, fmt.Errorf("line %d: %w", n, err))
				return
			}
			if next != nil && s != nil && !yield(s, nil) {
				return
			}
			if next != nil {
				s = next
			}
		}
		if s != nil {
			yield(s, nil)
		}
	}
}

// read reads the next line after s, which is nil before the first segment. It appends an entry to s, or returns the segment that a header begins.
func (s *Segment) read(line []byte) (*Segment, error) {
	if bytes.HasPrefix(line, []byte(`{"format":`)) {
		return readHeader(line)
	}
	if s == nil {
		return nil, fmt.Errorf("%w: not the header of a segment", hippo.ErrInvalid)
	}
	e, err := Parse(s.Replica, line)
	switch last := len(s.Entries) - 1; {
	case err != nil:
		return nil, err
	case e.Seq < s.From || e.Seq > s.To:
		return nil, fmt.Errorf("%w: entry %d is not one of the numbers %d to %d of its segment", hippo.ErrInvalid, e.Seq, s.From, s.To)
	case last >= 0 && e.Seq <= s.Entries[last].Seq:
		return nil, fmt.Errorf("%w: entry %d follows entry %d", hippo.ErrInvalid, e.Seq, s.Entries[last].Seq)
	case len(s.Entries) == MaxEntries:
		return nil, fmt.Errorf("%w: a segment of more than %d entries", hippo.ErrInvalid, MaxEntries)
	}
	s.Entries = append(s.Entries, e)
	return nil, nil
}

func readHeader(line []byte) (*Segment, error) {
	list, err := fields(line)
	if err != nil {
		return nil, err
	}
	if n, err := number(list[0]); err != nil || n != Format {
		return nil, fmt.Errorf("%w: format %.40s, this program knows %d: use a newer hippo", hippo.ErrUnsupported, list[0].value, Format)
	}
	s := &Segment{}
	for _, f := range list[1:] {
		switch f.key {
		case "replica":
			var id string
			if id, err = text(f); err == nil {
				s.Replica, err = clock.ParseReplica(id)
			}
		case "from":
			s.From, err = number(f)
		case "to":
			s.To, err = number(f)
		case "vector":
			err = s.Vector.UnmarshalJSON(f.value)
		}
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w", f.key, err)
		}
	}
	if s.Replica.IsZero() || s.Vector == nil || s.From == 0 || s.To < s.From {
		return nil, fmt.Errorf("%w: the header of a segment needs a replica, a vector, and numbers from and to", hippo.ErrInvalid)
	}
	return s, nil
}
