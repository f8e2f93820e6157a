package when

// sense is what an expression is made of. In a question some words tell a time
// only in company.
type sense int

const (
	// plain is a time wherever it stands: last week, 7 May 2023.
	plain sense = iota
	// monthName is a month that is no name of a person, personal one that may be.
	monthName
	personal
	weekday
	bareYear
	seasonName
	festive
	// numeric is a date in digits without a year.
	numeric
	// dayNumber is the seventh of some month.
	dayNumber
	// alone is a time only if the text is nothing else.
	alone
)

// licensed reports whether the preposition before it, "" for none, makes it a time.
func licensed(s sense, lead string) bool {
	in := lead == "in" || lead == "during" || lead == "throughout"
	bound := lead == "since" || lead == "until" || lead == "till" || lead == "before" || lead == "after" || lead == "between"
	of := lead == "of" || lead == "from" || lead == "around" || lead == "circa"
	on := lead == "on" || lead == "at" || lead == "over" || lead == "for" || lead == "by"
	switch s {
	case plain:
		return true
	case monthName:
		return in || bound || of || lead == "about" || lead == "by"
	case personal:
		return in || bound
	case weekday:
		return lead == "on" || bound || lead == "from" || lead == "by" || lead == "about"
	case bareYear:
		return in || bound || of
	case seasonName:
		return in || bound || of || lead == "over"
	case festive:
		return bound || on || in && lead != "in" || lead == "around"
	case numeric, dayNumber:
		return lead == "on" || lead == "since" || lead == "before" || lead == "after" || lead == "until"
	case alone:
		return false
	default:
		return false
	}
}

// believes reports whether the expression from token i to n is meant as a time,
// by what stands around it.
func (p *parser) believes(v value, i, n int) bool {
	if !p.tokens[n-1].tail {
		return false // part of a longer word
	}
	next := p.at(n)
	if n < len(p.tokens) && next == "of" {
		return false // the last week of school
	}
	if p.at(i-1) == "next" || p.at(i-1) == "every" || p.at(i-1) == "each" {
		return false
	}
	return !v.edge || n == len(p.tokens) || p.tokens[n].punctuation() || opens(next)
}

// opens reports whether a word begins another part of a sentence, so that what is
// before it stands for itself.
func opens(word string) bool {
	switch word {
	case "about", "with", "for", "at", "in", "on", "and", "or", "but", "from", "by", "regarding", "concerning", "when", "where",
		"while", "because", "that", "which", "who", "i", "we", "you", "he", "she", "they", "it", "my", "our", "your", "his", "her",
		"their", "the", "this", "did", "was", "were", "is", "are", "do", "does", "had", "has", "have", "what", "how", "why", "to":
		return true
	default:
		return false
	}
}
