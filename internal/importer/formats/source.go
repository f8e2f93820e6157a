package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/hippo-memory/hippo"
)

// MaxEntry is the maximum size in bytes of one entry: a line, an element of an array, a file
// of a directory. The largest valid memory fits with every character escaped.
const MaxEntry = 4 << 20

// Kind is a format of a source of memories; the package comment describes each.
type Kind string

// The kinds.
const (
	KindDirectory Kind = "hippo directory"
	KindInsights  Kind = "python directory"
	KindLegacy    Kind = "legacy file"
	KindInsight   Kind = "insight file"
	KindExport    Kind = "hippo export"
	KindTurns     Kind = "conversation lines"
	KindLines     Kind = "json lines"
	KindArray     Kind = "json array"
)

// Own reports whether this program wrote what is of a kind, so that its projects have the names that they have here.
func Own(k Kind) bool {
	return slices.Contains([]Kind{KindDirectory, KindInsights, KindLegacy, KindInsight, KindExport}, k)
}

// Source is a source of memories of a known kind.
type Source struct {
	Kind Kind
	// Calendar is the last active day of the source; zero if its memories have no active
	// days. If the counter is lost it is the newest access day, without a date.
	Calendar hippo.Calendar
	// Count is the number of entries, blank lines not counted; 0 if unknown.
	Count int

	each      func(yield) error
	relations []hippo.Relation  // read so far
	skipped   map[string]int    // read so far, by kind
	allowed   map[hippo.ID]bool // read so far, see SecretAllowed
	place     string            // of the entry that is being yielded, if line is 0
	line      int               // of that entry
	file      sourceFile        // that is being read
	whole     []string          // files that were read so far, see Whole
}

// yield receives an entry or the error in its place; false ends the reading.
type yield func(*hippo.Memory, error) bool

// errStop stops reading when the loop over the entries has ended.
var errStop = errors.New("stop")

// Entries yields the memories in the order of the source, each valid by
// [hippo.Memory.Validate], or the error of an entry that is not. Every error
// says where the entry is: "line 7: importance: must be ...". A source that
// cannot be read on (an I/O error, an array that is cut off) ends with an error.
// The caller owns the memories. A source made by [Open] may be read again; one
// made by [Read] once.
func (s *Source) Entries() iter.Seq2[*hippo.Memory, error] {
	return func(y func(*hippo.Memory, error) bool) {
		s.relations, s.skipped, s.allowed, s.place, s.line, s.whole = nil, nil, nil, "", 0, nil
		if err := s.each(y); err != nil && !errors.Is(err, errStop) {
			y(nil, err)
		}
	}
}

// Place says where the entry is that [Source.Entries] is yielding, such as "line 7"; empty if the
// kind has no places. It is for errors of the loop: those of the source name it themselves.
func (s *Source) Place() string {
	if s.line > 0 {
		return fmt.Sprintf("line %d", s.line)
	}
	return s.place
}

// SecretAllowed reports whether an export of Hippo, as far as it was read, says that the memory of
// an ID may hold a secret: the store that it is from had accepted it.
func (s *Source) SecretAllowed(id hippo.ID) bool { return s.allowed[id] }

// Open detects the kind of the file or directory at path, and reads it once to count the
// entries. Errors: [hippo.ErrInvalid] if it is of no known kind, [hippo.ErrUnsupported] if a
// newer program wrote it, those of package os if it cannot be read.
func Open(path string) (*Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return openDirectory(path)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s is neither a file nor a directory", hippo.ErrInvalid, path)
	}
	s, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// Read detects the kind of a stream, which it reads in one pass: JSON lines of every kind,
