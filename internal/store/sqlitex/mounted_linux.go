package sqlitex

import "golang.org/x/sys/unix"

// mountedAlone reports whether a file is the root of a mount, as the kernel reports it since Linux 5.8.
func mountedAlone(path string) bool {
	var st unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, 0, 0, &st); err != nil {
		return false
	}
	return st.Attributes_mask&st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
