package far

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/folder"
)

const (
	// Path begins the paths of the protocol: GET lists the files, and below it GET, PUT and DELETE are about one.
	Path = "/api/v1/shelf"
	// protocolHeader is in each answer, with the version of the protocol.
	protocolHeader, protocol = "Hippo-Shelf", "1"
	// chunkTime is how long the other end may take to send or to read a part of a file.
	chunkTime = 30 * time.Second
	// maxFiles and maxBytes bound a folder.
	maxFiles, maxBytes = 10_000, 4 << 30
)

// Patterns returns those of the requests that [Server] answers, for [http.ServeMux].
func Patterns() []string {
	return []string{"GET " + Path, "GET " + Path + "/{name...}", "PUT " + Path + "/{name...}", "DELETE " + Path + "/{name...}"}
}

// Server serves a folder to others. A file is written once, as a whole, and has the content that its name says. Other names than those of a
// shelf are neither listed nor written.
type Server struct {
	// Open returns the folder that a request is about.
	Open func(*http.Request) (*folder.Dir, error)
	// Explain returns what the caller may know of an error; nil: all.
	Explain func(error) string
	// Now is the clock.
	Now func() time.Time
	// MaxFiles and MaxBytes bound a folder; 0: 10,000 files and 4 GiB.
	MaxFiles int
	MaxBytes int64
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set(protocolHeader, protocol)
	h.Set("Cache-Control", "no-store")
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, Path), "/")
	d, err := s.Open(r)
	switch {
	case err != nil:
	case name == "" && r.Method == http.MethodGet:
		err = s.list(w, r, d)
	case !plain().MatchString(name):
		err = fmt.Errorf("%w: %.100q is not the name of a file of a shelf", hippo.ErrInvalid, name)
	case r.Method == http.MethodGet:
		err = s.send(w, d, name)
	case r.Method == http.MethodPut:
		err = s.receive(w, r, d, name)
	case r.Method == http.MethodDelete:
		if err = d.Remove(r.Context(), name); err == nil {
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		err = fmt.Errorf("%w: method %s", hippo.ErrInvalid, r.Method)
	}
	if err != nil {
		s.fail(w, err)
	}
}

