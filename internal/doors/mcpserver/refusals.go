package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// refusals is a response that turns the plain text of the errors of the SDK into JSON-RPC errors, so that a client
// reads all errors in the same way. What is no such error passes unchanged.
type refusals struct {
	http.ResponseWriter
	id     json.RawMessage // of the request; nil if it has none
	method string          // of the request
	status int             // of an error whose text is being collected; 0 otherwise
	text   bytes.Buffer
}

// Unwrap serves [http.ResponseController].
func (r *refusals) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// WriteHeader implements [http.ResponseWriter].
func (r *refusals) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(r.Header().Get("Content-Type"), "text/plain") {
		r.status = status
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *refusals) Write(data []byte) (int, error) {
	if r.status != 0 {
		return r.text.Write(data)
	}
	return r.ResponseWriter.Write(data)
}

// notHandled begins the error of the SDK for a method that it does not know.
const notHandled = "JSON RPC not handled"

// finish writes the error that was collected, if there is one.
func (r *refusals) finish() {
	if r.status == 0 {
		return
	}
	text, code := strings.TrimSpace(r.text.String()), int64(jsonrpc.CodeInvalidRequest)
	// The versions with sessions know no HTTP status for an unknown method: it is an answer like others.
	if r.id != nil && strings.HasPrefix(text, notHandled) {
		r.status, code, text = http.StatusOK, jsonrpc.CodeMethodNotFound, fmt.Sprintf("method not found: %q", r.method)
	}
	r.refuse(r.status, code, text)
}

// refuse writes an error as the whole response. A client that is gone gets nothing.
func (r *refusals) refuse(status int, code int64, text string) {
	r.status = 0
	data, err := (&malformed{r.id, code, errors.New(text)}).encode()
	if err != nil {
		http.Error(r.ResponseWriter, text, status)
		return
	}
	r.Header().Set("Content-Type", "application/json")
	r.ResponseWriter.WriteHeader(status)
	_, _ = r.ResponseWriter.Write(data)
}
