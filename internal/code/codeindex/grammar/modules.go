package grammar

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/therootcompany/xz"
)

//go:embed modules/*.xz
var modules embed.FS

// maxModule bounds the size of an unpacked module.
const maxModule = 16 << 20

// ErrUnknown is the error of a language without a grammar.
var ErrUnknown = errors.New("no grammar")

// unpack returns the module of a grammar. Cost: 20 ms for a megabyte.
func unpack(name string) ([]byte, error) {
	packed, err := modules.ReadFile("modules/" + name + ".wasm.xz")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("language %q: %w", name, ErrUnknown)
	}
	if err != nil {
		return nil, fmt.Errorf("grammar of %s: %w", name, err)
	}
	r, err := xz.NewReader(bytes.NewReader(packed), 0)
	if err != nil {
		return nil, fmt.Errorf("unpack the grammar of %s: %w", name, err)
	}
	module, err := io.ReadAll(io.LimitReader(r, maxModule))
	if err != nil {
		return nil, fmt.Errorf("unpack the grammar of %s: %w", name, err)
	}
	return module, nil
}
