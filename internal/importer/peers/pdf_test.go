package peers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/hippo-memory/hippo"
)

// countingReader calls fn once it has been read n times.
type countingReader struct {
	io.ReaderAt
	n  int
	fn func()
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	if c.n--; c.n == 0 {
		c.fn()
	}
	return c.ReaderAt.ReadAt(b, at)
}

// A tree of pages that contains itself has no end. Reading it ends with its context, and leaves
// nothing behind, because it runs in the goroutine of its caller.
func TestReadPDF_ends_with_its_context(t *testing.T) {
	t.Parallel()
	const endless = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" +
		"2 0 obj\n<< /Type /Pages /Kids [2 0 R] /Count 3 >>\nendobj\n" +
		"xref\n0 3\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \ntrailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n115\n%%EOF\n"
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := &countingReader{ReaderAt: bytes.NewReader([]byte(endless)), n: 1000, fn: cancel}
	parts, err := readPDF(ctx, r, int64(len(endless)), func(_ int, err error) error { return err })
	if !errors.Is(err, context.Canceled) || parts != nil {
		t.Errorf("got %v, %v", parts, err)
	}
	if r.n > 0 {
		t.Errorf("the file was read only %d times: it is not endless", 1000-r.n)
	}
}

func TestOpenPDF_says_that_it_was_cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, err := openPDF(ctx, file{path: "testdata/none.pdf", name: "none.pdf"})
	if err != nil {
		t.Fatal(err)
	}
	for m, err := range s.Entries() {
		if m != nil || !errors.Is(err, context.Canceled) || errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("got %v, %v", m, err)
		}
	}
}
