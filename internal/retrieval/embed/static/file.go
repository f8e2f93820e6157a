package static

import (
	"fmt"
	"math/bits"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

const (
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
	pieces                []byte // the texts of the tokens
	scales, weights, rows []byte
}

// format returns the kind of the file: version 1, November 2026, is the first.
func format() modelfile.Format {
	return modelfile.Format{Magic: "HIPPOVEC", Version: 1, Name: "static model"}
}

// parse checks what lookups rely on, except for the slots.
func parse(data []byte) (file, error) {
	var h header
	body, err := format().Header(data, &h)
	if err != nil {
		return file{}, err
	}
	if err := h.check(); err != nil {
		return file{}, err
	}
	f := file{head: h}
	var slots, ends, texts []byte
	if err := format().Sections(data, body, []modelfile.Section{
		{Name: "slots", To: &slots, Size: 2 * h.Slots},
		{Name: "ends", To: &ends, Size: 4 * h.Tokens},
		{Name: "texts", To: &texts, Size: h.Texts},
		{Name: "scales", To: &f.scales, Size: 2 * h.Tokens},
		{Name: "weights", To: &f.weights, Size: 2 * h.Tokens},
		{Name: "rows", To: &f.rows, Size: h.Dimension * h.Tokens},
	}); err != nil {
		return file{}, err
	}
	f.pieces = texts
	if f.vocab, err = token.NewHashVocab(slots, ends, texts); err != nil {
		return file{}, fmt.Errorf("static model: %w", err)
	}
	for i := range int32(h.Tokens) {
		if !valid(upper(f.scales, i)) || !valid(upper(f.weights, i)) {
			return file{}, fmt.Errorf("%w: static model: token %d has an invalid weight", hippo.ErrCorrupt, i)
		}
	}
	return f, nil
}

// valid reports whether x can be a scale or a weight: sums of such do not overflow.
func valid(x float32) bool { return x >= 0 && x <= 1e6 }

// check returns [hippo.ErrCorrupt] unless the sizes fit.
func (h *header) check() error {
	fits := h.ID != "" && h.Space != "" && h.Dimension > 0 && h.Dimension <= maxDimension &&
		h.Tokens >= byteRows && h.Tokens <= maxTokens && h.Texts >= 0 &&
		h.Slots > h.Tokens && h.Slots <= 1<<20 && bits.OnesCount(uint(h.Slots)) == 1
	if !fits {
		return fmt.Errorf("%w: static model: sizes in the header", hippo.ErrCorrupt)
	}
	return nil
}

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
