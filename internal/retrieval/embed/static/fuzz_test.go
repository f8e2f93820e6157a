package static_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
)

// FuzzOpen opens a sound file with another header, with a part written over, and cut
// off, and embeds with what opens. So the inputs are short and have the checksum
// that they should have; whole files take the fuzzer minutes to make shorter.
func FuzzOpen(f *testing.F) {
	tokens := small()
	sound := head(tokens, 256)
	w := write(f, sound, tokens, 256)
	text := w.data[preamble : preamble+int(binary.LittleEndian.Uint32(w.data[12:]))]
	end := uint32(len(w.data))
	f.Add(text, uint32(0), []byte{}, end)
	f.Add(text, uint32(0), []byte("HIPPOVEC\x02"), end)
	f.Add(text, uint32(0), []byte{}, uint32(0))
	f.Add([]byte("{}"), uint32(12), []byte{0xFF, 0xFF, 0xFF, 0xFF}, end)
	for field, value := range map[string]any{
		"dimension": 4096, "pieces": 65534, "slots": 1 << 20, "texts": math.MaxInt32, "id": "", "space": nil,
	} {
		h := maps.Clone(sound)
		h[field] = value
		text, err := json.Marshal(h)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint32(0), []byte{}, end)
	}
	for _, name := range sections() {
		f.Add(text, uint32(w.at[name]), bytes.Repeat([]byte{0xFF}, 8), end)
		f.Add(text, uint32(w.at[name]+2*100), []byte{0, 0x80, 0x7F, 1}, uint32(w.at[name]+w.n[name]))
	}
	f.Fuzz(func(t *testing.T, header []byte, at uint32, over []byte, cut uint32) {
		data := write(t, header, tokens, 256).data
		copy(data[min(int64(at), int64(len(data))):], over)
		try(t, data[:min(int64(cut), int64(len(data)))])
	})
}

func try(t *testing.T, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	m, err := static.Open(data)
	if err != nil {
		if !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
			t.Errorf("error %v", err)
		}
		return
	}
	for _, role := range roles() {
		for i, v := range vectors(t, m, role, "the alphas beta!", "ж naïve 日本 ø\xff", "") {
			if len(v) != m.Model().Dimension {
				t.Errorf("vector %d has %d numbers, not %d", i, len(v), m.Model().Dimension)
			}
		}
	}
	if !bytes.Equal(data, before) {
		t.Error("the data was changed")
	}
}
