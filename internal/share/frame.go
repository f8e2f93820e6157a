package share

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// kind is the kind of a frame.
type kind byte

const (
	hello   kind = iota + 1 // the first frame of a client: its [greeting]
	welcome                 // the answer of the server
	refused                 // the other answer, with the reason
	call
	result
	failed // a result that is an error
	cancel // of a call, without payload
)

const (
	frameHead = 13
	// maxPayload is the most bytes of a payload: a page of a thousand memories of ordinary size.
	maxPayload = 256 << 20
	// growth is how many bytes of a payload are allocated before they have arrived.
	growth = 1 << 20
)

var errTooLarge = errors.New("the message is too large")

type frame struct {
	number  uint64
	kind    kind
	payload []byte
}

// writer writes frames. It is safe for concurrent use.
type writer struct {
	mu sync.Mutex
	c  net.Conn
}

// write writes a frame. A peer that does not read for a minute has failed.
func (w *writer) write(f frame) error {
	if len(f.payload) > maxPayload {
		return fmt.Errorf("%w: %d bytes, at most %d fit", errTooLarge, len(f.payload), maxPayload)
	}
	var head [frameHead]byte
	binary.BigEndian.PutUint32(head[:], uint32(len(f.payload)))
	binary.BigEndian.PutUint64(head[4:], f.number)
	head[12] = byte(f.kind)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := (&net.Buffers{head[:], f.payload}).WriteTo(w.c)
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
		return f, fmt.Errorf("%w: %d bytes, at most %d fit", errTooLarge, size, maxPayload)
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
