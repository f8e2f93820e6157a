package index

import (
	"cmp"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// says is what a document says, and the state that it is in. Of documents for which it is equal, one stands for the others.
type says struct {
	key       uint64 // see [saidKey]
	archived  int
	trust     int8
	successor hippo.ID
}

func (s says) compare(o says) int {
	return cmp.Or(cmp.Compare(s.archived, o.archived), cmp.Compare(s.trust, o.trust), s.successor.Compare(o.successor))
}

// folding is a search that leaves out documents that say the same as a match.
type folding struct{ *found }

func (f folding) says(d retrieve.Doc) says {
	p, doc := f.at(d)
	r := p.shown.row(doc)
	return says{p.columns.said[doc], r.archived(), r.trust, p.successor(doc)}
}

// run returns the documents of the key of a document, which is one of them; nil if that is the only one.
func (f folding) run(d retrieve.Doc) []repeated {
	p, doc := f.at(d)
	if len(f.same.repeated) == 0 {
		return nil
	}
	key := p.columns.said[doc]
	from, ok := slices.BinarySearchFunc(f.same.repeated, key, func(x repeated, key uint64) int { return cmp.Compare(x.key, key) })
	if !ok {
		return nil
	}
	run := f.same.repeated[from:]
	if n := slices.IndexFunc(run, func(x repeated) bool { return x.key != key }); n >= 0 {
		run = run[:n]
	}
	return run
}
