package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/top"
	"github.com/hippo-memory/hippo/internal/retrieval/index/vector"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// neighbour is a document near the query's vector. Equal cosines are ordered by ID: the order
// of documents depends on the history.
type neighbour struct {
	cosine float32
	id     hippo.ID
	part   int
	doc    uint32
}

func nearer(a, b neighbour) int {
	if a.cosine != b.cosine {
		return cmp.Compare(b.cosine, a.cosine)
	}
	return a.id.Compare(b.id)
}

// nearest finds the documents that match by their vectors, in each channel.
func (f *found) nearest() {
	for i := range f.parts {
		f.parts[i].nearest = f.parts[i].nearest[:0]
	}
	if list := f.scans(); len(list) > 0 {
		f.pool.scans.Do(list)
	}
	for c := range f.channels {
		if f.channels[c].model < 0 {
			continue
		}
		for i := range f.parts {
			p := &f.parts[i]
			f.channels[c].add(p, &p.vectors[f.channels[c].model], &p.scans[c], f.sampling)
		}
		for _, n := range closest(f, retrieve.Channel(c)) {
			p := &f.parts[n.part]
			if len(p.nearest) == 0 {
				p.nearest = emptied(p.nearest, p.docs)
			}
			p.nearest.add(n.doc)
		}
	}
}

// closest returns the documents that are nearest to the query in a channel, as many as it asks for. Those that say the same count once.
func closest(f *found, in retrieve.Channel) []neighbour {
	v := &f.query.Vectors[in]
	for n := v.TopK; ; {
		best := top.New(min(n, f.snapshot.docs()), nearer)
		for i := range f.parts {
			choose(f, &f.parts[i], in, float32(v.MinCosine), best)
		}
		if len(f.same.repeated) == 0 || len(best.Items()) < v.TopK {
			return best.Items()
		}
		list := best.Sorted()
		kept, m := distinct(folding{f}, list, v.TopK)
		if m == v.TopK || len(list) < n {
			return kept
		}
		n *= 1 + v.TopK/m
	}
}

// distinct returns the first n of a list that say different things, and what says the same as one of them; m counts those.
func distinct(f folding, list []neighbour, n int) (kept []neighbour, m int) {
	said := make(map[says]bool)
	kept = make([]neighbour, 0, len(list))
	for _, x := range list {
		d := docIn(x.part, x.doc)
		repeated := f.run(d) != nil
		if !repeated || !said[f.says(d)] {
			if m == n {
				continue
			}
			m++
		}
		if repeated {
			said[f.says(d)] = true
		}
		kept = append(kept, x)
	}
	return kept, m
}

// scans sets up the channels that the query has a vector for, and returns what is to be scanned for them.
func (f *found) scans() []vector.Query {
	blank := strings.TrimSpace(f.query.Text) == ""
	var list []vector.Query
	for c := range f.channels {
		v, ch := &f.query.Vectors[c], &f.channels[c]
		*ch = channel{model: -1}
		if v.Values == nil || blank {
			continue
		}
		k := f.snapshot.model(v.Model)
		if k < 0 || len(v.Values) != f.snapshot.models[k].Dimension {
			continue
		}
		ch.model, ch.code = k, vector.Quantize(v.Values)
		for i := range f.parts {
			p := &f.parts[i]
			if p.outside {
				continue
			}
			v, s := &p.vectors[k], &p.scans[c]
			s.cosines, s.runs = v.table.Room(s.cosines), v.runs(p.scanned(f.sampling))
			list = append(list, vector.Query{Table: &v.table, Code: &ch.code, Runs: s.runs, Cosines: s.cosines})
		}
	}
	return list
}

// scanned returns the documents of a part to compare with the query: those that may pass its filter, and the sample of its scope. Nil means all.
func (p *partFound) scanned(by sampling) docSet {
	if by == 0 || p.filter.reach.docs == nil {
		return p.scope.docs
	}
	out := slices.Clone(p.filter.reach.docs)
	for i, w := range sampleOf(p.segment, by) {
		out[i] |= w & p.filter.scope[i]
	}
	return out
}

