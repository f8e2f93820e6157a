package screen

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minEncoded is the length from which base64 is decoded: 15 bytes of text.
const minEncoded = 20

// encodedText is a part of a text that is base64 of another text.
type encodedText struct {
	start, end int
	decoded    string
}

// encodedIn returns the parts of a text that are base64, of either alphabet, of readable text.
// What is decoded is not decoded again.
func encodedIn(text string) []encodedText {
	var list []encodedText
	for i := 0; i < len(text); {
		start := i
		for i < len(text) && base64Byte(text[i]) {
			i++
		}
		if i-start >= minEncoded {
			if s, ok := decode(text[start:i]); ok {
				list = append(list, encodedText{start, i, s})
			}
		}
		i++
	}
	return list
}

func base64Byte(b byte) bool {
	return isLetter(b) || b >= '0' && b <= '9' || b == '+' || b == '/' || b == '-' || b == '_'
}

// decode returns the text of which s is base64 without padding. A prefix of another length is decoded
// too, since padding may have been cut off.
func decode(s string) (string, bool) {
	if strings.IndexFunc(s, unicode.IsUpper) < 0 { // a word or a number in hexadecimal digits
		return "", false
	}
	s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
	b, err := base64.RawStdEncoding.DecodeString(s[:len(s)-len(s)%4])
	if len(s)%4 > 1 {
		if whole, e := base64.RawStdEncoding.DecodeString(s); e == nil {
			b, err = whole, nil
		}
	}
	if err != nil || !utf8.Valid(b) {
		return "", false
	}
	for _, r := range string(b) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return "", false
		}
	}
	return string(b), true
}