// plain matches the names that are served. Programs of later versions may have further kinds of files.
func plain() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}){0,3}$`)
}

// list answers with all files, or with 304 if the caller has the list.
func (s *Server) list(w http.ResponseWriter, r *http.Request, d *folder.Dir) error {
	sizes, err := d.List(r.Context())
	if err != nil {
		return err
	}
	names := plain()
	files := []listed{}
	for name, size := range sizes {
		if !names.MatchString(name) {
			continue
		}
		x := listed{Name: name, Size: size}
		if !strings.HasPrefix(name, "r/") && size <= maxKept {
			b, err := d.Get(r.Context(), name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			x.Tag = digest(b)
		}
		files = append(files, x)
	}
	slices.SortFunc(files, func(a, b listed) int { return strings.Compare(a.Name, b.Name) })
	b, err := json.Marshal(files)
	if err != nil {
		return err
	}
	tag := `"` + digest(b) + `"`
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = s.slowly(w).Write(b) // the caller may be gone
	return nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

var errMissing = fmt.Errorf("%w: there is no such file", hippo.ErrUnavailable)

// send answers with a file. If it cannot be read to its end the connection is cut.
func (s *Server) send(w http.ResponseWriter, d *folder.Dir, name string) error {
	f, err := d.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errMissing
	case err != nil:
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > folder.MaxFile {
		return fmt.Errorf("%w: %s is no file, or has more than %d bytes", hippo.ErrUnavailable, name, folder.MaxFile)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	_, _ = io.Copy(s.slowly(w), f)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // of this answer
	return nil
}

// receive writes a file. With If-None-Match: * the answer is 412 if there is one of that name, else 204.
func (s *Server) receive(w http.ResponseWriter, r *http.Request, d *folder.Dir, name string) error {
	body := paced{http.MaxBytesReader(w, r.Body, folder.MaxFile), s.deadline(http.NewResponseController(w).SetReadDeadline)}
	defer io.Copy(io.Discard, body) //nolint:errcheck // so that the connection can be used again
	if err := s.room(r.Context(), d, r.ContentLength); err != nil {
		return err
	}
	written, err := d.Receive(name, &proven{from: body, sum: sha256.New(), want: digestIn(name)})
	switch large := (*http.MaxBytesError)(nil); {
	case errors.As(err, &large):
		return fmt.Errorf("%w: a file of a shelf has at most %d bytes", hippo.ErrInvalid, large.Limit)
	case err != nil:
		return err
	case written:
		w.WriteHeader(http.StatusCreated)
	case r.Header.Get("If-None-Match") == "*":
		w.WriteHeader(http.StatusPreconditionFailed)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
	return nil
}

// room refuses a file for which a folder has no place.
func (s *Server) room(ctx context.Context, d *folder.Dir, size int64) error {
	sizes, err := d.List(ctx)
	if err != nil {
		return err
	}
	bytes := max(size, 0)
	for _, n := range sizes {
		bytes += n
	}
	if files, most := cmp.Or(s.MaxFiles, maxFiles), cmp.Or(s.MaxBytes, maxBytes); len(sizes) >= files || bytes > most {
		return fmt.Errorf("%w: the server keeps at most %d files and %d bytes of a shelf", hippo.ErrFull, files, most)
	}
	return nil
}

// fail answers with an error, as the other routes of a server do.
func (s *Server) fail(w http.ResponseWriter, err error) {
	status := map[hippo.Code]int{
		hippo.CodeInvalid: http.StatusBadRequest, hippo.CodeForbidden: http.StatusForbidden, hippo.CodeReadOnly: http.StatusForbidden,
		hippo.CodeFull: http.StatusInsufficientStorage, hippo.CodeUnsupported: http.StatusNotImplemented,
	}
	p := problem{Type: "about:blank", Code: hippo.CodeOf(err), Detail: err.Error()}
	p.Status = cmp.Or(status[p.Code], http.StatusServiceUnavailable)
	if s.Explain != nil {
		p.Detail = s.Explain(err)
	}
	if errors.Is(err, errMissing) {
		p.Status, p.Detail = http.StatusNotFound, err.Error()
	}
	p.Title = http.StatusText(p.Status)
	b, err := json.Marshal(p)
	if err != nil { // texts and numbers: never
		b = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(b) // the caller may be gone
}

// problem is a failure. Source: RFC 9457.
type problem struct {
	Type   string     `json:"type"`
	Title  string     `json:"title"`
	Status int        `json:"status"`
	Detail string     `json:"detail,omitempty"`
	Code   hippo.Code `json:"code"`
}

// digestIn returns the digest that ends the name of a file; empty if it has none.
func digestIn(name string) string {
	if m := regexp.MustCompile(`-([0-9a-f]{32})\.age$`).FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// proven is a reader that fails at its end if it is not what the name of a file says.
type proven struct {
	from io.Reader
	sum  hash.Hash
	want string // empty: anything
}

// Read implements [io.Reader].
func (p *proven) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	_, _ = p.sum.Write(b[:n]) // it does not fail
	if errors.Is(err, io.EOF) && p.want != "" && hex.EncodeToString(p.sum.Sum(nil)[:16]) != p.want {
		err = fmt.Errorf("%w: the content is not the one that the name of the file says", hippo.ErrInvalid)
	}
	return n, err
}

// deadline returns what gives the other end time for one more part of a file.
func (s *Server) deadline(set func(time.Time) error) func() {
	return func() { _ = set(s.Now().Add(chunkTime)) } // a test has none
}

// slowly is where an answer goes, part by part.
func (s *Server) slowly(w http.ResponseWriter) io.Writer {
	return pacedWriter{w, s.deadline(http.NewResponseController(w).SetWriteDeadline)}
}

// paced is a reader whose other end has time for each part.
type paced struct {
	io.Reader
	more func()
}

// Read implements [io.Reader].
func (p paced) Read(b []byte) (int, error) {
	p.more()
	return p.Reader.Read(b)
}

// pacedWriter is a writer whose other end has time for each part.
type pacedWriter struct {
	io.Writer
	more func()
}

// Write implements [io.Writer].
func (p pacedWriter) Write(b []byte) (int, error) {
	p.more()
	return p.Writer.Write(b)
}
