package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/index"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// blown makes n pieces of every text, which say its length.
type blown struct {
	n int

	mu  sync.Mutex
	cut []string
}

func (b *blown) Pieces(dst []int32, text string) []int32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut = append(b.cut, text)
	for range b.n {
		dst = append(dst, int32(len(text)))
	}
	return dst
}

func (b *blown) Table() string { return fmt.Sprint("blown ", b.n) }

func (b *blown) Weight(int32) float64                 { return 1 }
func (b *blown) Interact(q []int32) embed.Interaction { return nil }

// seen returns what was cut since the last call.
func (b *blown) seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.cut
	b.cut = nil
	return out
}

// library is a store of memories, as texts see it.
type library struct {
	*texts
	t     *testing.T
	model *blown
}

func newLibrary(t *testing.T, pieces int) *library {
	t.Helper()
	s := store.New(memstore.New(nil), nil)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	model := &blown{n: pieces}
	return &library{texts: newTexts(s, model), t: t, model: model}
}

// add records memories of which the i-th has i+1 letters.
func (l *library) add(n int) []wanted {
	l.t.Helper()
	var ms []*hippo.Memory
	for i := range n {
		ms = append(ms, &hippo.Memory{Content: strings.Repeat("x", i+1), Trust: hippo.TrustNormal, Source: hippo.Source{Kind: hippo.SourceAgent}})
	}
	if err := l.store.Add(l.t.Context(), ms...); err != nil {
		l.t.Fatal(err)
	}
	var out []wanted
	for _, m := range ms {
		out = append(out, wanted{m.ID, index.TextOf(m)})
	}
	return out
}

// change gives a memory another content.
func (l *library) change(w wanted, content string) wanted {
	l.t.Helper()
	ms, err := l.store.Update(l.t.Context(), []hippo.ID{w.id}, func(m *hippo.Memory, _ hippo.Day) error {
		m.Content = content
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return wanted{w.id, index.TextOf(ms[0])}
}

func (l *library) get(list ...wanted) [][]int32 {
	l.t.Helper()
	out, err := l.of(l.t.Context(), list)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

func TestTexts_ReadsOnce(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 2)
	ws := l.add(3)
	for range 3 {
		if d := cmp.Diff([][]int32{{3, 3}, {1, 1}, {2, 2}}, l.get(ws[2], ws[0], ws[1])); d != "" {
			t.Error(d)
		}
	}
	if got := l.model.seen(); len(got) != 3 {
		t.Errorf("cut %q, want each once", got)
	}
	if got := l.get(); len(got) != 0 {
		t.Errorf("nothing has pieces %v", got)
	}
}

func TestTexts_OfOtherTextsAreNone(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 1)
	ws := l.add(3)
	later := l.change(ws[1], "xxxxxxx") // after the index was asked
	unknown := wanted{hippo.ID{1: 1}, 5}
	if d := cmp.Diff([][]int32{nil, {1}, nil, {3}}, l.get(ws[1], ws[0], unknown, ws[2])); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([][]int32{nil, {7}}, l.get(ws[1], later)); d != "" {
		t.Error(d)
	}
	if err := l.store.Purge(t.Context(), []hippo.ID{ws[2].id}); err != nil {
		t.Fatal(err)
	}
	l.get(ws[2]) // still known, or none: nobody asks for it
	back := l.change(later, "xx")
	if d := cmp.Diff([][]int32{{2}}, l.get(back)); d != "" {
		t.Error(d)
	}
}

func TestTexts_LongOnesAreCut(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, maxPieces+1)
	if got := l.get(l.add(1)...); len(got[0]) != maxPieces || cap(got[0]) > 2*maxPieces {
		t.Errorf("got %d pieces, in room for %d", len(got[0]), cap(got[0]))
	}
}

// A text without pieces is remembered like others.
func TestTexts_WithoutPieces(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 0)
	ws := l.add(1)
	l.get(ws...)
	l.get(ws...)
	if got := l.model.seen(); len(got) != 1 {
		t.Errorf("cut %q, want it once", got)
	}
}

func TestTexts_ForgetsWhatWasNotAskedForLately(t *testing.T) {
	t.Parallel()
	const n = 3*keptPieces/maxPieces + 100
	l := newLibrary(t, maxPieces)
	ws := l.add(n)
	pinned := ws[:1] // asked for all the time
	for at := 1; at < n; at += 50 {
		l.get(slices.Concat(ws[at:min(at+50, n)], pinned)...)
		kept := 0
		for _, m := range []map[wanted][]int32{l.young, l.old} {
			for _, p := range m {
				kept += len(p)
			}
		}
		if kept > 2*keptPieces {
			t.Fatalf("after %d memories %d pieces are kept, want at most %d", at, kept, 2*keptPieces)
		}
	}
	cuts := make(map[string]int)
	for _, c := range l.model.seen() {
		cuts[c]++
	}
	if len(cuts) != n || cuts["x"] != 1 {
		t.Errorf("cut %d texts, the one that is in use %d times", len(cuts), cuts["x"])
	}
	for i, p := range l.get(ws[1:100]...) { // forgotten, and read again
		if len(p) != maxPieces || p[0] != int32(i+2) {
			t.Fatalf("memory %d has %d pieces of %d", i+1, len(p), p[0])
		}
	}
	if got := l.model.seen(); len(got) != 99 {
		t.Errorf("cut %d again, want 99", len(got))
	}
}

func TestTexts_AtTheSameTime(t *testing.T) {
	t.Parallel()
	l := newLibrary(t, 8)
	ws := l.add(60)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 40 {
				from := (g*7 + i) % 50
				got, err := l.of(t.Context(), ws[from:from+10])
				if err != nil {
					t.Error(err)
					return
				}
				for k, p := range got {
					if fmt.Sprint(p[0]) != fmt.Sprint(from+k+1) || len(p) != 8 {
						t.Errorf("memory %d has pieces %v", from+k, p)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