// an array, one insight. The count is unknown, and so is the calendar of insights without
// the header of an export. A legacy file is [hippo.ErrUnsupported], because its calendar is
// at its end; other errors are those of [Open].
func Read(r io.Reader) (*Source, error) {
	b := newReader(r)
	kind, err := sniff(b)
	if err != nil {
		return nil, err
	}
	s := &Source{Kind: kind}
	in := newLines(b)
	switch kind {
	case KindLegacy:
		return nil, fmt.Errorf("%w: a legacy file cannot be read from a stream, give its path", hippo.ErrUnsupported)
	case KindExport:
		if s.Calendar, err = readHeader(in); err != nil {
			return nil, err
		}
	default:
	}
	s.each = func(y yield) error { return s.readAs(kind, in, y) }
	return s, nil
}

func openFile(path string) (*Source, error) {
	s := &Source{}
	err := withFile(path, func(b *bufio.Reader) (err error) {
		if s.Kind, err = sniff(b); err != nil {
			return err
		}
		return s.survey(b)
	})
	if err != nil {
		return nil, err
	}
	s.each = func(y yield) error {
		return withFile(path, func(b *bufio.Reader) error {
			if s.Kind == KindLegacy {
				return readLegacy(b, y)
			}
			in := newLines(b)
			if s.Kind == KindExport {
				if _, err := readHeader(in); err != nil {
					return err
				}
			}
			return s.readAs(s.Kind, in, y)
		})
	}
	return s, nil
}

// survey reads a whole file for its calendar and its number of entries.
func (s *Source) survey(b *bufio.Reader) (err error) {
	visit := func(entry []byte) {
		s.Count++
		if s.Kind != KindExport && bytes.Contains(entry, []byte(`"daily_access_counts"`)) {
			if m, err := DecodeInsight(entry); err == nil {
				s.Calendar.Day = max(s.Calendar.Day, newestDay(m))
			}
		}
	}
	switch s.Kind {
	case KindLegacy:
		s.Calendar, s.Count, err = countLegacy(b)
		return err
	case KindArray:
		return countArray(b, visit)
	case KindInsight:
		entry, err := io.ReadAll(io.LimitReader(b, MaxEntry))
		visit(entry)
		return err
	case KindExport:
		in := newLines(b)
		if s.Calendar, err = readHeader(in); err != nil {
			return err
		}
		return in.survey(visit)
	default:
		return newLines(b).survey(visit)
	}
}

// readAs yields the entries of a stream of any kind except a legacy file.
func (s *Source) readAs(kind Kind, in *lines, y yield) error {
	d := newDecoder()
	switch kind {
	case KindArray:
		return readArray(in.r, d, y)
	case KindInsight:
		m, err := readWhole(in.r, d)
		y(m, err)
		return nil
	case KindExport:
		return in.entries(func(b []byte) (*hippo.Memory, error) { return s.takeExtras(DecodeInsight(b)) }, s.atLine(in, y))
	default:
		return in.entries(d.decode, s.atLine(in, y))
	}
}

// atLine notes the line of each entry for [Source.Place].
func (s *Source) atLine(in *lines, y yield) yield {
	return func(m *hippo.Memory, err error) bool {
		s.line = in.n
		return y(m, err)
	}
}

// readWhole reads one object that fills the stream.
func readWhole(r io.Reader, d *decoder) (*hippo.Memory, error) {
	b, err := io.ReadAll(io.LimitReader(r, MaxEntry+1))
	if err != nil {
		return nil, err
	}
	if len(b) > MaxEntry {
		return nil, tooLong("file")
	}
	return checked(d.decode(b))
}

// checked validates a decoded memory.
func checked(m *hippo.Memory, err error) (*hippo.Memory, error) {
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

func tooLong(what string) error {
	return hippo.Fieldf(what, "must be at most %d bytes", MaxEntry)
}

// newestDay is the last day that m was accessed on; 0 for no memory.
func newestDay(m *hippo.Memory) hippo.Day {
	if m == nil || len(m.Accesses) == 0 {
		return 0
	}
	return m.Accesses[len(m.Accesses)-1].Day
}

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, sniffLength) }

func withFile(path string, read func(*bufio.Reader) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return read(newReader(f))
}
