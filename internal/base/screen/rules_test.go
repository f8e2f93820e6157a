package screen

import "testing"

// Every expression of the rules compiles, and has keywords; without them a rule would never be used.
func TestRules(t *testing.T) {
	t.Parallel()
	s := rules()
	if len(s.rules) < 200 {
		t.Errorf("there are %d rules", len(s.rules))
	}
	for _, r := range s.rules {
		if len(r.Keywords) == 0 {
			t.Errorf("%s has no keywords", r.ID)
		}
		r.pattern()
		for _, a := range r.Allowlists {
			a.patterns()
		}
	}
}
