package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Methods that the transport treats in a way of their own.
const (
	methodPing      = "ping"
	methodCancelled = "notifications/cancelled"
)

// maxBatch is the most messages of one batch. Its answers are kept until the last is known.
const maxBatch = 100

// message is a message of the client and what it counts towards [maxHeld], in bytes.
type message struct {
	jsonrpc.Message
	size int
}

// call returns the request that waits for an answer; nil if the message is none.
func (m *message) call() *jsonrpc.Request {
	if r, ok := m.Message.(*jsonrpc.Request); ok && r.IsCall() {
		return r
	}
	return nil
}

// malformed says why a line is refused, and with which id and code of JSON-RPC.
type malformed struct {
	id   json.RawMessage // nil if there is none
	code int64
	err  error
}

func (m *malformed) Error() string { return m.err.Error() }

// encode returns the answer to what is refused.
func (m *malformed) encode() ([]byte, error) {
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", m.id, jsonrpc.Error{Code: m.code, Message: m.err.Error()}})
}

// parse returns the messages of a line; an error is a [*malformed]. It is strict: a line
// that the decoder of Go would change, or could read in several ways, is refused.
func parse(l line) (list []message, isBatch bool, err error) {
	switch {
	case l.tooLong:
		return nil, false, &malformed{l.id, jsonrpc.CodeInvalidRequest, fmt.Errorf("message must be at most %d bytes", maxLine)}
	case !json.Valid(l.text):
		return nil, false, &malformed{nil, jsonrpc.CodeParseError, errors.New("message is not JSON")}
	}
	parts := []json.RawMessage{l.text}
	if isBatch = l.text[0] == '['; isBatch {
		err = json.Unmarshal(l.text, &parts)
		switch {
		case err != nil:
			return nil, true, &malformed{nil, jsonrpc.CodeParseError, fmt.Errorf("message is not readable: %w", err)}
		case len(parts) == 0:
			return nil, true, &malformed{nil, jsonrpc.CodeInvalidRequest, errors.New("batch is empty")}
		case len(parts) > maxBatch:
			return nil, true, &malformed{nil, jsonrpc.CodeInvalidRequest, fmt.Errorf("batch must have at most %d messages, has %d", maxBatch, len(parts))}
		}
	}
	for _, part := range parts {
		m, id, err := decodeMessage(part)
		if err != nil {
			code := int64(jsonrpc.CodeInvalidRequest)
			if !utf8.Valid(part) {
				code = jsonrpc.CodeParseError
			}
			return nil, isBatch, &malformed{id, code, err}
		}
		list = append(list, message{m, len(part)})
	}
	return list, isBatch, nil
}

// decodeMessage reads one message. With an error comes the id to answer it by, if the
// message has one.
func decodeMessage(text json.RawMessage) (m jsonrpc.Message, id json.RawMessage, err error) {
	fields, err := members(text)
	if id = fields["id"]; !isID(id) {
		id = nil
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	switch {
	case err != nil:
		return nil, id, err
	case fields == nil:
		return nil, nil, errors.New("message must be an object")
	case string(fields["jsonrpc"]) != `"2.0"`:
		return nil, id, errors.New(`message is not JSON-RPC 2.0: jsonrpc must be "2.0"`)
	case id == nil && has("id") && string(fields["id"]) != "null":
		return nil, nil, errors.New("id must be a text or a number")
	case !has("method") && (has("result") || has("error")):
		m, err = jsonrpc.DecodeMessage(text)
		return m, id, err
	case !has("method"):
		return nil, id, errors.New("message has no method")
	}
	r := &jsonrpc.Request{Params: fields["params"]}
	if fields["method"][0] != '"' {
		return nil, id, errors.New("method must be a text")
	}
	if err = json.Unmarshal(fields["method"], &r.Method); err == nil && id != nil {
		r.ID, err = toID(id)
	}
	return r, id, err
}

// isID reports whether a JSON value may be the id of a request.
func isID(raw json.RawMessage) bool {
	return len(raw) > 0 && bytes.IndexByte([]byte(`"-0123456789`), raw[0]) >= 0 && utf8.Valid(raw)
}

// inexact begins the internal form of the id of a request that [jsonrpc.ID] would round: a
// fraction, an exponent, a negative zero, or a whole number beyond 2^53. Such an id is the
// text inexact + number inside of the SDK, which compares and echoes ids. No client writes
// a text like that.
const inexact = "\x00number:"

// toID returns the internal form of an id.
func toID(raw json.RawMessage) (jsonrpc.ID, error) {
	const exact = 1 << 53 // up to here a float64 holds every whole number
	if raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return jsonrpc.ID{}, err
		}
		return jsonrpc.MakeID(s)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n > exact || n < -exact || string(raw) == "-0" {
		return jsonrpc.MakeID(inexact + string(raw))
	}
	return jsonrpc.MakeID(float64(n))
}

// isInexact reports whether an id has the form of [inexact].
func isInexact(id jsonrpc.ID) bool {
	s, ok := id.Raw().(string)
	return ok && strings.HasPrefix(s, inexact)
}

// inexactID matches the internal form of an id in JSON. What it keeps is a number in JSON,
// so that no text of a memory can break a message.
var inexactID = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`"\\u0000number:(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"`)
})

// restoreIDs replaces the internal form of ids in a message of the server by the numbers
// that the client wrote.
func restoreIDs(text []byte) []byte { return inexactID().ReplaceAll(text, []byte("$1")) }

// cancelled returns the request that a notification cancels, if it is such a notification,
// in which the id gets its internal form.
func cancelled(m *message) (id jsonrpc.ID, ok bool) {
	r, ok := m.Message.(*jsonrpc.Request)
	if !ok || r.Method != methodCancelled || r.IsCall() || len(r.Params) == 0 {
		return jsonrpc.ID{}, false
	}
	params, err := members(r.Params)
	raw := params["requestId"]
	if err != nil || !isID(raw) {
		return jsonrpc.ID{}, false
	}
	if id, err = toID(raw); err != nil {
		return jsonrpc.ID{}, false
	}
	if params["requestId"], err = json.Marshal(id.Raw()); err != nil {
		return jsonrpc.ID{}, false
	}
	if r.Params, err = json.Marshal(params); err != nil {
		return jsonrpc.ID{}, false
	}
	return id, true
}
