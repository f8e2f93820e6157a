package token

import (
	"encoding/json"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unigram splits a text into the tokens with the largest sum of scores, which are
// logarithms of probabilities.
type unigram struct {
	special   Special
	normalize func(string) string
	split     metaspace
	vocab     []scoredToken // sorted by text
	unknown   float64       // score of a character outside of the vocabulary
	bytes     []int32       // IDs of <0x00> to <0xFF>, or nil
}

// scoredToken is a token of the vocabulary.
type scoredToken struct {
	text  string
	id    int32
	score float64
}

// unknownPenalty is the difference between the lowest score in the vocabulary and that of
// an unknown character. Source: SentencePiece.
const unknownPenalty = 10

func loadUnigram(f *file) (Tokenizer, error) {
	var m struct {
		Unknown  *int32              `json:"unk_id"`
		Vocab    [][]json.RawMessage `json:"vocab"`
		Fallback bool                `json:"byte_fallback"`
	}
	if err := unmarshal(f.Model, "model", &m); err != nil {
		return nil, err
	}
	if m.Unknown == nil || *m.Unknown < 0 || int(*m.Unknown) >= len(m.Vocab) {
		return nil, corrupt("model: unk_id is not in the vocabulary")
	}
	u := &unigram{vocab: make([]scoredToken, len(m.Vocab))}
	names := make(map[string]int32, len(m.Vocab))
	worst := math.Inf(1)
	for i, entry := range m.Vocab {
		p := &u.vocab[i]
		if len(entry) != 2 || json.Unmarshal(entry[0], &p.text) != nil || json.Unmarshal(entry[1], &p.score) != nil {
			return nil, corrupt("model: token %d is not a text and a score", i)
		}
		p.id = int32(i)
		names[p.text] = p.id
		worst = min(worst, p.score)
	}
	u.unknown = worst - unknownPenalty
	var err error
	if u.special, err = specialOf(f, names, u.vocab[*m.Unknown].text); err != nil {
		return nil, err
	}
	if m.Fallback {
		if u.bytes, err = byteTokens(names); err != nil {
			return nil, err
		}
	}
	// The last of equal texts counts, as it does in a map.
	slices.SortStableFunc(u.vocab, func(a, b scoredToken) int { return strings.Compare(a.text, b.text) })
	u.vocab = slices.DeleteFunc(u.vocab, func(p scoredToken) bool { return p.text == "" || names[p.text] != p.id })
	if u.normalize, err = loadNormalizer(f.Normalizer); err != nil {
		return nil, err
	}
	u.split, err = loadMetaspace(f.PreTokenizer)
	return u, err
}

func byteTokens(names map[string]int32) ([]int32, error) {
	const hex = "0123456789ABCDEF"
	out := make([]int32, 256)
	for b := range out {
		id, ok := names["<0x"+string(hex[b>>4])+string(hex[b&15])+">"]
		if !ok {
			return nil, corrupt("model: no token for byte %d", b)
		}
		out[b] = id
	}
	return out, nil
}

// Special implements [Tokenizer].
func (u *unigram) Special() Special { return u.special }

// Encode implements [Tokenizer].
func (u *unigram) Encode(dst []int32, text string) []int32 {
	text = u.normalize(strings.ToValidUTF8(text, "\uFFFD"))
	var best []node
	u.split.words(text, func(word string) { dst, best = u.word(dst, word, best) })
	return dst
}

// node is a position in a word, with the best tokens up to there.
type node struct {
	score float64
	from  int   // where the last of them begins
	id    int32 // of the last of them; -1 for an unknown character
	known bool
}

// word appends the tokens of a word (Viterbi algorithm). best is a buffer.
func (u *unigram) word(dst []int32, word string, best []node) ([]int32, []node) {
	best = slices.Grow(best[:0], len(word)+1)[:len(word)+1]
	clear(best)
	best[0].known = true
	for at := 0; at < len(word); {
		_, size := utf8.DecodeRuneInString(word[at:])
		if best[at].known {
			u.extend(word, at, size, best)
		}
		at += size
	}
	return backtrack(dst, word, best, u.special.Unknown, u.bytes), best
}

// extend follows every token that begins at a position, where the character has size
// bytes.
func (u *unigram) extend(word string, at, size int, best []node) {
	single := false
	u.prefixes(word[at:], func(p *scoredToken) {
		single = single || len(p.text) == size
		relax(&best[at+len(p.text)], node{best[at].score + p.score, at, p.id, true})
	})
	if !single {
		relax(&best[at+size], node{best[at].score + u.unknown, at, -1, true})
	}
}

// relax replaces a node by a better one.
func relax(to *node, n node) {
	if !to.known || n.score > to.score {
		*to = n
	}
}

// prefixes calls f with the tokens that text begins with, the shortest first.
func (u *unigram) prefixes(text string, f func(*scoredToken)) {
	lo, hi := 0, len(u.vocab)
	for n := 1; n <= len(text); n++ {
		c := text[n-1]
		part := u.vocab[lo:hi]
		first := sort.Search(len(part), func(i int) bool { return len(part[i].text) >= n && part[i].text[n-1] >= c })
		last := first + sort.Search(len(part)-first, func(i int) bool { return part[first+i].text[n-1] > c })
		if lo, hi = lo+first, lo+last; lo == hi {
			return
		}
		if p := &u.vocab[lo]; len(p.text) == n {
			f(p)
		}
	}
}

// backtrack appends the best tokens, from the end of the word. The bytes of unknown
// characters become the tokens of bytes; without those, consecutive unknown characters are
// one unknown token.
func backtrack[T string | []byte](dst []int32, word T, best []node, unknown int32, bytes []int32) []int32 {
	mark, open := len(dst), false
	for at := len(word); at > 0; at = best[at].from {
		n := best[at]
		switch {
		case n.id >= 0:
			dst = append(dst, n.id)
		case bytes != nil:
			for i := at - 1; i >= n.from; i-- {
				dst = append(dst, bytes[word[i]])
			}
		case !open:
			dst = append(dst, unknown)
		}
		open = n.id < 0
	}
	slices.Reverse(dst[mark:])
	return dst
}

// metaspace splits a text into words: "▁" stands for a space, and belongs to the word
// that follows.
type metaspace struct {
	atSpaces bool // any white space separates parts, and is dropped
	prefix   bool // each part begins with the mark
	whole    bool // a part is not split at its marks
}

const spaceMark = "▁"

func loadMetaspace(part json.RawMessage) (m metaspace, err error) {
	var p struct {
		Type        string            `json:"type"`
		Parts       []json.RawMessage `json:"pretokenizers"`
		Replacement string            `json:"replacement"`
		AddPrefix   *bool             `json:"add_prefix_space"`
		Scheme      string            `json:"prepend_scheme"`
		Split       *bool             `json:"split"`
	}
	if err := unmarshal(part, "pre_tokenizer", &p); err != nil {
		return m, err
	}
	switch {
	case p.Type == "Sequence" && len(p.Parts) == 2:
		first, err := typeOf(p.Parts[0], "pre_tokenizer")
		if err != nil {
			return m, err
		}
		second, err := typeOf(p.Parts[1], "pre_tokenizer")
		if err != nil || first != "WhitespaceSplit" || second != "Metaspace" {
			return m, unsupported("pre_tokenizer", first+", "+second)
		}
		m, err = loadMetaspace(p.Parts[1])
		m.atSpaces = true
		return m, err
	case p.Type != "Metaspace" || p.Replacement != spaceMark:
		return m, unsupported("pre_tokenizer", p.Type)
	}
	m.whole = p.Split != nil && !*p.Split
	switch {
	case p.Scheme == "always", p.Scheme == "" && (p.AddPrefix == nil || *p.AddPrefix):
		m.prefix = true
	case p.Scheme == "never", p.Scheme == "" && !*p.AddPrefix:
	default:
		return m, unsupported("pre_tokenizer", "Metaspace with prepend_scheme "+p.Scheme)
	}
	return m, nil
}

// words calls f with each word of a text.
func (m metaspace) words(text string, f func(string)) {
	if !m.atSpaces {
		m.part(text, f)
		return
	}
	for _, part := range strings.FieldsFunc(text, unicode.IsSpace) {
		m.part(part, f)
	}
}

func (m metaspace) part(text string, f func(string)) {
	if text == "" {
		return
	}
	text = strings.ReplaceAll(text, " ", spaceMark)
	if m.prefix && !strings.HasPrefix(text, spaceMark) {
		text = spaceMark + text
	}
	for !m.whole {
		next := strings.Index(text[1:], spaceMark)
		if next < 0 {
			break
		}
		f(text[:next+1])
		text = text[next+1:]
	}
	f(text)
}
