// Package sound compares words of different scripts by their consonants: a name is written as it
// sounds, in whatever letters, so London, Лондон and لندن have one key. It knows the Latin, Cyrillic
// and Arabic scripts. It is pure.
package sound

import (
	"strings"
	"unicode/utf8"
)

// Script is a script that words are compared across.
type Script uint8

// The scripts.
const (
	Unknown Script = iota
	Latin
	Cyrillic
	Arabic

	numScripts
)

// Sounds that are not always heard: a vowel and an h are part of a key at its beginning only, a glide
// is a consonant at the beginning and, in Latin letters, before a vowel. The others are consonants. What
// some script does not tell apart is one sound: b and p, f and v, g and j, s, z, sh and ch.
const (
	vowel  = 'A'
	breath = 'H'
	glide  = 'W'
)

// article is the Arabic article, which is written as a part of the word.
const article = "ال"

// letters returns the letters of a script, in lower case and without accents.
func letters(s Script) string {
	switch s {
	case Latin:
		return "abcdefghijklmnopqrstuvwxyz"
	case Cyrillic:
		return "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєўґ"
	case Arabic:
		return "ابتثجحخدذرزسشصضطظعغفقكلمنهويآأؤإئءىةپچژڤکگی"
	default:
		return ""
	}
}

// ScriptOf returns the script of a word, by its first letter.
func ScriptOf(word string) Script {
	r, _ := utf8.DecodeRuneInString(word)
	return scriptOf(r)
}

func scriptOf(r rune) Script {
	switch {
	case 'a' <= r && r <= 'z':
		return Latin
	case r >= 'а' && r <= 'ґ':
		return Cyrillic
	case r >= 'ء' && r <= 'ی':
		return Arabic
	default:
		return Unknown
	}
}

// soundOf returns the sound of a letter by itself, 0 of what is none.
func soundOf(r rune) byte {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y', 'а', 'е', 'ё', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я', 'і', 'ї', 'є', 'ў', 'й', 'ь', 'ъ', 'ا', 'أ', 'إ', 'آ', 'ى', 'ئ', 'ء', 'ؤ', 'ي', 'ع', 'ة', 'ی':
		return vowel
	case 'h', 'х', 'ه', 'ح', 'خ':
		return breath
	case 'w', 'و':
		return glide
	case 'p', 'b', 'п', 'б', 'ب', 'پ':
		return 'P'
	case 'f', 'v', 'ф', 'в', 'ف', 'ڤ':
		return 'F'
	case 'k', 'q', 'c', 'x', 'к', 'ك', 'ق', 'ک':
		return 'K'
	case 'g', 'j', 'г', 'ж', 'ґ', 'ج', 'غ', 'گ':
		return 'G'
	case 's', 'z', 'с', 'з', 'ц', 'ч', 'ш', 'щ', 'س', 'ش', 'ز', 'ص', 'ژ', 'چ':
		return 'S'
	case 'd', 'д', 'د', 'ذ', 'ض', 'ظ':
		return 'D'
	case 't', 'т', 'ت', 'ط', 'ث':
		return 'T'
	case 'l', 'л', 'ل':
		return 'L'
	case 'r', 'р', 'ر':
		return 'R'
	case 'm', 'м', 'م':
		return 'M'
	case 'n', 'н', 'ن':
		return 'N'
	default:
		return 0
	}
}

// Key returns what is heard of a word in lower case: its consonants, and a vowel at its beginning. It
// is empty for a word that has anything but letters of one script.
func Key(word string) string {
	script := ScriptOf(word)
	if script == Arabic {
		word = strings.TrimPrefix(word, article)
	}
	key := make([]byte, 0, len(word))
	last := byte(0) // the sound of the letter before
	for i, r := range word {
		sound := soundOf(r)
		if sound == 0 || scriptOf(r) != script {
			return ""
		}
		next, _ := utf8.DecodeRuneInString(word[i+utf8.RuneLen(r):])
		sound = heard(sound, i == 0, r, next)
		key = appendSound(key, i == 0, last, sound)
		if last = sound; r == 'x' {
			key, last = append(key, 'S'), 'S'
		}
	}
	return string(key)
}

// heard returns the sound of a letter in its place, before another one.
func heard(sound byte, first bool, r, next rune) byte {
	switch {
	case sound == glide && (first || r == 'w' && soundOf(next) == vowel):
		return 'F'
	case sound == glide:
		return vowel
	case r == 'p' && next == 'h':
		return 'F'
	case r == 'c' && strings.ContainsRune("eiyh", next):
		return 'S'
	default:
		return sound
	}
}

// appendSound adds a sound to a key, after that of the letter before. A doubled consonant is one, and
// so is a stop with its own sibilant, as in ts and dzh.
func appendSound(key []byte, first bool, last, sound byte) []byte {
	switch {
	case (sound == vowel || sound == breath) && !first, sound == last:
		return key
	case last == 'T' && sound == 'S', last == 'D' && sound == 'G':
		return append(key[:len(key)-1], sound)
	default:
		return append(key, sound)
	}
}

// Beginnings calls f with the beginnings of the words of other scripts that may have a key that begins
// like that of a word of this script: each letter, and each after the article.
func Beginnings(script Script, key string, f func(beginning string)) {
	for s := Latin; s < numScripts; s++ {
		if s == script || key == "" {
			continue
		}
		for _, r := range letters(s) {
			if !mayBegin(soundOf(r), key[0]) {
				continue
			}
			if f(string(r)); s == Arabic {
				f(article + string(r))
			}
		}
	}
}

// mayBegin reports whether a letter of this sound may be heard as that one at the beginning of a word.
func mayBegin(sound, heard byte) bool {
	switch heard {
	case 'F':
		return sound == 'F' || sound == glide || sound == 'P' // ph
	case 'S':
		return sound == 'S' || sound == 'K' || sound == 'T' // c before e, ts
	case 'G':
		return sound == 'G' || sound == 'D' // dzh
	default:
		return sound == heard
	}
}
