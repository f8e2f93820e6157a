package consolidate

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What the bits refuse has too few terms in common, and most texts with other words are refused.
func TestUnlike(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	some := func(n, of int) (x item) {
		for _, term := range r.Perm(of)[:n] {
			x.terms = append(x.terms, uint32(term))
		}
		slices.Sort(x.terms)
		x.bits = bitsOf(x.terms)
		return x
	}
	refused, other := 0, 0
	for range 20_000 {
		of := 20 + r.IntN(400)
		a, b := some(1+r.IntN(of), of), some(1+r.IntN(of), of)
		least := .3 + .6*r.Float64()
		if overlap(&a, &b, least) > 0 && unlike(&a, &b, least) {
			t.Fatalf("%v and %v are refused at %v", a.terms, b.terms, least)
		}
		if a, b := some(40, 4000), some(40, 4000); overlap(&a, &b, .7) == 0 {
			if other++; unlike(&a, &b, .7) {
				refused++
			}
		}
	}
	if refused < other*9/10 {
		t.Errorf("%d of %d pairs of other words are refused", refused, other)
	}
}
