package token

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"golang.org/x/text/unicode/norm"
)

// loadNormalizer returns the function that a normalizer describes.
func loadNormalizer(part json.RawMessage) (func(string) string, error) {
	var p struct {
		Type    string            `json:"type"`
		Parts   []json.RawMessage `json:"normalizers"`
		Charmap string            `json:"precompiled_charsmap"`
		Left    bool              `json:"strip_left"`
		Right   bool              `json:"strip_right"`
		Content string            `json:"content"`
		Pattern struct {
			Regex, String *string
		} `json:"pattern"`
	}
	if len(part) == 0 || string(part) == "null" {
		return func(s string) string { return s }, nil
	}
	if err := unmarshal(part, "normalizer", &p); err != nil {
		return nil, err
	}
	switch {
	case p.Type == "Sequence":
		return sequence(p.Parts)
	case p.Type == "Precompiled":
		return precompiled(p.Charmap)
	case p.Type == "Strip":
		return strip(p.Left, p.Right), nil
	case p.Type == "Replace" && p.Pattern.String != nil:
		return func(s string) string { return strings.ReplaceAll(s, *p.Pattern.String, p.Content) }, nil
	case p.Type == "Replace" && p.Pattern.Regex != nil && *p.Pattern.Regex == " {2,}":
		return func(s string) string { return collapseSpaces(s, p.Content) }, nil
	case p.Type == "Lowercase":
		return strings.ToLower, nil
	case p.Type == "NFKC":
		return norm.NFKC.String, nil
	case p.Type == "NFC":
		return norm.NFC.String, nil
	default:
		return nil, unsupported("normalizer", p.Type)
	}
}

func sequence(parts []json.RawMessage) (func(string) string, error) {
	all := make([]func(string) string, len(parts))
	for i, part := range parts {
		var err error
		if all[i], err = loadNormalizer(part); err != nil {
			return nil, err
		}
	}
	return func(s string) string {
		for _, f := range all {
			s = f(s)
		}
		return s
	}, nil
}

func strip(left, right bool) func(string) string {
	return func(s string) string {
		if left {
			s = strings.TrimLeftFunc(s, unicode.IsSpace)
		}
		if right {
			s = strings.TrimRightFunc(s, unicode.IsSpace)
		}
		return s
	}
}

// collapseSpaces replaces runs of two and more spaces.
func collapseSpaces(s, by string) string {
	var b strings.Builder
	for s != "" {
		i := strings.Index(s, "  ")
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		b.WriteString(by)
		s = strings.TrimLeft(s[i:], " ")
	}
	b.WriteString(s)
	return b.String()
}

// charmap is the precompiled character map of SentencePiece: a double-array trie from
// characters to offsets of their replacements, and the replacements, each terminated by a
// zero byte.
type charmap struct {
	keys  trie
	texts string
}

// precompiled parses a character map: the size of the trie in bytes, the trie, the
// replacements.
func precompiled(encoded string) (func(string) string, error) {
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) < 4 {
		return nil, corrupt("normalizer: the character map is not base64 or too short")
	}
	size := binary.LittleEndian.Uint32(raw)
	if uint64(size) > uint64(len(raw)-4) || size%4 != 0 || size == 0 {
		return nil, corrupt("normalizer: a character map of %d bytes has a trie of %d", len(raw), size)
	}
	m := &charmap{keys: raw[4 : 4+size], texts: string(raw[4+size:])}
	if !utf8.ValidString(m.texts) {
		return nil, corrupt("normalizer: replacements are not UTF-8")
	}
	return m.apply, nil
}

// maxCluster is the size in bytes from which a grapheme cluster is looked up character by
// character only. Source: the reference implementation.
const maxCluster = 6

// apply replaces characters, and short grapheme clusters as a whole.
func (m *charmap) apply(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for g := graphemes.FromString(s); g.Next(); {
		cluster := g.Value()
		if len(cluster) < maxCluster {
			if to, ok := m.lookup(cluster); ok {
				b.WriteString(to)
				continue
			}
		}
		for i := 0; i < len(cluster); {
			_, n := utf8.DecodeRuneInString(cluster[i:])
			if to, ok := m.lookup(cluster[i : i+n]); ok {
				b.WriteString(to)
			} else {
				b.WriteString(cluster[i : i+n])
			}
			i += n
		}
	}
	return b.String()
}

// lookup returns the replacement of the shortest prefix of key in the trie.
func (m *charmap) lookup(key string) (string, bool) {
	at := m.keys.root()
	for i := range len(key) {
		next, value, ok := m.keys.step(at, key[i])
		if !ok {
			break
		}
		if value >= 0 {
			return m.text(uint32(value))
		}
		at = next
	}
	return "", false
}

func (m *charmap) text(from uint32) (string, bool) {
	if int64(from) >= int64(len(m.texts)) {
		return "", false
	}
	text, _, _ := strings.Cut(m.texts[from:], "\x00")
	return text, true
}
