// Package adaptive is a language model of the texts of one store: it learns each as it comes and needs
// no download. It predicts a byte from the word before and the beginning of its own word, and from the last
// four bytes down to none, each context with the escape of Witten and Bell ("The zero-frequency problem",
// 1991) to the next shorter one, as in prediction by partial matching (Cleary and Witten, 1984).
package adaptive

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

const (
	// symbolSlots and contextSlots are the sizes of the tables, 12 MB together. Contexts that share a
	// slot share their counts.
	symbolSlots  = 1 << 22
	contextSlots = 1 << 20
	// orders is the number of contexts: of four bytes down to none, and two of words.
	charOrders = 5
	orders     = charOrders + 2
	// fewTexts is the number of texts that the model must know before it is surprised.
	fewTexts = 8
	// prior is the number of bytes of usual text by which a text is lengthened: one of three words is
	// not surprising because its first letter was.
	prior = 16
	// maxBytes is how much of a text is read.
	maxBytes = 8192
	// uniform is the probability of a byte without any context.
	uniform = 1. / 256
)

// Model is the language model. The zero value knows nothing and is ready. It is safe for concurrent use.
type Model struct {
	mu       sync.Mutex
	symbols  []uint16       // the times that a byte came after a context
	contexts []contextCount // by context
	texts    int
	// bits and bytes sum up what the texts cost when they were learned.
	bits  float64
	bytes int
}

var _ surprise.Learner = (*Model)(nil)

// contextCount is how many bytes came after a context, and how many different ones.
type contextCount struct{ total, distinct uint16 }

// Loss implements [surprise.Predictor]: with r, the bits a byte of the text over the mean of the texts that were
// learned, it is r / (1 + r), so that .5 is as surprising as usual. 0 until a few texts are known. It does not fail.
func (m *Model) Loss(_ context.Context, text string) (float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.texts < fewTexts || m.bits == 0 || text == "" {
		return 0, nil
	}
	text = cut(text)
	mean := m.bits / float64(m.bytes)
	r := (m.read(text, false) + prior*mean) / (float64(len(text)+prior) * mean)
	return r / (1 + r), nil
}

// Learn implements [surprise.Learner]. Cost: some 0.3 us a byte.
func (m *Model) Learn(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.symbols == nil {
		m.symbols, m.contexts = make([]uint16, symbolSlots), make([]contextCount, contextSlots)
	}
	text = cut(text)
	m.bits += m.read(text, true)
	m.bytes += len(text)
	m.texts++
}

func cut(text string) string { return text[:min(len(text), maxBytes)] }

// read returns the bits that a text costs, and counts its bytes if it is to be learned.
func (m *Model) read(text string, learn bool) (bits float64) {
	var w words
	for i := range len(text) {
		list := contextsOf(text, i, &w)
		p := uniform
		for _, c := range list {
			p = m.after(c, text[i], p)
		}
		bits -= math.Log2(p)
		if learn {
			for _, c := range slices.Backward(list[:]) {
				if m.count(c, text[i]) {
					break
				}
			}
		}
		w.add(text[i])
	}
	return bits
}

// after returns the probability of a byte after a context, from that after the next shorter one.
func (m *Model) after(c uint64, b byte, shorter float64) float64 {
	n := m.contexts[c%contextSlots]
	if n.total == 0 {
		return shorter
	}
	seen, escape := float64(m.symbols[symbol(c, b)]), float64(max(n.distinct, 1))
	return min(1, (seen+float64(escape*shorter))/(float64(n.total)+escape))
}

// count counts a byte after a context, and reports whether it had come there before: then the shorter
// contexts do not count it, so that they say what is likely where the longer ones know nothing (update
// exclusion, Moffat, 1990). Full counters stay as they are.
func (m *Model) count(c uint64, b byte) (known bool) {
	n, s := &m.contexts[c%contextSlots], &m.symbols[symbol(c, b)]
	known = *s > 0
	if n.total == math.MaxUint16 || *s == math.MaxUint16 {
		return known
	}
	if !known && n.distinct < math.MaxUint8 {
		n.distinct++
	}
	n.total++
	*s++
	return known
}

func symbol(c uint64, b byte) uint64 { return mix(c^uint64(b)) % symbolSlots }

// words is the word before the current byte, and the beginning of its own word, as hashes.
type words struct{ last, current uint64 }

func (w *words) add(b byte) {
	const space = ' '
	if b > space {
		w.current = mix(w.current ^ uint64(b))
		return
	}
	if w.current != 0 {
		w.last, w.current = w.current, 0
	}
}

// contextsOf returns the contexts of byte i, the shortest first.
func contextsOf(text string, i int, w *words) (list [orders]uint64) {
	h := uint64(0)
	for k := range charOrders {
		list[k] = mix(h ^ uint64(k)<<56)
		if i-k-1 >= 0 {
			h = h<<8 | uint64(text[i-k-1])
		}
	}
	list[charOrders] = mix(w.current ^ uint64(charOrders)<<56)
	list[charOrders+1] = mix(w.current ^ mix(w.last) ^ uint64(orders)<<56)
	return list
}

// mix spreads the bits of a number (the finaliser of SplitMix64, Steele, Lea and Flood, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
