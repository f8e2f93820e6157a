package when

// ambiguity classifies the words of an expression. In a question some of them denote a
// time only after certain prepositions.
type ambiguity int

const (
	// unambiguous expressions always denote a time: last week, 7 May 2023.
	unambiguous ambiguity = iota
	// monthName is a month that is not also a given name; personal is one that is: May.
	monthName
	personal
	weekday
	bareYear
	seasonName
	festive
	// numeric is a date in digits without a year: 3/1.
	numeric
	// dayNumber is a day of a month that is not named: the 7th.
	dayNumber
	// wholeText denotes a time only if it is the whole text.
	wholeText
)

// licensed reports whether an expression after a preposition, "" for none, denotes a time.
func licensed(s ambiguity, lead string) bool {
	in := lead == "in" || lead == "during" || lead == "throughout"
	bound := lead == "since" || lead == "until" || lead == "till" || lead == "before" || lead == "after" || lead == "between"
	of := lead == "of" || lead == "from" || lead == "around" || lead == "circa"
	on := lead == "on" || lead == "at" || lead == "over" || lead == "for" || lead == "by"
	switch s {
	case unambiguous:
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
	case wholeText:
		return false
	default:
		return false
	}
}

// plausible reports whether the expression from token i to n denotes a time, judged by the
// tokens before and after it.
func (p *parser) plausible(v value, i, n int) bool {
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
	return !v.edge && !p.tokens[n-1].closing || n == len(p.tokens) || p.tokens[n].punctuation() || opens(next)
}

// opens reports whether a word begins another clause or phrase, so that the expression
// before it is complete.
func opens(word string) bool { return words().clauses[word] > 0 || word == clauseWord }
