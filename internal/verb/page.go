package verb

import (
	"bytes"
	"encoding/json"
	"math"

	"github.com/hippo-memory/hippo"
)

// Page is a page of a list.
type Page struct {
	Offset int
	limit  *int
}

// Args are the arguments that fill a Page.
func (p *Page) Args() []Arg {
	return []Arg{
		{Name: "limit", Also: "count top_k k n n_results num_results max_results page_size", Field: "Count", Rules: Schema{"minimum": 1, "maximum": hippo.MaxCount, "default": hippo.DefaultCount}, Is: Listed | Count, To: (*pageSize)(p)},
		{Name: "offset", Field: "Offset", About: "where the page begins; next_offset of the page before", Rules: Schema{"minimum": 0, "default": 0}, Is: Listed, To: &p.Offset},
	}
}

// Count returns how many elements the page has; by default [hippo.DefaultCount]. The error calls the argument as the domain does.
func (p *Page) Count() (int, error) {
	switch {
	case p.limit == nil:
		return hippo.DefaultCount, nil
	case *p.limit < 1 || *p.limit > hippo.MaxCount:
		return 0, hippo.Fieldf("Count", "must be between 1 and %d, got %d", hippo.MaxCount, *p.limit)
	default:
		return *p.limit, nil
	}
}

// pageSize is a page by how many elements it has, or for a model an object with that and where it begins.
type pageSize Page

// ReadArg implements [Value].
func (p *pageSize) ReadArg(d Door, name string, raw json.RawMessage) error {
	if d != MCP {
		return d.readTo(name, raw, &p.limit)
	}
	given := raw
	if text, ok := textOf(raw); ok {
		raw = json.RawMessage(text)
	}
	var n int
	if json.Unmarshal(raw, &n) == nil {
		p.limit = &n
		return nil
	}
	if !bytes.HasPrefix(raw, []byte("{")) {
		return Misshapen(name, "must be a whole number, or {\"offset\":0,\"count\":10}, got %.40s", given)
	}
	return d.object(name+".", raw, []Arg{{Name: "offset", Is: Listed, To: &p.Offset}, {Name: "count", Also: "limit top_k n", Is: Listed | Count, To: &p.limit}})
}

// Schema implements [Value].
func (*pageSize) Schema() Schema { return Schema{"type": "integer"} }

// Relevance is a range of relevance, both ends inclusive.
type Relevance struct {
	given    bool
	min, max *float64
}

// Args are the arguments that fill a Relevance.
func (r *Relevance) Args() []Arg {
	return []Arg{
		{Name: "relevance_range", As: lacking(Script), Also: "score_range", Field: "Relevance", About: "both ends inclusive. Default: the floor of the ranker", To: &bounds{r}},
		{Name: "min_relevance", As: map[Door]string{Script: "min_score"}, Also: "min_score threshold", Field: "Relevance", About: "the lower end of relevance_range", To: &floor{r}},
	}
}

// Range returns the range; nil if neither end is given. One without a lower end begins at the floor.
func (r *Relevance) Range(floor float64) *hippo.Range {
	if !r.given {
		return nil
	}
	out := &hippo.Range{Min: floor, Max: math.Inf(1)}
	if r.min != nil {
		out.Min = *r.min
	}
	if r.max != nil {
		out.Max = *r.max
	}
	return out
}

// bounds are both ends of a range.
type bounds struct{ to *Relevance }

// Args implements [Object].
func (b *bounds) Args() []Arg {
	return []Arg{{Name: "min", Is: Listed, To: &b.to.min}, {Name: "max", Is: Listed, To: &b.to.max}}
}

// ReadArg implements [Value]: for a model an empty object is a range, too, and so is a list of both ends.
func (b *bounds) ReadArg(d Door, name string, raw json.RawMessage) error {
	var pair []float64
	if d == MCP && json.Unmarshal(raw, &pair) == nil && len(pair) == 2 {
		b.to.given, b.to.min, b.to.max = true, &pair[0], &pair[1]
		return nil
	}
	err := d.object(name+".", raw, b.Args())
	b.to.given = d == MCP || b.to.min != nil || b.to.max != nil
	return err
}

// Schema implements [Value].
func (b *bounds) Schema() Schema { return ObjectSchema(REST, b.Args()) }

// floor is the lower end of a range, as an argument of its own.
type floor struct{ to *Relevance }

// ReadArg implements [Value].
func (f *floor) ReadArg(d Door, name string, raw json.RawMessage) error {
	if f.to.min != nil {
		return hippo.Fieldf(name, "is another name of relevance_range.min: give one of them")
	}
	f.to.given = true
	return d.readTo(name, raw, &f.to.min)
}

// Schema implements [Value].
func (*floor) Schema() Schema { return Schema{"type": "number"} }
