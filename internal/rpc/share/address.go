// Package share lets one process answer for others of the same user: a unix socket in the runtime directory of the
// user, a lock that elects who listens on it, and calls as opaque bytes. It knows nothing of what is called.
//
// A frame is 4 bytes of length, 8 bytes of the call's number and 1 byte of its kind, then the payload; numbers are big-endian.
package share

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/hippo-memory/hippo"
)

// maxSocketPath is the most bytes of the path of a unix socket: sun_path has 104 on macOS and the BSDs, 108 on
// Linux, with a zero at the end.
const maxSocketPath = 103

// Address is where the processes of one store and one protocol meet.
type Address struct {
	// Socket and Lock are files in a folder that only the user can read.
	Socket, Lock string
	// Identity says which store is at the path, so that the same path in two containers is not taken for one store;
	// empty if it does not exist yet.
	Identity string
}

// AddressOf returns the address for a key, which names a store, its settings and the protocol. Folders are tried in
// order: $XDG_RUNTIME_DIR/hippo, and hippo-UID in the folder for temporary files. The error is
// [hippo.ErrUnavailable] if none of them can be used.
func AddressOf(key, path string, env func(string) string) (Address, error) {
	sum := sha256.Sum256([]byte(key))
	name := hex.EncodeToString(sum[:10])
	var problem error
	for _, dir := range folders(env) {
		socket := filepath.Join(dir, name+".sock")
		if len(socket) > maxSocketPath {
			problem = errors.Join(problem, fmt.Errorf("%s: a socket path may have %d bytes, this one has %d", dir, maxSocketPath, len(socket)))
			continue
		}
		if err := own(dir); err != nil {
			problem = errors.Join(problem, err)
			continue
		}
		return Address{Socket: socket, Lock: filepath.Join(dir, name+".lock"), Identity: identityOf(path)}, nil
	}
	return Address{}, fmt.Errorf("%w: no folder for a socket: %w", hippo.ErrUnavailable, problem)
}

func folders(env func(string) string) (list []string) {
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		list = append(list, filepath.Join(dir, "hippo"))
	}
	own := "hippo-" + strconv.Itoa(os.Geteuid())
	list = append(list, filepath.Join(os.TempDir(), own))
	if runtime.GOOS != "windows" && filepath.Clean(os.TempDir()) != "/tmp" {
		list = append(list, filepath.Join("/tmp", own)) // $TMPDIR may be too long
	}
	return list
}

// own creates a folder that only the user can use, or checks that an existing one is that: another user may have made
// it in the folder for temporary files, where everybody can write.
func own(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: not a folder", dir)
	case !isOwn(info):
		return fmt.Errorf("%s: belongs to another user", dir)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s: other users can use it (mode %v); want 0700", dir, info.Mode().Perm())
	default:
		return nil
	}
}
