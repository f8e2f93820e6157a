package token

import "strings"

// marked recognises pieces in a text before the rest of it is cut.
type marked struct {
	Tokenizer
	pieces []added
}

// withAdded returns t with the added pieces in front of it. Ordinary pieces of the
// vocabulary that are listed as added change nothing.
func withAdded(t Tokenizer, list []added) (Tokenizer, error) {
	m := &marked{Tokenizer: t}
	for _, a := range list {
		switch {
		case a.Content == "":
			return nil, corrupt("added_tokens: an empty piece")
		case a.SingleWord || a.Normalized || a.RStrip:
			return nil, unsupported("added_tokens", a.Content)
		}
		m.pieces = append(m.pieces, a)
	}
	if len(m.pieces) == 0 {
		return t, nil
	}
	return m, nil
}

// Encode implements [Tokenizer].
func (m *marked) Encode(dst []int32, text string) []int32 {
	for {
		at, piece := m.find(text)
		if piece == nil {
			return m.encode(dst, text)
		}
		before := text[:at]
		if piece.LStrip {
			before = strings.TrimRight(before, " \t\r\n")
		}
		dst = append(m.encode(dst, before), piece.ID)
		text = text[at+len(piece.Content):]
	}
}

// encode cuts what lies between the added pieces.
func (m *marked) encode(dst []int32, text string) []int32 {
	if text == "" {
		return dst
	}
	return m.Tokenizer.Encode(dst, text)
}

// find returns the first added piece in text, the longest one that begins there.
func (m *marked) find(text string) (at int, piece *added) {
	at = len(text)
	for i := range m.pieces {
		p := &m.pieces[i]
		k := strings.Index(text[:min(len(text), at+len(p.Content))], p.Content)
		if k >= 0 && (k < at || piece != nil && k == at && len(p.Content) > len(piece.Content)) {
			at, piece = k, p
		}
	}
	return at, piece
}
