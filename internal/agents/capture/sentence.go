package capture

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

// Limits of the texts that are looked at.
const (
	// maxSentences of a turn are looked at: a longer message is pasted text.
	maxSentences = 24
	// maxSentence is the length in bytes above which a sentence is pasted text.
	maxSentence = 400
	// maxContent is the length to which a candidate is clipped.
	maxContent = 600
)

// sentence is one sentence of a person.
type sentence struct {
	text string
	cues cues
}

// any reports whether the sentence has one of the cues.
func (s *sentence) any(c cues) bool { return s.cues&c != 0 }

// sentences splits what a person said. Code blocks, quotes, logs and what follows an announcement
// of pasted text ("here is the log:") are left out.
func sentences(text string) []sentence {
	var out []sentence
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || trimmed == "" || prose.Pasted(line) {
			continue
		}
		for _, s := range prose.Sentences(bullet(trimmed)) {
			out = append(out, sentence{s, cuesOf(s)})
		}
		if n := len(out); i == 0 && n > 0 && strings.Contains(text, "\n") && announces(&out[n-1]) {
			return out
		}
		if len(out) > maxSentences {
			return nil
		}
	}
	return out
}

// announces reports whether a first line says that pasted text follows.
func announces(s *sentence) bool {
	return s.any(isQuestion) || strings.HasSuffix(s.text, ":") && !s.any(hasRule|hasDecision|hasPreference|hasScope)
}

// bullet returns a line without the mark of a list.
func bullet(line string) string {
	for _, mark := range [...]string{"- ", "* ", "• "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest
		}
	}
	return line
}

// filler matches what begins a sentence without saying anything.
//
//nolint:gochecknoglobals // compiled when it is first used
var filler = pattern(`(?i)^((no|nope|yes|yeah|yep|ok|okay|agreed|right|actually|and|also|but|so|well|ah|oh|hm+|careful|sure|fine|good|great|please|btw|by the way|fyi|again|nein|ja|und|bitte|non|oui|et|sí|y|por favor)\b[\s,.:!;-]*|[\s,.:;-]+)`)

// bareRequest matches a sentence that only asks to keep what stands beside it: "Remember that."
//
//nolint:gochecknoglobals // compiled when it is first used
var bareRequest = pattern(`(?i)^\W*((and|so|und|et|y|please|bitte|por favor)[\s,]+)*((please )?(remember|note|memori[sz]e|keep in mind|don't forget|do not forget|make a note of)( (that|this|it))?|(merk|merke) dir (das|dies)|vergiss das nicht|(retiens|souviens-toi de) (ça|cela)|recu[ée]rdalo|lembre(-se)? disso)([\s,]+(please|bitte|por favor|for later|for next time))?\W*$`)

// cleaned returns a sentence without fillers at its beginning, with a capital and a full stop.
func cleaned(s string) string {
	for {
		rest := filler().ReplaceAllString(s, "")
		if rest == s || strings.TrimSpace(rest) == "" {
			break
		}
		if f := strings.ToLower(s); strings.HasPrefix(f, "no ") && !strings.HasPrefix(rest, "use") && barred(rest) {
			break // "no ORMs": the word is part of the statement
		}
		s = rest
	}
	s = strings.TrimSpace(s)
	if r, size := utf8.DecodeRuneInString(s); size > 0 && !strings.ContainsAny(firstWord(s), "_./:`-") {
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if r, _ := utf8.DecodeLastRuneInString(s); unicode.IsLetter(r) || unicode.IsDigit(r) {
		if wide(r) {
			return s + "。"
		}
		return s + "."
	}
	return strings.TrimRight(s, ",;:")
}

// barred reports whether what follows "no" is a noun, so that it is what must not be used.
func barred(rest string) bool {
	first := strings.ToLower(firstWord(rest))
	switch strings.Trim(first, ",.") {
	case "we", "i", "it", "the", "that", "that's", "this", "use", "don't", "do", "please", "you", "they", "always", "never", "just", "make", "let's", "not":
		return false
	}
	return !strings.HasPrefix(rest, ",")
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// words returns the number of words; a letter of a script without spaces counts half a word.
func words(s string) int {
	n, letters := len(strings.Fields(s)), 0
	for _, r := range s {
		if wide(r) {
			letters++
		}
	}
	return n + letters/2
}

// clip shortens a text to n bytes, at a space if there is one.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:n]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	if i := strings.LastIndexByte(s, ' '); i > n/2 {
		s = s[:i]
	}
	return s + "..."
}
