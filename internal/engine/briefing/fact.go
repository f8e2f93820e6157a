package briefing

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
)

// Fact is a fact that may be worth knowing.
type Fact struct {
	hippo.Fact
	// Text is the fact on one line, for a reader.
	Text string
}

// maxFact is how many characters of a fact are shown.
const maxFact = 300

// factLine formats a fact for a briefing.
func factLine(text string) string { return "- " + lineOf(text, maxFact) }

// factShare is the part of the budget that facts get.
const factShare = .25

// fillFacts adds facts of which both ends are trusted and that do not try to instruct their reader. By the prompt alone only
// those are added that it asks for.
func (f *filler) fillFacts() {
	if len(f.in.Names) > 0 {
		return
	}
	limit := f.left * factShare
	for i := range f.in.Facts {
		x := &f.in.Facts[i]
		if x.Trust < hippo.TrustNormal || f.in.PromptOnly && !x.Asked || f.in.Instructs != nil && f.in.Instructs(x.Text) {
			continue
		}
		text := factLine(x.Text) + "\n"
		if len(f.briefing.Facts) == 0 && !f.in.PromptOnly {
			text += title(Related) + "\n"
		}
		cost := float64(tokencount.Of(text))
		if cost > limit {
			return
		}
		limit -= cost
		f.left -= cost
		f.briefing.Facts = append(f.briefing.Facts, x.Text)
		f.opened = append(f.opened, Related)
	}
}
