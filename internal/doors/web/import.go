package web

import (
	"net/http"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/importer"
)

// shownImports is how many memories, and how many rejections, of a preview are shown.
const shownImports = 20

// importBody is the import page: the form for a file, or the preview of a file that was sent.
type importBody struct {
	Kinds    []string
	Problem  string
	Project  string
	Projects []string
	// Key and Name are those of the file that waits; empty: none.
	Key, Name string
	// Report is the preview of sent, or nil.
	Report *importer.Report
	sent   *upload
}

// counts says what the import would do.
func (b *importBody) counts() []fact {
	r := b.Report
	var out []fact
	for _, c := range []struct {
		name string
		n    int
	}{
		{"New", r.Added},
		{"Changed in the source since", r.Updated},
		{"Here already", r.Present},
		{"Changed here since, and kept", r.Kept},
		{"Forgotten here, and left out", r.Forgotten},
		{"Purged here, and left out", r.Purged},
	} {
		if c.n > 0 {
			out = append(out, fact{c.name, count(c.n, "memory", "memories")})
		}
	}
	if r.Relations > 0 {
		out = append(out, fact{"Relations", count(r.Relations, "relation", "relations")})
	}
	for _, x := range r.Skipped {
		out = append(out, fact{"Left out, as no memory", count(x.Count, "entry", "entries") + " (" + x.What + ")"})
	}
	return out
}

// rejection says why an entry is left out, as the person who has sent the file knows that.
func (b *importBody) rejection(r api.Rejection) string {
	return wire.ErrorOf(b.sent.readable(r.Err), "").Error.Message
}

// showImport shows the form for a file, or the preview of one that was sent.
func showImport(v *visit) (page, error) {
	q := v.r.URL.Query()
	b := &importBody{Project: q.Get("project"), Key: q.Get("file")}
	if b.Key == "" {
		return importPage(v, b, nil)
	}
	u, err := sentFile(v, b.Key)
	if err == nil {
		b.Name, b.sent = u.name, u
		b.Report, err = runImport(v, v.memories, u, b.Project, true)
	}
	return importPage(v, b, err)
}

// importPage returns the page, with an error that the caller can do something about.
func importPage(v *visit, b *importBody, err error) (page, error) {
	d, p := draft{}, page{Title: "Import"}
	if bad := d.choose(v.r.Context(), v); bad != nil {
		return p, bad
	}
	switch code := hippo.CodeOf(err); {
	case err == nil:
	case correctable(err), code == hippo.CodeUnsupported, code == hippo.CodeCorrupt:
		b.Problem, p.Status = messageOf(err), http.StatusUnprocessableEntity
	default:
		return p, err
	}
	b.Kinds, b.Projects = importer.Kinds(), d.Projects
	p.Content = importContent(formsOf(v), *b)
	return p, nil
}

// sentFile returns a file that the session has sent.
func sentFile(v *visit, key string) (*upload, error) {
	if v.session != nil {
		if u := v.session.sentFile(key); u != nil {
			return u, nil
		}
	}
	return nil, hippo.Fieldf("file", "was imported already, or has waited for more than an hour: choose it again")
}

// runImport imports a file that was sent, or says what that would do.
func runImport(v *visit, by *engine.Memories, u *upload, to string, preview bool) (r *importer.Report, err error) {
	ctx := v.r.Context()
	if to != "" {
		if _, err := named(v, "project", to); err != nil {
			return nil, err
		}
	}
	src, err := importer.Reading{}.OpenSent(ctx, u.path())
	if err == nil {
		defer src.Close() //nolint:errcheck // it removes nothing of an upload
		r, err = src.Import(ctx, by, &importer.Options{Preview: preview, Project: to, Here: project.Identity{}})
	}
	return r, u.readable(err)
}

// importSent imports a file that was sent.
func importSent(v *visit) error {
	f := v.r.PostForm
	u, err := sentFile(v, f.Get("file"))
	if err != nil {
		return v.refused(err)
	}
	by := operate(v)
	r, err := runImport(v, by, u, f.Get("project"), false)
	if err != nil {
		return v.refused(err)
	}
	v.session.dropFile()
	if r.Operation.IsZero() {
		return leave(v, "/ui/import", toast{Text: "Nothing was changed: all of it is here already."})
	}
	text := "Imported " + count(r.Added+r.Updated, "memory", "memories") + "."
	return leave(v, link("/ui/browse", "import", r.Operation.String()), toast{Text: text, Undo: v.remember(undoEntry{text: text, operations: v.operations})})
}

// readable replaces the path of the copy in an error by the name of the file.
func (u *upload) readable(err error) error {
	if err == nil || !strings.Contains(err.Error(), u.dir) {
		return err
	}
	return &renamedError{err, strings.ReplaceAll(err.Error(), u.dir+string(filepath.Separator), "")}
}

// renamedError is an error with another text.
type renamedError struct {
	error
	text string
}

func (e *renamedError) Error() string { return e.text }
func (e *renamedError) Unwrap() error { return e.error }
