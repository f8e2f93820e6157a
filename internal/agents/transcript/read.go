package transcript

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxUnrecognised is the number of records that are kept until one is recognised.
const maxUnrecognised = 64

// ReadFile reads a transcript. The file may grow meanwhile: what is there at the beginning of the
// call is read. Errors are [ErrUnknownFormat], [ErrTooLarge], those of the file and of ctx; the
// transcript holds what was read before the error. Memory: the turns, and one record.
func ReadFile(ctx context.Context, path string, o Options) (*Transcript, error) {
	info, err := os.Stat(path) // first: opening a pipe would wait
	if err != nil {
		return &Transcript{}, err
	}
	if !info.Mode().IsRegular() {
		return &Transcript{}, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return &Transcript{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	start, document, err := begin(ctx, f, info.Size(), &o)
	if err != nil {
		return &Transcript{Client: o.Client}, err
	}
	if document {
		return Read(ctx, io.NewSectionReader(f, 0, info.Size()), Options{Client: o.Client})
	}
	r := io.NewSectionReader(f, start, info.Size()-start)
	s := newScanner(r, start, o)
	if start > 0 {
		if err := s.align(f); err != nil {
			return &s.out, err
		}
	}
	return s.lines(ctx)
}

// begin recognises the client of a file and returns where to start.
func begin(ctx context.Context, f *os.File, size int64, o *Options) (start int64, document bool, err error) {
	if o.From <= 0 && !o.Tail {
		return 0, isDocument(io.NewSectionReader(f, 0, size)), nil
	}
	if isDocument(io.NewSectionReader(f, 0, size)) {
		return 0, true, nil
	}
	if o.Client == "" {
		head := newScanner(io.NewSectionReader(f, 0, size), 0, Options{MaxBytes: MaxRecord})
		t, err := head.recognise(ctx)
		if err != nil {
			return 0, false, err
		}
		o.Client = t
	}
	start = min(max(o.From, 0), size)
	if o.Tail && o.MaxBytes > 0 {
		start = max(start, size-o.MaxBytes)
		o.MaxBytes = 0
	}
	return start, false, nil
}

// Read reads a transcript from a stream. [Options.From] counts from its beginning and Tail is
// ignored. Errors and memory are those of [ReadFile].
func Read(ctx context.Context, r io.Reader, o Options) (*Transcript, error) {
	b := bufio.NewReaderSize(r, peeked)
	if isDocument(b) {
		if mark, _ := b.Peek(len("\ufeff")); string(mark) == "\ufeff" {
			_, _ = b.Discard(len(mark))
		}
		return readDocument(ctx, b, o.Client)
	}
	if o.From > 0 {
		if _, err := io.CopyN(io.Discard, b, o.From); err != nil && !errors.Is(err, io.EOF) {
			return &Transcript{}, err
		}
	}
	return newScanner(b, max(o.From, 0), o).lines(ctx)
}

// scanner reads JSON Lines.
type scanner struct {
	reader   *bufio.Reader
	buffer   []byte
	at       int64 // offset behind the last complete line
	limit    int64 // offset at which to stop; 0: none
	adapter  *adapter
	problem  error // why there is no adapter
	waiting  []waiting
	talk     *conversation
	out      Transcript
	maxLines int
}

// waiting is a record of a client that is not known yet.
type waiting struct {
	record record
	at     int64
}

func newScanner(r io.Reader, start int64, o Options) *scanner {
	s := &scanner{reader: bufio.NewReaderSize(r, 64<<10), at: start, talk: newConversation(), maxLines: maxUnrecognised}
	s.out.Start, s.out.Client = start, o.Client
	if o.MaxBytes > 0 {
		s.limit = start + o.MaxBytes
	}
	if o.Client != "" {
		a, err := adapterOf(o.Client)
		s.adapter, s.problem = &a, err
	}
	return s
}

// align continues with the next line if the start is inside one.
func (s *scanner) align(f io.ReaderAt) error {
	var before [1]byte
	if _, err := f.ReadAt(before[:], s.at-1); err != nil {
		return err
	}
	if before[0] == '\n' {
		return nil
	}
	_, _, err := s.next()
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return err
}

// next reads a line. long: it is over [MaxRecord] and was skipped. The error is io.EOF after the
// last line that has a line break; line then holds what comes behind it.
func (s *scanner) next() (line []byte, long bool, err error) {
	s.buffer = s.buffer[:0]
	size := int64(0)
	for {
		piece, err := s.reader.ReadSlice('\n')
		size += int64(len(piece))
		if long = long || len(s.buffer)+len(piece) > MaxRecord; !long {
			s.buffer = append(s.buffer, piece...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return s.buffer, long, err
		}
		s.at += size
		return s.buffer, long, nil
	}
}

// lines reads to the end or to the limit.
func (s *scanner) lines(ctx context.Context) (*Transcript, error) {
	err := s.problem
	for err == nil {
		if err = ctx.Err(); err != nil {
			break
		}
		if s.limit > 0 && s.at >= s.limit {
			_, peek := s.reader.Peek(1)
			s.out.More = peek == nil
			break
		}
		err = s.line()
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && s.adapter == nil && (len(s.waiting) > 0 || s.out.Malformed+s.out.TooLong > 0) {
		err = ErrUnknownFormat
	}
	s.out.End, s.out.Turns, s.out.Session = s.at, s.talk.turns, s.talk.session
	return &s.out, err
}

// line reads and adds one line. The last one of the input counts without its line break if it is
// complete.
func (s *scanner) line() error {
	line, long, end := s.next()
	s.talk.line++
	text := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))) // a mark of the byte order, before the first record
	switch {
	case long && end == nil:
		s.out.TooLong++
	case len(text) == 0 || long:
	case end != nil:
		if json.Valid(text) {
			s.at += int64(len(line))
			return errors.Join(s.add(text), end)
		}
	default:
		if err := s.add(text); err != nil {
			return err
		}
	}
	return end
}

// add decodes a line.
func (s *scanner) add(text []byte) error {
	r, ok := decoded[record](text)
	if !ok {
		s.out.Malformed++
		return nil
	}
	if s.adapter == nil {
		s.waiting = append(s.waiting, waiting{r, s.at})
		a, ok := recognise(r)
		if !ok {
			if len(s.waiting) >= s.maxLines {
				return ErrUnknownFormat
			}
			return nil
		}
		s.adapter, s.out.Client = &a, a.client
		for _, w := range s.waiting {
			s.apply(w.record, w.at)
		}
		s.waiting = nil
		return nil
	}
	s.apply(r, s.at)
	return nil
}

func (s *scanner) apply(r record, at int64) {
	s.talk.at = at
	if s.adapter.add(s.talk, r) != nil {
		s.out.Malformed++
	}
}

// recognise reads until a line is recognised.
func (s *scanner) recognise(ctx context.Context) (Client, error) {
	for s.adapter == nil {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if s.at >= s.limit {
			return "", ErrUnknownFormat
		}
		err := s.line()
		if s.adapter == nil && err != nil {
			if errors.Is(err, io.EOF) {
				err = ErrUnknownFormat
			}
			return "", err
		}
	}
	return s.adapter.client, nil
}
