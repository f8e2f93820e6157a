package cnn

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/token"
)

const (
	magic = "HIPPOCNN"
	// version of the format: 1, November 2026, the first.
	version   = 1
	preamble  = len(magic) + 3*4
	maxHeader = 4 << 10
	align     = 64
	maxPieces = 1 << 20
	maxBytes  = 1 << 28 // of a section
	maxTiers  = 8
	maxLevels = 8
	maxNumber = 16
)

// header is the JSON at the beginning of a file.
type header struct {
	// ID and Space are those of [embed.Model].
	ID    string `json:"id"`
	Space string `json:"space"`
	// Units and Charmap are the numbers of units of the tries of pieces and of the character map.
	Units   int `json:"units"`
	Charmap int `json:"charmap"`
	// Replacements is the length of that section in bytes.
	Replacements int `json:"replacements"`
	// Tiers are the codes of pieces, the most frequent pieces first.
	Tiers tiers `json:"tiers"`
	// Checksum is the CRC-32C of everything after the header.
	Checksum uint32 `json:"checksum"`
}

// file is a parsed model; the slices are parts of its bytes.
type file struct {
	head header
	// body is everything after the header.
	body []byte

	units, scores, charmap, replacements []byte
	gains, scales, books, codes          []byte
	numbers, weights                     []byte
}

// parse checks what reading relies on, except for the tries.
func parse(data []byte) (file, error) {
	h, from, err := parseHeader(data)
	if err != nil {
		return file{}, err
	}
	f := file{head: h, body: data[from:]}
	at := roundUp(from)
	for _, s := range []struct {
		name string
		to   *[]byte
		n    int
	}{
		{"pieces", &f.units, 4 * h.Units},
		{"scores", &f.scores, 4 * h.Tiers.pieces()},
		{"charmap", &f.charmap, 4 * h.Charmap},
		{"replacements", &f.replacements, h.Replacements},
		{"gains", &f.gains, h.Tiers.pieces()},
		{"scales", &f.scales, 4 * 256},
		{"books", &f.books, h.Tiers[0].size() * words * partDims},
		{"codes", &f.codes, h.Tiers.codes()},
		{"numbers", &f.numbers, 4 * numbers},
		{"weights", &f.weights, weights},
	} {
		if at > len(data) || s.n > len(data)-at {
			return file{}, fmt.Errorf("%w: multilingual model: section %s is cut short", hippo.ErrCorrupt, s.name)
		}
		*s.to = data[at : at+s.n : at+s.n]
		at = roundUp(at + s.n)
	}
	return f, f.checkNumbers()
}

// checkNumbers returns an error unless the size of every float32 but the scores is at most
// maxNumber, so that sums of products do not overflow.
func (f *file) checkNumbers() error {
	for name, section := range map[string][]byte{"scales": f.scales, "numbers": f.numbers} {
		for i := range len(section) / 4 {
			if x := number(section, i); !(x >= -maxNumber && x <= maxNumber) {
				return fmt.Errorf("%w: multilingual model: number %d of section %s is %g, want %d to %d", hippo.ErrCorrupt, i, name, x, -maxNumber, maxNumber)
			}
		}
	}
	return nil
}

func parseHeader(data []byte) (h header, body int, err error) {
	if len(data) < preamble || string(data[:len(magic)]) != magic {
		return h, 0, fmt.Errorf("%w: not a multilingual model", hippo.ErrCorrupt)
	}
	fields := data[len(magic):]
	if v := binary.LittleEndian.Uint32(fields); v != version {
		return h, 0, fmt.Errorf("%w: multilingual model of format %d, this program reads %d", hippo.ErrUnsupported, v, version)
	}
	n := binary.LittleEndian.Uint32(fields[4:])
	if n > maxHeader || int(n) > len(data)-preamble {
		return h, 0, fmt.Errorf("%w: multilingual model: header of %d bytes, at most %d of %d", hippo.ErrCorrupt, n, maxHeader, len(data))
	}
	text := data[preamble : preamble+int(n)]
	if crc32.Checksum(text, castagnoli()) != binary.LittleEndian.Uint32(fields[8:]) {
		return h, 0, fmt.Errorf("%w: multilingual model: header has a wrong checksum", hippo.ErrCorrupt)
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return h, 0, fmt.Errorf("%w: multilingual model: header: %w", hippo.ErrCorrupt, err)
	}
	if err := h.check(); err != nil {
		return h, 0, fmt.Errorf("%w: multilingual model: header: %w", hippo.ErrCorrupt, err)
	}
	return h, preamble + int(n), nil
}

func (h *header) check() error {
	if h.ID == "" || h.Space == "" {
		return fmt.Errorf("id or space is empty")
	}
	if err := h.Tiers.check(); err != nil {
		return err
	}
	for name, n := range map[string]int{"units": h.Units, "charmap": h.Charmap, "replacements": h.Replacements} {
		if n < 1 || n > maxBytes/4 {
			return fmt.Errorf("%s is %d, want 1 to %d", name, n, maxBytes/4)
		}
	}
	return nil
}

// verify compares the checksum. Cost: about 2 ms, and reads the whole file.
func (f *file) verify() error {
	if got := crc32.Checksum(f.body, castagnoli()); got != f.head.Checksum {
		return fmt.Errorf("%w: multilingual model: checksum %08x, want %08x", hippo.ErrCorrupt, got, f.head.Checksum)
	}
	return nil
}

func (f *file) model() embed.Model {
	return embed.Model{ID: f.head.ID, Space: f.head.Space, Dimension: dimension}
}

func (f *file) tokenizer() (*token.SentencePiece, error) {
	t, err := token.NewSentencePiece(token.SentencePieceFile{
		Pieces: f.units, Scores: f.scores, Charmap: f.charmap, Replacements: f.replacements,
		Special: token.Special{First: firstToken, Last: lastToken, Pad: -1, Unknown: unknownToken},
	})
	if err != nil {
		return nil, fmt.Errorf("multilingual model: %w", err)
	}
	return t, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func roundUp(n int) int { return (n + align - 1) / align * align }

// number returns the i-th float32 of a section.
func number(section []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(section[4*i:]))
}
