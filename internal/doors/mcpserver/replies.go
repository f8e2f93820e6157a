package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeCancelled is the code of the answer to a request that its client cancelled. The SDK
// has none; this one is that of the Language Server Protocol.
const codeCancelled = -32800

// replies writes what the server sends, and knows which requests wait for an answer. It is
// safe for concurrent use.
type replies struct {
	stop <-chan struct{} // the session has to end

	writing chan struct{} // holds a token while out is written
	out     io.Writer

	mu      sync.Mutex
	waiting map[jsonrpc.ID]pendingCall
	open    int           // requests whose answer is neither written nor kept in its batch
	active  int           // those of them that began
	unsent  int           // bytes of answers that wait to be written
	inexact bool          // an id had to be replaced, see [inexact]
	written chan struct{} // a token when an answer was written
}

// pendingCall is a request without an answer, and the place of its answer in the batch that
// it came in; nil for none.
type pendingCall struct {
	batch *batch
	index int
}

// batch collects the answers to the requests of one batch.
type batch struct {
	answers [][]byte
	open    int
}

// begin notes the calls among messages. If the id of one is in use, it notes none and
// returns that id.
func (r *replies) begin(messages []message, isBatch bool) (inUse jsonrpc.ID, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := make(map[jsonrpc.ID]pendingCall, len(messages))
	var b *batch
	if isBatch {
		b = &batch{}
	}
	for i := range messages {
		call := messages[i].call()
		if call == nil {
			continue
		}
		if _, ok := r.waiting[call.ID]; ok {
			return call.ID, false
		}
		if _, ok := calls[call.ID]; ok {
			return call.ID, false
		}
		calls[call.ID] = pendingCall{batch: b, index: len(calls)}
		r.inexact = r.inexact || isInexact(call.ID)
	}
	if b != nil {
		b.answers, b.open = make([][]byte, len(calls)), len(calls)
	}
	maps.Copy(r.waiting, calls)
	r.open += len(calls)
	return jsonrpc.ID{}, true
}

// inUse is the error for a request whose id is that of a pending request. It has no id,
// because the client would take it for the answer to the pending one.
func inUse(id jsonrpc.ID) *malformed {
	text := fmt.Sprint(id.Raw())
	if isInexact(id) {
		text = text[len(inexact):]
	}
	return &malformed{nil, jsonrpc.CodeInvalidRequest, fmt.Errorf("id %s is in use", text)}
}

// admit reports whether a request may begin, and counts it if so.
func (r *replies) admit(call *jsonrpc.Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ok := r.active < maxActive && r.unsent < maxUnsent || call.Method == methodPing && r.active < maxActive+maxPings
	if ok {
		r.active++
	}
	return ok
}

// allAnswered reports whether every request has its answer.
func (r *replies) allAnswered() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open == 0
}

// Write implements [mcp.Connection]. The answers to a batch are written together. It waits
// until the message is written.
func (r *replies) Write(_ context.Context, m jsonrpc.Message) error {
	if answer, ok := m.(*jsonrpc.Response); ok {
		return r.answer(answer, true)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return r.send(r.exact(data))
}

// answer writes the answer to a request, which began or did not.
func (r *replies) answer(a *jsonrpc.Response, began bool) error {
	data, err := encode(a)
	if err != nil {
		return err
	}
	data, known := r.settle(a.ID, r.exact(data))
	if data != nil {
		err = r.send(data)
	}
	if known {
		r.sent(len(data), began)
	}
	return err
}

// exact returns a message with the ids that the client wrote.
func (r *replies) exact(data []byte) []byte {
	r.mu.Lock()
	inexact := r.inexact
	r.mu.Unlock()
	if !inexact {
		return data
	}
	return restoreIDs(data)
}

// encode does what [jsonrpc.EncodeMessage] does. A result is JSON already: it is not read
// again, which would cost a search a tenth of a millisecond. No error has code 0, which
// the SDK gives to those of no kind.
func encode(a *jsonrpc.Response) ([]byte, error) {
	if a.Error == nil && len(a.Result) > 0 {
		id, err := json.Marshal(a.ID.Raw())
		return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), a.Result, []byte("}")), err
	}
	if a.Error == nil {
		return jsonrpc.EncodeMessage(a)
	}
	wire := &jsonrpc.Error{Message: a.Error.Error()}
	if inner, ok := errors.AsType[*jsonrpc.Error](a.Error); ok {
		wire.Code, wire.Data = inner.Code, inner.Data
	}
	switch {
	case errors.Is(a.Error, context.Canceled):
		wire.Code, wire.Message = codeCancelled, "request was cancelled"
	case wire.Code == 0:
		wire.Code = jsonrpc.CodeInvalidRequest
	}
	return jsonrpc.EncodeMessage(&jsonrpc.Response{ID: a.ID, Error: wire})
}

// settle returns what is to be written now that a request has its answer: nil while other
// requests of its batch wait. The id is free again: the client may use it as soon as it
// reads the answer.
func (r *replies) settle(id jsonrpc.ID, answer []byte) (data []byte, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.waiting[id]
	if !known {
		return answer, false
	}
	delete(r.waiting, id)
	if b := p.batch; b != nil {
		b.answers[p.index] = answer
		if b.open--; b.open > 0 {
			return nil, true
		}
		answer = slices.Concat([]byte("["), bytes.Join(b.answers, []byte(",")), []byte("]"))
	}
	r.unsent += len(answer)
	return answer, true
}

// sent notes that an answer of some bytes was written, or with 0 that it waits in its
// batch for others.
func (r *replies) sent(size int, began bool) {
	r.mu.Lock()
	r.unsent -= size
	r.open--
	if began {
		r.active--
	}
	r.mu.Unlock()
	select {
	case r.written <- struct{}{}:
	default:
	}
}

// send writes one line. A client that does not read it must not keep the session
// from ending, so it does not wait for out after stop.
func (r *replies) send(data []byte) error {
	select {
	case r.writing <- struct{}{}:
		defer func() { <-r.writing }()
	case <-r.stop:
		return context.Canceled
	}
	done := make(chan error, 1)
	go func() {
		_, err := r.out.Write(append(data, '\n'))
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-r.stop:
		return context.Canceled
	}
}

// refuse answers a line that is refused.
func (r *replies) refuse(m *malformed) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	return r.send(data)
}
