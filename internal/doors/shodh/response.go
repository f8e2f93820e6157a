package shodh

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
)

// errorBody is ErrorResponse of the document.
type errorBody struct {
	Error string `json:"error"`
	// Code is a [hippo.Code].
	Code hippo.Code `json:"code"`
	// Details has the field at fault, or the memories that a reference fits.
	Details map[string]any `json:"details,omitempty"`
}

// codeTooLarge is the code of a body over the limit.
const codeTooLarge hippo.Code = "too_large"

// failure returns the answer for an error. An error that is not the caller's is logged, and the answer
// does not repeat it, because it may name files of the server.
func (a *service) failure(op *operation, err error) reply {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return reply{http.StatusRequestEntityTooLarge, errorBody{
			Error: "body: must be at most " + strconv.Itoa(maxBody) + " bytes", Code: codeTooLarge,
		}}
	}
	e := wire.ErrorOf(err, "").Error
	status, public := statusOf(e.Code)
	out := errorBody{Error: e.Message, Code: e.Code}
	if public != "" {
		out.Error = public
	}
	if public != "" && e.Code != hippo.CodeCanceled { // a client may go away
		a.Log.Error("a SHODH request failed", "operation", op.pattern, "code", string(e.Code), "error", err)
	}
	if e.Field != "" {
		out.Details = map[string]any{"field": e.Field}
	}
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); ok {
		ids := make([]string, len(several.Candidates))
		for i, c := range several.Candidates {
			ids[i] = c[0]
		}
		out.Details = map[string]any{"field": "id", "candidates": ids}
	}
	return reply{status, out}
}

// refusal returns the body for a request that the server refuses before it gets here, such as one without a token.
func refusal(p httpd.Problem) any {
	out := errorBody{Error: p.Detail, Code: p.Code}
	if p.Field != "" {
		out.Details = map[string]any{"field": p.Field}
	}
	return out
}

func errForbidden() error {
	return fmt.Errorf("%w: the token has no right to do this", hippo.ErrForbidden)
}

// statusOf returns the status for a kind of failure, and, if that is not the caller's fault, what to
// say about it.
func statusOf(c hippo.Code) (status int, public string) {
	switch c {
	case hippo.CodeInvalid, hippo.CodeSecret:
		return http.StatusBadRequest, ""
	case hippo.CodeNotFound:
		return http.StatusNotFound, ""
	case hippo.CodeForbidden:
		return http.StatusForbidden, ""
	case hippo.CodeConflict:
		return http.StatusConflict, ""
	case hippo.CodeUnsupported:
		return http.StatusNotImplemented, ""
	case hippo.CodeReadOnly:
		return http.StatusServiceUnavailable, "the store cannot be written; nothing was changed"
	case hippo.CodeFull:
		return http.StatusInsufficientStorage, "no space is left on the server; nothing was changed"
	case hippo.CodeUnavailable:
		return http.StatusServiceUnavailable, "the store cannot be reached now; try again"
	case hippo.CodeCanceled:
		return http.StatusServiceUnavailable, "the request was canceled or took too long; try again"
	case hippo.CodeCorrupt:
		return http.StatusInternalServerError, "stored data cannot be read; the log of the server has more"
	default:
		return http.StatusInternalServerError, "the server failed; its log has more"
	}
}

// write sends an answer as JSON.
func write(w http.ResponseWriter, out reply) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(out.body); err != nil { // a memory whose metadata is no JSON
		b.Reset()
		b.WriteString(`{"error":"the server failed","code":"internal"}` + "\n")
		out.status = http.StatusInternalServerError
	}
	if out.status == 0 {
		out.status = http.StatusOK
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(out.status)
	_, _ = w.Write(b.Bytes()) // a client that went away is no failure
}
