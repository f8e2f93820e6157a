package hub

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hippo-memory/hippo"
)

// maxJSON bounds a tokenizer, in bytes; the largest known have 35 MB.
const maxJSON = 256 << 20

// checkForm says whether a file is what its name promises, which a web page or an
// error message in its place is not. Cost: a JSON file is read as a whole.
func checkForm(open func(string) (*os.File, error), path, name string) (err error) {
	f, err := open(path)
	if err != nil {
		return diskError(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return diskError(err)
	}
	switch {
	case strings.HasSuffix(name, ".json"):
		data, err := io.ReadAll(io.LimitReader(f, maxJSON))
		if err != nil {
			return diskError(err)
		}
		if !json.Valid(data) {
			return fmt.Errorf("%w: %s is not JSON", hippo.ErrCorrupt, name)
		}
	case strings.HasSuffix(name, ".safetensors"):
		// A length of 8 bytes, then that many bytes of a JSON object.
		var head [9]byte
		if _, err := io.ReadFull(f, head[:]); err != nil {
			return fmt.Errorf("%w: %s: %w", hippo.ErrCorrupt, name, err)
		}
		if n := binary.LittleEndian.Uint64(head[:8]); head[8] != '{' || n > uint64(info.Size()-8) {
			return fmt.Errorf("%w: %s is not a safetensors file", hippo.ErrCorrupt, name)
		}
	}
	return nil
}
