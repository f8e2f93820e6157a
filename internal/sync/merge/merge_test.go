package merge

import (
	"flag"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var histories = flag.Int("histories", 1000, "how many histories TestConverges_many plays; a tenth with -short")

func TestConverges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }, 0, 0)
		if err := w.play(30); err != nil {
			t.Fatal(err)
		}
	})
}

// random plays the random history of a seed.
func random(seed uint64, off rule, f fault) error {
	r := rand.New(rand.NewPCG(seed, 37)) //nolint:gosec // repeatable
	return newWorld(r.IntN, off, f).play(20 + r.IntN(40))
}

func TestConverges_many(t *testing.T) {
	t.Parallel()
	n := *histories
	if testing.Short() {
		n /= 10
	}
	for seed := range n {
		if err := random(uint64(seed), 0, 0); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// TestRules switches off one rule at a time and expects some history to fail.
func TestRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		off   rule
		fault fault
	}{
		"a write is above what it replaces":           {off: ruleFloor},
		"the loser is kept":                           {fault: faultLoser},
		"a purge is remembered":                       {off: rulePurge},
		"a restored backup has an id of its own":      {fault: faultReplica},
		"ties are decided by the origin":              {off: ruleOrigin},
		"votes are replayed in the order of stamps":   {off: ruleOrder},
		"the vector moves with the data":              {fault: faultVector},
		"what the writer has seen goes":               {off: ruleSeen},
		"what it has not seen stays":                  {off: ruleKeep},
		"what it has seen beyond the vector goes":     {off: ruleBeyond},
		"votes that an importance has seen are in it": {off: ruleBase},
		"forgetting hides what it has seen":           {off: ruleForget},
		"a removed relation is remembered":            {off: ruleRemoval},
		"a replica counts its own uses":               {off: ruleUses},
		"cycles of supersession are resolved":         {fault: faultCycle},
		"a single kind has one relation at a time":    {fault: faultSingle},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range 20000 {
				if err := random(uint64(seed), c.off, c.fault); err != nil {
					t.Logf("seed %d: %.200v", seed, err)
					return
				}
			}
			t.Error("no history shows that the rule is off")
		})
	}
}
