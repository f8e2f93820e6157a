package index

import "weak"

// SegmentAlive returns a function that reports whether the first segment of now is still in
// memory.
func SegmentAlive(x *Index) func() bool {
	p := weak.Make(x.current.Load().parts[0].segment)
	return func() bool { return p.Value() != nil }
}