// described returns the documents of a part whose cosines enter the statistics of the scope.
func (p *partFound) described(by sampling) docSet {
	if by == 0 {
		return p.filter.scope
	}
	return intersection(p.filter.scope, sampleOf(p.segment, by))
}

// choose offers the documents of a part that may be among the nearest in a channel: each with the best of
// its cosines. In the channel [retrieve.Instant] they are those that another channel lacks.
func choose(f *found, p *partFound, of retrieve.Channel, least float32, best *top.List[neighbour]) {
	if !p.reachable() {
		return
	}
	v, s := &p.vectors[f.channels[of].model], &p.scans[of]
	bound := float32(math.Inf(-1))
	if b := best.Bound(); b != nil {
		bound = b.cosine
	}
	for _, r := range s.runs {
		for row := r.From; row < r.To; row++ {
			c := s.cosines[row]
			if c < bound || c <= least {
				continue
			}
			doc := v.docOf[row]
			if from, to := v.rows(doc); uint32(row) != bestRow(s.cosines, from, to) || !p.admits(doc) {
				continue
			}
			if of == retrieve.Instant && !lacks(f, retrieve.Semantic, p, doc) && !lacks(f, retrieve.Multilingual, p, doc) {
				continue
			}
			best.Add(neighbour{c, p.columns.rows[doc].id, p.number, doc})
			if b := best.Bound(); b != nil {
				bound = b.cosine
			}
		}
	}
}

// lacks reports whether a document has no vector in a channel that the query says may lack some.
func lacks(f *found, in retrieve.Channel, p *partFound, doc uint32) bool {
	model := f.channels[in].model
	return f.query.Vectors[in].Partial && model >= 0 && !p.vectors[model].has(doc)
}

// bestRow returns the row with the largest cosine, the first of equals.
func bestRow(cosines []float32, from, to uint32) uint32 {
	best := from
	for row := from + 1; row < to; row++ {
		if cosines[row] > cosines[best] {
			best = row
		}
	}
	return best
}

// add adds the cosines of the sampled passages to the statistics of the scope.
func (ch *channel) add(p *partFound, v *vectors, s *scan, by sampling) {
	if p.outside {
		return
	}
	if p.whole && by == 0 {
		for some := range slices.Chunk(s.cosines, momentsOf) {
			ch.addAll(some)
		}
		return
	}
	some, docs := make([]float32, 0, momentsOf), p.described(by)
	for _, r := range s.runs {
		for row := r.From; row < r.To; row++ {
			if docs.has(v.docOf[row]) {
				some = append(some, s.cosines[row])
			}
			if len(some) == momentsOf {
				ch.addAll(some)
				some = some[:0]
			}
		}
	}
	ch.addAll(some)
}

// momentsOf is the number of cosines that are summed up at a time: the same ones whether others lie between them that are
// not in scope, so that those do not change the last digit.
const momentsOf = 256

func (ch *channel) addAll(cosines []float32) {
	sum, squares := moments(cosines)
	ch.count, ch.sum, ch.squares = ch.count+len(cosines), ch.sum+sum, ch.squares+squares
}

// moments returns the sums of numbers and of their squares. Four sums of each do not wait for one another.
func moments(list []float32) (sum, squares float64) {
	var a, b, c, d, aa, bb, cc, dd float64
	for ; len(list) >= 4; list = list[4:] {
		w, x, y, z := float64(list[0]), float64(list[1]), float64(list[2]), float64(list[3])
		a, b, c, d = a+w, b+x, c+y, d+z
		aa, bb, cc, dd = aa+float64(w*w), bb+float64(x*x), cc+float64(y*y), dd+float64(z*z)
	}
	for _, n := range list {
		x := float64(n)
		a, aa = a+x, aa+float64(x*x)
	}
	return a + b + c + d, aa + bb + cc + dd
}

// spreads describes the cosines in scope, by channel.
func spreads(channels *[retrieve.Channels]channel) (out [retrieve.Channels]retrieve.Spread) {
	for c := range out {
		ch := &channels[c]
		if ch.count == 0 {
			continue
		}
		n := float64(ch.count)
		mean := ch.sum / n
		out[c] = retrieve.Spread{Count: ch.count, Mean: mean, Deviation: math.Sqrt(max(0, ch.squares/n-mean*mean))}
	}
	return out
}
