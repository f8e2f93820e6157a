package index

import "github.com/hippo-memory/hippo"

// Aim makes q the latest search without searching, so that [View.Admits] and
// [View.Context] answer for its filters. Its text and vector mean nothing.
// Cost: that of the situation filter, if there is one.
func (v *View) Aim(q Query) {
	if s := v.begin(&q.Filter); v.possible {
		s.narrow(&q)
	}
}

// begin takes working memory for what becomes the latest search.
func (v *View) begin(f *hippo.Filter) *scratch {
	keep, possible := v.x.rows.compile(*f)
	s := v.x.spare.Swap(nil)
	if s == nil {
		s = new(scratch)
	}
	v.held = append(v.held, s)
	s.begin(v.x)
	s.keep = keep
	v.near, v.last, v.possible = nil, s, possible
	return s
}

// narrow finds the documents that fit the situation of a query, if it has one.
func (s *scratch) narrow(q *Query) {
	situations := s.situations(q.Situation)
	if len(situations) == 0 {
		return
	}
	alike := s.alike(q)
	for i, p := range s.x.parts() {
		s.contexts(p, i, situations)
		if alike != nil {
			s.fits[i].mean(s.x.rows, p, alike)
		}
	}
}
