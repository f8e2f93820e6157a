//go:build unix

package share

import (
	"net"

	"golang.org/x/sys/unix"
)

// hungUp reports whether the other end has closed its connection, even if bytes that it sent before are still to be read.
func hungUp(c *net.UnixConn) bool {
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	up := false
	err = raw.Control(func(fd uintptr) {
		p := []unix.PollFd{{Fd: int32(fd)}} //nolint:gosec // a descriptor is small
		n, failed := unix.Poll(p, 0)
		up = failed == nil && n > 0 && p[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) != 0
	})
	return err != nil || up
}
