package bert_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"hash/fnv"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

// tinyPacked is a packed model and, as Open reads it, the folder of one that has the same
// weights: those of testdata/bert, rounded.
type tinyPacked struct {
	header   map[string]any
	sections map[string][]byte
	folder   string
}

// sectionNames are in the order of the file.
func sectionNames() []string {
	return []string{"slots", "ends", "texts", "numbers", "positions", "scales", "words", "panels"}
}

// tensorFile is a model.safetensors of float32 numbers that is changed in place.
type tensorFile struct {
	t       testing.TB
	file    []byte
	offsets map[string][]int
	numbers []byte // of the packed model
	panels  []byte
}

func openTensors(t testing.TB, path string) *tensorFile {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := 8 + int(binary.LittleEndian.Uint64(file))
	var header map[string]struct {
		Offsets []int `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:body], &header); err != nil {
		t.Fatal(err)
	}
	f := &tensorFile{t: t, file: file, offsets: map[string][]int{}}
	for name, h := range header {
		if len(h.Offsets) == 2 {
			f.offsets[name] = []int{body + h.Offsets[0], body + h.Offsets[1]}
		}
	}
	return f
}

func (f *tensorFile) get(name string) []float32 {
	at, ok := f.offsets[name]
	if !ok {
		f.t.Fatalf("no tensor %q", name)
	}
	var out []float32
	for i := at[0]; i < at[1]; i += 4 {
		out = append(out, math.Float32frombits(binary.LittleEndian.Uint32(f.file[i:])))
	}
	return out
}

func (f *tensorFile) set(name string, x []float32) {
	for i, v := range x {
		binary.LittleEndian.PutUint32(f.file[f.offsets[name][0]+4*i:], math.Float32bits(v))
	}
}

func (f *tensorFile) number(x ...float32) {
	for _, v := range x {
		f.numbers = binary.LittleEndian.AppendUint32(f.numbers, math.Float32bits(v))
	}
}

// round replaces x by multiples of a scale, and returns them and the scale, of which only
// the upper bytes are used if short.
func round(x []float32, bits int, short bool) (codes []int, scale float32) {
	most := float32(int(1)<<(bits-1) - 1)
	for _, v := range x {
		scale = max(scale, float32(math.Abs(float64(v)))/most)
	}
	if short {
		scale = math.Float32frombits((math.Float32bits(scale) + 0xffff) &^ 0xffff)
	}
	for i, v := range x {
		code := int(math.Round(float64(v / scale)))
		codes, x[i] = append(codes, code), scale*float32(code)
	}
	return codes, scale
}

// linear adds layers with in inputs each as one, rounded.
func (f *tensorFile) linear(in int, names ...string) {
	var codes [][]int
	var scales, bias []float32
	for _, name := range names {
		w := f.get(name + ".weight")
		for row := range slices.Chunk(w, in) {
			c, scale := round(row, 8, false)
			codes, scales = append(codes, c), append(scales, scale)
		}
		f.set(name+".weight", w)
		bias = append(bias, f.get(name+".bias")...)
	}
	for panel := range slices.Chunk(codes, gemm.CodeColumns) {
		for r := range (in + gemm.CodeRows - 1) / gemm.CodeRows * gemm.CodeRows * gemm.CodeColumns {
			row, c := r/(gemm.CodeRows*gemm.CodeColumns)*gemm.CodeRows+r%gemm.CodeRows, r/gemm.CodeRows%gemm.CodeColumns
			if c < len(panel) && row < in {
				f.panels = append(f.panels, byte(panel[c][row]+128))
			} else {
				f.panels = append(f.panels, 99)
			}
		}
	}
	_, padded := gemm.QuantizedSize(in, len(scales))
	f.number(append(scales, make([]float32, padded-len(scales))...)...)
	f.number(bias...)
}

func (f *tensorFile) norm(name string) {
	f.number(f.get(name + ".weight")...)
	f.number(f.get(name + ".bias")...)
}

// pack rounds testdata/bert, its word embeddings to the given number of bits, with a scale
// for each group of numbers.
func pack(t testing.TB, bits, group int) *tinyPacked {
	t.Helper()
	const hidden, inner, heads, layers, positions = 32, 64, 4, 2, 64
	p := &tinyPacked{sections: map[string][]byte{}, folder: t.TempDir()}
	if err := os.CopyFS(p.folder, os.DirFS("testdata/bert")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(p.folder, "model.safetensors")
	f := openTensors(t, path)

	vocabulary := p.vocabulary(t)
	words := f.get("embeddings.word_embeddings.weight")
	for g := range slices.Chunk(words, group) {
		codes, scale := round(g, bits, true)
		p.sections["scales"] = binary.LittleEndian.AppendUint16(p.sections["scales"], uint16(math.Float32bits(scale)>>16))
		var held uint64
		for i, c := range codes {
			held |= uint64(c+1<<(bits-1)) << (i % 8 * bits)
			if i%8 == 7 {
				p.sections["words"] = append(p.sections["words"], binary.LittleEndian.AppendUint64(nil, held)[:bits]...)
				held = 0
			}
		}
	}
	f.set("embeddings.word_embeddings.weight", words)

	kind := f.get("embeddings.token_type_embeddings.weight")
	both := f.get("embeddings.position_embeddings.weight")
	for i := range both {
		both[i] += kind[i%hidden]
	}
	for row := range slices.Chunk(both, hidden) {
		codes, scale := round(row, 8, false)
		for _, c := range codes {
			p.sections["positions"] = append(p.sections["positions"], byte(c))
		}
		f.number(scale)
	}
	f.set("embeddings.position_embeddings.weight", both)
	f.set("embeddings.token_type_embeddings.weight", make([]float32, len(kind)))

	f.norm("embeddings.LayerNorm")
	for _, at := range []string{"encoder.layer.0.", "encoder.layer.1."} {
		f.linear(hidden, at+"attention.self.query", at+"attention.self.key", at+"attention.self.value")
		f.linear(hidden, at+"attention.output.dense")
		f.norm(at + "attention.output.LayerNorm")
		f.linear(hidden, at+"intermediate.dense")
		f.linear(inner, at+"output.dense")
		f.norm(at + "output.LayerNorm")
	}
	p.sections["numbers"], p.sections["panels"] = f.numbers, f.panels
	p.header = map[string]any{
		"model":      map[string]any{"id": "tiny@1", "space": "tiny"},
		"encoder":    map[string]any{"layers": layers, "heads": heads, "hidden": hidden, "inner": inner, "positions": positions, "epsilon": 1e-12},
		"vocabulary": vocabulary,
		"words":      map[string]any{"bits": bits, "group": group},
	}
	if err := os.WriteFile(path, f.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// vocabulary sets the sections of the vocabulary and returns its part of the header.
func (p *tinyPacked) vocabulary(t testing.TB) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.folder, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Model struct {
			Vocab map[string]int `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	vocab := file.Model.Vocab
	texts := make([]string, len(vocab))
	for text, id := range vocab {
		texts[id] = text
	}
	const slots = 512
	table := make([]byte, 2*slots)
	var ends []byte
	n := 0
	for id, text := range texts {
		h := fnv.New32a()
		_, _ = h.Write([]byte(text)) // never fails
		at := int(h.Sum32() % slots)
		for binary.LittleEndian.Uint16(table[2*at:]) != 0 {
			at = (at + 1) % slots
		}
		binary.LittleEndian.PutUint16(table[2*at:], uint16(id+1))
		n += len(text)
		ends = binary.LittleEndian.AppendUint32(ends, uint32(n))
	}
	p.sections["slots"], p.sections["ends"], p.sections["texts"] = table, ends, []byte(strings.Join(texts, ""))
	return map[string]any{
		"tokens": len(texts), "slots": slots, "texts": n,
		"first": vocab["[CLS]"], "last": vocab["[SEP]"], "unknown": vocab["[UNK]"],
	}
}

// bytes returns the file, with the checksum that it should have, and where its sections are.
func (p *tinyPacked) bytes(t testing.TB) (data []byte, at map[string]int) {
	t.Helper()
	h := maps.Clone(p.header)
	h["checksum"] = uint32(math.MaxUint32)
	longest, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	body := (20 + len(longest) + 63) / 64 * 64
	at = map[string]int{}
	var rest []byte
	for _, name := range sectionNames() {
		rest = append(rest, make([]byte, -len(rest)&63)...)
		at[name] = body + len(rest)
		rest = append(rest, p.sections[name]...)
	}
	h["checksum"] = crc(rest)
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, strings.Repeat(" ", body-20-len(text))...)
	return append(withHeader(text), rest...), at
}

// withHeader returns the beginning of a file with that header.
func withHeader(text []byte) []byte {
	data := binary.LittleEndian.AppendUint32([]byte("HIPPOENC"), 2)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	return append(binary.LittleEndian.AppendUint32(data, crc(text)), text...)
}

func crc(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }
