package screen

import (
	"cmp"
	"slices"
)

// FlagKind says why a text could be taken for an instruction.
type FlagKind string

// The kinds of flags.
const (
	// FlagOverride: it asks to ignore instructions, or gives new ones.
	FlagOverride FlagKind = "override"
	// FlagRole: it has the marks of a turn or of a system message.
	FlagRole FlagKind = "role"
	// FlagToolCall: it has the syntax of a call of a tool, or of its result.
	FlagToolCall FlagKind = "tool_call"
	// FlagExfiltration: it asks to send or to show what is confidential.
	FlagExfiltration FlagKind = "exfiltration"
	// FlagConcealment: it asks to keep something from the user.
	FlagConcealment FlagKind = "concealment"
	// FlagHidden: a part of it is not visible.
	FlagHidden FlagKind = "hidden"
)

// Flag is a place in a text that could be taken for an instruction.
type Flag struct {
	Kind FlagKind
	// Start and End are byte offsets in the text.
	Start, End int
}

// Instructions returns the places of a text that look as if they were meant to steer a model which
// reads it, in the order of their ends. It looks for phrases in many languages, also where they
// are disguised by invisible or unusual characters or are encoded as base64. A flag is no proof: a note
// about such an attack also has flags. What is flagged is to be shown as data. Cost: a few
// nanoseconds a byte.
func Instructions(text string) []Flag {
	flags := hidden(text)
	p := plain(text)
	for _, f := range phrasesIn(p.text) {
		f.Start, f.End = p.span(f.Start, f.End)
		flags = append(flags, f)
	}
	for _, e := range encodedIn(p.text) {
		if inner := phrasesIn(e.decoded); len(inner) > 0 {
			start, end := p.span(e.start, e.end)
			flags = append(flags, Flag{Kind: inner[0].Kind, Start: start, End: end})
		}
	}
	slices.SortFunc(flags, func(a, b Flag) int {
		return cmp.Or(cmp.Compare(a.End, b.End), cmp.Compare(a.Start, b.Start), cmp.Compare(a.Kind, b.Kind))
	})
	return flags
}

// phraseWindow is within how many bytes the parts of a phrase stand.
const phraseWindow = 100

// phrasePart is what a word is part of.
type phrasePart struct {
	phrase, part int
	word         string
	prefix       bool // letters may follow the word
	atLineStart  bool
}

// phraseTable finds phrases.
type phraseTable struct {
	words *matcher
	parts [][]phrasePart // by number of the word
	kinds []FlagKind     // by number of the phrase
	sizes []int          // the number of parts of each
}

// phrasesIn returns the phrases of a plain text.
func phrasesIn(text string) []Flag {
	t := phraseWords()
	var flags []Flag
	var last map[int][]Flag // the latest places of the parts of a phrase
	t.words.each(text, func(word, end int) {
		for _, p := range t.parts[word] {
			start := end - len(p.word)
			if !p.stands(text, start, end) {
				continue
			}
			if t.sizes[p.phrase] == 1 {
				flags = append(flags, Flag{t.kinds[p.phrase], start, end})
				continue
			}
			if last == nil {
				last = make(map[int][]Flag)
			}
			places := last[p.phrase]
			if places == nil {
				places = make([]Flag, t.sizes[p.phrase])
				last[p.phrase] = places
			}
			places[p.part] = Flag{t.kinds[p.phrase], start, end}
			if f, ok := together(places, end); ok {
				flags = append(flags, f)
				clear(places)
			}
		}
	})
	return flags
}

// together returns the place of a phrase whose parts all stand close before end.
func together(places []Flag, end int) (Flag, bool) {
	all := Flag{places[0].Kind, end, end}
	for _, p := range places {
		if p.End == 0 || p.Start < end-phraseWindow {
			return Flag{}, false
		}
		all.Start = min(all.Start, p.Start)
	}
	return all, true
}

// stands reports whether the word is not a part of a longer one.
func (p *phrasePart) stands(text string, start, end int) bool {
	if p.atLineStart {
		for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t' || text[start-1] == '*' || text[start-1] == '#') {
			start--
		}
		return start > 0 && text[start-1] == '\n'
	}
	first, last := p.word[0], p.word[len(p.word)-1]
	if isLetter(first) && start > 0 && isLetter(text[start-1]) {
		return false
	}
	return p.prefix || !isLetter(last) || end == len(text) || !isLetter(text[end])
}

// isLetter reports whether a byte is an ASCII letter.
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }

// hidden returns the characters that hide text: tags, and runs of invisible characters long enough to carry data.
func hidden(text string) []Flag {
	if isASCII(text) {
		return nil
	}
	var flags []Flag
	run, tags, start := 0, 0, 0
	previous := rune(0)
	for i, r := range text + "\n" {
		if invisible(r) {
			if run == 0 {
				start = i
			}
			run++
			if r >= 0xe0000 && previous != 0x1f3f4 { // a flag of a region is followed by tags
				tags++
			}
			continue
		}
		if previous != 0x1f3f4 && (run >= 8 || tags >= 3) {
			flags = append(flags, Flag{FlagHidden, start, i})
		}
		run, tags, previous = 0, 0, r
	}
	return flags
}

// invisible reports whether a character takes no space.
func invisible(r rune) bool {
	return r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x2064 || r == 0xfeff || r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0000 && r <= 0xe01ef
}
