package capture

import (
	"slices"
	"strings"

	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/prose"
)

// context is what the rules know about a turn beside its sentences.
type context struct {
	at int
	// refused: the user did not allow a call, and says why. rejects: the turn begins with a
	// rejection of what was done.
	refused, rejects bool
	// first: the first thing that the user says in the session, mostly the task.
	first bool
	// task: the turn begins with an order, so that what follows may describe it. long: the turn may be pasted.
	task, long bool
	// proposed is what the assistant said and did in the turns before.
	proposed string
}

// statement is one or more sentences of a turn that belong together.
type statement struct {
	texts []string
	cues  cues
	score float64
}

// user adds what a turn of the user says that lasts.
func (x *extractor) user(at int) {
	ss := unquoted(lastingOf(sentences(ownWords(x.turns[at].Text))))
	if len(ss) == 0 {
		return
	}
	k := context{at: at, long: len(x.turns[at].Text) > maxTyped, task: ordered(ss[0].text), refused: x.refusedAt(at), rejects: ss[0].any(hasRejection), proposed: x.before(at, 3), first: x.firstSaid(at)}
	for _, st := range grouped(ss, &k) {
		kind := kindOf(st.cues, &k, strings.Join(st.texts, " "))
		content := make([]string, 0, len(st.texts))
		for _, s := range st.texts {
			if !bareRequest().MatchString(s) {
				content = append(content, cleaned(s))
			}
		}
		if len(content) == 0 {
			continue
		}
		x.add(Candidate{
			Content: strings.Join(content, " ") + reference(kind, &k, x.lastCall(at)), Type: kind, Score: st.score,
			Turns: []string{x.turns[at].ID}, Reason: "the user said so: " + st.cues.String(), Said: typed(x.turns[at].Text) && st.direct(),
		}, at)
	}
	x.choice(at, ss, &k)
	x.accepted(at, ss)
}

// The size up to which a turn was typed and not pasted.
const maxTyped, maxTypedLines = 500, 5

// typed reports whether a user typed a turn: it is short, and nothing in it is quoted.
func typed(text string) bool {
	return len(text) <= maxTyped && strings.Count(text, "\n") < maxTypedLines && !strings.ContainsAny(text, "\"“”„«»") && !strings.Contains(text, "```") &&
		!slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return prose.Pasted(line) })
}

// direct reports whether a statement is an order, a preference or a choice: not a story, a doubt or a mere fact.
func (st *statement) direct() bool {
	c := st.cues
	orders := c&(hasRule|hasPreference|hasDecision) != 0 || c&hasProhibition != 0 && c&hasContrast != 0 || directive().MatchString(cleaned(st.texts[0]))
	return orders && c&(isStory|isDoubt|isTemporary|isQuestion|isRequest) == 0
}

// refusedAt reports whether a turn goes with the refusal of a call.
func (x *extractor) refusedAt(at int) bool {
	for i := at; i >= max(0, at-1); i-- {
		if slices.ContainsFunc(x.turns[i].Results, func(r transcript.Result) bool { return r.Refused }) {
			return true
		}
	}
	return false
}

func (x *extractor) firstSaid(at int) bool {
	return !slices.ContainsFunc(x.turns[:at], func(t transcript.Turn) bool { return t.Role == transcript.RoleUser })
}

// lastCall returns the input of the last call before a turn that was refused.
func (x *extractor) lastCall(at int) string {
	for i := at; i >= max(0, at-3); i-- {
		if calls := x.turns[i].Calls; len(calls) > 0 {
			return calls[len(calls)-1].Input
		}
	}
	return ""
}

// reference names what a correction is about, if it was a command.
func reference(kind string, k *context, call string) string {
	if kind != TypeCorrection || !k.refused || call == "" || strings.Contains(call, "\n") || len(call) > 120 {
		return ""
	}
	return " (Refused: `" + call + "`)"
}

