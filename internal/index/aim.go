package index

// Aim makes q the latest search without searching, so that [View.Admits] and
// [View.Context] answer for its filters. Its text and vector mean nothing.
// Cost: that of the situation filter, if there is one.
func (v *View) Aim(q Query) {
	x := v.x
	keep, possible := x.rows.compile(q.Filter)
	s, ok := x.pool.Get().(*scratch)
	if !ok {
		panic("index: pool holds a foreign value")
	}
	v.held = append(v.held, s)
	s.begin(x)
	s.keep = keep
	v.near, v.last, v.possible = nil, s, possible
	if !possible {
		return
	}
	situations := s.situations(q.Situation)
	if len(situations) == 0 {
		return
	}
	alike := s.alike(&q)
	for i, p := range x.parts() {
		s.contexts(p, i, situations)
		if alike != nil {
			s.fits[i].mean(x.rows, p, alike)
		}
	}
}
