package index

import (
	"iter"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// Vectors are the embeddings in an index, of memories and of situation elements.
type Vectors struct {
	*state
	upkeep   *upkeep
	elements elementTable
	scans    *scans
}

// Vector holds the embeddings of a memory: those of its passages, one after the other.
type Vector struct {
	ID hippo.ID
	// Text is the [TextKey] of the memory that was embedded.
	Text uint64
	// Values are as many as the dimension of the model for each passage.
	Values []float32
}

// Embedded counts the live memories of a scope, nil for all, and those of them that have a
// vector of the model.
func (v *Vectors) Embedded(scope *hippo.Scope, model string) (have, all int) {
	s := v.current.Load()
	k := s.model(model)
	for _, p := range s.parts {
		set := p.live
		if scope != nil {
			in, ok := p.scope(scope)
			if !ok {
				continue
			}
			set = intersection(set, in.docs)
		}
		all += set.count()
		if k >= 0 && p.vectors[k].have != nil {
			have += p.vectors[k].have.common(set)
		}
	}
	return have, all
}

// Keep makes the index keep vectors of one more model.
func (v *Vectors) Keep(m embed.Model) {
	v.edit(func(d *draft) {
		if d.model(m.ID) >= 0 {
			return
		}
		d.models = append(slices.Clone(d.models), m)
		for i := range d.parts {
			p := d.own(i)
			p.vectors = append(p.vectors, vectors{})
		}
	})
}

// Unembedded returns up to limit live memories without a vector of the model, by
// descending ID within segments, the newest segment first. Cost: a scan, unless there is none.
func (v *Vectors) Unembedded(model string, limit int) []hippo.ID {
	var out []hippo.ID
	for m := range v.Missing(model) {
		if len(out) == limit {
			break
		}
		out = append(out, m.ID)
	}
	return out
}

// Missing yields the live memories without a vector of the model, in the order of [Vectors.Unembedded], each with the key of
// its text and no values.
func (v *Vectors) Missing(model string) iter.Seq[Vector] {
	return func(yield func(Vector) bool) {
		s := v.current.Load()
		k := s.model(model)
		if k < 0 {
			return
		}
		s.each(yield, func(p *part, doc uint32) bool { return !p.vectors[k].has(doc) })
	}
}

// Texts yields all live memories as [Vectors.Missing] does.
func (v *Vectors) Texts() iter.Seq[Vector] {
	return func(yield func(Vector) bool) {
		v.current.Load().each(yield, func(*part, uint32) bool { return true })
	}
}

// each yields the live memories of which is holds, without vectors.
func (s *snapshot) each(yield func(Vector) bool, is func(p *part, doc uint32) bool) {
	for _, p := range slices.Backward(s.parts) {
		for i := p.docs - 1; i >= 0; i-- {
			doc := p.inOrder(i)
			if p.live.has(doc) && is(p, doc) && !yield(Vector{ID: p.columns.rows[doc].id, Text: p.columns.extras[doc].text}) {
				return
			}
		}
	}
}

// Set takes over vectors of a model and returns how many: those of memories that are
// not in the index, or have another text by now, are left out. A memory that has a vector of its text keeps it: a second one would count
// twice in the statistics.
func (v *Vectors) Set(model string, list []Vector) (taken int) {
	codes := make([][]vector.Code, len(list))
	dim := v.dimension(model)
	for i := range list {
		codes[i] = quantize(list[i].Values, dim)
	}
	v.edit(func(d *draft) {
		k := d.model(model)
		if k < 0 || d.models[k].Dimension != dim {
			return
		}
		byPart := make(map[int][]docVector)
		for i := range list {
			at, doc, ok := d.find(list[i].ID)
			if !ok || codes[i] == nil || d.parts[at].columns.extras[doc].text != list[i].Text {
				continue
			}
			if !d.parts[at].vectors[k].has(doc) {
				byPart[at] = append(byPart[at], docVector{doc, codes[i]})
			}
			taken++
		}
		for at, list := range byPart {
			p := d.own(at)
			p.vectors[k] = p.vectors[k].with(d.models[k], p.docs, list)
		}
		d.changed += taken
	})
	v.upkeep.maintain()
	return taken
}

// dimension returns that of a model, 0 if its vectors are not kept.
func (v *Vectors) dimension(model string) int {
	s := v.current.Load()
	if k := s.model(model); k >= 0 {
		return s.models[k].Dimension
	}
	return 0
}

// quantize returns the codes of passages that lie one after the other; nil if they are not whole.
func quantize(values []float32, dim int) []vector.Code {
	if !isWhole(values, dim) {
		return nil
	}
	out := make([]vector.Code, 0, len(values)/dim)
	for ; len(values) > 0; values = values[dim:] {
		out = append(out, vector.Quantize(values[:dim]))
	}
	return out
}

// Element is the embedding of a situation element.
type Element struct {
	Text   string
	Values []float32
}

// UnembeddedElements returns up to limit situation elements that have no vector by this model.
// Cost: nothing for segments that were asked before and had none.
func (v *Vectors) UnembeddedElements(model string, limit int) []string {
	e := &v.elements
	e.mu.Lock()
	defer e.mu.Unlock()
	seen := make(map[string]bool)
	var out []string
	for _, p := range v.current.Load().parts {
		if r := p.elements.Load(); e.model == model && r != nil && r.table == e.table && r.complete {
			continue
		}
		for _, name := range p.elementNames() {
			text := p.names.text(name)
			if e.model == model && e.known[text] != 0 || seen[text] {
				continue
			}
			if len(out) == limit {
				return out
			}
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}

// SetElements takes over vectors of situation elements. All are of one model; those of another
// are dropped.
func (v *Vectors) SetElements(model string, list []Element) {
	e := &v.elements
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, el := range list {
		if e.table == nil || e.model != model {
			e.model, e.table, e.known = model, vector.New(len(el.Values)), make(map[string]uint32)
		}
		if e.known[el.Text] == 0 && len(el.Values) == e.table.Dim() {
			e.known[el.Text] = e.table.AppendCode(vector.Quantize(el.Values)) + 1
		}
	}
}
