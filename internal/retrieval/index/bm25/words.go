package bm25

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/detect"
)

// Words returns the default analyzer:
//
//   - Unicode words (UAX #29), compatibility forms and diacritics folded, lower-cased;
//   - Snowball stems: English ones of words in Latin letters, Russian, Arabic and
//     Tamil ones of words in those scripts; possessive 's dropped, other
//     apostrophes closed up (don't: dont);
//   - identifiers whole and in parts: HTTPServerError is httpservererror, http,
//     server, error; snake_case, kebab-case, dotted and slashed names likewise,
//     and of paths, addresses and places in files also each component: file.go of
//     dir/file.go:7;
//   - scripts without spaces (Han, kana, Hangul, Thai and its neighbours) as
//     overlapping pairs of characters, and also the characters of the first three
//     alone;
//   - emoji as terms.
//
// Speed: about 100 MB/s on English prose, no allocation per word once warm.
func Words() Analyzer {
	w := &wordAnalyzer{}
	w.pool.New = func() any { return &scanner{stemmer: stemmer{make(map[stemKey]string)}} }
	return w
}

type wordAnalyzer struct {
	pool sync.Pool // of *scanner
}

func (*wordAnalyzer) Name() string { return "words/3" }

func (*wordAnalyzer) Stop(term string) bool { return isFunctionStem(term) }

func (w *wordAnalyzer) Terms(text string, emit func([]byte)) {
	s := w.get()
	s.emit = emit
	s.text(text)
	s.emit = nil
	w.pool.Put(s)
}

func (w *wordAnalyzer) get() *scanner {
	s, ok := w.pool.Get().(*scanner)
	if !ok {
		panic("bm25: pool holds a foreign value")
	}
	return s
}

// maxIdentifier is the most bytes of an identifier, path or address that is analysed as such.
const maxIdentifier = 1024

// scanner analyses one text at a time.
type scanner struct {
	stemmer
	emit        func([]byte)
	chunk       []byte // an ASCII chunk, or a folded one
	folded, tmp []byte
	lower       []byte
	run         []rune // characters of a script without spaces
}

// text cuts text at white space into chunks, most of which are plain ASCII.
func (s *scanner) text(text string) {
	for i := 0; i < len(text); {
		for i < len(text) && isSpace(text[i]) {
			i++
		}
		start, ascii := i, true
		for i < len(text) && !isSpace(text[i]) {
			ascii = ascii && text[i] < utf8.RuneSelf
			i++
		}
		if start == i {
			return
		}
		if ascii {
			s.chunk = append(s.chunk[:0], text[start:i]...)
			s.ascii(s.chunk)
			continue
		}
		s.folded, s.tmp = fold(s.folded, s.tmp, text[start:i])
		if isASCII(s.folded) {
			s.ascii(s.folded)
		} else {
			s.unicode(s.folded)
		}
	}
}

// ascii emits the words of a chunk, and the whole of words that single joiners
// hold together.
func (s *scanner) ascii(b []byte) {
	from, parts, end := 0, 0, 0 // the chain of joined words
	for i := 0; i < len(b); {
		if !isAlnum(b[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(b) && (isAlnum(b[j]) || b[j] == '\'' && j+1 < len(b) && isLetter(b[j+1])) {
			j++
		}
		if parts > 0 && i == end+1 && isJoiner(b[end]) {
			parts++
		} else {
			s.whole(b[from:end], parts)
			from, parts = i, 1
		}
		s.word(b[i:j])
		i, end = j, j
	}
	s.whole(b[from:end], parts)
}

// whole emits an identifier that has several parts, and those of its components that have some
// themselves: base.go of dir/base.go:7.
func (s *scanner) whole(b []byte, parts int) {
	if parts < 2 || len(b) > maxIdentifier {
		return
	}
	s.lower = appendLower(s.lower[:0], b)
	if len(s.lower) <= MaxTerm {
		s.emit(s.lower)
	}
	rest := s.lower
	for from := 0; ; {
		i := bytes.IndexAny(rest[from:], `/\:@`)
		if i < 0 {
			if from > 0 {
				s.component(rest[from:])
			}
			return
		}
		s.component(rest[from : from+i])
		from += i + 1
	}
}

// component emits a component of an identifier if it has several parts.
func (s *scanner) component(b []byte) {
	if len(b) <= MaxTerm && bytes.ContainsAny(b, "._-") {
		s.emit(b)
	}
}

// word emits a word of letters and digits, and its parts if the case of the
// letters shows some.
func (s *scanner) word(b []byte) {
	if from := 0; mixedCase(b) {
		for i := 1; i <= len(b); i++ {
			if i == len(b) || partBegins(b, i) {
				if from > 0 || i < len(b) {
					s.term(b[from:i])
				}
				from = i
			}
		}
	}
	s.term(b)
}

// term emits one word, lower-cased and stemmed.
func (s *scanner) term(b []byte) {
	s.lower = appendLower(s.lower[:0], b)
	t := s.lower
	if bytes.IndexByte(t, '\'') >= 0 {
		t = bytes.TrimSuffix(t, []byte("'s"))
		t = closeUp(t)
	}
	if t = cut(t); len(t) == 0 {
		return
	}
	if len(t) > 2 {
		if l := languageOf(t); l != detect.Unknown {
			s.lower = append(s.lower[:0], s.stem(l, t)...)
			t = cut(s.lower)
		}
	}
	s.emit(t)
}

// unicode emits the words of a folded chunk that is not ASCII.
func (s *scanner) unicode(b []byte) {
	for it := words.FromBytes(b); it.Next(); {
		seg := it.Value()
		r, n := utf8.DecodeRune(seg)
		if isRun(r) {
			s.run = append(s.run, []rune(string(seg))...)
			continue
		}
		s.pairs()
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '_':
			s.segment(seg)
		case isEmoji(r):
			s.emit(cut(seg))
		case n < len(seg) && seg[0] > ' ' && isEmoji(lastRune(seg)): // keycaps: #, *
			s.emit(cut(seg))
		}
	}
	s.pairs()
}

// segment emits the words within a Unicode word, which joins by _ . and '.
func (s *scanner) segment(seg []byte) {
	from, parts := -1, 0
	for i := 0; i < len(seg); {
		r, n := utf8.DecodeRune(seg[i:])
		in := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.M, r) || r == '\'' && from >= 0
		if in && from < 0 {
			from = i
		}
		if !in && from >= 0 {
			s.word(seg[from:i])
			from, parts = -1, parts+1
		}
		i += n
	}
	if from >= 0 {
		s.word(seg[from:])
		parts++
	}
	s.whole(seg, parts)
}

// pairs emits the collected run of a script without spaces: its overlapping pairs of characters, and
// those characters that may be words by themselves.
func (s *scanner) pairs() {
	for i, r := range s.run {
		if i > 0 {
			s.lower = utf8.AppendRune(s.lower[:0], s.run[i-1])
			s.lower = utf8.AppendRune(s.lower, r)
			s.emit(s.lower)
		}
		if len(s.run) == 1 || isSyllable(r) {
			s.lower = utf8.AppendRune(s.lower[:0], r)
			s.emit(s.lower)
		}
	}
	s.run = s.run[:0]
}
