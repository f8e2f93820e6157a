package bert

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
)

// chunk is how many bytes of a tensor are read at a time.
const chunk = 1 << 20

// find returns the tensor of that name, which must have the shape and be of a
// kind that the encoder reads.
func (w *weights) find(name string, shape ...int) (tensor, error) {
	t, ok := w.tensors[name]
	if !ok {
		return t, fmt.Errorf("%w: model.safetensors: no tensor %q", hippo.ErrCorrupt, name)
	}
	if !slices.Equal(t.shape, shape) {
		return t, fmt.Errorf("%w: model.safetensors: tensor %q: shape %v, want %v", hippo.ErrCorrupt, name, t.shape, shape)
	}
	switch t.kind {
	case "F32", "F16", "BF16":
		return t, nil
	default:
		return t, fmt.Errorf("%w: model.safetensors: tensor %q: dtype %s", hippo.ErrUnsupported, name, t.kind)
	}
}

// read appends the numbers of a tensor to dst. They must be finite.
func (w *weights) read(dst []float32, name string, shape ...int) ([]float32, error) {
	t, err := w.find(name, shape...)
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
	if i := notFinite(dst[from:]); i >= 0 {
		return nil, fmt.Errorf("%w: model.safetensors: tensor %q: number %d is %g", hippo.ErrCorrupt, name, i, dst[from+i])
	}
	return dst, nil
}

// prefix returns what stands before the names of the encoder's tensors: nothing,
// or the name that the encoder has in a larger model, such as "bert.".
func (w *weights) prefix() (string, error) {
	const word = "embeddings.word_embeddings.weight"
	var found []string
	for name := range w.tensors {
		if p, ok := strings.CutSuffix(name, word); ok && (p == "" || strings.HasSuffix(p, ".")) {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%w: model.safetensors: no tensor %q", hippo.ErrCorrupt, word)
	}
	return slices.Min(found), nil
}

// notFinite returns the index of the first number that is none; -1 if all are.
func notFinite(x []float32) int {
	const exponent = 0xff << 23
	for i, v := range x {
		if math.Float32bits(v)&exponent == exponent {
			return i
		}
	}
	return -1
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
