package bert

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
)

// packedFormat returns the kind of the file: version 2, November 2026, has its matrices in the order in which they are multiplied.
func packedFormat() modelfile.Format {
	return modelfile.Format{Magic: "HIPPOENC", Version: 2, Name: "packed model"}
}

// packedHeader is the JSON at the beginning of a packed model.
type packedHeader struct {
	// Model has the ID and the space of [embed.Model].
	Model packedModel `json:"model"`
	// Encoder has the dimensions.
	Encoder packedEncoder `json:"encoder"`
	// Vocabulary has the sizes of the vocabulary and the special tokens.
	Vocabulary packedVocabulary `json:"vocabulary"`
	// Words is how the word embeddings are packed.
	Words packedRows `json:"words"`
	// Checksum is the CRC-32C of all bytes after the header.
	Checksum uint32 `json:"checksum"`
}

type packedModel struct {
	ID    string `json:"id"`
	Space string `json:"space"`
}

type packedEncoder struct {
	Layers    int     `json:"layers"`
	Heads     int     `json:"heads"`
	Hidden    int     `json:"hidden"`
	Inner     int     `json:"inner"`
	Positions int     `json:"positions"`
	Epsilon   float32 `json:"epsilon"`
}

type packedVocabulary struct {
	Tokens  int   `json:"tokens"`
	Slots   int   `json:"slots"`
	Texts   int   `json:"texts"`
	First   int32 `json:"first"`
	Last    int32 `json:"last"`
	Unknown int32 `json:"unknown"`
}

// packedRows says that each number of a row takes some bits, and that some consecutive
// numbers share a scale.
type packedRows struct {
	Bits  int `json:"bits"`
	Group int `json:"group"`
}

// packed is a parsed packed model; the slices are parts of its bytes.
type packed struct {
	head                                                          packedHeader
	slots, ends, texts, numbers, positions, scales, words, panels []byte
}

// OpenPacked reads the packed model in data, which it keeps and never changes. The options
// are Threads and Kernel; the others must be zero, because the file has them. The error is
// [hippo.ErrCorrupt], [hippo.ErrUnsupported] for a format of another version, or
// [hippo.ErrInvalid]. The checksum of the weights is not compared; see [VerifyPacked]. Cost:
// 0.3 ms and 4 KB. The first Embed converts scales, biases, norms and positions to float32,
// .6 MB for 6 layers 384 wide; all other weights are used where they are.
func OpenPacked(data []byte, o Options) (*Model, error) {
	if o.Model != (embed.Model{}) || o.Pooling != Mean || o.QueryPrefix != "" || o.PassagePrefix != "" || o.MaxTokens != 0 {
		return nil, hippo.Fieldf("Options", "may only have Threads and Kernel: a packed model has its own settings")
	}
	p, c, err := parsePacked(data)
	if err != nil {
		return nil, err
	}
	v := p.head.Vocabulary
	vocab, err := token.NewHashVocab(p.slots, p.ends, p.texts)
	if err != nil {
		return nil, fmt.Errorf("packed model: %w", err)
	}
	o.Model = embed.Model{ID: p.head.Model.ID, Space: p.head.Model.Space, Dimension: c.hidden}
	o.MaxTokens = c.positions
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	tokens := token.NewWordPiece(vocab, token.Special{First: v.First, Last: v.Last, Pad: -1, Unknown: v.Unknown},
		&token.WordPieceOptions{Lower: true, StripAccents: true})
	return &Model{
		options: o, split: newSplitter(tokens, o.MaxTokens), table: p.words,
		encoder: sync.OnceValues(func() (*encoder, error) { return p.load(c, o.kernel()) }),
	}, nil
}

// VerifyPacked returns [hippo.ErrCorrupt] if the packed model in data is damaged, even where
// [OpenPacked] does not look. Cost: reads all of it, 1 ms for some 10 MB.
func VerifyPacked(data []byte) error {
	var h packedHeader
	body, err := packedFormat().Header(data, &h)
	if err != nil {
		return err
	}
	return packedFormat().Verify(data[body:], h.Checksum)
}

// parsePacked checks the sizes of all sections.
func parsePacked(data []byte) (*packed, config, error) {
	p := new(packed)
	body, err := packedFormat().Header(data, &p.head)
	if err != nil {
		return nil, config{}, err
	}
	h := &p.head
	c, err := h.config()
	if err != nil {
		return nil, config{}, err
	}
	numbers, panels := sizes(c)
	err = packedFormat().Sections(data, body, []modelfile.Section{
		{Name: "slots", To: &p.slots, Size: 2 * h.Vocabulary.Slots},
		{Name: "ends", To: &p.ends, Size: 4 * c.vocab},
		{Name: "texts", To: &p.texts, Size: h.Vocabulary.Texts},
		{Name: "numbers", To: &p.numbers, Size: 4 * numbers},
		{Name: "positions", To: &p.positions, Size: c.positions * c.hidden},
		{Name: "scales", To: &p.scales, Size: 2 * c.vocab * (c.hidden / h.Words.Group)},
		{Name: "words", To: &p.words, Size: c.vocab * (c.hidden / 8 * h.Words.Bits)},
		{Name: "panels", To: &p.panels, Size: panels},
	})
	return p, c, err
}