// grouped returns the statements of a turn whose scores suffice.
func grouped(ss []sentence, k *context) []statement {
	var out []statement
	var pending *sentence // the last one that does not suffice, and may be needed to understand the next
	for i := range ss {
		s := &ss[i]
		if s.any(isQuestion|isDropped) || len(s.text) > maxSentence {
			pending = nil
			continue
		}
		score := scored(s.cues, k, i, s.text)
		last := len(out) - 1
		adjacent := last >= 0 && pending == nil && out[last].texts[len(out[last].texts)-1] == ss[i-1].text
		switch {
		case adjacent && continues(&out[last], s, score):
			out[last].texts = append(out[last].texts, s.text)
			out[last].cues |= s.cues
			out[last].score = max(out[last].score, score, min(out[last].score+0.05, 1))
		case score >= MinScore && (pending == nil || !related(pending, s)):
			out = append(out, statement{[]string{s.text}, s.cues, score})
			pending = nil
		case pending != nil && related(pending, s):
			both := pending.cues | s.cues
			if score = max(score, scored(both, k, i, s.text)); score >= MinScore {
				out = append(out, statement{[]string{pending.text, s.text}, both, score})
				pending = nil
				continue
			}
			pending = s
		case passing(s.text), ordered(s.text):
			pending = nil
		default:
			pending = s
		}
	}
	return out
}

// continues reports whether a sentence belongs to the statement before it: it refers to it, shares
// a word with it, gives its reason or its consequence, or is too short to stand alone.
func continues(before *statement, s *sentence, score float64) bool {
	const strong = hasRule | hasDecision | hasPreference
	switch {
	case refersBack(s.text), words(s.text) <= 4 && !s.any(hasDecision|isAcceptance):
		return true
	case score < MinScore:
		return s.any(hasReason) || explains(s)
	default:
		return shared(before.texts[0], s.text) || before.cues&hasReason != 0 && before.cues&strong == 0 && s.any(hasDecision) ||
			before.cues&hasRejection != 0 && s.any(hasState) && !s.any(strong)
	}
}

// explains reports whether a sentence is a short statement, which may be the reason of the one
// before.
func explains(s *sentence) bool {
	return s.any(hasState|hasReason|hasScope) && !s.any(isRequest|isTemporary|isDoubt|isAcceptance) && words(s.text) <= 12 && !s.any(hasDecision)
}

// related reports whether two sentences belong together: the second refers to the first, or
// they share a word, and the first is no task.
func related(a, b *sentence) bool {
	if len(a.text) < len(b.text) && a.any(hasRejection) && strings.HasPrefix(strings.ToLower(cleaned(a.text)), "no ") {
		return true // "No ORMs."
	}
	if a.any(isRequest|isDoubt) || words(a.text) < 3 || a.any(isAcceptance) && words(a.text) < 5 {
		return false
	}
	return refersBack(b.text) || shared(a.text, b.text) || a.any(hasReason) && b.any(hasDecision|hasContrast)
}

// backReference matches the beginning of a sentence whose subject is in the one before.
//
//nolint:gochecknoglobals // compiled when it is first used
var backReference = pattern(`(?i)^(and |also )?(that|that's|this|these|those|it|it's|they|we have that|we need to .*\b(both|it|them|that)\b|keep it|because|so |otherwise)\b`)

func refersBack(s string) bool { return backReference().MatchString(s) }

// scored returns how sure it is that a sentence with these cues lasts.
func scored(c cues, k *context, i int, text string) float64 {
	score := 0.0
	for _, w := range [...]struct {
		cue    cues
		weight float64
	}{
		{hasRule, 0.65},
		{hasPreference, 0.6},
		{hasDecision, 0.6},
		{hasFact, 0.4},
		{hasContrast, 0.35},
		{hasDuty, 0.35},
		{hasScope, 0.3},
		{hasProhibition, 0.3},
		{hasRejection, 0.25},
		{hasAddress, 0.25},
		{hasName, 0.2},
		{hasAll, 0.15},
		{hasReason, 0.15},
		{hasState, 0.1},
		{hasNumber, 0.1},
		{isTemporary, -0.4},
		{isDoubt, -0.5},
		{isRequest, -0.3},
		{isStory, -0.35},
	} {
		if c&w.cue != 0 {
			score += w.weight
		}
	}
	if c&hasState != 0 && (c&hasContrast != 0 || c&hasAll != 0 && c&(hasName|hasNumber) != 0) {
		score += 0.15
	}
	if k.refused {
		score += 0.3
	}
	if k.rejects && i > 0 && c&hasState != 0 {
		score += 0.25
	}
	if directive().MatchString(cleaned(text)) {
		score += 0.3
	}
	if k.first && c&(hasRule|hasPreference|hasDecision|hasScope|hasContrast|hasFact) == 0 {
		score -= 0.3 // the task
	}
	if words(text) < 3 || pointless().MatchString(text) || ofOffer().MatchString(text) {
		score -= 0.4
	}
	if passing(text) {
		return 0
	}
	return ofWork(score, c, k, i, text)
}

