package index_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	modelof "github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
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

// tokensOf are the word pieces that an index keeps of a memory.
func tokensOf(table modelof.TokenEmbedder, m *hippo.Memory) []int32 {
	if table == nil {
		return nil
	}
	list := table.Tokenize(nil, m.Content)
	for _, text := range slices.Concat(m.Situation, m.Tags) {
		list = table.Tokenize(list, text)
	}
	return list[:min(len(list), index.MaxTokens)]
}

// documents checks the word pieces and cues of every live memory, and how similar they are.
func (w *world) documents(t *rapid.T) {
	list, _ := search(w.x, query{})
	if len(list) != len(w.src.live()) {
		t.Fatalf("found %d memories of %d", len(list), len(w.src.live()))
	}
	for _, f := range list {
		memory := w.src.get(f.ID)
		if want := tokensOf(w.opts.Tokens, memory); !slices.Equal(f.Tokens, want) {
			t.Fatalf("%q has word pieces %v, want %v", memory.Content, f.Tokens, want)
		}
		if want := cuesOf(memory.Content); f.Cues != want {
			t.Fatalf("%q has cues %03b, want %03b", memory.Content, f.Cues, want)
		}
	}
	find(w.x, query{Text: "unknown", Vector: vectorOf("query", few), Model: few.ID, Nearest: 1, MinCosine: -1}, func(r *retrieve.Result) {
		for _, a := range list {
			for _, b := range list {
				w.similar(t, r.Reader, a.ID, b.ID)
			}
		}
	})
}

// similar checks how similar two documents are by the model that has embedded some.
func (w *world) similar(t *rapid.T, r retrieve.Reader, a, b hippo.ID) {
	x, _ := r.Find(a)
	y, _ := r.Find(b)
	got, want := r.Similarity(x, y), 0.0
	if got != r.Similarity(y, x) {
		t.Fatalf("%v one way and %v the other", got, r.Similarity(y, x))
	}
	if got == 0 { // none, or far from each other
		return
	}
	v := vectorOf(w.src.get(a).Content, few)
	for i, y := range vectorOf(w.src.get(b).Content, few) {
		want += float64(v[i]) * float64(y)
	}
	if math.Abs(got-max(0, want)) > .02 || got > 1 {
		t.Fatalf("similar by %v, want %v", got, want)
	}
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one"), note(2, "two"), note(3, "three"), note(4, "four"))
	x := open(t, s, &index.Options{Models: []modelof.Model{whole, few}})
	var list []index.Vector
	for n, v := range [][]float32{{1, 0, 0}, {.6, .8, 0}, {-1, 0, 0}} {
		list = append(list, index.Vector{ID: id(n + 1), Text: index.TextKey(s.get(id(n + 1))), Values: v})
	}
	x.Vectors.Set(few.ID, list)
	for _, model := range []string{"", whole.ID, few.ID} {
		find(x, query{Text: "none", Vector: []float32{0, 0, 1}, Model: model}, func(r *retrieve.Result) {
			for _, c := range []struct {
				a, b int
				want float64
			}{{1, 2, .6}, {2, 1, .6}, {1, 1, 1}, {2, 3, 0}, {1, 4, 0}, {4, 1, 0}, {4, 4, 0}} {
				want := c.want
				if model != few.ID {
					want = 0
				}
				a, _ := r.Reader.Find(id(c.a))
				b, _ := r.Reader.Find(id(c.b))
				if got := r.Reader.Similarity(a, b); math.Abs(got-want) > .02 {
					t.Errorf("by model %q %d and %d are similar by %v, want %v", model, c.a, c.b, got, want)
				}
			}
		})
	}
}

// Word pieces are right in every segment while merges run.
func TestTokens_while_merging(t *testing.T) {
	t.Parallel()
	s, table := newSource("s"), hashed("a")
	x := open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "i"), Tokens: table})
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
		list, _ := search(x, query{})
		for _, f := range list {
			text := contents[int(f.ID[15])]
			if !slices.Equal(f.Tokens, tokensOf(table, s.get(f.ID))) {
				t.Errorf("%q has word pieces %v", text, f.Tokens)
			}
		}
	}
	close(done)
	saver.Wait()
}

// A file is for one table of word pieces, or for none.
func TestFile_of_other_tokens(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "one two"), note(2, "in 2020?"))
	path := filepath.Join(t.TempDir(), "index")
	for _, c := range []struct {
		table modelof.TokenEmbedder
		used  bool
	}{{nil, false}, {nil, true}, {hashed("a"), false}, {hashed("a"), true}, {hashed("b"), false}, {nil, false}} {
		x := open(t, s, &index.Options{Path: path, Tokens: c.table})
		if used := x.Stats().Saved > 0; used != c.used {
			t.Errorf("with table %v: used %v, want %v", c.table, used, c.used)
		}
		list, _ := search(x, query{})
		for _, f := range list {
			if d := cmp.Diff(tokensOf(c.table, s.get(f.ID)), f.Tokens); d != "" {
				t.Errorf("with table %v (-want +got):\n%s", c.table, d)
			}
			if want := cuesOf(s.get(f.ID).Content); f.Cues != want {
				t.Errorf("with table %v: got cues %03b, want %03b", c.table, f.Cues, want)
			}
		}
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// cuesOf returns the cues of a content as the index keeps them.
func cuesOf(content string) cue.Cues {
	c := cue.Of(content)
	if cue.IsForeign(content) {
		c |= cue.Foreign
	}
	return c
}
