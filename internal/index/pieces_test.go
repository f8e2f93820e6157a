package index_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/cue"
	modelof "github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/static"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/models"
)

// hashed is the name of a table that makes 100 pieces of every word, so that some
// texts have too many.
type hashed string

func (h hashed) Vocabulary() string { return string(h) }

func (h hashed) Tokenize(dst []int32, text string) []int32 {
	for w := range strings.FieldsSeq(text) {
		sum := fnv.New32a()
		sum.Write([]byte(string(h) + w))
		for k := range uint32(100) {
			dst = append(dst, int32((sum.Sum32()+k)%65536))
		}
	}
	return dst
}

func (hashed) Weight(int32) float64             { return 1 }
func (hashed) NewMaxSim([]int32) modelof.MaxSim { return nil }

// piecesOf is what an index keeps of a memory.
func piecesOf(table modelof.TokenEmbedder, m *hippo.Memory) []int32 {
	if table == nil {
		return nil
	}
	list := table.Tokenize(nil, m.Content)
	for _, text := range slices.Concat(m.Situation, m.Tags) {
		list = table.Tokenize(list, text)
	}
	return list[:min(len(list), index.MaxPieces)]
}

// forward checks the pieces and cues of every live memory, and how alike they are.
func (w *world) forward(t *rapid.T) {
	q := index.Query{Text: "unknown", Vector: vectorOf("query", few), Model: few.ID, Nearest: 1, MinCosine: -1}
	w.x.View(func(v *index.View) {
		all := slices.Clone(v.Search(index.Query{}).Matches)
		if len(all) != len(w.src.live()) {
			t.Fatalf("found %d memories of %d", len(all), len(w.src.live()))
		}
		for _, m := range all {
			memory := w.src.get(v.Row(m.Doc).ID)
			text := memory.Content
			want := append([]int32{-1}, piecesOf(w.opts.Pieces, memory)...)
			if got := v.Pieces([]int32{-1}, m.Doc); !slices.Equal(got, want) {
				t.Fatalf("%q has pieces %v, want %v", text, got, want)
			}
			if got, want := v.Cues(m.Doc), cue.Of(text); got != want {
				t.Fatalf("%q has cues %03b, want %03b", text, got, want)
			}
			if v.Alike(m.Doc, m.Doc) != 0 {
				t.Fatal("without a vector in the query, something is alike")
			}
		}
		v.Search(q)
		for _, a := range all {
			for _, b := range all {
				w.alike(t, v, a.Doc, b.Doc)
			}
		}
	})
}

