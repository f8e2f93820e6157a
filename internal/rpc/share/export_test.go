package share

import "net"

// MaxPayload is the most bytes of a call or a reply.
const MaxPayload = maxPayload

// Send writes a call to c as a [Conn] does.
func Send(c net.Conn, payload []byte) error {
	return newWriter(c).write(frame{kind: call, payload: payload})
}
