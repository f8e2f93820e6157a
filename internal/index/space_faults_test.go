package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	modelof "github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
)

// embedded returns a source with a few memories and the bytes of its snapshot, with
// vectors: one model has all of them, one half.
func embedded(t testing.TB) (*source, []byte) {
	t.Helper()
	s, file := sample(t)
	path := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	x := open(t, s, &index.Options{SnapshotPath: path, Pieces: hashed("a")})
	x.Embed(whole, few)
	embed(s, x, whole, 30)
	embed(s, x, few, 15)
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s, file
}

// survive opens an index on a file with these bytes and uses it: nothing panics,
// cosines are cosines, and all memories are there.
func survive(t testing.TB, s *source, file []byte) {
	t.Helper()
	x, _ := reopen(t, s, file, index.Options{Pieces: hashed("a")})
	memories := len(s.live())
	for _, m := range []modelof.Model{whole, few} {
		q := index.Query{Text: "word other3", Vector: vectorOf("q", m), Model: m.ID, Nearest: 1000, MinCosine: -1}
		for range 2 {
			got, _ := search(x, q)
			if len(got) != memories { // all have the word
				t.Errorf("found %d memories of %d", len(got), memories)
			}
			for _, f := range got {
				if !(f.Cosine >= 0 && f.Cosine <= 1.03) || !(f.Exact >= 0 && f.Exact <= 1) {
					t.Errorf("memory %v has cosine %v, exactly %v", f.ID, f.Cosine, f.Exact)
					return
				}
			}
			x.Embed(few, whole)
			have, all := x.Embedded(m.ID)
			if missing := len(x.Unembedded(m.ID, 1000)); all != memories || all-have != missing {
				t.Errorf("%s: %d of %d have a vector, %d have none", m.ID, have, all, missing)
			}
			embed(s, x, m, 1000)
			if have, _ := x.Embedded(m.ID); have != memories {
				t.Errorf("%s: %d of %d have a vector after all", m.ID, have, memories)
			}
		}
	}
	s.put(note(5, "word changed"))
	catchUp(t, x)
	if err := x.Save(t.Context()); err != nil {
		t.Error(err)
	}
}

// A truncated snapshot never gets in, wherever it ends.
func TestSnapshot_VectorsCutOff(t *testing.T) {
	t.Parallel()
	s, file := embedded(t)
	for _, from := range []int{len(file) - 40, len(file) / 2} {
		for n := from; n < from+40; n++ {
			survive(t, s, file[:n])
		}
	}
}

// A bit that fell over in a section with vectors is found or harmless.
func TestSnapshot_VectorsDamaged(t *testing.T) {
	t.Parallel()
	_, file := embedded(t)
	h, body := parts(file)
	sections, _ := h["sections"].([]any)
	if len(sections) != 13+2*4 {
		t.Fatalf("got %d sections", len(sections))
	}
	for _, sec := range sections[13:] {
		m, _ := sec.(map[string]any)
		offset, _ := m["offset"].(float64)
		length, _ := m["length"].(float64)
		if fmt.Sprint(m["name"]) == "space0.scales" || fmt.Sprint(m["name"]) == "space1.scales" {
			continue // see TestSnapshot_VectorScalesDamaged
		}
		t.Run(fmt.Sprint(m["name"]), func(t *testing.T) {
			t.Parallel()
			s, _ := embedded(t) // each changes its own
			for bit := 0; bit < 8*int(length); bit += max(1, int(length)/4) {
				b := bytes.Clone(file)
				b[body+int(offset)+bit/8] ^= 1 << (bit % 8)
				survive(t, s, b)
			}
		})
	}
}

// The header may say anything about spaces, with the right checksum.
func TestSnapshot_SpacesThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(space map[string]any, model map[string]any){
		"dimension":  func(_, m map[string]any) { m["Dimension"] = 4 },
		"none":       func(_, m map[string]any) { m["Dimension"] = 0 },
		"negative":   func(_, m map[string]any) { m["Dimension"] = -1 },
		"huge":       func(_, m map[string]any) { m["Dimension"] = 1 << 40 },
		"rows":       func(s, _ map[string]any) { s["rows"] = 14 },
		"minus_rows": func(s, _ map[string]any) { s["rows"] = -1 },
		"many_rows":  func(s, _ map[string]any) { s["rows"] = 1 << 40 },
		"other_id":   func(_, m map[string]any) { m["ID"] = whole.ID },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, file := embedded(t)
			h, body := parts(file)
			spaces, _ := h["spaces"].([]any)
			space, _ := spaces[1].(map[string]any)
			model, _ := space["model"].(map[string]any)
			change(space, model)
			survive(t, s, withHeader(h, file[body:]))
		})
	}
	t.Run("no_spaces", func(t *testing.T) {
		t.Parallel()
		s, file := embedded(t)
		h, body := parts(file)
		h["spaces"] = nil
		survive(t, s, withHeader(h, file[body:]))
	})
}

// withHeader returns a snapshot of this header and these sections.
func withHeader(h map[string]any, sections []byte) []byte {
	text, _ := json.Marshal(h)
	b := []byte("HIPPOIDX")
	b = binary.LittleEndian.AppendUint32(b, 4)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	b = append(b, text...)
	return append(append(b, make([]byte, (8-len(b)%8)%8)...), sections...)
}
