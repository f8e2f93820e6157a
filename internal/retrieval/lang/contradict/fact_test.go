package contradict_test

import (
	"strings"
	"testing"

	"github.com/hippo-memory/hippo/internal/retrieval/lang/contradict"
)

func facts() map[string]contradict.Fact {
	return map[string]contradict.Fact{
		"works":   {Subject: []string{"ana petrova", "ana"}, Kind: "works_at", Object: []string{"globex"}},
		"lives":   {Subject: []string{"ana petrova", "ana"}, Kind: "lives_in", Object: []string{"rome"}},
		"reports": {Subject: []string{"ana petrova", "ana"}, Kind: "reports_to", Object: []string{"ben okafor", "ben"}},
		"owned":   {Subject: []string{"payment gateway", "gateway"}, Kind: "owned_by", Object: []string{"platform team"}},
		"led":     {Subject: []string{"platform team"}, Kind: "led_by", Object: []string{"ben okafor", "ben"}},
		"uses":    {Subject: []string{"gateway"}, Kind: "uses", Object: []string{"postgres"}},
	}
}

func known(name string) bool { return name == "acme" || name == "billing squad" }

func TestFact_DeniedBy(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"works", "Ana works at Acme"},
		{"works", "Ana Petrova works at Acme."},
		{"works", "ana works at acme"},
		{"works", "Ana now works for Initech Labs, in the Berlin office."},
		{"works", "- Ana is currently working at Acme as a designer"},
		{"works", "The review is on Friday. Ana works at Acme since 2020 and likes tea."},
		{"works", "FYI: Ana is employed by **Acme**"},
		{"lives", "Ana lives in Paris with two cats"},
		{"lives", "Ana still lives in New York."},
		{"reports", "Ana reports to Carla Diaz"},
		{"owned", "The payment gateway is owned by the billing squad"},
		{"owned", "Our gateway belongs to Checkout."},
		{"owned", "Checkout owns the gateway"},
		{"led", "Carla leads the platform team now"},
		{"led", "The platform team is led by Carla Diaz."},
	} {
		f := facts()[c[0]]
		if !f.DeniedBy(c[1], known) {
			t.Errorf("%s: %q does not deny the fact", c[0], c[1])
		}
		if !contradict.Stated(strings.ToLower(c[1])) {
			t.Errorf("%q is left out before it is read", c[1])
		}
	}
}

// Texts that mention what a fact is about, and do not deny it.
func TestFact_nearMisses(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"works", "Ana works at Globex"},
		{"works", "Ana Petrova works at Globex Labs as a designer"},
		{"works", "Ana worked at Acme until 2026"},
		{"works", "Ana used to work at Acme, then left"},
		{"works", "Ana no longer works at Acme"},
		{"works", "Ana doesn't work at Acme"},
		{"works", "Does Ana work at Acme?"},
		{"works", "Ana works at Acme?"},
		{"works", "If Ana works at Acme, ask her for the key"},
		{"works", "Before the move Ana works at Acme"},
		{"works", "Ana's brother works at Acme"},
		{"works", "Ana Lopez works at Acme"},
		{"works", "Diana works at Acme"},
		{"works", "Ben works at Acme"},
		{"works", "Ben says Ana works at Acme"},
		{"works", "Ana and Ben work at Acme"},
		{"works", "Ana works at home"},
		{"works", "Ana works at the Berlin office"},
		{"works", "Ana works at Acme's booth this week"},
		{"works", "Ana works for both Acme and Globex"},
		{"works", "Ana works at Acme on Fridays"},
		{"works", "Ana might move to Acme"},
		{"works", "Ana will work at Acme from May"},
		{"works", "Ana works on the Acme account"},
		{"works", "Ana met Carla, who works at Acme"},
		{"works", "Ana likes Acme; Carla works at Acme"},
		{"works", "The Ana script works at Acme"},
		{"works", "Ana lives in Paris"},
		{"lives", "Ana lives in Rome, Italy"},
		{"lives", "Ana lives in a flat in Paris"},
		{"lives", "Ana lived in Paris"},
		{"lives", "Ana's parents live in Paris"},
		{"lives", "Lunch with Ana in Paris"},
		{"reports", "Ana reports to Ben"},
		{"reports", "Ana reports bugs to Carla"},
		{"reports", "Carla reports to Ana"},
		{"owned", "The gateway is owned by the platform team"},
		{"owned", "Checkout owns the gateway dashboards"},
		{"owned", "The gateway is on its own network at Checkout"},
		{"led", "Ben Okafor leads the platform team"},
		{"led", "Carla leads the platform team meetings"},
		{"led", "Carla will lead the platform team if Ben leaves"},
		{"uses", "The gateway uses MySQL"},
	} {
		f := facts()[c[0]]
		if f.DeniedBy(c[1], known) {
			t.Errorf("%s: %q denies the fact", c[0], c[1])
		}
	}
}
