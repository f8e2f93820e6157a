package peers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// Limits on a PDF. The parser is not made for hostile files: a page may panic or take for ever.
const (
	maxPDF         = 256 << 20 // bytes of the file
	maxPages       = 5000
	maxPDFText     = 32 << 20 // bytes of text
	maxPageContent = 8 << 20  // bytes of the drawing instructions of a page, unpacked
	pdfTimeout     = 60 * time.Second
)

// openPDF reads the text of a PDF, a section a page.
func openPDF(ctx context.Context, f file) (*formats.Source, error) {
	return formats.NewSource(KindPDF, func(out *formats.Out) (err error) {
		limited, cancel := context.WithTimeout(ctx, pdfTimeout)
		defer cancel()
		parts, err := pagesOf(limited, f, out)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case formats.Stopped(err):
			return err
		case limited.Err() != nil:
			err = fmt.Errorf("%w: PDF: it takes longer than %v to read; convert it to text first", hippo.ErrInvalid, pdfTimeout)
		case err == nil && len(parts) == 0:
			err = fmt.Errorf("%w: PDF: it has no text, its pages may be pictures; convert it to text first, with pdftotext or OCR", hippo.ErrInvalid)
		}
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		d := documentOf(f, f.name)
		return d.add(out, f.name, parts)
	}), nil
}

// pagesOf returns the text of the pages of a PDF, and reports pages that cannot be read.
func pagesOf(ctx context.Context, f file, out *formats.Out) (parts []section, err error) {
	r, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	info, err := r.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxPDF {
		return nil, hippo.Fieldf("file", "must be at most %d bytes", maxPDF)
	}
	return readPDF(ctx, r, info.Size(), func(page int, err error) error {
		return out.Memory(fmt.Sprintf("%s: page %d", f.name, page), nil, err)
	})
}

// cancelReader fails once ctx is done. The parser reads the file for every object, so that this
// ends it wherever it is, also in a loop that a hostile file causes.
type cancelReader struct {
	ctx context.Context //nolint:containedctx // of one reading
	r   io.ReaderAt
}

func (c cancelReader) ReadAt(b []byte, at int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.ReadAt(b, at)
}

// readPDF returns the text of the pages, and calls bad for each page that cannot be read.
func readPDF(ctx context.Context, file io.ReaderAt, size int64, bad func(page int, err error) error) (parts []section, err error) {
	var r *pdf.Reader
	pages := 0
	err = recovered(func() (err error) {
		if r, err = pdf.NewReader(cancelReader{ctx, file}, size); err == nil {
			pages = r.NumPage()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if pages > maxPages {
		return nil, hippo.Fieldf("pages", "must be at most %d, got %d", maxPages, pages)
	}
	total := 0
	for n := 1; n <= pages; n++ {
		text := ""
		err := recovered(func() (err error) {
			text, err = pageText(r.Page(n))
			return err
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			if err := bad(n, err); err != nil {
				return nil, err
			}
			continue
		}
		if total += len(text); total > maxPDFText {
			return nil, hippo.Fieldf("text", "must be at most %d bytes", maxPDFText)
		}
		if strings.TrimSpace(text) != "" {
			parts = append(parts, section{headings: []string{fmt.Sprintf("page %d", n)}, lines: strings.Split(text, "\n")})
		}
	}
	return parts, nil
}

// recovered calls fn, and returns a panic of the parser as an error.
func recovered(fn func() error) (err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("%w: PDF: %v", hippo.ErrCorrupt, bad)
		}
	}()
	if err = fn(); err != nil && !errors.Is(err, hippo.ErrInvalid) {
		err = fmt.Errorf("%w: PDF: %w", hippo.ErrCorrupt, err)
	}
	return err
}

// pageText returns the text of a page. It panics if the page is broken.
func pageText(p pdf.Page) (string, error) {
	if p.V.IsNull() {
		return "", nil
	}
	size, err := contentSize(p.V.Key("Contents"))
	if err != nil {
		return "", err
	}
	if size > maxPageContent {
		return "", hippo.Fieldf("page", "must be at most %d bytes unpacked", maxPageContent)
	}
	return drawnText(p), nil
}

// contentSize returns how many bytes a page unpacks to: at most a few more than the limit.
func contentSize(content pdf.Value) (size int64, err error) {
	streams := []pdf.Value{content}
	if content.Kind() == pdf.Array {
		streams = streams[:0]
		for i := range content.Len() {
			streams = append(streams, content.Index(i))
		}
	}
	for _, s := range streams {
		if s.Kind() != pdf.Stream {
			continue
		}
		r := s.Reader()
		n, err := io.Copy(io.Discard, io.LimitReader(r, maxPageContent+1-size))
		if size += n; size > maxPageContent || err != nil {
			return size, errors.Join(err, r.Close())
		}
		if err := r.Close(); err != nil {
			return size, err
		}
	}
	return size, nil
}
