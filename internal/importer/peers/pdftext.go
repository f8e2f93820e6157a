package peers

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

// Distances in sizes of the font: from which on a gap is a space between words, and a step down a
// line or a paragraph. unknownWidth is the width of a character whose font does not say it.
const (
	wordGap      = 0.15
	lineStep     = 0.5
	paragraph    = 1.8
	unknownWidth = 0.5
)

// matrix is an affine transformation [a b c d e f] as in ISO 32000-1, section 8.3.3.
type matrix [6]float64

func identity() matrix { return matrix{1, 0, 0, 1, 0, 0} }

// then returns the transformation m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// textState is what the operators of a page set; see ISO 32000-1, section 9.3.
type textState struct {
	page, text, line matrix
	font             *pdfFont
	size, leading    float64
	charSpace, scale float64
}

// pageReader collects the text that a page draws, in the order in which it does. A PDF has places
// instead of spaces and line breaks.
type pageReader struct {
	page  pdf.Page
	fonts map[string]*pdfFont
	now   textState
	saved []textState
	out   []byte
	// endX and endY are where the last text ended.
	endX, endY float64
}

// drawnText returns the text of a page. It panics if the page is broken.
func drawnText(p pdf.Page) string {
	r := pageReader{page: p, fonts: make(map[string]*pdfFont), now: textState{page: identity(), text: identity(), line: identity(), scale: 1}}
	if contents := p.V.Key("Contents"); contents.Kind() == pdf.Stream || contents.Kind() == pdf.Array {
		pdf.Interpret(contents, r.operator)
	}
	return string(r.out)
}

// operator takes an operator of the page with its operands.
func (r *pageReader) operator(stack *pdf.Stack, name string) {
	args := make([]pdf.Value, stack.Len())
	for i := len(args) - 1; i >= 0; i-- {
		args[i] = stack.Pop()
	}
	switch {
	case r.graphics(name, args), r.position(name, args):
	case name == "Tf" && len(args) == 2:
		r.now.font, r.now.size = r.font(args[0].Name()), args[1].Float64()
	case name == "Tj" && len(args) == 1:
		r.show(args[0].RawString())
	case name == "'" && len(args) == 1:
		r.move(0, -r.now.leading)
		r.show(args[0].RawString())
	case name == "\"" && len(args) == 3:
		r.now.charSpace = args[1].Float64()
		r.move(0, -r.now.leading)
		r.show(args[2].RawString())
	case name == "TJ" && len(args) == 1:
		for i := range args[0].Len() {
			if x := args[0].Index(i); x.Kind() == pdf.String {
				r.show(x.RawString())
			} else {
				r.advance(-x.Float64() / 1000 * r.now.size * r.now.scale)
			}
		}
	}
}

// graphics takes the operators of the graphics state and of the state of texts.
func (r *pageReader) graphics(name string, args []pdf.Value) bool {
	s := &r.now
	switch {
	case name == "q":
		r.saved = append(r.saved, *s)
	case name == "Q" && len(r.saved) > 0:
		*s, r.saved = r.saved[len(r.saved)-1], r.saved[:len(r.saved)-1]
	case name == "cm" && len(args) == 6:
		s.page = matrixOf(args).then(s.page)
	case name == "TL" && len(args) == 1:
		s.leading = args[0].Float64()
	case name == "Tc" && len(args) == 1:
		s.charSpace = args[0].Float64()
	case name == "Tz" && len(args) == 1:
		s.scale = args[0].Float64() / 100
	default:
		return false
	}
	return true
}

// position takes the operators that set where the next text begins.
func (r *pageReader) position(name string, args []pdf.Value) bool {
	switch {
	case name == "BT":
		r.now.text, r.now.line = identity(), identity()
	case name == "Tm" && len(args) == 6:
		r.now.line = matrixOf(args)
		r.now.text = r.now.line
	case name == "Td" && len(args) == 2:
		r.move(args[0].Float64(), args[1].Float64())
	case name == "TD" && len(args) == 2:
		r.now.leading = -args[1].Float64()
		r.move(args[0].Float64(), args[1].Float64())
	case name == "T*":
		r.move(0, -r.now.leading)
	default:
		return false
	}
	return true
}

func matrixOf(args []pdf.Value) (m matrix) {
	for i := range m {
		m[i] = args[i].Float64()
	}
	return m
}

// move begins a line.
func (r *pageReader) move(x, y float64) {
	r.now.line = matrix{1, 0, 0, 1, x, y}.then(r.now.line)
	r.now.text = r.now.line
}

// advance moves the next text to the right.
func (r *pageReader) advance(by float64) {
	r.now.text = matrix{1, 0, 0, 1, by, 0}.then(r.now.text)
}

// show draws a text.
func (r *pageReader) show(raw string) {
	s := &r.now
	if s.font == nil || raw == "" {
		return
	}
	text, width, chars := s.font.decode(raw)
	at := s.text.then(s.page)
	if unit := math.Hypot(at[0], at[1]); unit > 0 && s.size != 0 && len(r.out) > 0 {
		size := unit * math.Abs(s.size)
		right, up := at[0]/unit, at[1]/unit // the direction of the line
		x, y := at[4]-r.endX, at[5]-r.endY
		r.separate(separator(math.Abs(y*right-x*up)/size, (x*right+y*up)/size), text)
	}
	r.out = append(r.out, text...)
	r.advance((width*s.size + float64(chars)*s.charSpace) * s.scale)
	end := s.text.then(s.page)
	r.endX, r.endY = end[4], end[5]
}

// separate adds a separator before the next text, and joins a word that a hyphen divides at the
// end of a line.
func (r *pageReader) separate(separator, next string) {
	first, _ := utf8.DecodeRuneInString(next)
	n := len(r.out)
	switch {
	case separator == " " && (r.out[n-1] == ' ' || first == ' '):
	case separator == "\n" && r.out[n-1] == '-' && unicode.IsLower(first) && n > 1 && r.out[n-2] >= 'a' && r.out[n-2] <= 'z':
		r.out = r.out[:n-1]
	default:
		r.out = append(r.out, separator...)
	}
}

// separator returns what stands between two characters, of which the second is so much lower or
// higher, and so much to the right of the end of the first.
func separator(down, right float64) string {
	switch {
	case down > paragraph:
		return "\n\n"
	case down > lineStep:
		return "\n"
	case right > wordGap:
		return " "
	}
	return ""
}

// pdfFont is a font of a page.
type pdfFont struct {
	encoding  pdfEncoding
	composite bool // its codes have two bytes
	first     int  // the code of the first of widths
	widths    []float64
}

func (r *pageReader) font(name string) *pdfFont {
	if f, ok := r.fonts[name]; ok {
		return f
	}
	p := r.page.Font(name)
	f := &pdfFont{encoding: encodingOf(p.V), composite: p.V.Key("Subtype").Name() == "Type0", first: p.FirstChar(), widths: p.Widths()}
	r.fonts[name] = f
	return f
}

// decode returns a text, its width in sizes of the font, and the number of its characters.
func (f *pdfFont) decode(raw string) (text string, width float64, chars int) {
	text = raw
	if f.encoding != nil {
		text = f.encoding(raw)
	}
	text = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl").Replace(text)
	if f.composite {
		chars = len(raw) / 2
		return text, float64(chars) * unknownWidth, chars
	}
	for i := range len(raw) {
		if n := int(raw[i]) - f.first; n >= 0 && n < len(f.widths) {
			width += f.widths[n] / 1000
		} else {
			width += unknownWidth
		}
	}
	return text, width, len(raw)
}
