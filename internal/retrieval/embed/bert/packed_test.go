package bert_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/gemm"
)

func openPacked(t testing.TB, data []byte, o bert.Options) *bert.Model {
	t.Helper()
	m, err := bert.OpenPacked(data, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// A packed model has the vectors of a folder with the same, rounded, weights.
func TestOpenPacked_equals_folder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ bits, group int }{{8, 32}, {6, 8}, {5, 16}, {3, 8}} {
		t.Run(fmt.Sprintf("%d_bits", c.bits), func(t *testing.T) {
			t.Parallel()
			p := pack(t, c.bits, c.group)
			data, _ := p.bytes(t)
			before := bytes.Clone(data)
			var all []string
			for i, text := range texts(t) {
				if i%8 == c.bits%8 && len(text) <= 1000 {
					all = append(all, text)
				}
			}
			for _, k := range gemm.Available() {
				folder := open(t, p.folder, bert.Options{MaxTokens: 64, Kernel: &k})
				m := openPacked(t, data, bert.Options{Kernel: &k})
				if got, want := m.Model(), (embed.Model{ID: "tiny@1", Space: "tiny", Dimension: 32}); got != want {
					t.Errorf("model %v, want %v", got, want)
				}
				compare(t, all, embedAll(t, m, embed.Query, all...), embedAll(t, folder, embed.Passage, all...), 0.999999)
			}
			if !bytes.Equal(data, before) {
				t.Error("the data was changed")
			}
		})
	}
}

func TestOpenPacked_batch_equals_single(t *testing.T) {
	t.Parallel()
	data, _ := pack(t, 8, 32).bytes(t)
	one, many := openPacked(t, data, bert.Options{Threads: 1}), openPacked(t, data, bert.Options{Threads: 5})
	all := texts(t)
	together := embedAll(t, many, embed.Passage, all...)
	for _, i := range some(len(all), 5) {
		if _, d := cosine(embedAll(t, one, embed.Passage, all[i])[0], together[i]); d != 0 {
			t.Errorf("text %d, %.60q: differs by %g from its vector in a batch", i, all[i], d)
		}
	}
}

func TestOpenPacked_canceled(t *testing.T) {
	t.Parallel()
	data, _ := pack(t, 8, 32).bytes(t)
	m := openPacked(t, data, bert.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := m.Embed(ctx, embed.Passage, []string{"a"}); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("got %v, %v, want no vectors and %v", v, err, context.Canceled)
	}
}

func TestOpenPacked_options(t *testing.T) {
	t.Parallel()
	data, _ := pack(t, 8, 32).bytes(t)
	for _, o := range []bert.Options{
		{MaxTokens: 10}, {Pooling: bert.First}, {QueryPrefix: "q"}, {PassagePrefix: "p"}, {Model: embed.Model{ID: "x"}},
	} {
		if _, err := bert.OpenPacked(data, o); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%+v: got %v, want %v", o, err, hippo.ErrInvalid)
		}
	}
}

// Not parallel, because it counts what the whole process allocates.
func TestOpenPacked_allocates_nothing_per_token(t *testing.T) {
	data, _ := pack(t, 8, 32).bytes(t)
	m := openPacked(t, data, bert.Options{Threads: 1})
	count := func(tokens int) float64 {
		text := strings.TrimSpace(strings.Repeat("e ", tokens-2))
		embedAll(t, m, embed.Passage, text) // grows the buffers
		return testing.AllocsPerRun(50, func() { embedAll(t, m, embed.Passage, text) })
	}
	// The list of tokens doubles its memory three times.
	if few, many := count(8), count(64); many > few+6 {
		t.Errorf("%v allocations for 8 tokens, %v for 64", few, many)
	}
}

func TestVerifyPacked(t *testing.T) {
	t.Parallel()
	data, at := pack(t, 8, 32).bytes(t)
	if err := bert.VerifyPacked(data); err != nil {
		t.Fatal(err)
	}
	for _, name := range sectionNames() {
		bad := bytes.Clone(data)
		bad[at[name]+3] ^= 0x10
		if err := bert.VerifyPacked(bad); !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), "checksum") {
			t.Errorf("a bit of section %s is wrong: got %v, want %v", name, err, hippo.ErrCorrupt)
		}
	}
	if err := bert.VerifyPacked(data[:30]); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("30 bytes: got %v, want %v", err, hippo.ErrCorrupt)
	}
}

