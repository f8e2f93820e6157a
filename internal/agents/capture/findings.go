package capture

import "github.com/hippo-memory/hippo/internal/agents/transcript"

// maxFindings is how many sentences of the report of a subagent are kept.
const maxFindings = 3

// findings adds what a subagent reports at its end as a cause: its last turn goes to the agent that asked, and the sentences in it
// that name a cause are what was found out.
func (x *extractor) findings() {
	last := len(x.turns) - 1
	if last < 0 || x.turns[last].Role != transcript.RoleAssistant || len(x.turns[last].Calls) > 0 {
		return
	}
	n := 0
	for _, s := range sentences(x.turns[last].Text) {
		if !s.any(hasCause) || s.any(isQuestion|isDoubt) || plan().MatchString(s.text) || unproved().MatchString(s.text) || len(s.text) > maxSentence || words(s.text) < minFinding || n == maxFindings {
			continue
		}
		n++
		x.add(Candidate{Content: cleaned(s.text), Type: TypeFact, Score: MinScore, Turns: []string{x.turns[last].ID}, Reason: "a subagent reported a cause"}, last)
	}
}

// minFinding is the number of words from which on a sentence says which cause of what.
const minFinding = 6

// unproved matches what a subagent supposes, has read, or says of its own work.
//
//nolint:gochecknoglobals // compiled when it is first used
var unproved = pattern(`(?i)\b(could|might|may|would) (also |have )?(be|been)\b|\b(likely|possibly|probably|perhaps|maybe|suspect|presumably|apparently|seems?|appears?)\b` +
	`|\b(users?|people|issues?|threads?|docs?|documentation|changelog|posts?|blog|readme)\b.{0,30}\b(reports?|say|says|said|states?|mentions?|claims?)\b|\baccording to\b` +
	`|\byou (asked|wanted|said|told)\b|\b(on )?my (first|second|own|side|attempt|search|run)\b|\b(könnte|vermutlich|wahrscheinlich|pourrait|probablement|podría|probablemente|poderia|provavelmente)\b`)
