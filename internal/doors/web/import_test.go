package web_test

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
)

// sendFile sends a file by the form of the page of imports, and returns the page that follows.
func (b *browser) sendFile(name string, content io.Reader, fields ...string) *shown {
	b.t.Helper()
	form := b.open("/ui/import").form("Preview")
	if form == nil {
		b.t.Fatal("there is no form for a file")
	}
	values := fieldsOf(form)
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	body, pipe := io.Pipe()
	w := multipart.NewWriter(pipe)
	go func() {
		err := errors.Join(w.WriteField("csrf", values.Get("csrf")), w.WriteField("project", values.Get("project")))
		part, bad := w.CreateFormFile("file", name)
		if err = errors.Join(err, bad); err == nil {
			_, err = io.Copy(part, content)
		}
		pipe.CloseWithError(errors.Join(err, w.Close()))
	}()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.server.URL+attribute(form, "action"), body)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Origin", b.server.URL)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	out := b.do(r)
	if out.status == http.StatusSeeOther {
		return b.open(out.header.Get("Location"))
	}
	return out
}

// TestImport: a file is previewed, imported, confirmed and taken back, each by one click.
func TestImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := open(t)
	b := s.owner()
	const notes = "content,tags\nThe gateway times out after 30 s,net\nThe cache <b>is</b> cold,\n,none\n"
	p := b.sendFile("team notes.csv", strings.NewReader(notes), "project", "new:p")
	p.want(http.StatusOK, "team notes.csv is read as: csv", "New 2 memories", "The gateway times out after 30 s", "The cache <b>is</b> cold", "low trust")
	if got := s.contents(); len(got) != 0 {
		t.Fatalf("the preview has stored %q", got)
	}
	done := b.submit(p, "Import")
	done.want(http.StatusOK, "Imported 2 memories.", "The gateway times out", "low trust")
	b.submit(p, "Import").want(http.StatusOK, "was imported already")
	confirmed := b.submit(b.open(done.path), "Confirm all of this import")
	confirmed.want(http.StatusOK, "Confirmed 2 memories.")
	again := b.sendFile("team notes.csv", strings.NewReader(notes), "project", "p")
	again.want(http.StatusOK, "Here already 2 memories")
	b.submit(again, "Import").want(http.StatusOK, "all of it is here already")
	b.submit(confirmed, "Undo").want(http.StatusOK, "Undone.")
	b.submit(done, "Undo").want(http.StatusOK, "Undone.")
	if got := s.contents(); len(got) != 0 {
		t.Errorf("after the undo there are %q", got)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "hippo-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%q are left (%v)", left, err)
	}
}

// TestImport_wrong: a wrong file or field says what is wrong, without the folder of the copy, and stores nothing.
func TestImport_wrong(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := open(t)
	b := s.owner()
	for _, c := range []struct {
		name, content, project, says string
	}{
		{"", "", "", "File: is missing"},
		{"data.bin", "\x00\x01\x02\x03\xff\xfe", "", "Data.bin: invalid: looks like a binary file"},
		{"../../etc/pass\twd.jsonl", "{\"content\":\"a note\"}\n{broken\n", "", "Rejected"},
		{"a.jsonl", "{\"content\":\"a note\"}\n", "nowhere", "nowhere"},
		{"a.jsonl", "{\"content\":\"key AKIAIOSFODNN7EXAMPLF\"}\n", "", "Rejected"},
		{"a.zip", "PK\x03\x04 and no more", "", "A.zip: corrupt: the zip file is cut off"},
	} {
		p := b.sendFile(c.name, strings.NewReader(c.content), "project", c.project)
		if text := textOf(p.root); !strings.Contains(text, c.says) || strings.Contains(text, os.TempDir()) || strings.Contains(text, "hippo-upload") {
			t.Errorf("%q says %d %s", c.name, p.status, text)
		}
	}
	b.sendFile("large.txt", io.LimitReader(endless{}, 257<<20)).want(http.StatusUnprocessableEntity, "File: must have at most 256 MB")
	if got := s.contents(); len(got) != 0 {
		t.Errorf("there are %q", got)
	}
	bearer := newSite(t)
	bearer.bearer.Scope = hippo.LocalScope("")
	bearer.start()
	bearer.browser().send("/ui/import", nil).want(http.StatusForbidden)
}

// endless is a text without an end.
type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}
