package recall

import (
	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// successions are the superseded memories that a search found, and their successors. A
// successor of a hit ranks above it: it takes the relevance of the superseded memory if its own
// is lower, with ranker hippo that of the chain, and becomes a hit if it did not match but passes the
// filters. Memories in a cycle have no successor. Where the query asks for the past, the order is another one, see
// [successions.placeChains].
type successions struct {
	list []succession
	at   map[hippo.ID]int
}

// succession is a memory in a chain of successors.
type succession struct {
	hit       // by itself
	doc       retrieve.Doc
	next      int  // its successor, or -1
	admitted  bool // it may be a hit
	found     bool // it is one by itself, in the tally with the relevance counted
	counted   float64
	reranked  bool // its relevance is that of the second stage
	placement placement
	chained   bool // placed with its chain
}

// placement is where a memory ranks: as a hit, itself or one that it supersedes, and how many
// steps it is from that.
type placement struct {
	key   candidate
	steps int
	taken bool
}

func (x *successions) has(id hippo.ID) bool {
	_, ok := x.at[id]
	return ok
}

func (x *successions) add(r retrieve.Reader, doc retrieve.Doc) *succession {
	key := r.Key(doc)
	x.at[key.ID] = len(x.list)
	x.list = append(x.list, succession{doc: doc, next: -1, hit: hit{candidate: candidate{Key: key}}})
	return &x.list[len(x.list)-1]
}