// pointless matches sentences that name nothing: "let's do it".
//
//nolint:gochecknoglobals // compiled when it is first used
var pointless = pattern(`(?i)^\W*((ok|okay|yes|yeah|great|perfect|good|sounds good|alright|cool|nice)\W+)*(let's|we'll|i'll) (do|use|take|try|keep|go( ahead)?( with)?) (it|this|that|them|these|those|(the|your) (first|second|third|last|suggestion|proposal|recommendation|idea|plan|approach)( one| option)?)?( then| now)?\W*$`)

//nolint:gochecknoglobals // compiled when it is first used
var (
	// symptom matches what goes wrong: "always" and "never" are no rule there.
	symptom = pattern(`(?i)\bi (don't|do not|can't|cannot|still|only|just) (see|get|find)\b|\b(always|never|constantly|every time)\b.{0,20}\b(returns? (\d{3}|null|nil|none|empty|an? (error|empty))|fails?|failing|crash(es)?|throws?|hangs?|prints|breaks|errors|times out|get (an?|the|this|that) \w*error)\b` +
		`|\b(is|are|was|were|gets?) never (invalidated|called|released|closed|executed|reached|updated|freed|triggered|fired|cleared|refreshed|deleted|set)\b` +
		`|\b(every time|whenever) (i|you|we) (run|start|open|click|call|try|save|build|deploy)\b|\bi('ve)? never (said|liked|got|saw|seen|heard|knew|had|understood|thought|meant|been|asked)\b|\bi always (get|see|got)\b`)
	// guess matches what the user concludes, and reported what somebody else says.
	guess    = pattern(`(?i)\b(it|this|that|there) must (be|have)\b`)
	reported = pattern(`(?i)\b(docs?|documentation|readme|tutorial|article|blog|compiler|linter|error|message|log|page|answer|stack ?overflow)\b.{0,20}\b(says?|said|claims?|tells?|told)\b`)
	// task matches what is to be done in this session, unless it is to be done always.
	task   = pattern(`(?i)\b(don't|do not|dont) (change|touch|edit|modify|do) any\b|^\W*this is the (response|output|error|result|log)\b|^[^.:]{0,40}\berrors?\b[^.:]{0,40}:|^\W*.{0,80}\bcan (we|you|u)\b|^\W*(please )?(i (want|need)|i'd like|i would like) you to\b|\b(now|then|next|so)\W+(i (want|need)|i'd like|i would like) you to\b|^\W*here('s| is| are)\b|\b(have|need) to\b.{0,60}\bfirst\W*$|^\W*(keep going|carry on|continue)\b|\bi meant\b|\bthis (question|time|once)\b|\bjust once\b`)
	always = pattern(`(?i)^\W*(please )?(i (want|need)|i'd like|i would like) you to (please )?(always|never)\b`)
)

// passing reports whether a sentence is about this moment, although it has the words of a rule.
func passing(text string) bool {
	return atHand(text) || symptom().MatchString(text) || guess().MatchString(text) || reported().MatchString(text) || task().MatchString(text) && !always().MatchString(text)
}

// directive matches sentences that name the thing to use.
//
//nolint:gochecknoglobals // compiled when it is first used
var directive = pattern(`(?i)^(use|usa|utiliza|utilise|utilisez|nutze|verwende|nimm|benutze|prefer|exclude|stick to|usar)\b`)

