package static_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
)

const (
	preamble  = 20
	dimension = 8
)

// token is one entry of a model to be written.
type token struct {
	text          string
	scale, weight float32
	row           [dimension]int8
}

// written is a file and where its sections are in it.
type written struct {
	data  []byte
	at, n map[string]int
}

// sections returns their names in the order of the file.
func sections() []string { return []string{"slots", "ends", "texts", "scales", "weights", "rows"} }

// small returns the tokens that the tests know by heart, and those of the bytes:
// that of byte 0x80+k has k-64 at place k modulo 8.
func small() []token {
	return withBytes(
		token{"alpha", 1, 2, [dimension]int8{0: 1}},
		token{"beta", 0.5, 4, [dimension]int8{1: 3}},
		token{"##s", 0.25, 1, [dimension]int8{2: -4}},
		token{"the", 1, 0, [dimension]int8{3: 5}},
		token{"ø", 1, 1, [dimension]int8{4: -128}},
		token{"!", 1, 0.5, [dimension]int8{5: 2, 7: 127}},
	)
}

func withBytes(tokens ...token) []token {
	for k := range 128 {
		p := token{text: fmt.Sprintf("<0x%02X>", 0x80+k), scale: 1, weight: 1}
		p.row[k%dimension] = int8(k - 64)
		tokens = append(tokens, p)
	}
	return tokens
}

// head is a sound header for tokens.
func head(tokens []token, slots int) map[string]any {
	texts := 0
	for _, p := range tokens {
		texts += len(p.text)
	}
	return map[string]any{
		"id": "small@1", "space": "tiny", "dimension": dimension,
		"pieces": len(tokens), "slots": slots, "texts": texts,
	}
}

// write lays a model out as the package comment says.
func write(t testing.TB, header any, tokens []token, slots int) written {
	t.Helper()
	le := binary.LittleEndian
	parts := map[string][]byte{"slots": make([]byte, 2*slots)}
	for i, p := range tokens {
		h := fnv.New32a()
		_, _ = h.Write([]byte(p.text)) // never fails
		at := int(h.Sum32() % uint32(slots))
		for le.Uint16(parts["slots"][2*at:]) != 0 {
			at = (at + 1) % slots
		}
		le.PutUint16(parts["slots"][2*at:], uint16(i+1))
		parts["texts"] = append(parts["texts"], p.text...)
		parts["ends"] = le.AppendUint32(parts["ends"], uint32(len(parts["texts"])))
		parts["scales"] = le.AppendUint16(parts["scales"], uint16(math.Float32bits(p.scale)>>16))
		parts["weights"] = le.AppendUint16(parts["weights"], uint16(math.Float32bits(p.weight)>>16))
		for _, x := range p.row {
			parts["rows"] = append(parts["rows"], byte(x))
		}
	}
	text, ok := header.([]byte)
	if !ok {
		var err error
		if text, err = json.Marshal(header); err != nil {
			t.Fatal(err)
		}
	}
	w := written{at: make(map[string]int), n: make(map[string]int)}
	w.data = append(w.data, "HIPPOVEC"...)
	w.data = le.AppendUint32(w.data, 1)
	w.data = le.AppendUint32(w.data, uint32(len(text)))
	w.data = le.AppendUint32(w.data, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	w.data = append(w.data, text...)
	for _, name := range sections() {
		w.data = append(w.data, make([]byte, (64-len(w.data)%64)%64)...)
		w.at[name], w.n[name] = len(w.data), len(parts[name])
		w.data = append(w.data, parts[name]...)
	}
	return w
}

func writeSmall(t testing.TB) written {
	t.Helper()
	return write(t, head(small(), 256), small(), 256)
}

func open(t testing.TB, data []byte) *static.Model {
	t.Helper()
	m, err := static.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refused checks that data does not open, and why.
func refused(t *testing.T, data []byte, cause error, names string) {
	t.Helper()
	m, err := static.Open(data)
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), names) {
		t.Errorf("error %v, want one that is %q and says %q", err, cause, names)
	}
	if m != nil {
		t.Error("there is a model beside the error")
	}
}

func TestOpenReadsTheHeader(t *testing.T) {
	t.Parallel()
	got := open(t, writeSmall(t).data).Model()
	if want := (embed.Model{ID: "small@1", Space: "tiny", Dimension: dimension}); got != want {
		t.Errorf("model %+v, want %+v", got, want)
	}
}

