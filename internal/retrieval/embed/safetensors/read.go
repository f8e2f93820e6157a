package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// chunk is how many bytes of a tensor are read at a time.
const chunk = 1 << 20

// Find returns the tensor of that name, which must have the shape and be of F32, F16 or BF16.
func (w *File) Find(name string, shape ...int) (Tensor, error) {
	t, ok := w.tensors[name]
	if !ok {
		return t, fmt.Errorf("%w: model.safetensors: no tensor %q", hippo.ErrCorrupt, name)
	}
	if !slices.Equal(t.shape, shape) {
		return t, fmt.Errorf("%w: model.safetensors: tensor %q: shape %v, want %v", hippo.ErrCorrupt, name, t.shape, shape)
	}
	switch t.kind {
	case "F32", "F16", "BF16":
		t.name = name
		return t, nil
	default:
		return t, fmt.Errorf("%w: model.safetensors: tensor %q: dtype %s", hippo.ErrUnsupported, name, t.kind)
	}
}

// Append appends the numbers of a tensor to dst. They must be finite.
func (w *File) Append(dst []float32, name string, shape ...int) ([]float32, error) {
	t, err := w.Find(name, shape...)
	if err != nil {
		return nil, err
	}
	from := len(dst)
	n := int(t.size / width(t.kind))
	dst = slices.Grow(dst, n)[:from+n]
	buf := make([]byte, min(chunk, t.size))
	for at, to := t.at, dst[from:]; len(to) > 0; {
		part := buf[:min(int64(len(buf)), int64(len(to))*width(t.kind))]
		if err := readFull(w.file, part, at); err != nil {
			return nil, fmt.Errorf("model.safetensors: tensor %q: %w", name, err)
		}
		k := len(part) / int(width(t.kind))
		decode(to[:k], part, t.kind)
		at, to = at+int64(len(part)), to[k:]
	}
	if i := gemm.NotFinite(dst[from:]); i >= 0 {
		return nil, fmt.Errorf("%w: model.safetensors: tensor %q: number %d is %g", hippo.ErrCorrupt, name, i, dst[from+i])
	}
	return dst, nil
}

// Rows sets dst to rows of a tensor that [File.Find] returned, from row first on. buf is a buffer of 4
// bytes a number. They must be finite.
func (w *File) Rows(dst []float32, t Tensor, first int, buf []byte) error {
	size := width(t.kind)
	buf = buf[:len(dst)*int(size)]
	columns := int64(t.shape[len(t.shape)-1])
	if err := readFull(w.file, buf, t.at+int64(first)*columns*size); err != nil {
		return fmt.Errorf("model.safetensors: tensor %q: %w", t.name, err)
	}
	decode(dst, buf, t.kind)
	if i := gemm.NotFinite(dst); i >= 0 {
		return fmt.Errorf("%w: model.safetensors: tensor %q: row %d has %g", hippo.ErrCorrupt, t.name, first+i/int(columns), dst[i])
	}
	return nil
}

// Prefix returns what stands before the names of a model's tensors, of which name is one: nothing, or
// the name that the model has in a larger one, such as "bert.".
func (w *File) Prefix(name string) (string, error) {
	var found []string
	for n := range w.tensors {
		if p, ok := strings.CutSuffix(n, name); ok && (p == "" || strings.HasSuffix(p, ".")) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%w: model.safetensors: no tensor %q", hippo.ErrCorrupt, name)
	}
	return slices.Min(found), nil
}

// decode makes dst the numbers in b.
func decode(dst []float32, b []byte, kind string) {
	switch kind {
	case "F32":
		for i := range dst {
			dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case "BF16":
		for i := range dst {
			dst[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b[2*i:])) << 16)
		}
	default:
		for i := range dst {
			dst[i] = half(binary.LittleEndian.Uint16(b[2*i:]))
		}
	}
}

// half returns the number of an IEEE 754 half.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	default:
		return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
	}
}
