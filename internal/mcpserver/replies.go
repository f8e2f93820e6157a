package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// replies writes what the server says, and knows which requests wait for it. It
// is safe for concurrent use.
type replies struct {
	stop <-chan struct{} // the session has to end

	writing sync.Mutex // guards out; never taken while mu is held
	out     io.Writer

	mu      sync.Mutex
	waiting map[jsonrpc.ID]place
	unsent  int           // requests whose answer is not written yet
	idle    chan struct{} // a token when unsent falls to 0
}

// place is where an answer belongs: the batch is nil for one on its own.
type place struct {
	batch *batch
	index int
}

// batch collects the answers to the requests of one batch.
type batch struct {
	answers [][]byte
	open    int
}

// begin notes the calls among messages. If the id of one is in use, it notes
// none and returns that id.
func (r *replies) begin(messages []jsonrpc.Message, isBatch bool) (inUse jsonrpc.ID, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	places := make(map[jsonrpc.ID]place, len(messages))
	var b *batch
	if isBatch {
		b = &batch{}
	}
	for _, m := range messages {
		call, ok := m.(*jsonrpc.Request)
		if !ok || !call.IsCall() {
			continue
		}
		if _, ok := r.waiting[call.ID]; ok {
			return call.ID, false
		}
		if _, ok := places[call.ID]; ok {
			return call.ID, false
		}
		places[call.ID] = place{batch: b, index: len(places)}
	}
	if b != nil {
		b.answers, b.open = make([][]byte, len(places)), len(places)
	}
	if r.waiting == nil {
		r.waiting = make(map[jsonrpc.ID]place, len(places))
	}
	maps.Copy(r.waiting, places)
	r.unsent += len(places)
	return jsonrpc.ID{}, true
}

// Write implements [mcp.Connection]. The answers to a batch are written together.
func (r *replies) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := encode(m)
	if err != nil {
		return err
	}
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		return r.send(data)
	}
	data, known := r.settle(answer.ID, data)
	if data != nil {
		err = r.send(data)
	}
	if known {
		r.sent()
	}
	return err
}

// encode is [jsonrpc.EncodeMessage]. A result is JSON already: it is not read again,
// which would cost a search a tenth of a millisecond.
func encode(m jsonrpc.Message) ([]byte, error) {
	answer, ok := m.(*jsonrpc.Response)
	if !ok || answer.Error != nil || len(answer.Result) == 0 {
		return jsonrpc.EncodeMessage(m)
	}
	id, err := json.Marshal(answer.ID.Raw())
	return slices.Concat([]byte(`{"jsonrpc":"2.0","id":`), id, []byte(`,"result":`), answer.Result, []byte("}")), err
}

// settle returns what is to be written now that a request has its answer: nil
// while other requests of its batch wait. The id is free again: the client may
// use it as soon as it reads the answer.
func (r *replies) settle(id jsonrpc.ID, answer []byte) (data []byte, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p, known := r.waiting[id]
	delete(r.waiting, id)
	b := p.batch
	if b == nil {
		return answer, known
	}
	b.answers[p.index] = answer
	if b.open--; b.open > 0 {
		return nil, known
	}
	return bytes.Join([][]byte{[]byte("["), bytes.Join(b.answers, []byte(",")), []byte("]")}, nil), known
}

// sent notes that an answer is written, or waits in its batch for others.
func (r *replies) sent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsent--; r.unsent == 0 {
		select {
		case r.idle <- struct{}{}:
		default:
		}
	}
}

// drain returns when every request is answered, or nobody waits for it any more.
func (r *replies) drain(closed <-chan struct{}) {
	for {
		r.mu.Lock()
		n := r.unsent
		r.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-r.idle:
		case <-closed:
			return
		case <-r.stop:
			return
		}
	}
}

// send writes one line. A client that does not read it must not keep the session
// from ending, so it does not wait for out after stop.
func (r *replies) send(data []byte) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	select {
	case <-r.stop:
		return context.Canceled
	default:
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

// refuse answers what is no request; id is nil where it has none.
func (r *replies) refuse(id json.RawMessage, code int64, format string, args ...any) error {
	data, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}})
	if err != nil {
		return err
	}
	return r.send(data)
}
