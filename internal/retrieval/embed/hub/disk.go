package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/hippo-memory/hippo"
)

// diskError returns an error of the file system as one of package hippo.
func diskError(err error) error {
	code, _ := errors.AsType[syscall.Errno](err)
	full := code == syscall.ENOSPC || code == syscall.EDQUOT
	if runtime.GOOS == "windows" { // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		full = code == 39 || code == 112
	}
	switch {
	case full:
		return fmt.Errorf("%w: %w", hippo.ErrFull, err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%w: %w", hippo.ErrReadOnly, err)
	default:
		return err
	}
}

// checksum reads a file to its end. Cost: about a second per gigabyte.
func checksum(ctx context.Context, path, name string) (File, error) {
	f, err := os.Open(path)
	if err != nil {
		return File{}, diskError(err)
	}
	defer context.AfterFunc(ctx, func() { _ = f.Close() })() // which ends the reading
	defer f.Close()                                          //nolint:errcheck // only read
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err = cmp.Or(ctx.Err(), diskError(err)); err != nil {
		return File{}, err
	}
	return File{Name: name, Size: n, SHA256: hex.EncodeToString(h.Sum(nil))}, nil
}

// maxJSON bounds a JSON file, in bytes; the largest known tokenizers have 35 MB.
const maxJSON = 256 << 20

// readJSON reads a JSON file; name is what errors call it. The error is
// [hippo.ErrCorrupt] if it is malformed or larger than maxJSON.
func readJSON(path, name string, to any) error {
	f, err := os.Open(path)
	if err != nil {
		return diskError(err)
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, maxJSON))
	if err != nil {
		return diskError(err)
	}
	if !json.Valid(data) {
		return fmt.Errorf("%w: %s is not JSON", hippo.ErrCorrupt, name)
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%w: %s: %w", hippo.ErrCorrupt, name, err)
	}
	return nil
}

// checkFormat checks that a file is of the format that its name says, which a web page
// or an error message in its place is not. Cost: a JSON file is read as a whole.
func checkFormat(path, name string) error {
	if strings.HasSuffix(name, ".json") {
		var raw json.RawMessage
		return readJSON(path, name, &raw)
	}
	f, err := os.Open(path)
	if err != nil {
		return diskError(err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return diskError(err)
	}
	var head [9]byte // a length of 8 bytes, and that many bytes of a JSON object
	_, err = io.ReadFull(f, head[:])
	if n := binary.LittleEndian.Uint64(head[:8]); err != nil || head[8] != '{' || n > uint64(info.Size()-8) {
		return fmt.Errorf("%w: %s is not a safetensors file", hippo.ErrCorrupt, name)
	}
	return nil
}
