//go:build !linux && !darwin

package share

import (
	"net"
	"os"
)

// peerUser returns the user of this process: that only this user can connect is up to the mode of the folder.
func peerUser(*net.UnixConn) (uid int, err error) { return os.Geteuid(), nil }
