package verb

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"

	"github.com/hippo-memory/hippo"
)

// Page is a page of a list.
type Page struct {
	Offset int
	// Usual is the size of a page if none is given, Most the largest; 0: [hippo.DefaultCount] and [hippo.MaxCount].
	Usual, Most int
	limit       *int
}

// Args are the arguments that fill a Page.
func (p *Page) Args() []Arg {
	return []Arg{
		{Name: "limit", As: map[Door]string{Shell: "count"}, Also: "count top_k k n n_results num_results max_results page_size", Field: "Count", About: "show at most this many", Rules: Schema{"minimum": 1, "maximum": p.most(), "default": p.usual()}, Is: Listed | Count, To: (*pageSize)(p)},
		{Name: "offset", Field: "Offset", About: "skip this many", Rules: Schema{"minimum": 0, "default": 0}, Is: Listed, To: &p.Offset},
	}
}

func (p *Page) usual() int { return cmp.Or(p.Usual, hippo.DefaultCount) }

func (p *Page) most() int { return cmp.Or(p.Most, hippo.MaxCount) }

// Count returns how many elements the page has. The error calls the argument as the domain does.
func (p *Page) Count() (int, error) {
	switch {
	case p.limit == nil:
		return p.usual(), nil
	case *p.limit < 1 || *p.limit > p.most():
		return 0, hippo.Fieldf("Count", "must be between 1 and %d, got %d", p.most(), *p.limit)
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

// Plain returns where a number goes.
func (p *pageSize) Plain() any { return &p.limit }

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
		{Name: "relevance_range", As: lacking(Script, Shell), Also: "score_range", Field: "Relevance", About: "both ends inclusive. Default: the floor of the ranker", To: &bounds{r}},
		{Name: "min_relevance", As: map[Door]string{Script: "min_score", Shell: "min"}, Also: "min_score threshold", Field: "Relevance", About: "the lowest relevance; 0 also shows unlikely matches", To: &floor{r}},
		{Name: "max", As: lacking(MCP, REST, Script), Field: "Relevance", About: "the highest relevance", To: &r.max},
	}
}

// Range returns the range; nil if neither end is given. One without a lower end begins at the floor.
func (r *Relevance) Range(floor float64) *hippo.Range {
	if !r.given && r.min == nil && r.max == nil {
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

// ReadArg implements [Value]: a model may also give an empty object, or a list of both ends.
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

// Plain returns where a number goes.
func (f *floor) Plain() any { return &f.to.min }

// Schema implements [Value].
func (*floor) Schema() Schema { return Schema{"type": "number"} }
