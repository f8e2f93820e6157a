package bert

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/token"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/window"
)

// letters makes each byte a token.
type letters struct{}

func (letters) Encode(dst []int32, text string) []int32 {
	for _, b := range []byte(text) {
		dst = append(dst, int32(b))
	}
	return dst
}

func (letters) Special() token.Special {
	return token.Special{First: -1, Last: -1, Pad: -1, Unknown: -1}
}

func TestSplitter_windows(t *testing.T) {
	t.Parallel()
	f := splitter{tokens: letters{}, first: '<', last: '>', size: 16}
	var got []string
	var added []int
	for _, w := range f.windows(nil, 0, "q:", "abcdefghijklmnopqrstuvw") {
		s := ""
		for _, id := range w.IDs {
			s += string(id)
		}
		got, added = append(got, s), append(added, w.Added)
	}
	if d := cmp.Diff([]string{"<q:abcdefghijkl>", "<q:klmnopqrstuv>", "<q:uvw>"}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{12, 10, 1}, added); d != "" {
		t.Error(d)
	}
}

// No token of a text may be lost, or counted twice.
func TestSplitter_windows_cover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prefix := rapid.SampledFrom([]string{"", "p", "query: "}).Draw(t, "prefix")
		f := splitter{tokens: letters{}, first: rapid.SampledFrom([]int32{-1, 1}).Draw(t, "first"), last: -1}
		f.size = rapid.IntRange(len(prefix)+minRoom+1, 100).Draw(t, "size")
		body := strings.Repeat("x", rapid.IntRange(0, 1000).Draw(t, "length"))
		ws := f.windows(nil, 3, prefix, body)
		head := len(f.wrap(f.tokens.Encode(nil, prefix), nil))
		end := 0
		for i, w := range ws {
			if w.Text != 3 || len(w.IDs) > f.size {
				t.Fatalf("window %d of text %d has %d tokens, at most %d", i, w.Text, len(w.IDs), f.size)
			}
			if old := len(w.IDs) - head - w.Added; i == 0 && old != 0 || i > 0 && (old != min(f.size/8, f.room(len(prefix))/2) || w.Added < 1) {
				t.Fatalf("window %d has %d tokens of the one before and %d of its own", i, old, w.Added)
			}
			end += w.Added
		}
		if end != len(body) {
			t.Fatalf("windows have %d of %d tokens", end, len(body))
		}
	})
}

func TestBatches(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ws := make([]window.Window, rapid.IntRange(0, 60).Draw(t, "windows"))
		for i := range ws {
			ws[i].IDs = make([]int32, rapid.IntRange(1, 300).Draw(t, "tokens"))
		}
		var all []int
		for _, g := range batches(ws, rapid.IntRange(1, 9).Draw(t, "threads")) {
			n := 0
			for _, i := range g {
				n += len(ws[i].IDs)
			}
			if n > batchTokens && len(g) > 1 {
				t.Fatalf("%d windows of %d tokens in a batch", len(g), n)
			}
			all = append(all, g...)
		}
		slices.Sort(all)
		for i, k := range all {
			if i != k {
				t.Fatalf("window %d is in no batch or in two", i)
			}
		}
		if len(all) != len(ws) {
			t.Fatalf("%d of %d windows in batches", len(all), len(ws))
		}
	})
}
