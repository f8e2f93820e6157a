package consolidate

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/hippo-memory/hippo/internal/agents/cited"
)

// mark is a file or a symbol that a text names. Its weight says how surely it is one of a certain source tree: 2, as a path or a call
// is; 1, as an identifier is; 0, if it may be the name of a product, such as GitHub, unless another text shows that it is a symbol.
type mark struct {
	text   string
	weight int
	path   bool
}

// codeWord matches what may be a symbol, with the parts that qualify it and the parentheses of a call.
var codeWord = sync.OnceValue(func() *regexp.Regexp { //nolint:gochecknoglobals // compiled when it is first used
	return regexp.MustCompile(`[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?:\(\))?`)
})

// generic are the names of files that many source trees have in the same folder.
const generic = " config index init lib main mod package readme setup test tests types utils "

const (
	// maxMarked is how many bytes of a text are read for symbols, leastSymbol is the least length of one.
	maxMarked, leastSymbol = 4 << 10, 6
)

// marksOf returns the files and symbols that a text names, each once.
func marksOf(text string) (out []mark) {
	add := func(m mark) {
		if i := slices.IndexFunc(out, func(o mark) bool { return o.text == m.text }); i >= 0 {
			out[i].weight = max(out[i].weight, m.weight)
			return
		}
		out = append(out, m)
	}
	for _, p := range cited.Paths(text) {
		base, _, _ := strings.Cut(path.Base(p), ".")
		m := mark{text: p, weight: 2, path: true}
		if strings.Count(p, "/") < 2 && strings.Contains(generic, " "+strings.ToLower(base)+" ") {
			m.weight = 0
		}
		add(m)
	}
	if len(text) > maxMarked {
		text = text[:maxMarked]
	}
	for _, at := range codeWord().FindAllStringIndex(text, -1) {
		if partOfPath(text, at[0], at[1]) {
			continue
		}
		word, isCall := strings.CutSuffix(text[at[0]:at[1]], "()")
		for _, m := range symbolsOf(strings.ReplaceAll(word, "::", "."), isCall) {
			add(m)
		}
	}
	return out
}

// partOfPath reports whether what is between two positions belongs to a path, an address or a longer word.
func partOfPath(text string, from, to int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:from])
	after, _ := utf8.DecodeRuneInString(text[to:])
	return strings.ContainsRune(`/@.\-$#`, before) || strings.ContainsRune(`/@\-`, after) || unicode.IsLetter(before) || unicode.IsLetter(after)
}

// symbolsOf returns the symbols of a word without the parentheses of a call: PostingWriter.Flush and PostingWriter.
func symbolsOf(word string, isCall bool) (out []mark) {
	head, rest, qualified := strings.Cut(word, ".")
	if len(word) < leastSymbol {
		return nil
	}
	if qualified {
		last := rest[strings.LastIndexByte(rest, '.')+1:]
		if !isCall && !startsUpper(last) || len(head) < 2 || len(last) < 2 { // a file, a domain, the end of a sentence
			return nil
		}
		out = append(out, mark{text: word, weight: 2})
		if len(head) >= leastSymbol && humps(head) >= 2 {
			out = append(out, mark{text: head, weight: 2})
		}
		return out
	}
	joined := strings.Contains(strings.Trim(word, "_"), "_") && strings.ToUpper(word) != word
	switch inner := humps(word); {
	case isCall && (joined || inner >= 2):
		return []mark{{text: word, weight: 2}}
	case joined, inner >= 2 && !startsUpper(word):
		return []mark{{text: word, weight: 1}}
	case inner >= 2:
		return []mark{{text: word}}
	}
	return nil
}

// humps counts the parts of a name such as parseConfig, in which each begins with a capital letter that a small one follows. Names
// such as macOS and iPhone have one.
func humps(word string) (n int) {
	run := 0
	for i := 0; i < len(word); i++ {
		c := rune(word[i])
		if next := i + 1; unicode.IsUpper(c) && next < len(word) && unicode.IsLower(rune(word[next])) {
			if i == 0 || run >= 2 {
				n++
			}
			run = 0
		} else if i == 0 && unicode.IsLower(c) {
			n = 1
		}
		run++
	}
	return n
}

func startsUpper(word string) bool { return word != "" && unicode.IsUpper(rune(word[0])) }

// manner is how a text names a project.
type manner int

const (
	unnamed    manner = iota
	mentioned         // among other things, or by a word that may mean something else
	identified        // as a repository: by its remote, or with such a word behind its name
	subject           // as what the text is about, at its beginning
)

// plainText returns the beginning of a text in small letters with single spaces, and with spaces for the hyphens of names.
func plainText(text string) string {
	if len(text) > maxMarked {
		text = text[:maxMarked]
	}
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

const (
	// within are words before the name of a project in which something is so.
	within = " in im en dans em nel nella w в inside within "
	// common are names of projects that are also words for a part of any project.
	common = " api app backend client cli code common core data dev docs frontend home infra lib main mobile notes ops platform scripts server service site test tests tool tools ui web website work "
	// repositories are words for a project.
	repositories = " repo repository project codebase repositorio repositório dépôt projekt "
	// maxLead is how many words may be before the name in a text that is about it, maxLetters how long each is.
	maxLead, maxLetters = 2, 4
)

// isCalled reports whether a word is a name of the place.
func (p *Place) isCalled(word string) bool {
	return slices.ContainsFunc(p.Called, func(n string) bool { return strings.EqualFold(n, word) })
}

// namedIn returns how a text of [plainText] names the place.
func (p *Place) namedIn(text string) manner {
	best := unnamed
	for _, name := range p.Called {
		name = strings.ToLower(name)
		for _, spelled := range []string{name, strings.NewReplacer("-", " ", "_", " ").Replace(name)} {
			for from := 0; ; {
				i := strings.Index(text[from:], spelled)
				if i < 0 || spelled == "" {
					break
				}
				from += i
				best = max(best, mannerAt(text, from, spelled))
				from += len(spelled)
			}
		}
	}
	return best
}

// mannerAt returns how a text names a place by a name that begins at a position.
func mannerAt(text string, at int, name string) manner {
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	rest := text[at+len(name):]
	after, _ := utf8.DecodeRuneInString(rest)
	if partOfName(before) || partOfName(after) && after != '.' {
		return unnamed
	}
	lead := strings.Fields(text[:at])
	leads := len(lead) <= maxLead && !slices.ContainsFunc(lead, func(w string) bool { return utf8.RuneCountInString(w) > maxLetters })
	next, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " ")
	isRepository := strings.Contains(name, "/") || strings.HasPrefix(rest, " ") && next != "" && strings.Contains(repositories, " "+strings.Trim(next, ".,:;")+" ")
	switch {
	case isRepository && leads:
		return subject
	case strings.Contains(common, " "+name+" ") && !isRepository:
		return mentioned
	case leads && strings.HasPrefix(rest, ":"),
		leads && strings.HasPrefix(rest, ",") && len(lead) > 0 && strings.Contains(within, " "+lead[0]+" "):
		return subject
	case isRepository:
		return identified
	}
	return mentioned
}

// partOfName reports whether a character beside a name makes it another one.
func partOfName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_/@.", r))
}
