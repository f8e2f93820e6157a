package httpd

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/wire"
)

// Problem is a failure as application/problem+json. Source: RFC 9457.
type Problem struct {
	// Type is always "about:blank": the code says which kind of failure it is.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Code is that of the error, see docs/reference.md, and Field the part of the request at fault.
	Code  hippo.Code `json:"code"`
	Field string     `json:"field,omitempty"`
}

// StatusOf returns the HTTP status of an error.
func StatusOf(err error) int {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok && tooLarge.Limit > 0 {
		return http.StatusRequestEntityTooLarge
	}
	return wire.FailureOf(hippo.CodeOf(err)).Status
}

// WriteError answers a request with an error. One that is not the fault of the request is not described: it may name
// paths of the server.
func WriteError(w http.ResponseWriter, err error) {
	body := wire.ErrorOf(err, "").Error
	status := StatusOf(err)
	detail := body.Message
	switch {
	case status == http.StatusRequestEntityTooLarge:
		body.Code = hippo.CodeInvalid
		detail = "the body is larger than allowed"
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			detail += ": at most " + strconv.FormatInt(tooLarge.Limit, 10) + " bytes"
		}
	case body.Code == hippo.CodeInternal:
		detail = "this is a fault of hippo; its log has more"
	}
	writeProblem(w, Problem{Status: status, Detail: detail, Code: body.Code, Field: body.Field})
}

// writeProblem answers with a problem; Type and Title are set here.
func writeProblem(w http.ResponseWriter, p Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	b, err := json.Marshal(p)
	if err != nil { // texts and a number: never
		b = []byte("{}")
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(b, '\n')) // the client may be gone
}
