package consolidate

import (
	"math"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// Options are the constants of a plan. Start from [Default].
type Options struct {
	Clusters   Clustering
	Duplicates Duplicates
	Summaries  Summaries
	Archive    Archival
	// Relations has the decay of learned relations and the weight at which they are dropped.
	Relations rank.Relations
}

// Clustering are the constants of clusters.
type Clustering struct {
	// K is the number of topics; 0 is the square root of half the number of memories, from 2 to 16.
	K int
	// Seed is that of the random choice of the first centroids.
	Seed uint64
	// Iterations is the largest number of passes of Lloyd's algorithm.
	Iterations int
	// Group is the number of memories above which a cluster is divided further.
	Group int
	// Dense is the mean cosine of two members from which a group is dense, and Members the number of members from
	// which it is summarised, and thinned by archival.
	Dense   float64
	Members int
	// Words is the number of words of a label.
	Words int
}

// Duplicates are the thresholds of near-duplicates; a pair must reach both.
type Duplicates struct {
	// Cosine is that of the vectors.
	Cosine float64
	// Overlap is the number of distinct words in both texts, divided by that in one or the other.
	Overlap float64
	// Links is the largest number of links of a plan: they are stored and undone in one transaction.
	Links int
}

// Summaries are the bounds of extractive summaries.
type Summaries struct {
	// Characters is the longest text, Sentences the largest number of sentences.
	Characters, Sentences int
	// Keep is the Jaccard index of a group and the memories that a summary cites from which the summary
	// stands for the group. Below it, and above a half, it is superseded.
	Keep float64
}

// Archival says which memories are archived: their surprise times max(2^(-age/HalfLife), Floor) is below
// Below.
type Archival struct {
	Below, Floor float64
	// Near is the least cosine of an archived memory with a member of its group that stays, and then stays for it: what it says
	// can still be found. 0: none is needed.
	Near float64
	// Words is the least share of the words of an archived memory that the one that stays for it has: texts of one pattern are near each other, and differ in the words that tell. Without Near it does not count.
	Words float64
	// Share is the largest part of the memories of a project that is archived, former runs included: those of the lowest surprise
	// at their age.
	Share float64
	// HalfLife and Grace are in days; HalfLife 0: nothing decays. A memory younger than Grace, or used within that many active days, stays.
	HalfLife float64
	Grace    int
	// Tags protect the memories that have them, compared in lower case.
	Tags []string
}

// Default returns the usual options. The rule of k, the 25 iterations, the half-life, the floor and the days of
// grace are those of claude-hippo, the protected tags and the 500 characters those of mcp-memory-service.
func Default() Options {
	return Options{
		Clusters:   Clustering{Seed: 1, Iterations: 25, Group: 64, Dense: .4, Members: 5, Words: 3},
		Duplicates: Duplicates{Cosine: .9, Overlap: .7, Links: 10_000},
		Summaries:  Summaries{Characters: 500, Sentences: 3, Keep: .8},
		Archive:    Archival{Below: .15, Floor: .5, Near: .8, Words: .5, Share: .2, HalfLife: 30, Grace: 30, Tags: []string{"critical", "important", "reference", "permanent"}},
		Relations:  rank.DefaultWeights().Relations,
	}
}

// validate returns what is wrong with the options.
func (o *Options) validate() error {
	for _, x := range []struct {
		field string
		value float64
	}{
		{"clusters.dense", o.Clusters.Dense},
		{"duplicates.cosine", o.Duplicates.Cosine},
		{"duplicates.overlap", o.Duplicates.Overlap},
		{"summaries.keep", o.Summaries.Keep},
		{"archive.below", o.Archive.Below},
		{"archive.floor", o.Archive.Floor},
		{"archive.near", o.Archive.Near},
		{"archive.words", o.Archive.Words},
		{"archive.share", o.Archive.Share},
	} {
		if math.IsNaN(x.value) || x.value < 0 || x.value > 1 {
			return hippo.Fieldf(x.field, "must be from 0 to 1, got %v", x.value)
		}
	}
	const most = 1 << 20
	for _, x := range []struct {
		field        string
		value, least int
	}{
		{"clusters.k", o.Clusters.K, 0},
		{"clusters.iterations", o.Clusters.Iterations, 1},
		{"clusters.group", o.Clusters.Group, 2},
		{"clusters.members", o.Clusters.Members, 2},
		{"clusters.words", o.Clusters.Words, 0},
		{"duplicates.links", o.Duplicates.Links, 0},
		{"summaries.characters", o.Summaries.Characters, 100},
		{"summaries.sentences", o.Summaries.Sentences, 1},
		{"archive.grace", o.Archive.Grace, 0},
	} {
		if x.value < x.least || x.value > most {
			return hippo.Fieldf(x.field, "must be from %d to %d, got %d", x.least, most, x.value)
		}
	}
	if o.Duplicates.Overlap == 0 {
		return hippo.Fieldf("duplicates.overlap", "must be above 0")
	}
	if h := o.Archive.HalfLife; math.IsNaN(h) || h < 0 {
		return hippo.Fieldf("archive.half_life", "must be a number of days, 0 for no decay, got %v", h)
	}
	return nil
}
