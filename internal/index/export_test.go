package index

import "weak"

// BaseAlive returns a function that tells whether the base of now is still in memory.
func (x *Index) BaseAlive() func() bool {
	p := weak.Make(x.base)
	return func() bool { return p.Value() != nil }
}
