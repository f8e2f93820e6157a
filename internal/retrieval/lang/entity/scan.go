package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner extracts entities in one pass over a text.
type scanner struct {
	text  string
	at    int
	found []Entity
	seen  map[string]bool

	start bool   // a sentence begins here
	run   []word // capitalised words in a row
	gap   []word // words after them that may stand within a name
	last  string // the word before, where it may begin a phrase
}

// word is a word of a run.
type word struct {
	from, to int  // in the text
	first    bool // of a sentence
}

// scan splits the text at white space and quotes.
func (s *scanner) scan() {
	for s.at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[s.at:])
		switch {
		case r == '\n' || r == '\r':
			s.endRun(true)
			s.at += n
		case unicode.IsSpace(r):
			s.at += n
		default:
			if end := s.quoted(r, n); end > 0 {
				s.endRun(false)
				s.at = end
				continue
			}
			from := s.at
			s.at = chunkEnd(s, s.at+n)
			s.chunk(from, s.at)
		}
	}
	s.endRun(true)
}

// chunkEnd returns the end of a chunk, which has neither white space nor quotes.
func chunkEnd(s *scanner, at int) int {
	for at < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[at:])
		if unicode.IsSpace(r) || closing(r) != 0 && r != '\'' && r != '’' {
			break
		}
		at += n
	}
	return at
}

const (
	// maxQuoted is the most bytes of a quoted term, and maxQuotedWords its words: what
	// is longer is speech.
	maxQuoted      = 80
	maxQuotedWords = 6
)

// quoted emits the term that begins with a quote r of n bytes, and returns where it
// ends; 0 if there is none.
func (s *scanner) quoted(r rune, n int) int {
	end := closing(r)
	if end == 0 {
		return 0
	}
	from := s.at + n
	limit := min(len(s.text), from+maxQuoted+utf8.UTFMax)
	for at := from; at < limit; {
		c, size := utf8.DecodeRuneInString(s.text[at:])
		if c == '\n' {
			return 0
		}
		if c == end && closesQuote(s, r, at+size) {
			inner := s.text[from:at]
			words := len(strings.Fields(inner))
			if words == 0 || words > maxQuotedWords || !hasLetter(inner) {
				return 0
			}
			s.term(strings.TrimSpace(inner))
			return at + size
		}
		at += size
	}
	return 0
}

// closesQuote reports whether a closing quote may end at a place: a plain one, which may
// be an apostrophe, stands before no letter.
func closesQuote(s *scanner, open rune, at int) bool {
	if open != '\'' && open != '‘' {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s.text[at:])
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// term emits a quoted text, with the kind that classify returns.
func (s *scanner) term(inner string) {
	trimmed := strings.Trim(inner, ".,;:!?…")
	if trimmed == "" {
		return
	}
	if kind, norm := classify(trimmed); kind != "" {
		s.emitAs(kind, trimmed, norm)
		return
	}
	s.emit(Quoted, trimmed)
}

// closing returns the quote that ends what r begins; 0 if r begins nothing.
func closing(r rune) rune {
	switch r {
	case '"', '`', '\'':
		return r
	case '“', '„':
		return '”'
	case '‘':
		return '’'
	case '«':
		return '»'
	case '「':
		return '」'
	case '『':
		return '』'
	case '《':
		return '》'
	case '【':
		return '】'
	default:
		return 0
	}
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// endRun ends a run, and optionally the sentence.
func (s *scanner) endRun(sentence bool) {
	s.flush()
	s.last = ""
	s.start = sentence
}

// chunk processes the text between white space.
func (s *scanner) chunk(from, to int) {
	text := s.text[from:to]
	left := len(text) - len(strings.TrimLeftFunc(text, opens))
	right := len(strings.TrimRightFunc(text, ends))
	if right <= left {
		s.punctuation(text)
		return
	}
	if left > 0 {
		s.punctuation(text[:left])
	}
	core := text[left:right]
	if kind, norm := classify(core); kind != "" {
		s.flush()
		s.last, s.start = "", false
		s.emitAs(kind, core, norm)
	} else {
		s.pieces(from+left, from+right)
	}
	if right < len(text) && !isAbbreviated(s, core, text[right:]) {
		s.punctuation(text[right:])
	}
}

// pieces processes the parts of a chunk that is no entity as a whole: of source code, or
// words without a space between.
func (s *scanner) pieces(from, to int) {
	for at := from; at < to; {
		cut := strings.IndexFunc(s.text[at:to], divides)
		if cut < 0 {
			cut = to - at
		}
		if cut > 0 {
			s.piece(at, at+cut)
			at += cut
		}
		if at < to {
			n := strings.IndexFunc(s.text[at:to], func(r rune) bool { return !divides(r) })
			if n < 0 {
				n = to - at
			}
			s.punctuation(s.text[at : at+n])
			at += n
		}
	}
}

func (s *scanner) piece(from, to int) {
	text := s.text[from:to]
	left := len(text) - len(strings.TrimLeftFunc(text, opens))
	right := len(strings.TrimRightFunc(text, ends))
	if right <= left {
		s.punctuation(text)
		return
	}
	core := text[left:right]
	if kind, norm := classify(core); kind != "" {
		s.flush()
		s.last, s.start = "", false
		s.emitAs(kind, core, norm)
		return
	}
	s.word(from+left, from+right)
}

// punctuation ends the run, and the sentence if the marks end one.
func (s *scanner) punctuation(marks string) {
	s.endRun(s.start || strings.ContainsAny(marks, ".!?…:。！？•") || strings.Trim(marks, "-–—*>#") == "")
}

// opens and ends report whether a rune is punctuation before or after a word.
func opens(r rune) bool {
	switch r {
	case '/', '~', '.', '#', '@', '-', '$', '_', '\\':
		return false
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
}

func ends(r rune) bool {
	switch r {
	case '/', '_', '+':
		return false
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
}

// divides reports whether a rune divides words and parts of code.
func divides(r rune) bool {
	switch r {
	case '_', '-', '.', ':', '/', '\\', '#', '@', '$', '\'', '’', '~', '+':
		return false
	}
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.M, r)
}
