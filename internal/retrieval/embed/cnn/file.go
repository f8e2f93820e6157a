package cnn

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

const (
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

// format returns the kind of the file: version 2, November 2026, has its matrices in the order in which they are multiplied.
func format() modelfile.Format {
	return modelfile.Format{Magic: "HIPPOCNN", Version: 2, Name: "multilingual model"}
}

// parse checks what reading relies on, except for the tries.
func parse(data []byte) (file, error) {
	var f file
	h := &f.head
	body, err := format().Header(data, h)
	if err != nil {
		return file{}, err
	}
	if err := h.check(); err != nil {
		return file{}, fmt.Errorf("%w: multilingual model: header: %w", hippo.ErrCorrupt, err)
	}
	f.body = data[body:]
	if err := format().Sections(data, body, []modelfile.Section{
		{Name: "pieces", To: &f.units, Size: 4 * h.Units},
		{Name: "scores", To: &f.scores, Size: 4 * h.Tiers.pieces()},
		{Name: "charmap", To: &f.charmap, Size: 4 * h.Charmap},
		{Name: "replacements", To: &f.replacements, Size: h.Replacements},
		{Name: "gains", To: &f.gains, Size: h.Tiers.pieces()},
		{Name: "scales", To: &f.scales, Size: 4 * 256},
		{Name: "books", To: &f.books, Size: h.Tiers[0].size() * words * partDims},
		{Name: "codes", To: &f.codes, Size: h.Tiers.codes()},
		{Name: "numbers", To: &f.numbers, Size: 4 * numbers},
		{Name: "weights", To: &f.weights, Size: weights},
	}); err != nil {
		return file{}, err
	}
	return f, f.checkNumbers()
}

// checkNumbers returns an error unless the size of every float32 but the scores is at most
// maxNumber, so that sums of products do not overflow.
func (f *file) checkNumbers() error {
	for _, s := range []struct {
		name string
		data []byte
	}{{"scales", f.scales}, {"numbers", f.numbers}} {
		for i := range len(s.data) / 4 {
			if x := number(s.data, i); !(x >= -maxNumber && x <= maxNumber) {
				return fmt.Errorf("%w: multilingual model: number %d of section %s is %g, want %d to %d", hippo.ErrCorrupt, i, s.name, x, -maxNumber, maxNumber)
			}
		}
	}
	return nil
}

func (h *header) check() error {
	if h.ID == "" || h.Space == "" {
		return fmt.Errorf("id or space is empty")
	}
	if err := h.Tiers.check(); err != nil {
		return err
	}
	for _, size := range []struct {
		name string
		n    int
	}{{"units", h.Units}, {"charmap", h.Charmap}, {"replacements", h.Replacements}} {
		if size.n < 1 || size.n > maxBytes/4 {
			return fmt.Errorf("%s is %d, want 1 to %d", size.name, size.n, maxBytes/4)
		}
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

// number returns the i-th float32 of a section.
func number(section []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(section[4*i:]))
}
