package far_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/exchange/far"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

// raw sends a request as another program might.
func raw(t *testing.T, h http.Handler, method, name, body string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, far.Path+name, strings.NewReader(body))
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func newServer(root string) *far.Server {
	return &far.Server{Open: func(*http.Request) (*folder.Dir, error) { return folder.OpenDir(root) }, Now: time.Now}
}

// A file is written once, with the content that its name says, and as a whole.
func TestServer_writes_once(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := newServer(root)
	data := "a segment"
	name := "/" + named(replica+"1-1-1", []byte(data))
	once := map[string]string{"If-None-Match": "*"}
	for i, want := range []int{http.StatusCreated, http.StatusPreconditionFailed} {
		if w := raw(t, s, "PUT", name, data, once); w.Code != want {
			t.Errorf("%d: %d %s", i, w.Code, w.Body)
		}
	}
	if w := raw(t, s, "PUT", name, data, nil); w.Code != http.StatusNoContent {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	other := "/" + named(replica+"1-2-2", []byte("another"))
	if w := raw(t, s, "PUT", other, data, once); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "not the one that the name of the file says") {
		t.Errorf("another content: %d %s", w.Code, w.Body)
	}
	half := httptest.NewRequestWithContext(t.Context(), "PUT", far.Path+"/format", io.MultiReader(strings.NewReader("ha"), broken{}))
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, half); w.Code < 400 {
		t.Errorf("half a file: %d", w.Code)
	}
	if w := raw(t, s, "GET", other, "", nil); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), `"code":"unavailable"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	list, err := os.ReadDir(filepath.Join(root, "hippo-sync"))
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err) // no temporary file stays
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// The list is not sent to who has it.
func TestServer_list(t *testing.T) {
	t.Parallel()
	s := newServer(t.TempDir())
	if w := raw(t, s, "PUT", "/format", "x", nil); w.Code != http.StatusCreated {
		t.Fatal(w.Code)
	}
	first := raw(t, s, "GET", "", "", nil)
	tag := first.Header().Get("ETag")
	if want := `[{"name":"format","size":1,"tag":"2d711642b726b04401627ca9fbac32f5"}]`; first.Body.String() != want || tag == "" {
		t.Errorf("got %s, tag %s", first.Body, tag)
	}
	if w := raw(t, s, "GET", "", "", map[string]string{"If-None-Match": tag}); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := raw(t, s, "PUT", "/other", "x", nil); w.Code != http.StatusCreated {
		t.Fatal(w.Code)
	}
	if w := raw(t, s, "GET", "", "", map[string]string{"If-None-Match": tag}); w.Code != http.StatusOK {
		t.Errorf("%d", w.Code)
	}
}

// One who may write cannot fill the disk, nor write elsewhere.
func TestServer_bounds(t *testing.T) {
	t.Parallel()
	s := newServer(t.TempDir())
	s.MaxFiles, s.MaxBytes = 3, 10
	for i, want := range []int{http.StatusCreated, http.StatusInsufficientStorage, http.StatusCreated, http.StatusCreated, http.StatusInsufficientStorage} {
		if w := raw(t, s, "PUT", fmt.Sprint("/", i), strings.Repeat("x", []int{4, 7, 4, 2, 0}[i]), nil); w.Code != want {
			t.Errorf("%d: %d %s", i, w.Code, w.Body)
		}
	}
	large := httptest.NewRequestWithContext(t.Context(), "PUT", far.Path+"/large", io.LimitReader(zeros{}, folder.MaxFile+1))
	w := httptest.NewRecorder()
	s.MaxFiles, s.MaxBytes = 0, 0
	if s.ServeHTTP(w, large); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "at most 67108864 bytes") {
		t.Errorf("a large file: %d %s", w.Code, w.Body)
	}
	for _, name := range []string{"/.x", "/a/../b", "/a//b", "/a/.b", "/" + strings.Repeat("x", 200), "/a%00", "/a%5Cb", "/a:b"} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			if w := raw(t, s, method, name, "x", nil); w.Code != http.StatusBadRequest {
				t.Errorf("%s %s: %d", method, name, w.Code)
			}
		}
	}
	if w := raw(t, s, "POST", "/x", "x", nil); w.Code != http.StatusBadRequest {
		t.Errorf("%d", w.Code)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// What a server says that is none, or another one, is an error with the way out.
func TestOpenServer_errors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter)
		is     error
		want   string
	}{
		"a page": {func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>") }, hippo.ErrUnavailable, "which is not from hippo"},
		"elsewhere": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://u:secret@other"+far.Path)
			w.WriteHeader(http.StatusFound)
		}, hippo.ErrUnavailable, `leads to "https://[redacted]@other": use that address`},
		"no token":        {problemOf(401, "the token is unknown", ""), hippo.ErrForbidden, "hippo login https://127.0.0.1"},
		"a small token":   {problemOf(403, "the token does not allow this", ""), hippo.ErrForbidden, "hippo token create NAME --right=sync"},
		"an older server": {problemOf(404, "there is nothing at this path", ""), hippo.ErrUnsupported, "older than this program"},
		"a newer server":  {problemOf(400, "x", "7"), hippo.ErrUnsupported, `has protocol "7"`},
		"a full disk":     {problemOf(507, "no space left: no room", "1"), hippo.ErrFull, "no room"},
		"a half list": {func(w http.ResponseWriter) {
			w.Header().Set("Hippo-Shelf", "1")
			_, _ = io.WriteString(w, `[{"name":"for`)
		}, hippo.ErrUnavailable, "which is not from hippo"},
		"half an answer":   {func(w http.ResponseWriter) { w.Header().Set("Content-Length", "100"); _, _ = io.WriteString(w, `[`) }, hippo.ErrUnavailable, "unexpected EOF"},
		"an answer to 304": {func(w http.ResponseWriter) { w.Header().Set("Hippo-Shelf", "1"); w.WriteHeader(http.StatusNotModified) }, hippo.ErrUnavailable, "not from hippo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, t.TempDir(), func(w http.ResponseWriter, _ *http.Request) bool { c.answer(w); return true })
			if _, err := s.open(t).List(t.Context()); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %v with %q", err, c.is, c.want)
			}
		})
	}
	f := far.OpenServer("https://127.0.0.1:1", secret.New("right"), nil, "")
	if _, err := f.List(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "https://127.0.0.1:1: ") {
		t.Errorf("nobody there: %v", err)
	}
	s := serve(t, t.TempDir(), nil)
	if err := far.TryServer(t.Context(), s.URL, secret.New("right")); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown certificate: %v", err)
	}
}