func TestOpenRefusesPreamble(t *testing.T) {
	t.Parallel()
	good := writeSmall(t).data
	number := func(at int, n uint32) func([]byte) []byte {
		return func(b []byte) []byte { binary.LittleEndian.PutUint32(b[at:], n); return b }
	}
	for _, c := range []struct {
		name  string
		spoil func([]byte) []byte
		cause error
		names string
	}{
		{"nothing", func([]byte) []byte { return nil }, hippo.ErrCorrupt, "not a static model"},
		{"magic", func(b []byte) []byte { b[0] = 'h'; return b }, hippo.ErrCorrupt, "not a static model"},
		{"magic alone", func(b []byte) []byte { return b[:8] }, hippo.ErrCorrupt, "not a static model"},
		{"no checksum", func(b []byte) []byte { return b[:preamble-1] }, hippo.ErrCorrupt, "not a static model"},
		{"version 0", number(8, 0), hippo.ErrUnsupported, "format 0, this program reads 1"},
		{"version 2", number(8, 2), hippo.ErrUnsupported, "format 2, this program reads 1"},
		{"header over the limit", number(12, 4<<10+1), hippo.ErrCorrupt, "header"},
		{"header without end", number(12, math.MaxUint32), hippo.ErrCorrupt, "header"},
		{"header beyond the file", func(b []byte) []byte { return b[:preamble+10] }, hippo.ErrCorrupt, "header"},
		{"header of another length", number(12, 40), hippo.ErrCorrupt, "checksum"},
		{"checksum", func(b []byte) []byte { b[16] ^= 1; return b }, hippo.ErrCorrupt, "checksum"},
		{"one bit of the header", func(b []byte) []byte { b[preamble+5] ^= 1; return b }, hippo.ErrCorrupt, "checksum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.spoil(bytes.Clone(good)), c.cause, c.names)
		})
	}
}

func TestOpenRefusesHeader(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field string
		value any
		names string
	}{
		{"id", "", "header"},
		{"id", 1, "header"},
		{"space", false, "header"},
		{"dimension", 0, "header"},
		{"dimension", -1, "header"},
		{"dimension", 4097, "header"},
		{"dimension", int64(math.MaxInt64), "header"},
		{"dimension", 8.5, "header"},
		{"dimension", 9, "section rows"},
		{"dimension", 4096, "section rows"},
		{"pieces", -1, "header"},
		{"pieces", 0, "header"},
		{"pieces", 127, "header"},
		{"pieces", 256, "header"},
		{"pieces", 65535, "header"},
		{"pieces", 255, "section rows"},
		{"slots", 0, "header"},
		{"slots", -256, "header"},
		{"slots", int64(math.MinInt64), "header"},
		{"slots", 128, "header"},
		{"slots", 255, "header"},
		{"slots", 2 << 20, "header"},
		{"slots", 1 << 20, "section slots"},
		{"texts", -1, "header"},
		{"texts", math.MaxInt32, "section texts"},
		{"texts", int64(math.MaxInt64), "texts"},
		{"texts", 1 << 20, "section texts"},
		{"texts", 0, "after its end"},
		{"texts", "all", "header"},
	} {
		t.Run(fmt.Sprintf("%s %v", c.field, c.value), func(t *testing.T) {
			t.Parallel()
			h := head(small(), 256)
			h[c.field] = c.value
			refused(t, write(t, h, small(), 256).data, hippo.ErrCorrupt, c.names)
		})
	}
	for field := range maps.Keys(head(small(), 256)) {
		t.Run("without "+field, func(t *testing.T) {
			t.Parallel()
			h := head(small(), 256)
			delete(h, field)
			refused(t, write(t, h, small(), 256).data, hippo.ErrCorrupt, "")
		})
	}
	for _, text := range []string{"", "{", "null", "[]", `{"id":"small@1"}{}`} {
		t.Run("text "+text, func(t *testing.T) {
			t.Parallel()
			refused(t, write(t, []byte(text), small(), 256).data, hippo.ErrCorrupt, "header")
		})
	}
}

// What is within the limits is refused for another reason, or not at all.
func TestOpenLimits(t *testing.T) {
	t.Parallel()
	for tokens, names := range map[int]string{1<<16 - 2: "section ends", 1<<16 - 1: "header"} {
		h := head(small(), 1<<17)
		h["pieces"] = tokens
		refused(t, write(t, h, small(), 1<<17).data, hippo.ErrCorrupt, names)
	}
	text, err := json.Marshal(head(small(), 256))
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, bytes.Repeat([]byte(" "), 4<<10-len(text))...)
	open(t, write(t, text, small(), 256).data)
	refused(t, write(t, append(text, ' '), small(), 256).data, hippo.ErrCorrupt, "header")
}

