package index

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
)

// Codes returns copies of the vectors of a scope by a model, of each memory that of its first passage; forgotten ones are
// left out. It holds nothing of the index. Cost: a pass over the rows, and 2 bytes a component.
func (v *Vectors) Codes(model string, scope *hippo.Scope) map[hippo.ID]vector.Code {
	out := make(map[hippo.ID]vector.Code)
	s := v.current.Load()
	k := s.model(model)
	if k < 0 {
		return out
	}
	for _, p := range s.parts {
		in, ok := p.scope(scope)
		if !ok {
			continue
		}
		vs := &p.vectors[k]
		for doc := range in.all() {
			row, has := vs.first(doc)
			if !has || !p.live.has(doc) {
				continue
			}
			c := vs.table.At(row)
			c.Hi, c.Lo = slices.Clone(c.Hi), slices.Clone(c.Lo)
			out[p.columns.rows[doc].id] = c
		}
	}
	return out
}
