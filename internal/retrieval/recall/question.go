package recall

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

const (
	// longPrompt is the number of words above which a query is a prompt, of which a part asks.
	longPrompt = 40
	// enough is how many words of a question that points at something must name something for it to be clear without what was pasted.
	enough = 3
	// maxErrors is how many lines that name an error are read where the question is not clear.
	maxErrors = 3
)

// The patterns of what people write. Each is compiled when it is first used.
//
//nolint:gochecknoglobals // see above
var (
	// namesError matches a line of a program that names what went wrong.
	namesError = pattern(`\b\w*(Error|Exception|Panic)\b|\bERR!|^(error|fatal|panic|failed|caused by)\b[^.]{0,40}:|\b[A-Z]+_[A-Z_]+\b.*:`)
	// pointing matches a word that stands for what is beside the question.
	pointing = pattern(`(?i)\b(this|that|these|those|it|here|above|below|following|das|dies(e[rsmn]?)?|hier|es|ça|cela|ceci|ici|esto|eso|aquí|isto|isso|aqui)\b|这|這|これ|それ`)
	// interrogative matches the beginning of a question without a mark.
	interrogative = pattern(`(?i)^(and |so |but |also )?(how|what|what's|which|who|whose|why|where|when|(is|are|was|were) (there|it|the|our|we)|(do|does|did) (we|you|it|the|our|i)|wie|was|welche[nrsm]?|wer|warum|wieso|wo|wann|comment|pourquoi|quel(le)?s?|quand|où|cómo|qué|cuál(es)?|quién|por qué|dónde|cuándo|como|qual|quais|quem|onde|quando)\b`)
	// polite matches the opening of a request that says nothing of its subject.
	polite = pattern(`(?i)^((please|hey|hi|hello|ok|okay|so|bitte|s'il (te|vous) plaît|por favor)[\s,]+)*(((can|could|would|do|will) you( still| please| maybe)? |i (wonder|was wondering|would like to know|want to know|forgot|need to know),? ?|i don't (remember|recall|know) |let me know |help me (to )?)?(tell me(?: again)?|remind me(?: again)?|remember|recall|know|check|look up|say|if you (know|remember))?|(kannst|weißt) du( mir)?( noch)?( sagen| bitte sagen)?|(peux-tu|pouvez-vous) me (dire|rappeler)|te souviens-tu|(puedes|podrías) (decir|recordar)me|(pode|poderia) me (dizer|lembrar))[\s,:]+`)
	// hours matches an hour in words, which is no number of anything.
	hours = pattern(`\bat (one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b`)
)

func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// questionOf returns what a query asks: in small letters if it shouts, without a polite opening and a repetition, and of a prompt of more than forty words the sentences
// that ask. Pasted lines are left out, but for those that name an error where the question points at them: "why does this fail?". A
// prompt without a question, or with nothing but one, is returned whole.
func questionOf(query string) string {
	query = once(calm(query))
	if len(query) < 2*longPrompt || len(strings.Fields(query)) <= longPrompt {
		return direct(query)
	}
	written, errors := sift(query)
	var questions []string
	for _, s := range written {
		if s := direct(s); isQuestion(s) && cue.Named(s, 1) > 0 {
			questions = append(questions, s)
		}
	}
	if len(questions) == 0 && len(errors) > 0 {
		questions = written
	}
	question := strings.Join(questions, " ")
	switch named := cue.Named(question, enough); {
	case named == 0:
		return query
	case named < enough && pointing().MatchString(question):
		return strings.Join(append(questions, errors...), "\n")
	default:
		return question
	}
}

// sift returns the sentences of a prompt that somebody wrote, and the last of the pasted lines that name an error.
func sift(prompt string) (written, errors []string) {
	fenced, first := false, true
	for line := range strings.Lines(prompt) {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		switch {
		case fence:
			fenced = !fenced
		case trimmed == "":
		case !first && namesError().MatchString(trimmed) && !isQuestion(trimmed):
			errors = append(errors, trimmed)
		case !fenced && !prose.Pasted(line):
			written = append(written, prose.Sentences(trimmed)...)
		}
		first = first && trimmed == ""
	}
	return written, errors[max(0, len(errors)-maxErrors):]
}

// isQuestion reports whether a sentence asks: by a question mark at its end, or by its first word.
func isQuestion(s string) bool {
	return cue.Of(s)&cue.IsQuestion != 0 || interrogative().MatchString(s)
}

// direct returns a sentence without a polite opening, if what is left asks for something.
func direct(s string) string {
	rest := strings.TrimSpace(s)
	at := polite().FindStringIndex(rest)
	if at == nil || strings.TrimSpace(rest[:at[1]]) == "" {
		return rest
	}
	if after := rest[at[1]:]; cue.Named(after, 1) > 0 && (isQuestion(after) || cue.Named(rest[:at[1]], 1) == 0) {
		return after
	}
	return rest
}

// loud is the number of words without a small letter from which on a query shouts; a shorter one may be a name or an identifier.
const loud = 3

// calm returns a query in small letters if it has no other ones than capitals. There a capital marks neither a name nor a symbol.
func calm(query string) string {
	if small := strings.ToLower(query); query == strings.ToUpper(query) && query != small && len(strings.Fields(query)) >= loud {
		return small
	}
	return query
}

// once returns a query that says the same two or more times with what it says.
func once(query string) string {
	words := strings.Fields(query)
	for n := 1; n <= len(words)/2; n++ {
		if len(words)%n == 0 && slices.EqualFunc(words[n:], words[:len(words)-n], strings.EqualFold) {
			return strings.Join(words[:n], " ")
		}
	}
	return query
}