// kindOf returns the type of a statement.
func kindOf(c cues, k *context, text string) string {
	has := func(any cues) bool { return c&any != 0 }
	switch {
	case k.refused, k.rejects && has(hasContrast|hasProhibition|hasRejection|hasName|hasState) && !has(hasDecision|hasPreference),
		has(hasContrast|hasProhibition) && !has(hasDecision|hasPreference) && shared(k.proposed, text):
		return TypeCorrection
	case has(hasDecision):
		return TypeDecision
	case has(hasPreference) && !has(hasScope|hasFact):
		return TypePreference
	case has(hasRule | hasDuty | hasProhibition), has(hasScope) && !has(hasFact|hasName):
		return TypeConvention
	case has(hasFact | hasName | hasNumber | hasAll):
		return TypeFact
	default:
		return TypePreference
	}
}

// choiceQuestion matches sentences that offer alternatives.
//
//nolint:gochecknoglobals // compiled when it is first used
var choiceQuestion = pattern(`(?i)(\b(or|oder|ou|vs|options?|optionen|alternatives?)\b|还是|それとも)`)

// choice adds the answer to a question with alternatives.
func (x *extractor) choice(at int, ss []sentence, k *context) {
	s := &ss[0]
	if s.any(isQuestion|isDropped|isDoubt|isTemporary|isStory|isRequest|hasRejection) || words(s.text) > 12 || passing(s.text) || chore().MatchString(s.text) || k.first || scored(s.cues, k, 0, s.text) >= MinScore {
		return
	}
	answer := cleaned(s.text)
	terms := contentWords(answer)
	if len(terms) == 0 || len(terms) > 5 {
		return
	}
	for i := at - 1; i >= max(0, at-5); i-- {
		if x.turns[i].Role == transcript.RoleTool {
			continue
		}
		for _, offer := range offers(x.turns[i].Text) {
			if !containsMost(offer, terms) {
				continue
			}
			content := answer
			if len(ss) > 1 && !ss[1].any(isQuestion|isRequest|isDropped) && words(ss[1].text) <= 16 {
				content += " " + cleaned(ss[1].text)
			}
			x.add(Candidate{
				Content: content + " (The question was: " + offer + ")", Type: TypeDecision, Score: 0.6,
				Turns: []string{x.turns[at].ID}, Reason: "the user chose between alternatives",
			}, at)
			return
		}
	}
}

// offers returns the sentences of a text that offer alternatives, of those at its end; no headings and no code.
func offers(text string) []string {
	const end, longest = 2000, 200 // bytes
	text = text[max(0, len(text)-end):]
	if !choiceQuestion().MatchString(text) {
		return nil
	}
	var out []string
	for line := range strings.Lines(text) {
		for _, s := range prose.Sentences(strings.TrimSpace(line)) {
			if len(s) <= longest && !strings.ContainsAny(s[:1], "#/{<>\"'`") && choiceQuestion().MatchString(s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// proposal matches sentences in which an assistant proposes how something will be.
//
//nolint:gochecknoglobals // compiled when it is first used
var proposal = pattern(`(?i)\b(the fix is|the solution is|i'd|i would|i suggest|i recommend|should|then the)\b`)

// lasting matches words of a proposal that say more than what to do next.
//
//nolint:gochecknoglobals // compiled when it is first used
var lasting = pattern(`(?i)\b(instead|rather than|because|always|never|only|whenever|missing|fail|fallback|loud|raise|limit|per)\b`)

// accepted adds a proposal of the assistant that the user took as it is.
func (x *extractor) accepted(at int, ss []sentence) {
	if at == 0 || !ss[0].any(isAcceptance) || words(ss[0].text) > 5 || ss[0].any(isDropped|isQuestion|isDoubt) {
		return
	}
	for i := at - 1; i >= max(0, at-2); i-- {
		if x.turns[i].Role != transcript.RoleAssistant || x.turns[i].Text == "" {
			continue
		}
		said := sentences(x.turns[i].Text)
		for _, s := range slices.Backward(said) {
			if s.any(isQuestion) || !proposal().MatchString(s.text) || !lasting().MatchString(s.text) {
				continue
			}
			x.add(Candidate{
				Content: cleaned(s.text), Type: TypeDecision, Score: 0.55,
				Turns: []string{x.turns[i].ID, x.turns[at].ID}, Reason: "the assistant proposed it and the user agreed",
			}, at)
			return
		}
		return
	}
}
