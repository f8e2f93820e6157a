package index

import (
	"cmp"
	"math/bits"
	"slices"
)

const (
	// Segments of a tier hold between mergeFactor^n and mergeFactor^(n+1) documents. When
	// there are mergeFactor of them they are merged, so that the number of segments and
	// the copies of each document grow with the logarithm of the size.
	mergeFactor = 4
	// rebuildFactor takes its place while the whole index is rebuilt: a batch of changes becomes
	// a segment of the largest size in one merge. There are more segments meanwhile.
	rebuildFactor = maxDocs / batchSize
	// maxInline is the number of documents up to which edits merge themselves; larger
	// merges run beside them.
	maxInline = 1024
	// maxBytes bounds what is merged, so that offsets fit 32 bits.
	maxBytes = 256 << 20
	// A segment is rewritten when this share of it is deleted.
	maxDeleted = .25
	minDeleted = 64
)

// tier is the logarithm of the size of a part, to the base of mergeFactor.
func tier(docs int) int { return bits.Len(uint(docs)) / 2 }

// mergeable returns parts that are to be merged, up to this many documents together; nil if
// there are none. Parts of a tier are merged when there are factor of them.
func (s *snapshot) mergeable(limit, factor int) []*part {
	byTier := make(map[int][]*part)
	for _, p := range s.parts {
		n, d := p.docs, p.deleted()
		if d == n || n <= limit && d >= minDeleted && float64(d) > maxDeleted*float64(n) {
			return []*part{p}
		}
		byTier[tier(n)] = append(byTier[tier(n)], p)
	}
	for _, list := range byTier {
		if len(list) < factor {
			continue
		}
		slices.SortFunc(list, func(a, b *part) int { return cmp.Compare(a.docs, b.docs) })
		if list = upTo(list[:factor], limit); len(list) > 1 {
			return list
		}
	}
	return nil
}

// upTo returns the first of the parts, those that may be merged together.
func upTo(parts []*part, limit int) []*part {
	docs, size := 0, 0
	for i, p := range parts {
		docs, size = docs+p.docs, size+p.bytes()
		if docs > limit || size > maxBytes {
			return parts[:i]
		}
	}
	return parts
}

// mergeSmall merges small parts within a draft.
func (d *draft) mergeSmall() {
	for {
		parts := d.mergeable(maxInline, mergeFactor)
		if parts == nil {
			return
		}
		p, _ := merge(parts, d.models)
		d.replace(parts, p)
	}
}

// replace puts one part in the place of others; nil where nothing is left.
func (d *draft) replace(old []*part, p *part) {
	d.parts = slices.DeleteFunc(d.parts, func(x *part) bool { return slices.Contains(old, x) })
	if p.docs > 0 {
		d.append(p)
		d.changed -= p.docs // it was counted before
	}
}

// replaceMerged puts a merged part in the place of its inputs, with what happened to its documents since the
// merge began.
func (d *draft) replaceMerged(m *merger, p *part) {
	if len(d.models) != len(m.models) {
		return // a model joined; the merge is repeated with it
	}
	var old []*part
	for _, in := range m.inputs {
		i := slices.IndexFunc(d.parts, func(x *part) bool { return x.segment == in.segment })
		if i < 0 {
			return // a smaller merge took it
		}
		old = append(old, d.parts[i])
	}
	at := len(d.parts)
	d.append(p)
	for i, in := range m.inputs {
		m.applyChanges(d, in, old[i], at)
	}
	p = d.parts[at]
	d.parts = slices.DeleteFunc(d.parts, func(x *part) bool { return slices.Contains(old, x) || x == p && p.docs == 0 })
	d.changed -= m.out.docs
}

// applyChanges applies to the new part what differs between an input and its current state.
func (m *merger) applyChanges(d *draft, in *input, now *part, at int) {
	for doc, to := range in.newOf {
		doc := uint32(doc)
		if to == gone {
			continue
		}
		switch live, hidden := now.live.has(doc), now.hidden.has(doc); {
		case !live && !hidden:
			d.remove(at, to)
			continue
		default:
			d.hide(at, to, hidden)
		}
		if k := doc / chunkRows; now.stored.chunks[k] != in.stored.chunks[k] {
			r, names := *now.stored.row(doc), d.parts[at].columns.rows[to]
			r.namespace, r.project, r.kind = names.namespace, names.project, names.kind
			setRow(d, at, to, r, now.stored.uses(doc), now.stored.successor(doc))
		}
	}
	for k := range m.models {
		if list := late(in, now, k); len(list) > 0 {
			p := d.own(at)
			p.vectors[k] = p.vectors[k].with(m.models[k], p.docs, list)
		}
	}
}

// late returns the vectors by model k that came since the merge began.
func late(in *input, now *part, k int) []docVector {
	var list []docVector
	for doc, to := range in.newOf {
		row, ok := now.vectors[k].first(uint32(doc))
		before, had := in.part.vectors[k].first(uint32(doc))
		if to != gone && ok && (!had || row != before) {
			list = append(list, docVector{to, now.vectors[k].codes(uint32(doc))})
		}
	}
	return list
}
