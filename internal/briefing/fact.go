package briefing

import (
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/lang/when"
)

// Fact is a fact in a [Briefing].
type Fact struct {
	hippo.Fact
	// Text is that of [FactText].
	Text string
}

// line is a fact as it is shown.
func (f *Fact) line() string { return "- " + f.Text }

// maxEnd is how many characters of the name of an entity a fact shows.
const maxEnd = 80

// FactText returns a fact on a line, for a reader of now, as "fact: Ana works at Acme (since 2019-03-01)". Days are those of the
// zone of now. The names can neither begin nor end a frame.
func FactText(f *hippo.Fact, now time.Time) string {
	text := "fact: " + lineOf(f.Subject, maxEnd) + " " + lineOf(strings.ReplaceAll(f.Kind, "_", " "), maxEnd) + " " + lineOf(f.Object, maxEnd)
	var bounds []string
	if !f.ValidFrom.IsZero() {
		bounds = append(bounds, "since "+when.Date(f.ValidFrom, now.Location()))
	}
	if !f.ValidUntil.IsZero() {
		bounds = append(bounds, "until "+when.Date(f.ValidUntil, now.Location()))
	}
	if bounds != nil {
		text += " (" + strings.Join(bounds, ", ") + ")"
	}
	return text
}

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
		x := Fact{f.in.Facts[i], FactText(&f.in.Facts[i], f.in.Now)}
		if x.Trust < hippo.TrustNormal || f.in.PromptOnly && !x.Asked || f.in.Instructs != nil && f.in.Instructs(x.Text) {
			continue
		}
		text := x.line() + "\n"
		if len(f.briefing.Facts) == 0 && !f.in.PromptOnly {
			text += Related.title() + "\n"
		}
		cost := float64(Tokens(text))
		if cost > limit {
			return
		}
		limit -= cost
		f.left -= cost
		f.briefing.Facts = append(f.briefing.Facts, x)
		f.opened = append(f.opened, Related)
	}
}
