package httpd

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/hippo-memory/hippo"
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

// problem answers a request with a problem, in the form of its route.
func (s *Server) problem(w http.ResponseWriter, r *http.Request, p Problem) {
	pattern := r.Pattern
	if pattern == "" { // it was not routed yet
		_, pattern = s.mux.Handler(r)
	}
	if form := s.forms[pattern]; form != nil {
		writeJSON(w, p.Status, "application/json", form(p))
		return
	}
	writeProblem(w, p)
}

// writeProblem answers with a problem; Type and Title are set here.
func writeProblem(w http.ResponseWriter, p Problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	writeJSON(w, p.Status, "application/problem+json", p)
}

func writeJSON(w http.ResponseWriter, status int, kind string, body any) {
	b, err := json.Marshal(body)
	if err != nil { // texts and numbers: never
		b = []byte("{}")
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n')) // the client may be gone
}