// config returns the dimensions, after checking what the sizes of sections are computed from.
func (h *packedHeader) config() (config, error) {
	e, v := h.Encoder, h.Vocabulary
	c := config{
		family: classic, layers: e.Layers, heads: e.Heads, hidden: e.Hidden, inner: e.Inner,
		vocab: v.Tokens, positions: e.Positions, epsilon: e.Epsilon, bias: biases{true, true, true},
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("packed model: %w", err)
	}
	tokens := int32(v.Tokens)
	fits := h.Model.ID != "" && h.Model.Space != "" && v.Tokens <= token.MaxHashTokens && v.Slots > v.Tokens && v.Slots <= 1<<20 && v.Texts >= 0 &&
		v.First >= 0 && v.First < tokens && v.Last >= 0 && v.Last < tokens && v.Unknown >= 0 && v.Unknown < tokens &&
		h.Words.Bits >= 2 && h.Words.Bits <= 8 && h.Words.Group > 0 && c.hidden%h.Words.Group == 0 && c.hidden%8 == 0 && c.positions >= minRoom+2
	if !fits {
		return c, fmt.Errorf("%w: packed model: sizes in the header", hippo.ErrCorrupt)
	}
	return c, nil
}

// sizes returns how many numbers and how many codes of matrices a packed model has.
func sizes(c config) (numbers, panels int) {
	layer := 4 * c.hidden // two norms
	for _, l := range []struct{ from, to int }{{c.hidden, 3 * c.hidden}, {c.hidden, c.hidden}, {c.hidden, c.inner}, {c.inner, c.hidden}} {
		codes, scales := gemm.QuantizedSize(l.from, l.to)
		layer += scales + l.to
		panels += codes
	}
	return c.positions + 2*c.hidden + c.layers*layer, c.layers * panels
}

// packedLoader takes numbers and panels in the order of the file.
type packedLoader struct {
	numbers []float32
	panels  []byte
	kernel  gemm.Kernel
}

// load converts the numbers and the positions to float32. The error is [hippo.ErrCorrupt].
func (p *packed) load(c config, k gemm.Kernel) (*encoder, error) {
	l := packedLoader{numbers: make([]float32, len(p.numbers)/4), panels: p.panels, kernel: k}
	for i := range l.numbers {
		l.numbers[i] = math.Float32frombits(binary.LittleEndian.Uint32(p.numbers[4*i:]))
	}
	if i := gemm.NotFinite(l.numbers); i >= 0 {
		return nil, fmt.Errorf("%w: packed model: number %d is %g", hippo.ErrCorrupt, i, l.numbers[i])
	}
	e := &encoder{config: c, kernel: k, words: (*packedWords)(p), positions: make([]float32, c.positions*c.hidden)}
	for i, scale := range l.take(c.positions) {
		for j := range c.hidden {
			at := i*c.hidden + j
			e.positions[at] = scale * float32(int8(p.positions[at]))
		}
	}
	e.first = l.norm(c.hidden)
	for range c.layers {
		var one layer
		l.linear(&one.qkv, c.hidden, 3*c.hidden)
		l.linear(&one.out, c.hidden, c.hidden)
		one.afterAttention = l.norm(c.hidden)
		l.linear(&one.up, c.hidden, c.inner)
		l.linear(&one.down, c.inner, c.hidden)
		one.last = l.norm(c.hidden)
		e.layers = append(e.layers, one)
	}
	return e, nil
}

func (l *packedLoader) take(n int) []float32 {
	out := l.numbers[:n:n]
	l.numbers = l.numbers[n:]
	return out
}

func (l *packedLoader) norm(n int) norm { return norm{gamma: l.take(n), beta: l.take(n)} }

func (l *packedLoader) linear(to *linear, rows, cols int) {
	codes, scales := gemm.QuantizedSize(rows, cols)
	to.w.SetQuantized(l.kernel, l.panels[:codes:codes], l.take(scales), rows, cols)
	to.bias = l.take(cols)
	l.panels = l.panels[codes:]
}

// packedWords are the word embeddings of a packed model.
type packedWords packed

// row implements [embeddings].
func (p *packedWords) row(dst []float32, id int32, _ []byte) error {
	bits, group := p.head.Words.Bits, p.head.Words.Group
	size, groups := len(dst)/8*bits, len(dst)/group
	codes, scales := p.words[int(id)*size:][:size], p.scales[2*int(id)*groups:][:2*groups]
	mask, zero := uint32(1)<<bits-1, int32(1)<<(bits-1)
	var held uint32 // bits that were read and not used yet
	n := 0
	for from := 0; from < len(dst); from += group {
		scale := math.Float32frombits(uint32(binary.LittleEndian.Uint16(scales)) << 16)
		scales = scales[2:]
		for i := range dst[from : from+group] {
			if n < bits {
				held |= uint32(codes[0]) << n
				codes, n = codes[1:], n+8
			}
			dst[from+i] = scale * float32(int32(held&mask)-zero)
			held, n = held>>bits, n-bits
		}
	}
	if i := gemm.NotFinite(dst); i >= 0 {
		return fmt.Errorf("%w: packed model: row %d of the word embeddings has %g", hippo.ErrCorrupt, id, dst[i])
	}
	return nil
}
