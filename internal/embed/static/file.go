package static

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/bits"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/token"
)

const (
	magic = "HIPPOVEC"
	// version of the format: 1, November 2026, the first.
	version   = 1
	preamble  = len(magic) + 3*4
	maxHeader = 4 << 10
	align     = 64
	// byteRows is the number of tokens that stand for bytes.
	byteRows     = 128
	maxTokens    = token.MaxHashTokens
	maxDimension = 4096
)

// header is the JSON at the beginning of a file.
type header struct {
	// ID, Space and Dimension are those of [embed.Model].
	ID        string `json:"id"`
	Space     string `json:"space"`
	Dimension int    `json:"dimension"`
	Tokens    int    `json:"pieces"`
	Slots     int    `json:"slots"`
	// Texts is the length of that section in bytes.
	Texts int `json:"texts"`
}

// file is a parsed model; the slices are parts of its bytes.
type file struct {
	head                  header
	vocab                 *token.HashVocab
	scales, weights, rows []byte
}

// parse checks what lookups rely on, except for the slots.
func parse(data []byte) (file, error) {
	h, body, err := parseHeader(data)
	if err != nil {
		return file{}, err
	}
	f := file{head: h}
	var slots, ends, texts []byte
	at := roundUp(body)
	for _, s := range []struct {
		name string
		to   *[]byte
		n    int
	}{
		{"slots", &slots, 2 * h.Slots},
		{"ends", &ends, 4 * h.Tokens},
		{"texts", &texts, h.Texts},
		{"scales", &f.scales, 2 * h.Tokens},
		{"weights", &f.weights, 2 * h.Tokens},
		{"rows", &f.rows, h.Dimension * h.Tokens},
	} {
		if at > len(data) || s.n > len(data)-at {
			return file{}, fmt.Errorf("%w: model: section %s is cut short", hippo.ErrCorrupt, s.name)
		}
		*s.to = data[at : at+s.n : at+s.n]
		at = roundUp(at + s.n)
	}
	if f.vocab, err = token.NewHashVocab(slots, ends, texts); err != nil {
		return file{}, fmt.Errorf("model: %w", err)
	}
	for i := range int32(h.Tokens) {
		if !valid(upper(f.scales, i)) || !valid(upper(f.weights, i)) {
			return file{}, fmt.Errorf("%w: model: token %d has an invalid weight", hippo.ErrCorrupt, i)
		}
	}
	return f, nil
}

// valid reports whether x can be a scale or a weight: sums of such do not overflow.
func valid(x float32) bool { return x >= 0 && x <= 1e6 }

func parseHeader(data []byte) (h header, body int, err error) {
	if len(data) < preamble || string(data[:len(magic)]) != magic {
		return h, 0, fmt.Errorf("%w: not a static model", hippo.ErrCorrupt)
	}
	numbers := data[len(magic):]
	if v := binary.LittleEndian.Uint32(numbers); v != version {
		return h, 0, fmt.Errorf("%w: static model of format %d, this program reads %d", hippo.ErrUnsupported, v, version)
	}
	n := binary.LittleEndian.Uint32(numbers[4:])
	if n > maxHeader || int(n) > len(data)-preamble {
		return h, 0, fmt.Errorf("%w: model: header of %d bytes, at most %d of %d", hippo.ErrCorrupt, n, maxHeader, len(data))
	}
	text := data[preamble : preamble+int(n)]
	if crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)) != binary.LittleEndian.Uint32(numbers[8:]) {
		return h, 0, fmt.Errorf("%w: model: header has a wrong checksum", hippo.ErrCorrupt)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, 0, fmt.Errorf("%w: model: header: %w", hippo.ErrCorrupt, err)
	}
	fits := h.ID != "" && h.Space != "" && h.Dimension > 0 && h.Dimension <= maxDimension &&
		h.Tokens >= byteRows && h.Tokens <= maxTokens && h.Texts >= 0 &&
		h.Slots > h.Tokens && h.Slots <= 1<<20 && bits.OnesCount(uint(h.Slots)) == 1
	if !fits {
		return h, 0, fmt.Errorf("%w: model: sizes in the header", hippo.ErrCorrupt)
	}
	return h, preamble + int(n), nil
}

func roundUp(n int) int { return (n + align - 1) / align * align }

// weight returns the factor of a row in the vector of a text of that role.
func (f *file) weight(id int32, role embed.Role) float32 {
	w := upper(f.scales, id)
	if role != embed.Sentence {
		w = float32(w * upper(f.weights, id))
	}
	return w
}

// row returns the vector of a token, int8 each.
func (f *file) row(id int32) []byte {
	return f.rows[int(id)*f.head.Dimension : (int(id)+1)*f.head.Dimension]
}
