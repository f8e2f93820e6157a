// Package safetensors reads the numbers of a model.safetensors, the weights of a model as Hugging Face
// stores them. It checks the whole header when it opens a file, maps nothing into memory, and refuses
// numbers that are not finite: a file that is cut or changed while it is open is an error.
package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
)

// maxHeader is the longest header that is read, as in other readers.
const maxHeader = 100 << 20

// Tensor is an entry of the header.
type Tensor struct {
	name  string // set by [File.Find]
	kind  string
	shape []int
	// at is where the numbers begin in the file, size how many bytes they take.
	at, size int64
}

// File is an open model.safetensors: the length of the header in 8 bytes, the
// header, a JSON object of names to kinds, shapes and places, and the numbers.
// Everything is little endian.
// Source: https://huggingface.co/docs/safetensors, format.
type File struct {
	file    io.ReaderAt
	tensors map[string]Tensor
}

// Read reads and checks the header of a file of size bytes.
func Read(file io.ReaderAt, size int64) (*File, error) {
	var prefix [8]byte
	if err := readFull(file, prefix[:], 0); err != nil {
		return nil, fmt.Errorf("model.safetensors: %w", err)
	}
	n := binary.LittleEndian.Uint64(prefix[:])
	if n > maxHeader || int64(n) > size-8 {
		return nil, fmt.Errorf("%w: model.safetensors: header of %d bytes in a file of %d", hippo.ErrCorrupt, n, size)
	}
	header := make([]byte, n)
	if err := readFull(file, header, 8); err != nil {
		return nil, fmt.Errorf("model.safetensors: header: %w", err)
	}
	tensors, err := parseHeader(header, size-8-int64(n))
	if err != nil {
		return nil, fmt.Errorf("model.safetensors: %w", err)
	}
	return &File{file: file, tensors: tensors}, nil
}

// readFull reads all of b at a place of the file. That there is less is
// [hippo.ErrCorrupt], any other error is the file's.
func readFull(file io.ReaderAt, b []byte, at int64) error {
	n, err := file.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil, errors.Is(err, io.EOF):
		return fmt.Errorf("%w: file ends %d bytes early", hippo.ErrCorrupt, len(b)-n)
	default:
		return err
	}
}

// parseHeader reads the header of a file with that many bytes of numbers. The
// tensors must cover these bytes without gap or overlap.
func parseHeader(header []byte, numbers int64) (map[string]Tensor, error) {
	d := json.NewDecoder(bytes.NewReader(header))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("%w: header is not a JSON object", hippo.ErrCorrupt)
	}
	tensors := map[string]Tensor{}
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return nil, fmt.Errorf("%w: header: %w", hippo.ErrCorrupt, err)
		}
		if _, twice := tensors[name]; twice {
			return nil, fmt.Errorf("%w: tensor %q is there twice", hippo.ErrCorrupt, name)
		}
		if name == "__metadata__" {
			err = d.Decode(&map[string]string{})
		} else {
			tensors[name], err = parseTensor(d, int64(len(header))+8)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: tensor %q: %w", hippo.ErrCorrupt, name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("%w: header: %w", hippo.ErrCorrupt, err)
	}
	if rest := bytes.TrimRight(header[d.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%w: header goes on after its end", hippo.ErrCorrupt)
	}
	return tensors, checkCover(tensors, int64(len(header))+8, numbers)
}

// parseTensor reads an entry. Places in it count from base.
func parseTensor(d *json.Decoder, base int64) (Tensor, error) {
	var raw struct {
		Kind  string  `json:"dtype"`
		Shape []int64 `json:"shape"`
		Place []int64 `json:"data_offsets"`
	}
	if err := d.Decode(&raw); err != nil {
		return Tensor{}, err
	}
	need := width(raw.Kind)
	if need == 0 {
		return Tensor{}, fmt.Errorf("unknown dtype %q", raw.Kind)
	}
	if len(raw.Place) != 2 || raw.Place[0] < 0 || raw.Place[1] < raw.Place[0] || raw.Place[1] > math.MaxInt64-base || raw.Shape == nil {
		return Tensor{}, fmt.Errorf("shape %v, data_offsets %v", raw.Shape, raw.Place)
	}
	t := Tensor{kind: raw.Kind, at: base + raw.Place[0], size: raw.Place[1] - raw.Place[0]}
	for _, n := range raw.Shape {
		if n < 0 || n > math.MaxInt32 || n > 0 && need > math.MaxInt64/n {
			return Tensor{}, fmt.Errorf("shape %v", raw.Shape)
		}
		need *= n
		t.shape = append(t.shape, int(n))
	}
	if need != t.size {
		return Tensor{}, fmt.Errorf("shape %v of %s takes %d bytes, data_offsets %v are %d", raw.Shape, raw.Kind, need, raw.Place, t.size)
	}
	return t, nil
}

// width returns how many bytes a number takes; 0 if the kind is unknown.
func width(kind string) int64 {
	switch kind {
	case "BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3":
		return 1
	case "U16", "I16", "F16", "BF16":
		return 2
	case "U32", "I32", "F32":
		return 4
	case "U64", "I64", "F64":
		return 8
	default:
		return 0
	}
}

// checkCover checks that the tensors lie one after the other from base on, size
// bytes together.
func checkCover(tensors map[string]Tensor, base, size int64) error {
	type place struct {
		name     string
		from, to int64
	}
	all := make([]place, 0, len(tensors))
	for name, t := range tensors {
		all = append(all, place{name, t.at, t.at + t.size})
	}
	slices.SortFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	end := base
	for _, p := range all {
		if p.from != end {
			return fmt.Errorf("%w: tensor %q begins at byte %d, but the one before ends at %d", hippo.ErrCorrupt, p.name, p.from-base, end-base)
		}
		if end = p.to; end > base+size {
			return fmt.Errorf("%w: tensor %q ends at byte %d of %d", hippo.ErrCorrupt, p.name, end-base, size)
		}
	}
	if end != base+size {
		return fmt.Errorf("%w: %d bytes belong to no tensor", hippo.ErrCorrupt, base+size-end)
	}
	return nil
}
