package restapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/importer"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/verb"
)

// lines is the media type of an export.
const lines = "application/x-ndjson"

const (
	// partTime is how long a client may take to send or receive a part of an export or a stream.
	partTime = time.Minute
	// maxImport is the maximum size in bytes of an import; a larger one is sent in parts.
	maxImport = 1 << 30
	// maxRejected is how many entries of an import may be rejected before it ends, and maxImportRelations
	// how many relations it may hold: both are kept in memory until the end.
	maxRejected, maxImportRelations = 1000, 1_000_000
	// importAhead is at least how many entries an import reads before it knows what becomes of them.
	importAhead = 1000
)

type exportInput struct{}

func (*exportInput) Args() []verb.Arg { return nil }

// unreadable is the trailer of an export with the number of memories that cannot be read.
const unreadable = "Hippo-Unreadable"

func (*exportInput) call(ctx context.Context, r *request) (reply, error) {
	return writeExport(ctx, r, r.Memories)
}

// writeExport answers with all of some memories.
func writeExport(ctx context.Context, r *request, m *engine.Memories) (reply, error) {
	x, err := importer.NewExport(ctx, m)
	if err != nil {
		return reply{}, err
	}
	h := r.writer.Header()
	h.Set("Content-Type", lines)
	h.Set("Cache-Control", "no-store")
	h.Set("Trailer", unreadable)
	w := &partWriter{Writer: r.writer, control: http.NewResponseController(r.writer), now: r.server.Now}
	out, err := x.Write(w, func() {})
	switch {
	case err == nil:
		h.Set(unreadable, fmt.Sprint(len(out.Unreadable)))
		return reply{count: out.Memories}, nil
	case w.begun:
		r.server.Log.Warn("export ended early", "code", hippo.CodeOf(err))
		return reply{count: out.Memories}, errAborted
	default:
		h.Del("Trailer")
		return reply{}, err
	}
}

// partWriter gives each part of a response the time of a part.
type partWriter struct {
	io.Writer
	control *http.ResponseController
	now     func() time.Time
	begun   bool
}

// Write implements [io.Writer].
func (w *partWriter) Write(b []byte) (int, error) {
	w.begun = true
	_ = w.control.SetWriteDeadline(w.now().Add(partTime)) // not every server has deadlines
	return w.Writer.Write(b)
}

// partReader gives each part of a body the time of a part. err is why it ended, unless that is its end.
type partReader struct {
	io.Reader
	control *http.ResponseController
	now     func() time.Time
	err     error
}

// Read implements [io.Reader].
func (r *partReader) Read(b []byte) (int, error) {
	_ = r.control.SetReadDeadline(r.now().Add(partTime)) // not every server has deadlines
	n, err := r.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

type importInput struct{ verb.Import }

// imported is the outcome of an import.
type imported struct {
	Kind      formats.Kind `json:"kind"`
	Added     int          `json:"added"`
	Updated   int          `json:"updated"`
	Present   int          `json:"present"`
	Kept      int          `json:"kept"`
	Relations int          `json:"relations"`
	// Forgotten were forgotten here, and Purged purged, which stays so.
	Forgotten int `json:"forgotten,omitempty"`
	Purged    int `json:"purged,omitempty"`
	// Operation undoes the import; absent if it changed nothing.
	Operation hippo.ID `json:"operation,omitzero"`
	// Rejected says of each rejected entry where and why; nothing of it is stored.
	Rejected []string `json:"rejected"`
	DryRun   bool     `json:"dry_run,omitempty"`
}

func (in *importInput) call(ctx context.Context, r *request) (reply, error) {
	if err := contentType(r.http, lines); err != nil {
		return reply{}, err
	}
	body := &partReader{
		Reader: http.MaxBytesReader(r.writer, r.http.Body, maxImport), control: http.NewResponseController(r.writer), now: r.server.Now,
	}
	src, err := formats.Read(body)
	switch {
	case body.err != nil:
		return reply{}, unread(body.err)
	case err != nil && errors.Is(err, hippo.ErrUnsupported):
		return reply{}, &statusError{http.StatusUnprocessableEntity, err}
	case err != nil || src.Kind != formats.KindExport:
		return reply{}, hippo.Fieldf("body", `must be an export of Hippo: lines of JSON, of which the first has the key hippo_export`)
	}
	x := upload{request: r, source: src, body: body}
	report, err := x.run(ctx, in)
	if err != nil {
		return reply{}, err
	}
	out := imported{
		Kind: src.Kind, Added: report.Added, Updated: report.Updated, Present: report.Present, Kept: report.Kept,
		Forgotten: report.Forgotten, Purged: report.Purged, Operation: report.Operation,
		Relations: x.relations, Rejected: make([]string, len(report.Rejected)), DryRun: in.DryRun,
	}
	for i, bad := range report.Rejected {
		out.Rejected[i] = bad.Err.Error()
	}
	return reply{status: http.StatusOK, data: out, count: report.Added + report.Updated}, nil
}

// upload is a source that is imported in bounded memory.
type upload struct {
	*request
	source    *formats.Source
	body      *partReader
	kept      int // entries that were not rejected
	relations int // that were added
	tooMany   error
}

func (x *upload) run(ctx context.Context, in *importInput) (api.ImportReport, error) {
	t := transfer.New(x.request.Memories).At(x.source.Place).AllowSecretsOf(x.source.SecretAllowed).Logged(transfer.Origin{Store: true}).CountKept(&x.kept)
	if in.AllowSecret {
		t = t.AllowSecrets()
	}
	if in.BringBack {
		t = t.Again()
	}
	if in.DryRun {
		t = t.Preview()
	}
	report, err := t.Import(ctx, x.source.Calendar, x.entries(ctx), nil)
	switch {
	case err != nil:
		return report, err
	case x.body.err != nil:
		return report, unread(x.body.err)
	case x.tooMany != nil:
		return report, x.tooMany
	case !in.DryRun:
		x.relations, err = t.ImportRelations(ctx, x.source.Relations())
	}
	return report, err
}

// entries yields the entries of the source until the body or the context ends or they are too many.
func (x *upload) entries(ctx context.Context) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		n := 0
		for m, err := range x.source.Entries() {
			if n++; n-x.kept > maxRejected+importAhead {
				x.tooMany = hippo.Fieldf("body", "must have at most %d entries that cannot be stored; %d are stored", maxRejected, x.kept)
			}
			if x.source.RelationCount() > maxImportRelations {
				x.tooMany = hippo.Fieldf("body", "must have at most %d relations: send it in parts", maxImportRelations)
			}
			if x.tooMany != nil || x.body.err != nil || ctx.Err() != nil || !yield(m, err) {
				return
			}
		}
	}
}
