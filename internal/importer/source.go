// Package importer moves memories between stores, files and other programs: it recognises a source, files what it holds in projects, stores it
// and reports what became of it; and it writes exports. The formats are those of package formats, and of package peers for other programs.
package importer

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/importer/peers"
)

// Kinds lists the formats that can be read, one a line, for people.
func Kinds() []string { return strings.Split(peers.KnownKinds, "; ") }

// TextKinds are the formats that a text file can be read as.
func TextKinds() []string {
	return []string{string(peers.KindNotes), string(peers.KindMarkdown), string(peers.KindText)}
}

// Reading says how to read a source.
type Reading struct{ peers.Options }

// NewReading returns how to read a source. columns are those of a CSV file, such as "content=text,tags=labels"; as is one of [TextKinds]; both may
// be empty. The error is a [*hippo.FieldError] of the field map or as.
func NewReading(columns, as string) (r Reading, err error) {
	if columns != "" {
		if r.Map, err = peers.ParseMap(columns); err != nil {
			return r, err
		}
	}
	switch r.As = formats.Kind(as); r.As {
	case "", peers.KindNotes, peers.KindMarkdown, peers.KindText:
		return r, nil
	default:
		return r, hippo.Fieldf("as", "must be %s, %s or %s, got %q", peers.KindNotes, peers.KindMarkdown, peers.KindText, as)
	}
}

// Source is a source of memories that is open.
type Source struct {
	*formats.Source
	origin transfer.Origin
	done   func() error
}

// Close removes what was made to read the source.
func (s *Source) Close() error {
	if s == nil || s.done == nil {
		return nil
	}
	return s.done()
}

// Stdin is the path of the standard input.
const Stdin = "-"

// Open opens the source at a path, or stdin. The caller closes it.
func (r Reading) Open(ctx context.Context, path string, stdin io.Reader) (*Source, error) {
	if path == Stdin {
		return r.openStream(ctx, stdin)
	}
	full, err := config.Expand("file", path)
	if err != nil {
		return nil, err
	}
	src, err := peers.Open(ctx, full, r.Options)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%w: there is no file or directory %s; - reads stdin", hippo.ErrNotFound, full)
	}
	if err != nil {
		return nil, err
	}
	s := &Source{Source: src}
	if full, err = filepath.Abs(full); err == nil {
		s.origin = transfer.Origin{Path: filepath.ToSlash(full), Whole: src.Whole}
	}
	return s, nil
}

// openStream opens a stream. What it holds is detected from its beginning. One that has to be read more than once is copied to a file.
func (r Reading) openStream(ctx context.Context, stdin io.Reader) (*Source, error) {
	s := &Source{origin: transfer.Origin{Path: "stdin"}} // which is no file that is read again
	in := bufio.NewReaderSize(stdin, peers.SniffLength)
	var err error
	if head, bad := in.Peek(peers.SniffLength); (bad == nil || errors.Is(bad, io.EOF)) && peers.IsOwn(head, r.Options) {
		s.Source, err = formats.Read(in)
		return s, err
	}
	dir, err := os.MkdirTemp("", "hippo-import-")
	if err != nil {
		return nil, err
	}
	s.done = func() error { return os.RemoveAll(dir) }
	file, sum := filepath.Join(dir, "stdin"), ""
	if sum, err = copyTo(file, in); err == nil {
		r.URI = "stdin:" + sum // the same again is the same source
		s.Source, err = peers.Open(ctx, file, r.Options)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenSent opens a copy of a file that somebody sent. It is no file that is read again, so that what a former one of its name said stays.
func (r Reading) OpenSent(ctx context.Context, file string) (*Source, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	r.URI = "upload:" + hex.EncodeToString(h.Sum(nil)[:8]) // the same again is the same source
	s := &Source{origin: transfer.Origin{Path: "upload"}}
	s.Source, err = peers.Open(ctx, file, r.Options)
	return s, err
}

// copyTo copies a stream into a new file, and returns 16 digits of its checksum.
func copyTo(file string, in io.Reader) (sum string, err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), in)
	return hex.EncodeToString(h.Sum(nil)[:8]), errors.Join(err, f.Close())
}
