package peers

import (
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// codeTable maps codes of one to four bytes to text, as the stream ToUnicode of a font says.
type codeTable struct {
	spaces [4][]codeRange // by the length of the codes
	single map[string]string
	ranges []codeRange
}

// codeRange is consecutive codes, and the texts of those: a string for the first, or an array.
type codeRange struct {
	from, to string
	texts    pdf.Value
}

// readCodes reads the table of a font; nil if its ranges are broken. It panics if the program of the table is.
func readCodes(table, font pdf.Value) *codeTable {
	m, n, ok := codeTable{single: make(map[string]string)}, -1, true
	pdf.Interpret(table, func(stack *pdf.Stack, name string) {
		switch name {
		case "findresource": // what it finds is never read; any dictionary will do
			stack.Pop()
			stack.Pop()
			stack.Push(font)
		case "begincmap":
			stack.Push(font)
		case "endcmap":
			stack.Pop()
		case "defineresource":
			stack.Pop()
			value := stack.Pop()
			stack.Pop()
			stack.Push(value)
		case "begincodespacerange", "beginbfchar", "beginbfrange":
			n = int(stack.Pop().Int64())
		case "endcodespacerange":
			ok = ok && n >= 0 && m.addSpaces(stack, n)
			n = -1
		case "endbfchar":
			m.addSingle(stack, n)
			n = -1
		case "endbfrange":
			m.addRanges(stack, n)
			n = -1
		}
	})
	if !ok {
		return nil
	}
	return &m
}

func (m *codeTable) addSpaces(stack *pdf.Stack, n int) bool {
	for range n {
		to, from := stack.Pop().RawString(), stack.Pop().RawString()
		if len(from) == 0 || len(from) > len(m.spaces) || len(from) != len(to) {
			return false
		}
		m.spaces[len(from)-1] = append(m.spaces[len(from)-1], codeRange{from: from, to: to})
	}
	return true
}

func (m *codeTable) addSingle(stack *pdf.Stack, n int) {
	if n < 0 {
		panic("endbfchar without beginbfchar")
	}
	for range n {
		text, code := stack.Pop().RawString(), stack.Pop().RawString()
		if _, known := m.single[code]; !known {
			m.single[code] = fromUTF16(text)
		}
	}
}

func (m *codeTable) addRanges(stack *pdf.Stack, n int) {
	if n < 0 {
		panic("endbfrange without beginbfrange")
	}
	for range n {
		texts, to, from := stack.Pop(), stack.Pop().RawString(), stack.Pop().RawString()
		m.ranges = append(m.ranges, codeRange{from: from, to: to, texts: texts})
	}
}

func (r *codeRange) has(code string) bool {
	return len(r.from) == len(code) && r.from <= code && code <= r.to
}

// decode returns the text of codes, with a replacement character for each that has none.
func (m *codeTable) decode(raw string) string {
	var b strings.Builder
	for raw != "" {
		n := m.length(raw)
		if n == 0 {
			b.WriteRune(unicode.ReplacementChar)
			raw = raw[1:]
			continue
		}
		b.WriteString(m.text(raw[:n]))
		raw = raw[n:]
	}
	return b.String()
}

// length returns the length of the first code; 0 if there is none.
func (m *codeTable) length(raw string) int {
	for n := 1; n <= len(m.spaces) && n <= len(raw); n++ {
		for i := range m.spaces[n-1] {
			if m.spaces[n-1][i].has(raw[:n]) {
				return n
			}
		}
	}
	return 0
}

// text returns the text of a code.
func (m *codeTable) text(code string) string {
	if text, ok := m.single[code]; ok {
		return text
	}
	for i := range m.ranges {
		r := &m.ranges[i]
		if !r.has(code) {
			continue
		}
		step := code[len(code)-1] - r.from[len(r.from)-1]
		switch r.texts.Kind() { //nolint:exhaustive // the others are no texts
		case pdf.String:
			if text := []byte(r.texts.RawString()); len(text) > 0 {
				text[len(text)-1] += step
				return fromUTF16(string(text))
			}
		case pdf.Array:
			if text := r.texts.Index(int(step)); text.Kind() == pdf.String {
				return fromUTF16(text.RawString())
			}
		}
		break
	}
	return string(unicode.ReplacementChar)
}