func TestOpenRefusesSectionCutShort(t *testing.T) {
	t.Parallel()
	w := writeSmall(t)
	for _, name := range sections() {
		for what, n := range map[string]int{
			"nothing of it": w.at[name], "half of it": w.at[name] + w.n[name]/2, "all but a byte": w.at[name] + w.n[name] - 1,
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				refused(t, w.data[:n:n], hippo.ErrCorrupt, "section "+name)
			})
		}
	}
}

// A file that stops anywhere is noticed: an interrupted copy never opens.
func TestOpenRefusesEveryBeginning(t *testing.T) {
	t.Parallel()
	data := writeSmall(t).data
	for n := range data {
		if _, err := static.Open(data[:n:n]); !errors.Is(err, hippo.ErrCorrupt) {
			t.Fatalf("the first %d bytes of %d: error %v", n, len(data), err)
		}
	}
}

// What is no number, or so large that sums overflow, would spoil every vector.
func TestOpenRefusesInvalidWeights(t *testing.T) {
	t.Parallel()
	for _, section := range []string{"scales", "weights"} {
		for _, x := range []float64{math.NaN(), math.Inf(1), -1, 1e30} {
			t.Run(fmt.Sprint(section, x), func(t *testing.T) {
				t.Parallel()
				w := writeSmall(t)
				at := w.at[section] + w.n[section] - 2
				binary.LittleEndian.PutUint16(w.data[at:], uint16(math.Float32bits(float32(x))>>16))
				refused(t, w.data, hippo.ErrCorrupt, "an invalid weight")
			})
		}
	}
}

func TestOpenRefusesEndsOutOfOrder(t *testing.T) {
	t.Parallel()
	w := writeSmall(t)
	for name, change := range map[string]func(ends []byte){
		"first after second":  func(e []byte) { binary.LittleEndian.PutUint32(e, 10) },
		"last before others":  func(e []byte) { binary.LittleEndian.PutUint32(e[len(e)-4:], 1) },
		"last behind texts":   func(e []byte) { binary.LittleEndian.PutUint32(e[len(e)-4:], uint32(w.n["texts"]+1)) },
		"last beyond int32":   func(e []byte) { binary.LittleEndian.PutUint32(e[len(e)-4:], math.MaxUint32) },
		"two are exchanged":   func(e []byte) { copy(e[:8], slices.Concat(e[4:8], e[:4])) },
		"second begins again": func(e []byte) { binary.LittleEndian.PutUint32(e[4:], 0) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := bytes.Clone(w.data)
			change(data[w.at["ends"] : w.at["ends"]+w.n["ends"]])
			refused(t, data, hippo.ErrCorrupt, "section ends")
		})
	}
}

// Slots are not looked at when a file is opened, so a lookup has to bear whatever
// is in them: at worst it does not find a token.
func TestLookupsBearDamagedSlots(t *testing.T) {
	t.Parallel()
	w := writeSmall(t)
	for name, number := range map[string]uint16{
		"all empty": 0, "all the first": 1, "all the last": uint16(len(small())),
		"all one too high": uint16(len(small()) + 1), "all outside": math.MaxUint16,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := bytes.Clone(w.data)
			for i := range w.n["slots"] / 2 {
				binary.LittleEndian.PutUint16(data[w.at["slots"]+2*i:], number)
			}
			m := open(t, data)
			got := vectors(t, m, embed.Sentence, "beta", "ж", "alpha")
			wantNear(t, got[0], [dimension]float64{})
			wantNear(t, got[1], unit([dimension]float64{0: 16, 6: -10}))
			if number == 1 {
				wantNear(t, got[2], [dimension]float64{0: 1})
			} else {
				wantNear(t, got[2], [dimension]float64{})
			}
		})
	}
}

// In a table of 256 slots with one empty one, most tokens lie far behind their
// hash, some beyond the end of the table.
func TestLookupsProbeNearlyFullSlots(t *testing.T) {
	t.Parallel()
	var own []token
	for i := range 127 {
		p := token{text: fmt.Sprintf("w%d", i), scale: 1, weight: 1}
		p.row[0], p.row[1] = int8(i), 127
		own = append(own, p)
	}
	all := withBytes(own...)
	m := open(t, write(t, head(all, 256), all, 256).data)
	for i, p := range own {
		v := vectors(t, m, embed.Sentence, p.text)[0]
		wantNear(t, v, unit([dimension]float64{0: float64(i), 1: 127}))
	}
	wantNear(t, vectors(t, m, embed.Sentence, "w127")[0], [dimension]float64{})
}