func TestOpenPacked_refuses(t *testing.T) {
	t.Parallel()
	p := pack(t, 8, 32)
	data, at := p.bytes(t)
	header := func(part, key string, value any) []byte {
		changed := *p
		changed.header = maps.Clone(p.header)
		inner := maps.Clone(p.header[part].(map[string]any)) //nolint:errcheck // every part is a map
		inner[key] = value
		changed.header[part] = inner
		bad, _ := changed.bytes(t)
		return bad
	}
	patched := func(at int, with ...byte) []byte {
		bad := bytes.Clone(data)
		copy(bad[at:], with)
		return bad
	}
	for _, c := range []struct {
		name string
		data []byte
		kind error
		want string
	}{
		{"nothing", nil, hippo.ErrCorrupt, "not a packed model"},
		{"magic", patched(0, 'X'), hippo.ErrCorrupt, "not a packed model"},
		{"version", patched(8, 9), hippo.ErrUnsupported, "format 9, this program reads 2"},
		{"header_length", patched(12, 255, 255), hippo.ErrCorrupt, "header of 65535 bytes"},
		{"header_checksum", patched(30, 'X'), hippo.ErrCorrupt, "header has a wrong checksum"},
		{"no_JSON", withHeader([]byte("{")), hippo.ErrCorrupt, "header: unexpected end"},
		{"empty", withHeader([]byte("{}")), hippo.ErrCorrupt, "layers must be between 1 and 256, got 0"},
		{"no_ID", header("model", "id", ""), hippo.ErrCorrupt, "sizes in the header"},
		{"huge", header("encoder", "hidden", 1<<20), hippo.ErrCorrupt, "hidden size must be between"},
		{"heads", header("encoder", "heads", 5), hippo.ErrCorrupt, "not a multiple of 5 heads"},
		{"few_positions", header("encoder", "positions", 9), hippo.ErrCorrupt, "sizes in the header"},
		{"bits", header("words", "bits", 9), hippo.ErrCorrupt, "sizes in the header"},
		{"group", header("words", "group", 0), hippo.ErrCorrupt, "sizes in the header"},
		{"special", header("vocabulary", "unknown", 395), hippo.ErrCorrupt, "sizes in the header"},
		{"slots", header("vocabulary", "slots", 500), hippo.ErrCorrupt, "500 slots"},
		{"texts", header("vocabulary", "texts", 1<<30), hippo.ErrCorrupt, "section texts is cut short"},
		{"layers", header("encoder", "layers", 3), hippo.ErrCorrupt, "cut short"},
		{"ends", patched(at["ends"], 255, 255), hippo.ErrCorrupt, "section ends is not in order"},
		{"cut", data[:len(data)-1], hippo.ErrCorrupt, "section panels is cut short"},
		{"longer", append(bytes.Clone(data), 0), hippo.ErrCorrupt, "1 bytes after its end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, err := bert.OpenPacked(c.data, bert.Options{})
			if m != nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %v with %q", err, c.kind, c.want)
			}
		})
	}
}

// Damage that only a text meets is an error then, and no vector.
func TestOpenPacked_damaged_numbers(t *testing.T) {
	t.Parallel()
	data, at := pack(t, 8, 32).bytes(t)
	infinity := binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(math.Inf(1))))
	large := binary.LittleEndian.AppendUint32(nil, math.Float32bits(math.MaxFloat32))
	for _, c := range []struct {
		name, want string
		at         int
		with       []byte
	}{
		{"number", "number 0 is +Inf", at["numbers"], infinity},
		{"word_scale", "row 2 of the word embeddings", at["scales"] + 4, infinity[2:]},
		{"too_large", "not finite", at["numbers"] + 4*64, bytes.Repeat(large, 64)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bad := bytes.Clone(data)
			copy(bad[c.at:], c.with)
			v, err := openPacked(t, bad, bert.Options{}).Embed(t.Context(), embed.Query, []string{"the"})
			if v != nil || !errors.Is(err, hippo.ErrCorrupt) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %d vectors, %v, want %v with %q", len(v), err, hippo.ErrCorrupt, c.want)
			}
		})
	}
}

// FuzzOpenPacked opens a sound file with another header, with a part written over, and cut
// off, and embeds with what opens. So the inputs are short and have the checksum that they
// should have.
func FuzzOpenPacked(f *testing.F) {
	p := pack(f, 8, 32)
	sound, at := p.bytes(f)
	body := 20 + int(binary.LittleEndian.Uint32(sound[12:]))
	text, end := sound[20:body], uint32(len(sound))
	f.Add(text, uint32(0), []byte{}, end)
	f.Add(text, uint32(0), []byte{}, uint32(100))
	f.Add(text, uint32(8), []byte{2}, end)
	for part, change := range map[string]map[string]any{
		"encoder":    {"hidden": 65536, "layers": 256, "inner": 65536, "positions": 1 << 20, "heads": 32, "epsilon": 1e30},
		"vocabulary": {"tokens": 65534, "slots": 1 << 20, "texts": math.MaxInt32, "first": -1},
		"words":      {"bits": 2, "group": 1},
	} {
		for key, value := range change {
			h := maps.Clone(p.header)
			inner := maps.Clone(h[part].(map[string]any)) //nolint:errcheck // every part is a map
			inner[key] = value
			h[part] = inner
			text, err := json.Marshal(h)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, uint32(0), []byte{}, end)
		}
	}
	for _, name := range sectionNames() {
		f.Add(text, uint32(at[name]), bytes.Repeat([]byte{0xFF}, 16), end)
		f.Add(text, uint32(at[name]+100), []byte{0, 0x80, 0x7F, 1}, end)
	}
	f.Fuzz(func(t *testing.T, header []byte, at uint32, over []byte, cut uint32) {
		head := withHeader(header)
		data := append(head, make([]byte, -len(head)&63)...)
		data = append(data, sound[(body+63)/64*64:]...)
		copy(data[min(int64(at), int64(len(data))):], over)
		tryPacked(t, data[:min(int64(cut), int64(len(data)))])
	})
}

func tryPacked(t *testing.T, data []byte) {
	t.Helper()
	before := bytes.Clone(data)
	m, err := bert.OpenPacked(data, bert.Options{Threads: 1})
	if err == nil {
		var v [][]float32
		if v, err = m.Embed(t.Context(), embed.Query, []string{"the user: naïve", "ж 日本 ø\xff", ""}); err == nil {
			err = embed.Check(m.Model(), 3, v)
			if err != nil {
				t.Errorf("vectors: %v", err)
			}
		}
	}
	if err != nil && !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
	if !bytes.Equal(data, before) {
		t.Error("the data was changed")
	}
}
