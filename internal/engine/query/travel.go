package query

import (
	"math"

	"github.com/hippo-memory/hippo"
)

// searchArgs are a query in a form that can travel: a bound that is infinite is missing in Relevance.
type searchArgs struct {
	hippo.Query
	Relevance *bounds
}

// bounds are a [hippo.Range]; nil stands for infinity.
type bounds struct{ Min, Max *float64 }

func pack(r *hippo.Range) *bounds {
	if r == nil {
		return nil
	}
	return &bounds{finite(r.Min), finite(r.Max)}
}

func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// unpack returns the query.
func (a *searchArgs) unpack() hippo.Query {
	q := a.Query
	q.Relevance = a.Relevance.unpack()
	return q
}

func (b *bounds) unpack() *hippo.Range {
	if b == nil {
		return nil
	}
	r := hippo.Range{Min: math.Inf(-1), Max: math.Inf(1)}
	if b.Min != nil {
		r.Min = *b.Min
	}
	if b.Max != nil {
		r.Max = *b.Max
	}
	return &r
}
