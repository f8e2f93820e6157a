package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/hippo-memory/hippo"
)

const (
	// maxUpload is the size in bytes of the largest file that can be sent.
	maxUpload = 256 << 20
	// uploadTime is how long a file waits for a confirmation, importTime how long its import may take.
	uploadTime = time.Hour
	importTime = 10 * time.Minute
	// partTime is how long a browser may take to send a part of a file.
	partTime = time.Minute
)

// upload is a copy of a file that was sent, in a temporary folder of its own, which waits for a confirmation.
type upload struct {
	key, name, dir string
	gone           atomic.Bool
}

func (u *upload) path() string { return filepath.Join(u.dir, u.name) }

// remove deletes the copy. It may be called again; nil has none.
func (u *upload) remove() {
	if u != nil {
		u.gone.Store(true)
		_ = os.RemoveAll(u.dir) // the system clears temporary folders as well
	}
}

// receive stores a file that a browser sends, and leads to the preview of its import. Its form is read while it arrives, in its order: the
// token against forgery comes before the file.
func (s *server) receive(w http.ResponseWriter, r *http.Request) {
	v, err := s.begin(w, r, hippo.RightRead|hippo.RightWrite)
	if err == nil {
		err = receive(v)
	}
	if err != nil {
		s.fail(v, err)
	}
}

func receive(v *visit) error {
	if v.session == nil || v.forgeries.Check(v.r) != nil {
		return errForged
	}
	v.r.Body = http.MaxBytesReader(v.w, v.r.Body, maxUpload)
	parts, err := v.r.MultipartReader()
	if err != nil {
		return hippo.Fieldf("form", "must be one of this page")
	}
	u, to, err := readForm(v, parts)
	if err != nil {
		p, err := importPage(v, &importBody{Project: to}, err)
		if err == nil {
			v.render(v, http.StatusUnprocessableEntity, p)
		}
		return err
	}
	v.session.keepFile(u)
	time.AfterFunc(uploadTime, u.remove)
	http.Redirect(v.w, v.r, "/ui/import?"+url.Values{"file": {u.key}, "project": {to}}.Encode(), http.StatusSeeOther)
	return nil
}

// readForm reads the fields of the form up to the file.
func readForm(v *visit, parts *multipart.Reader) (u *upload, to string, err error) {
	trusted := false
	for {
		patient(v)
		part, err := parts.NextPart()
		if err != nil {
			return nil, to, tooLarge(err)
		}
		if part.FormName() == "file" {
			if !trusted {
				return nil, to, errForged
			}
			u, err = storeFile(v, part)
			return u, to, tooLarge(err)
		}
		b, err := io.ReadAll(io.LimitReader(part, hippo.MaxName+1))
		if err != nil {
			return nil, to, tooLarge(err)
		}
		switch part.FormName() {
		case "csrf":
			trusted = !v.session.forged(string(b))
		case "project":
			to = string(b)
		}
	}
}

// patient gives the next part of the body its time, if the server has deadlines.
func patient(v *visit) {
	_ = http.NewResponseController(v.w).SetReadDeadline(time.Now().Add(partTime)) //nolint:forbidigo // connections have the clock of the system
}

// patientReader gives each part of a file its time.
type patientReader struct {
	io.Reader
	visit *visit
}

// Read implements [io.Reader].
func (r *patientReader) Read(b []byte) (int, error) {
	patient(r.visit)
	return r.Reader.Read(b)
}

// storeFile copies a file that is sent.
func storeFile(v *visit, part *multipart.Part) (*upload, error) {
	if part.FileName() == "" {
		return nil, hippo.Fieldf("file", "is missing: choose one")
	}
	dir, err := os.MkdirTemp("", "hippo-upload-")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err)
	}
	u := &upload{key: rand.Text(), name: plainName(part.FileName()), dir: dir}
	f, err := os.OpenFile(u.path(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = io.Copy(f, &patientReader{part, v})
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		u.remove()
		return nil, err
	}
	return u, nil
}

// plainName returns the end of the name of a file, without characters that mean something to a system.
func plainName(name string) string {
	const most = 100
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._- ()", r) {
			return r
		}
		return '_'
	}, name))
	if plain := strings.TrimLeft(string(runes[max(0, len(runes)-most):]), ". "); plain != "" {
		return plain
	}
	return "file"
}

// tooLarge returns an error of a body that was sent as one that its sender can do something about.
func tooLarge(err error) error {
	_, large := errors.AsType[*http.MaxBytesError](err)
	switch {
	case err == nil, errors.Is(err, errForged), errors.Is(err, hippo.ErrInvalid), errors.Is(err, hippo.ErrUnavailable):
		return err
	case large:
		return hippo.Fieldf("file", "must have at most %d MB; hippo import takes a larger one", maxUpload>>20)
	case errors.Is(err, io.EOF):
		return hippo.Fieldf("file", "is missing: choose one")
	default:
		return hippo.Fieldf("file", "did not arrive whole: send it again")
	}
}