// alike checks how alike two documents are by the model that has embedded some.
func (w *world) alike(t *rapid.T, v *index.View, a, b uint32) {
	got, want := v.Alike(a, b), 0.0
	if got != v.Alike(b, a) {
		t.Fatalf("%v one way and %v the other", got, v.Alike(b, a))
	}
	if got == 0 { // none, or far from each other
		return
	}
	x := vectorOf(w.src.get(v.Row(a).ID).Content, few)
	for i, y := range vectorOf(w.src.get(v.Row(b).ID).Content, few) {
		want += float64(x[i]) * float64(y)
	}
	if math.Abs(got-max(0, want)) > .02 || got > 1 {
		t.Fatalf("alike by %v, want %v", got, want)
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"), note(2, "two"), note(3, "three"), note(4, "four"))
	x := open(t, s, nil)
	x.Embed(whole, few)
	var list []index.Vector
	for n, v := range [][]float32{{1, 0, 0}, {.6, .8, 0}, {-1, 0, 0}} {
		list = append(list, index.Vector{ID: id(n + 1), Text: index.TextOf(s.get(id(n + 1))), Values: v})
	}
	x.SetVectors(few.ID, list)
	x.View(func(v *index.View) {
		docs := make([]uint32, 5)
		for _, m := range v.Search(index.Query{}).Matches {
			docs[v.Row(m.Doc).ID[15]] = m.Doc
		}
		for _, model := range []string{"", whole.ID, few.ID} {
			q := index.Query{Text: "none", Vector: []float32{0, 0, 1}, Model: model}
			v.Search(q)
			for _, c := range []struct {
				a, b int
				want float64
			}{{1, 2, .6}, {2, 1, .6}, {1, 1, 1}, {2, 3, 0}, {1, 4, 0}, {4, 1, 0}, {4, 4, 0}} {
				want := c.want
				if model != few.ID {
					want = 0
				}
				if got := v.Alike(docs[c.a], docs[c.b]); math.Abs(got-want) > .02 {
					t.Errorf("in space %q %d and %d are alike by %v, want %v", model, c.a, c.b, got, want)
				}
			}
		}
	})
}

// Pieces are right in every segment while merges run.
func TestPieces_while_merging(t *testing.T) {
	t.Parallel()
	s, table := newSource("s"), hashed("a")
	x := open(t, s, &index.Options{SnapshotPath: filepath.Join(t.TempDir(), "i"), Pieces: table})
	contents := make(map[int]string)
	var saver sync.WaitGroup
	done := make(chan struct{})
	saver.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := x.Save(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	for n := range 300 {
		contents[n%40] = strings.Repeat(fmt.Sprint("word", n, " "), 1+n%13)
		s.put(note(n%40, contents[n%40]))
		catchUp(t, x)
		list, _ := search(x, index.Query{})
		for _, f := range list {
			text := contents[int(f.ID[15])]
			if !slices.Equal(f.Pieces, piecesOf(table, s.get(f.ID))) {
				t.Errorf("%q has pieces %v", text, f.Pieces)
			}
		}
	}
	close(done)
	saver.Wait()
}

// damaged opens an index with the pieces of the program's own model on a snapshot
// whose section of that name was changed.
func damaged(t *testing.T, name string, change func([]byte)) (x *index.Index, s *source, used bool) {
	t.Helper()
	table, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	s, _ = sample(t)
	path := filepath.Join(t.TempDir(), "index")
	o := index.Options{SnapshotPath: path, Pieces: table}
	if err := open(t, s, &o).Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, body := parts(file)
	sections, _ := h["sections"].([]any)
	for _, sec := range sections {
		m, _ := sec.(map[string]any)
		offset, _ := m["offset"].(float64)
		length, _ := m["length"].(float64)
		if m["name"] == name {
			change(file[body+int(offset):][:int(length)])
		}
	}
	x, used = reopen(t, s, file, index.Options{Pieces: table})
	return x, s, used
}

// Nobody reads the pieces at the start, so whoever reads them later bears any number.
func TestSnapshot_PiecesDamaged(t *testing.T) {
	t.Parallel()
	table, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	x, s, used := damaged(t, "pieces", func(b []byte) {
		for i := range b {
			b[i] = 0xFF
		}
	})
	if !used {
		t.Error("the snapshot was made anew for a section that is not checked")
	}
	list, _ := search(x, index.Query{})
	query := table.Tokenize(nil, "some word")
	for _, f := range list {
		want := bytes.Repeat([]byte{1}, len(piecesOf(table, s.get(f.ID))))
		if len(f.Pieces) != len(want) || slices.Min(f.Pieces) != 65535 {
			t.Fatalf("got pieces %v, want %d of 65535", f.Pieces, len(want))
		}
		best := make([]float32, len(query))
		table.NewMaxSim(query).Update(best, f.Pieces)
		table.NewMaxSim(f.Pieces).Update(make([]float32, len(f.Pieces)), query)
		if slices.Max(best) != 0 || table.Weight(f.Pieces[0]) != 0 {
			t.Errorf("a piece that is not in the table counts: %v", best)
		}
	}
	if err := x.Save(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestSnapshot_PiecesEndsDamaged(t *testing.T) {
	t.Parallel()
	for at := range 9 {
		x, s, used := damaged(t, "pieces.ends", func(b []byte) { b[at] ^= 2 })
		if used || x.Stats().Memories != len(s.live()) {
			t.Errorf("byte %d: used %v, %d memories", at, used, x.Stats().Memories)
		}
	}
}

// A snapshot is for one table, or for none.
func TestSnapshot_OfAnotherTable(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one two"), note(2, "in 2020?"))
	path := filepath.Join(t.TempDir(), "index")
	for _, c := range []struct {
		table modelof.TokenEmbedder
		used  bool
	}{{nil, false}, {nil, true}, {hashed("a"), false}, {hashed("a"), true}, {hashed("b"), false}, {nil, false}} {
		x := open(t, s, &index.Options{SnapshotPath: path, Pieces: c.table})
		if used := x.Stats().Snapshot > 0; used != c.used {
			t.Errorf("with table %v: used %v, want %v", c.table, used, c.used)
		}
		list, _ := search(x, index.Query{})
		for _, f := range list {
			if d := cmp.Diff(piecesOf(c.table, s.get(f.ID)), f.Pieces); d != "" {
				t.Errorf("with table %v (-want +got):\n%s", c.table, d)
			}
			if want := cue.Of(s.get(f.ID).Content); f.Cues != want {
				t.Errorf("with table %v: got cues %03b, want %03b", c.table, f.Cues, want)
			}
		}
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
