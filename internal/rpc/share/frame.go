package share

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
)

// kind is the kind of a frame.
type kind byte

const (
	hello   kind = iota + 1 // the first frame of a client: its [greeting]
	welcome                 // the answer of the server
	refused                 // the other answer, with the reason
	call
	result
	failed   // a result that is an error
	cancel   // of a call, without payload
	tooLarge // in place of a result, without payload
	ping     // of a client that waits, without payload
	pong     // the answer to it
)

const (
	frameHead = 13
	// maxPayload is the most bytes of a payload: a page of a thousand memories of ordinary size.
	maxPayload = 256 << 20
	// growth is how many bytes of a payload are allocated before they have arrived.
	growth = 1 << 20
	// writeTimeout is how long a client may take to read a chunk of a reply.
	writeTimeout = time.Minute
)

// ErrTooLarge says that a call or its reply is too large to travel.
var ErrTooLarge = fmt.Errorf("%w: more than 256 MiB between processes; ask for less at a time", hippo.ErrInvalid)

type frame struct {
	number  uint64
	kind    kind
	payload []byte
}

// writer writes frames. It is safe for concurrent use.
type writer struct {
	mu sync.Mutex
	c  net.Conn
	// timeout is how long the peer may take to read a chunk, and late is called when it takes longer.
	timeout time.Duration
	late    func()
}

// newWriter returns a writer that closes the connection of a peer that does not read.
func newWriter(c net.Conn) *writer {
	return &writer{c: c, timeout: writeTimeout, late: func() { _ = c.Close() }}
}

// write writes a frame. If that fails, or the peer does not read it in time, it closes the connection: the peer would
// take the next frame for the rest of this one.
func (w *writer) write(f frame) error {
	if len(f.payload) > maxPayload {
		return fmt.Errorf("%w: %d bytes, at most %d fit", ErrTooLarge, len(f.payload), maxPayload)
	}
	var head [frameHead]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(f.payload)))
	binary.BigEndian.PutUint64(head[4:], f.number)
	head[12] = byte(f.kind)
	w.mu.Lock()
	defer w.mu.Unlock()
	late := time.AfterFunc(w.timeout, w.late)
	defer late.Stop()
	first := min(chunk, len(f.payload))
	_, err := (&net.Buffers{head[:], f.payload[:first]}).WriteTo(w.c)
	for rest := range slices.Chunk(f.payload[first:], chunk) {
		if err != nil {
			break
		}
		late.Reset(w.timeout)
		_, err = w.c.Write(rest)
	}
	if err != nil {
		_ = w.c.Close()
	}
	return err
}

// read reads a frame.
func read(r io.Reader) (frame, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return frame{}, err
	}
	size := int(binary.BigEndian.Uint32(head[:]))
	f := frame{number: binary.BigEndian.Uint64(head[4:]), kind: kind(head[12])}
	if size > maxPayload {
		return f, fmt.Errorf("%w: %d bytes, at most %d fit", ErrTooLarge, size, maxPayload)
	}
	f.payload = make([]byte, 0, min(size, growth))
	for len(f.payload) < size {
		have := len(f.payload)
		n := min(size-have, max(growth, have))
		f.payload = append(f.payload, make([]byte, n)...)
		if _, err := io.ReadFull(r, f.payload[have:]); err != nil {
			return f, err
		}
	}
	return f, nil
}

// helloTimeout is how long each end waits for the greeting of the other.
const helloTimeout = 2 * time.Second
