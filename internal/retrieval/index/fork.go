package index

// Fork returns an index that begins with what x has now and follows another source: the store of x
// with changes that nobody else sees. open returns that source; it is called after the state of x
// is known, which the source must not be older than. Searches of the fork see the vectors of x, and of
// new memories those of the instant model.
//
// The fork shares what it does not change, writes no file and is not closed. x must stay open.
//
// Cost: that of the changes; nothing is copied before.
func (x *Index) Fork(open func() (Source, error)) (*Index, error) {
	s := newState(nil)
	s.current.Store(x.newest())
	src, err := open()
	if err != nil {
		return nil, err
	}
	o := x.upkeep.opts
	// A damaged file is noticed by the upkeep of x, which empties x then.
	f := &follower{state: s, src: src, opts: o, upkeep: x.upkeep, token: make(chan struct{}, 1)}
	v := &Vectors{state: s, upkeep: x.upkeep, scans: x.Vectors.scans}
	return &Index{state: s, follower: f, upkeep: x.upkeep, Vectors: v, search: newSearchPool(o, &x.Vectors.elements, x.Vectors.scans)}, nil
}
