package token

import "strings"

// addedTokenizer recognises added tokens in a text before the rest of it is tokenized.
type addedTokenizer struct {
	Tokenizer
	added []addedToken
}

// withAddedTokens returns t behind the recognition of added tokens.
func withAddedTokens(t Tokenizer, list []addedToken) (Tokenizer, error) {
	m := &addedTokenizer{Tokenizer: t}
	for _, a := range list {
		switch {
		case a.Content == "":
			return nil, corrupt("added_tokens: an empty token")
		case a.SingleWord || a.Normalized || a.RStrip:
			return nil, unsupported("added_tokens", a.Content)
		}
		m.added = append(m.added, a)
	}
	if len(m.added) == 0 {
		return t, nil
	}
	return m, nil
}

// Encode implements [Tokenizer].
func (m *addedTokenizer) Encode(dst []int32, text string) []int32 {
	for {
		at, token := m.find(text)
		if token == nil {
			return m.encode(dst, text)
		}
		before := text[:at]
		if token.LStrip {
			before = strings.TrimRight(before, " \t\r\n")
		}
		dst = append(m.encode(dst, before), token.ID)
		text = text[at+len(token.Content):]
	}
}

// encode tokenizes the text between added tokens.
func (m *addedTokenizer) encode(dst []int32, text string) []int32 {
	if text == "" {
		return dst
	}
	return m.Tokenizer.Encode(dst, text)
}

// find returns the first added token in text, and the longest one of those that begin
// there.
func (m *addedTokenizer) find(text string) (at int, token *addedToken) {
	at = len(text)
	for i := range m.added {
		a := &m.added[i]
		k := strings.Index(text[:min(len(text), at+len(a.Content))], a.Content)
		if k >= 0 && (k < at || token != nil && k == at && len(a.Content) > len(token.Content)) {
			at, token = k, a
		}
	}
	return at, token
}
