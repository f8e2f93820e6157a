package token

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// qwenPattern is the expression of the tokenizer.json of Qwen2, the only one besides that of GPT-2 for which there is
// a splitter. Package regexp has no lookahead.
const qwenPattern = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// lettersSince15 and numbersSince15 list, in hexadecimal, what Unicode has gained since version 15.0, that of package
// unicode, up to version 16, which the reference implements.
const (
	lettersSince15 = `
1C89-1C8A A7CB-A7CD A7DA-A7DC 105C0-105F3 10D4A-10D65 10D6F-10D85 10EC2-10EC4 11380-11389 1138B 1138E 11390-113B5 113B7 113D1 113D3
11BC0-11BE0 13460-143FA 16100-1611D 16D40-16D6C 18CFF 1E5D0-1E5ED 1E5F0 2EBF0-2EE5D
`
	numbersSince15 = `10D40-10D49 116D0-116E3 11BF0-11BF9 16130-16139 16D70-16D79 1CCF0-1CCF9 1E5F1-1E5FA`
)

//nolint:gochecknoglobals // parsed once, never changed
var newLetters, newNumbers = parseRanges(lettersSince15), parseRanges(numbersSince15)

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || r > unicode.MaxLatin1 && inRanges(newLetters, r)
}

func isNumber(r rune) bool {
	return unicode.IsNumber(r) || r > unicode.MaxLatin1 && inRanges(newNumbers, r)
}

// preTokenizer is the part of a tokenizer.json that splits a text before bytes are merged.
type preTokenizer struct {
	Type     string            `json:"type"`
	Space    bool              `json:"add_prefix_space"`
	Regex    *bool             `json:"use_regex"`
	Parts    []json.RawMessage `json:"pretokenizers"`
	Behavior string            `json:"behavior"`
	Invert   bool              `json:"invert"`
	Pattern  struct {
		Regex string
	} `json:"pattern"`
}

// loadSplit returns the function that a pre_tokenizer describes: the length of the first piece of a text that
// is not empty.
func loadSplit(part json.RawMessage) (func(string) int, error) {
	var p preTokenizer
	if err := unmarshal(part, "pre_tokenizer", &p); err != nil {
		return nil, err
	}
	if p.Type != "Sequence" {
		if p.Type != "ByteLevel" || p.Space || p.Regex != nil && !*p.Regex {
			return nil, unsupported("pre_tokenizer", p.Type)
		}
		return nextGPT2, nil
	}
	var split, bytes preTokenizer
	if len(p.Parts) != 2 {
		return nil, unsupported("pre_tokenizer", p.Type)
	}
	for i, to := range []*preTokenizer{&split, &bytes} {
		if err := unmarshal(p.Parts[i], "pre_tokenizer", to); err != nil {
			return nil, err
		}
	}
	switch {
	case split.Type != "Split" || split.Behavior != "Isolated" || split.Invert:
		return nil, unsupported("pre_tokenizer", split.Type)
	case split.Pattern.Regex != qwenPattern:
		return nil, unsupported("pre_tokenizer", split.Pattern.Regex)
	case bytes.Type != "ByteLevel" || bytes.Space || bytes.Regex == nil || *bytes.Regex:
		return nil, unsupported("pre_tokenizer", bytes.Type)
	}
	return nextQwen2, nil
}

// nextGPT2 implements the expression of GPT-2:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func nextGPT2(s string) int {
	if n := contraction(s, false); n > 0 {
		return n
	}
	for _, is := range []func(rune) bool{isLetter, isNumber, isOther} {
		if n := afterSpace(s, is); n > 0 {
			return n
		}
	}
	return spaces(s)
}

// nextQwen2 implements [qwenPattern].
func nextQwen2(s string) int {
	if n := contraction(s, true); n > 0 {
		return n
	}
	r, first := utf8.DecodeRuneInString(s)
	letters := prefix(s, isLetter)
	if letters == 0 && r != '\r' && r != '\n' && !isNumber(r) {
		if letters = prefix(s[first:], isLetter); letters > 0 {
			letters += first
		}
	}
	switch {
	case letters > 0:
		return letters
	case isNumber(r):
		return first
	}
	if n := afterSpace(s, isOther); n > 0 {
		return n + prefix(s[n:], isNewline)
	}
	if n := strings.LastIndexAny(s[:prefix(s, unicode.IsSpace)], "\r\n"); n >= 0 {
		return n + 1
	}
	return spaces(s)
}

// contraction returns the length of an English contraction that s begins with; 0 if there is none. fold ignores the
// case, also that of the long s.
func contraction(s string, fold bool) int {
	if s[0] != '\'' {
		return 0
	}
	for _, c := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		switch rest := s[1:]; {
		case strings.HasPrefix(rest, c), fold && len(rest) >= len(c) && strings.EqualFold(rest[:len(c)], c):
			return 1 + len(c)
		case fold && c == "s" && strings.HasPrefix(rest, "ſ"):
			return 1 + len("ſ")
		}
	}
	return 0
}

// afterSpace returns the length of characters of a class at the beginning of s, a space before them included; 0
// if there are none.
func afterSpace(s string, is func(rune) bool) int {
	rest, ok := strings.CutPrefix(s, " ")
	n := prefix(rest, is)
	if n > 0 && ok {
		n++
	}
	return n
}

// spaces returns the length of white space that s begins with, but for the last character of it if a word follows.
func spaces(s string) int {
	n := prefix(s, unicode.IsSpace)
	if n < len(s) {
		if _, last := utf8.DecodeLastRuneInString(s[:n]); last < n {
			return n - last
		}
	}
	return n
}

// prefix returns the length of the characters of a class that s begins with.
func prefix(s string, is func(rune) bool) int { return len(s) - len(strings.TrimLeftFunc(s, is)) }

func isOther(r rune) bool {
	return !unicode.IsSpace(r) && !isLetter(r) && !isNumber(r)
}

func isNewline(r rune) bool { return r == '\r' || r == '\n' }
