package chunk

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Keys returns the key of each symbol within its file: its qualified name, and from the second one of
// a name on, ~ and its number. Keys stay when other parts of the file change.
func Keys(symbols []syntax.Symbol) []string {
	seen := make(map[string]int, len(symbols))
	out := make([]string, len(symbols))
	for i := range symbols {
		name := symbols[i].Qualified
		if name == "" {
			name = symbols[i].Name
		}
		seen[name]++
		out[i] = name
		if n := seen[name]; n > 1 {
			out[i] += "~" + strconv.Itoa(n)
		}
	}
	return out
}

// PartKeys returns the key of each chunk within its file, all different: that of its symbol, and
// which of the chunks of that it is.
func PartKeys(chunks []Chunk, symbols []string) []string {
	seen := make(map[string]int, len(chunks))
	out := make([]string, len(chunks))
	for i := range chunks {
		name := ""
		if s := chunks[i].Symbol; s >= 0 {
			name = symbols[s]
		}
		out[i] = name + "\x00" + strconv.Itoa(seen[name])
		seen[name]++
	}
	return out
}

// maxHeader bounds the bytes of a signature in a [Header].
const maxHeader = 240

// Header is what the text of a chunk does not say: the signatures of what holds it, one a line, the
// outermost first, and the words of the name of its symbol, which so count twice and as words of a
// language. It is embedded and searched with the text.
func Header(f *syntax.File, c *Chunk) string {
	var b strings.Builder
	for _, s := range holders(f, c) {
		b.WriteString(s)
		b.WriteByte('\n')
	}
	if c.Symbol >= 0 {
		if s := NameWords(f.Symbols[c.Symbol].Name); s != "" {
			b.WriteString(s)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// NameWords returns the words of an identifier with a space between them: path, stats of path_stats, is, HTML, page of isHTMLPage.
// Of a long one it returns the beginning.
func NameWords(name string) string {
	name = strings.ToValidUTF8(name[:min(len(name), maxHeader)], "")
	var b strings.Builder
	before := ' ' // the rune before
	for i, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			before = ' '
			continue
		}
		next, _ := utf8.DecodeRuneInString(name[i+utf8.RuneLen(r):])
		begins := unicode.IsUpper(r) && (!unicode.IsUpper(before) || unicode.IsLower(next))
		if b.Len() > 0 && (before == ' ' || begins) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// holders returns the signatures of what holds a chunk, the outermost first.
func holders(f *syntax.File, c *Chunk) (list []string) {
	i := c.Symbol
	if i < 0 {
		return nil
	}
	if c.Part == 0 {
		if f.Symbols[i].Range.From >= c.From && f.Symbols[i].Range.From < c.Until {
			i = f.Symbols[i].Parent
		}
	}
	for depth := 0; i >= 0 && i < len(f.Symbols) && depth < 16; depth++ {
		s := f.Symbols[i].Signature
		if s == "" {
			s = f.Symbols[i].Name
		}
		list = append([]string{strings.ToValidUTF8(s[:min(len(s), maxHeader)], "")}, list...)
		if f.Symbols[i].Parent >= i {
			break
		}
		i = f.Symbols[i].Parent
	}
	return list
}
