package cnn_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
)

func TestOpen_header(t *testing.T) {
	t.Parallel()
	tiers := func(change func(ts []map[string]any)) []map[string]any {
		ts := smallTiers()
		change(ts)
		return ts
	}
	for name, changes := range map[string]map[string]any{
		"no id":                    {"id": ""},
		"no space":                 {"space": ""},
		"no units":                 {"units": 0},
		"negative units":           {"units": -1},
		"many units":               {"units": 1 << 40},
		"no charmap":               {"charmap": 0},
		"many replacements":        {"replacements": 1 << 30},
		"no tiers":                 {"tiers": []any{}},
		"tiers are a number":       {"tiers": 7},
		"only special pieces":      {"tiers": []map[string]any{{"pieces": 2, "parts": []int{1}}}},
		"falling pieces":           {"tiers": tiers(func(ts []map[string]any) { ts[1]["pieces"] = 10 })},
		"many pieces":              {"tiers": tiers(func(ts []map[string]any) { ts[1]["pieces"] = 1 << 21 })},
		"more parts than a vector": {"tiers": tiers(func(ts []map[string]any) { ts[0]["parts"] = []int{65, 20} })},
		"negative parts":           {"tiers": tiers(func(ts []map[string]any) { ts[1]["parts"] = []int{40, -1} })},
		"more parts above":         {"tiers": tiers(func(ts []map[string]any) { ts[0]["parts"] = []int{40, 41} })},
		"more parts of rare":       {"tiers": tiers(func(ts []map[string]any) { ts[1]["parts"] = []int{64, 21} })},
		"another number of levels": {"tiers": tiers(func(ts []map[string]any) { ts[1]["parts"] = []int{40} })},
		"more tiers than bytes":    {"tiers": tiers(func(ts []map[string]any) { ts[1]["pieces"] = 1 << 20 })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, _ := small(1).bytes(t, changes)
			if _, err := cnn.Open(data, cnn.Options{}); !errors.Is(err, hippo.ErrCorrupt) {
				t.Errorf("error %v, want %v", err, hippo.ErrCorrupt)
			}
		})
	}
}

func TestOpen_damaged(t *testing.T) {
	t.Parallel()
	sound, at := small(1).bytes(t, nil)
	for name, c := range map[string]struct {
		damage func([]byte) []byte
		want   error
	}{
		"empty":        {func([]byte) []byte { return nil }, hippo.ErrCorrupt},
		"other format": {func(b []byte) []byte { b[0] = 'h'; return b }, hippo.ErrCorrupt},
		"version":      {func(b []byte) []byte { b[8] = 1; return b }, hippo.ErrUnsupported},
		"length":       {func(b []byte) []byte { b[15] = 1; return b }, hippo.ErrCorrupt},
		"header":       {func(b []byte) []byte { b[preamble] ^= 1; return b }, hippo.ErrCorrupt},
		"cut header":   {func(b []byte) []byte { return b[:preamble+100] }, hippo.ErrCorrupt},
		"cut by one":   {func(b []byte) []byte { return b[:len(b)-1] }, hippo.ErrCorrupt},
		"scale":        {func(b []byte) []byte { copy(b[at["scales"]:], "\x00\x00\xc0\x7f"); return b }, hippo.ErrCorrupt},
		"number":       {func(b []byte) []byte { copy(b[at["numbers"]+400:], "\x00\x00\x80\xff"); return b }, hippo.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := cnn.Open(c.damage(bytes.Clone(sound)), cnn.Options{}); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
	for _, name := range sectionNames() {
		if _, err := cnn.Open(sound[:at[name]+1], cnn.Options{}); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("cut in %s: error %v", name, err)
		}
	}
}

// Any changed byte after the header is found on demand.
func TestVerify(t *testing.T) {
	t.Parallel()
	sound, at := small(1).bytes(t, nil)
	verify := func(data []byte) error {
		m, err := cnn.Open(data, cnn.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return m.Verify()
	}
	if err := verify(sound); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"pieces", "scores", "charmap", "gains", "codes", "weights"} {
		data := bytes.Clone(sound)
		data[at[name]+5] ^= 0x10
		if err := verify(data); !errors.Is(err, hippo.ErrCorrupt) {
			t.Errorf("a changed byte of %s: error %v, want %v", name, err, hippo.ErrCorrupt)
		}
	}
}

// FuzzOpen writes over a part of a sound file, cuts it off, and embeds with what opens:
// whatever the bytes are, there is an error or vectors of the right size.
func FuzzOpen(f *testing.F) {
	sound, at := small(1).bytes(f, nil)
	f.Add(uint32(0), []byte{}, uint32(len(sound)))
	f.Add(uint32(0), []byte("HIPPOCNN\x02"), uint32(len(sound)))
	f.Add(uint32(0), []byte{}, uint32(30))
	for _, name := range sectionNames() {
		f.Add(uint32(at[name]), bytes.Repeat([]byte{0xFF}, 64), uint32(len(sound)))
		f.Add(uint32(at[name]+4), bytes.Repeat([]byte{0x00, 0x01, 0x80}, 64), uint32(len(sound)))
		f.Add(uint32(at[name]+8), []byte{0xFF, 0xFF, 0x7F, 0x7F}, uint32(len(sound)))
	}
	f.Fuzz(func(t *testing.T, from uint32, over []byte, cut uint32) {
		data := bytes.Clone(sound)
		copy(data[min(int(from), len(data)):], over)
		data = data[:min(int(cut), len(data))]
		before := bytes.Clone(data)
		m, err := cnn.Open(data, cnn.Options{Threads: 1})
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
				t.Errorf("error %v", err)
			}
			return
		}
		vectors(t, m, "alpha beta\xff", "日本 é🚀 ж\u200b", "")
		if !slices.Equal(data, before) {
			t.Error("the data was changed")
		}
	})
}
