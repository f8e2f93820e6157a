package recall

import (
	"math"

	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// Facts change, and notes of their changes are alike: "retries: five, January", "retries: three,
// November". What a query without a time wants is the last of them, and the others where it asks for
// the past. The numbers were chosen on the development halves.
const (
	// maxVersions is the number of passages that are compared with each other, each with all.
	maxVersions = 32
	// minVersion is the similarity from which two memories may be versions of one.
	minVersion = .4
	// versionScale is the difference of weighted sums at which a memory counts less as a new version
	// by a factor of e.
	versionScale = 2
)

// revised returns how much each candidate, with its weighted sum as relevance, looks revised by a later
// one, in [0, 1]: the later one is similar, about as relevant, and says about as much: nothing that is half as long revises it. Cost: a similarity for each pair, 20
// to 40 us for 32.
func revised(found *retrieve.Result, list []candidate) []float64 {
	reader := found.Reader
	times, terms := make([]int64, len(list)), make([]float64, len(list))
	for i := range list {
		n := found.Outline(list[i].match.Doc).Length
		times[i], terms[i] = reader.Details(list[i].match.Doc).When, float64(n)
	}
	out := make([]float64, len(list))
	for i := range list {
		for k := range list {
			if times[k] <= times[i] {
				continue
			}
			same := (reader.Similarity(list[i].match.Doc, list[k].match.Doc) - minVersion) / (1 - minVersion)
			same *= min(1, max(0, 2*terms[k]/max(1, terms[i])-1)) // a remark on a decision is no new decision
			if same > out[i] {
				out[i] = max(out[i], same*math.Exp(min(0, list[k].relevance-list[i].relevance)/versionScale))
			}
		}
		out[i] = min(1, out[i])
	}
	return out
}
