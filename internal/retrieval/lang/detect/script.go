package detect

import "unicode"

// scripts counts the letters of a text by script. A character of Chinese or Japanese counts like three
// letters, since it says as much.
type scripts struct {
	latin, cyrillic, ukrainian, arabic, persian, han, kana, hangul int
	others                                                         [NumLanguages]int
}

// ideograph is how many letters a character of Chinese or Japanese counts like.
const ideograph = 3

// count adds the letters of a word.
func (s *scripts) count(word string) {
	for _, r := range word {
		switch {
		case r < 0x250:
			if r >= 'A' && unicode.IsLetter(r) {
				s.latin++
			}
		case r >= 0x400 && r <= 0x52F:
			s.cyrillic++
			switch r {
			case 'і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ':
				s.ukrainian++
			}
		case r >= 0x600 && r <= 0x6FF:
			s.arabic++
			switch r {
			case 'پ', 'چ', 'ژ', 'گ', 'ی', 'ک':
				s.persian++
			}
		default:
			s.other(r)
		}
	}
}

// other counts a letter of the scripts that one language is written in, and of those of East Asia.
func (s *scripts) other(r rune) {
	switch {
	case unicode.Is(unicode.Han, r):
		s.han += ideograph
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		s.kana += ideograph
	case unicode.Is(unicode.Hangul, r):
		s.hangul += 2
	case unicode.Is(unicode.Greek, r):
		s.others[Greek]++
	case unicode.Is(unicode.Hebrew, r):
		s.others[Hebrew]++
	case unicode.Is(unicode.Devanagari, r):
		s.others[Hindi]++
	case unicode.Is(unicode.Tamil, r):
		s.others[Tamil]++
	case unicode.Is(unicode.Thai, r):
		s.others[Thai]++
	}
}

// language returns the language of the script with most letters; Unknown: that is Latin, or there is
// none.
func (s *scripts) language() Language {
	best, most := Unknown, s.latin
	take := func(l Language, n int) {
		if n > most {
			best, most = l, n
		}
	}
	take(Chinese, s.han)
	if s.kana > 0 { // no Chinese text has kana
		take(Japanese, s.han+s.kana)
	}
	take(Korean, s.hangul)
	switch {
	case s.ukrainian > 0:
		take(Ukrainian, s.cyrillic)
	default:
		take(Russian, s.cyrillic)
	}
	switch {
	case s.persian > 0:
		take(Persian, s.arabic)
	default:
		take(Arabic, s.arabic)
	}
	for l, n := range s.others {
		take(Language(l), n)
	}
	return best
}
