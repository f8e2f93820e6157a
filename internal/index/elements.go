package index

import (
	"github.com/hippo-memory/hippo/internal/index/vector"
)

// elements are the meanings of situation elements, by their text. They are made
// when a search first asks for situations, and live as long as the process.
type elements struct {
	model string
	table *vector.Table
	rows  map[string]uint32
	// Names up to known of the columns in are all in rows.
	known int
	in    *rows
}

// rough is more than the error of a scan.
const rough = .05

// Element is what a model made of a situation element.
type Element struct {
	Text   string
	Values []float32
}

// UnembeddedElements returns up to most situation elements whose meaning the index
// does not know by this model.
func (x *Index) UnembeddedElements(model string, most int) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	e, r := &x.elements, x.rows
	if e.model != model || e.in != r {
		e.known, e.in = 0, r
	}
	var out []string
	for name := e.known; name < len(r.isElem) && len(out) < most; name++ {
		text := r.names.list[name]
		if _, ok := e.rows[text]; r.isElem[name] && (!ok || e.model != model) {
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		e.known = len(r.isElem)
	}
	return out
}

// SetElements tells the index the meaning of situation elements. All are of one
// model; those of another are forgotten.
func (x *Index) SetElements(model string, list []Element) {
	x.mu.Lock()
	defer x.mu.Unlock()
	e := &x.elements
	for _, v := range list {
		if e.model != model || e.table == nil {
			*e = elements{model: model, table: vector.New(len(v.Values)), rows: make(map[string]uint32), in: x.rows}
		}
		if _, ok := e.rows[v.Text]; !ok && len(v.Values) == e.table.Dim() {
			e.rows[v.Text] = e.table.AppendCode(vector.Quantize(v.Values))
		}
	}
}

// alike returns, by the number of its name, how alike each situation element is
// to the most similar element of the filter, by meaning; nil if that is unknown.
func (s *scratch) alike(q *Query) []float64 {
	e, r := &s.x.elements, s.x.rows
	if e.table == nil || e.model != q.ElementModel || len(q.Elements) == 0 {
		return nil
	}
	best := make([]float64, e.table.Len())
	for _, v := range q.Elements {
		if len(v) != e.table.Dim() {
			return nil
		}
		code := vector.Quantize(v)
		for row, c := range e.table.Scan(nil, &code) {
			if c > minContext-rough {
				at := e.table.At(uint32(row))
				best[row] = max(best[row], vector.Cosine(&code, &at))
			}
		}
	}
	out := make([]float64, len(r.names.list))
	for name, is := range r.isElem {
		if !is {
			continue
		}
		if row, ok := e.rows[r.names.list[name]]; ok {
			out[name] = best[row]
		}
	}
	return out
}

// mean adds to the documents of a segment that fit the filter those whose
// situation is alike by meaning.
func (f *fitting) mean(r *rows, p part, alike []float64) {
	for local := range uint32(p.docs()) {
		best := 0.0
		for _, name := range r.elems(&r.cold[p.first+local]) {
			best = max(best, min(alike[name], partContext))
		}
		if f.docs.has(local) {
			best = max(best, f.context[local])
		}
		if best > minContext {
			f.docs.add(local)
			f.context[local] = best
		}
	}
}
