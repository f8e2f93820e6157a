package peers

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ledongthuc/pdf"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/formats"
)

// Limits on a PDF. The parser is not made for hostile files: a page may panic or take for ever.
const (
	maxPDF     = 256 << 20 // bytes of the file
	maxPages   = 5000
	maxPDFText = 32 << 20 // bytes of text
	pdfTimeout = 60 * time.Second
)

// errLongPDF is the error for a PDF that is not read within the limit.
var errLongPDF = fmt.Errorf("%w: PDF: it takes longer than %v to read; convert it to text first", hippo.ErrInvalid, pdfTimeout)

// openPDF reads the text of a PDF, a section a page.
func openPDF(f file) (*formats.Source, error) {
	return formats.NewSource(KindPDF, func(out *formats.Out) error {
		parts, err := pagesOf(f, time.After(pdfTimeout))
		if err != nil {
			return out.Memory(f.name, nil, err)
		}
		if len(parts) == 0 {
			return out.Memory(f.name, nil, fmt.Errorf("%w: PDF: it has no text, its pages may be pictures; convert it to text first, with pdftotext or OCR", hippo.ErrInvalid))
		}
		d := documentOf(f, f.name)
		return d.add(out, f.name, parts)
	}), nil
}

// pagesOf returns the text of the pages of a PDF. It reads them in a goroutine of its own, which
// is given up when the time is over.
func pagesOf(f file, timeout <-chan time.Time) ([]section, error) {
	type result struct {
		parts []section
		err   error
	}
	done := make(chan result, 1)
	stop := make(chan struct{})
	go func() {
		parts, err := readPDF(f.path, stop)
		done <- result{parts, err}
	}()
	select {
	case r := <-done:
		return r.parts, r.err
	case <-timeout:
		close(stop)
		return nil, errLongPDF
	}
}

// readPDF reads the pages of a PDF until stop is closed.
func readPDF(path string, stop <-chan struct{}) (parts []section, err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("%w: PDF: %v", hippo.ErrCorrupt, bad)
		}
	}()
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxPDF {
		return nil, hippo.Fieldf("file", "must be at most %d bytes", maxPDF)
	}
	r, err := pdf.NewReader(file, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: PDF: %w", hippo.ErrCorrupt, err)
	}
	if n := r.NumPage(); n > maxPages {
		return nil, hippo.Fieldf("pages", "must be at most %d, got %d", maxPages, n)
	}
	return readPages(r, stop)
}

func readPages(r *pdf.Reader, stop <-chan struct{}) (parts []section, err error) {
	size := 0
	for n := 1; n <= r.NumPage(); n++ {
		select {
		case <-stop:
			return nil, errLongPDF
		default:
		}
		page := r.Page(n)
		if page.V.IsNull() {
			continue
		}
		text, err := page.GetPlainText(nil)
		if err != nil {
			return nil, fmt.Errorf("%w: PDF: page %d: %w", hippo.ErrCorrupt, n, err)
		}
		if size += len(text); size > maxPDFText {
			return nil, hippo.Fieldf("text", "must be at most %d bytes", maxPDFText)
		}
		if strings.TrimSpace(text) != "" {
			parts = append(parts, section{headings: []string{fmt.Sprintf("page %d", n)}, lines: strings.Split(text, "\n")})
		}
	}
	return parts, nil
}
