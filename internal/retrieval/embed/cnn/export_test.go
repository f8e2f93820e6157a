package cnn

// Tokenize appends the IDs of the tokens of a text to dst, without the special ones.
func (m *Model) Tokenize(dst []int32, text string) []int32 { return m.tokens.Encode(dst, text) }
