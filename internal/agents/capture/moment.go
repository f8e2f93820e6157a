package capture

//nolint:gochecknoglobals // compiled when it is first used
var (
	// ofAThing matches what a thing does: "always" and "never" tell of what was seen, and what the thing is stood in another sentence.
	ofAThing = pattern(`(?i)^\W*((it|this|that|he|she) (always|never) \w+(s|ed)|(they|(these|those)( \w+)?) (always|never) \w+)\b|\balways\b.*\bagain\W*$`)
	// ofHere matches what holds for the work at hand.
	ofHere = pattern(`(?i)\b(in|for) (this|your next) (answer|reply|response|message|commit|run)\b|\bfor this (release|sprint|week|demo|iteration|milestone)\b|\bdo (that|this|it) now\b|^\W*(in|on|for) this (view|page|screen|dialog|function|method|query|exercise)\b`)
	// demanded matches what a ticket or a sheet of exercises demands of the work.
	demanded = pattern(`(?i)\bas an? \w+( \w+)?,? i (want|need|would like|should be able) to\b|^[^.:]{0,40}\b(instructions?|requirements?|specification|acceptance|ticket|assignment|exercise|task sheet)\b[^.:]{0,30}:`)
	// ofOffer matches the choice of something that is called by its place in what the assistant offered, which is not said again.
	ofOffer = pattern(`(?i)^\W*(let's|we'll|i'll|i)( just)? (go with|use|take|choose|pick|do) ((the )?(first|second|third|last|other) (option|approach|variant|version|solution|alternative|one)|(option|variant|approach|version|solution|alternative|number) ?(\d+|[a-d]|one|two|three))\b`)
	// ofWhat matches what is to be made and, in the same sentence, how it shall be; unless matches what such a rule begins with.
	ofWhat = pattern(`(?i), (and )?(it|they) (should|must|has to|have to|needs? to|may)\b`)
	unless = pattern(`(?i)^\W*(when|whenever|if|once|each|every|all|any|always|never)\b`)
	// person matches who a rule is for. A sentence without one that follows an order describes what was ordered.
	person = pattern(`(?i)\b(you|your|we|us|our|i|me|my)\b`)
)

// atHand reports whether a sentence is about what was seen, or about the work at hand.
func atHand(text string) bool {
	return ofAThing().MatchString(text) || ofHere().MatchString(text) || demanded().MatchString(text) ||
		ofWhat().MatchString(text) && !unless().MatchString(text) && !onward().MatchString(text)
}

// describes reports whether a sentence that follows an order describes what is to be made.
func describes(text string, c cues) bool {
	return c&(hasPreference|hasDecision|hasScope|hasRejection) == 0 && !onward().MatchString(text) &&
		(refersBack(text) || c&hasDuty != 0 && !person().MatchString(text))
}

// unquoted returns the sentences of a turn without those that follow the announcement of what somebody else says, up to a question.
func unquoted(ss []sentence) []sentence {
	var out []sentence
	quotes := false
	for i := range ss {
		quotes = quotes && !ss[i].any(isQuestion)
		if !quotes {
			out = append(out, ss[i])
		}
		quotes = quotes || quoting().MatchString(ss[i].text) && reported().MatchString(ss[i].text)
	}
	return out
}

// quoting matches a colon with text behind it.
//
//nolint:gochecknoglobals // compiled when it is first used
var quoting = pattern(`: \S`)
