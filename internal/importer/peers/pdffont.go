package peers

import (
	_ "embed" // for the names of glyphs
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// The encodings of fonts are here because those of the parser make a map of all names of glyphs at every start of the program.

// pdfEncoding turns the codes of a font into text.
type pdfEncoding func(raw string) string

// encodingOf returns the encoding of a font.
func encodingOf(font pdf.Value) pdfEncoding {
	switch encoding := font.Key("Encoding"); encoding.Kind() { //nolint:exhaustive // the others are no encodings
	case pdf.Dict:
		return differences(encoding.Key("Differences"))
	case pdf.Null:
		return encodingOfCodes(font)
	case pdf.Name:
		switch encoding.Name() {
		case "WinAnsiEncoding":
			return winAnsi().decode
		case "MacRomanEncoding":
			return macRoman().decode
		case "Identity-H":
			return encodingOfCodes(font)
		case "UniGB-UCS2-H":
			return fromUTF16
		}
	}
	return unchanged
}

// encodingOfCodes returns the encoding of a font that brings a table to Unicode, or none.
func encodingOfCodes(font pdf.Value) pdfEncoding {
	if table := font.Key("ToUnicode"); table.Kind() == pdf.Stream {
		if m := readCodes(table, font); m != nil {
			return m.decode
		}
		return unchanged
	}
	return pdfDoc().decode
}

func unchanged(raw string) string { return raw }

// fromUTF16 decodes big-endian UTF-16.
func fromUTF16(raw string) string {
	units := make([]uint16, 0, len(raw)/2)
	for i := 0; i+1 < len(raw); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	return string(utf16.Decode(units))
}

// codePage has the character of each byte.
type codePage [256]rune

func (p *codePage) decode(raw string) string {
	var b strings.Builder
	for i := range len(raw) {
		b.WriteRune(p[raw[i]])
	}
	return b.String()
}

// latin1 returns ISO 8859-1, in which the given characters replace those from a byte on.
func latin1(from int, characters string) *codePage {
	p := new(codePage)
	for i := range p {
		p[i] = rune(i)
	}
	for _, r := range characters {
		p[from] = r
		from++
	}
	return p
}

var (
	winAnsi = sync.OnceValue(func() *codePage { //nolint:gochecknoglobals // it is built once and never changes
		return latin1(0x80, "€\ufffd‚ƒ„…†‡ˆ‰Š‹Œ\ufffdŽ\ufffd\ufffd‘’“”•–—˜™š›œ\ufffdžŸ")
	})
	macRoman = sync.OnceValue(func() *codePage { //nolint:gochecknoglobals // it is built once and never changes
		return latin1(0x80, "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊"+
			"ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ")
	})
	pdfDoc = sync.OnceValue(func() *codePage { //nolint:gochecknoglobals // it is built once and never changes
		p := latin1(0x7f, "\ufffd•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž\ufffd€")
		for i := range 0x18 {
			if !slices.Contains([]int{'\t', '\n', '\r'}, i) {
				p[i] = unicode.ReplacementChar
			}
		}
		copy(p[0x18:], []rune("˘ˇˆ˙˝˛˚˜"))
		p[0xad] = unicode.ReplacementChar
		return p
	})
)

//go:embed glyphs.txt
var glyphText string

// glyphs has the characters of glyphs by name.
var glyphs = sync.OnceValue(func() map[string]rune { //nolint:gochecknoglobals // it is built once and never changes
	m := make(map[string]rune, strings.Count(glyphText, "\n"))
	for line := range strings.Lines(glyphText) {
		name, code, _ := strings.Cut(strings.TrimSpace(line), " ")
		r, _ := strconv.ParseUint(code, 16, 16)
		m[name] = rune(r)
	}
	return m
})

// differences returns an encoding in which the glyphs of some codes are named: a code, and the names from it on.
func differences(list pdf.Value) pdfEncoding {
	p, named, code := latin1(0, ""), [256]bool{}, -1
	for i := range list.Len() {
		switch x := list.Index(i); x.Kind() { //nolint:exhaustive // the others mean nothing
		case pdf.Integer:
			code = int(x.Int64())
		case pdf.Name:
			if r := glyphs()[x.Name()]; r != 0 && code >= 0 && code < len(p) && !named[code] {
				p[code], named[code] = r, true
			}
			code++
		}
	}
	return p.decode
}