// problemOf answers as a server does; without a protocol it is the server around the folder.
func problemOf(status int, detail, protocol string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if protocol != "" {
			w.Header().Set("Hippo-Shelf", protocol)
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		code := map[int]string{507: "full"}[status]
		_, _ = fmt.Fprintf(w, `{"detail":%q,"code":%q}`, detail, code)
	}
}

// A server that says nothing is given up with the context.
func TestOpenServer_slow(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Hippo-Shelf", "1")
		_, _ = io.WriteString(w, "[")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.open(t).List(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// What is remembered of a folder saves questions, may be lost or damaged, and never hides a change.
func TestFolder_remembers(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	s := serve(t, t.TempDir(), nil)
	a := s.open(t)
	key := []byte("a key")
	name := named(holder, key)
	if err := errors.Join(a.Put(ctx, "format", []byte("x")), a.Put(ctx, name, key)); err != nil {
		t.Fatal(err)
	}
	sync := func(what string, want []string, list map[string]int64) {
		t.Helper()
		_ = s.took()
		f := s.openBeside(t, dir)
		checkList(t, f, list)
		for name := range list {
			if _, err := f.Get(ctx, name); err != nil {
				t.Error(err)
			}
		}
		if d := cmp.Diff(want, s.took()); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	list := map[string]int64{"format": 1, name: 5}
	sync("at first", []string{"GET", "GET", "GET"}, list)
	sync("then", []string{"GET"}, list)
	other := []byte("another key")
	list[named(holder, other)] = int64(len(other))
	if err := a.Put(ctx, named(holder, other), other); err != nil {
		t.Fatal(err)
	}
	sync("one more", []string{"GET", "GET"}, list)
	sync("then again", []string{"GET"}, list)
	if err := os.WriteFile(filepath.Join(dir, "memo"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	sync("damaged", []string{"GET", "GET", "GET", "GET"}, list)
}
