package index

import "iter"

// tenant are the documents of a namespace, which follow one another in a segment: a search in it passes over no other ones.
type tenant struct {
	namespace uint32
	docRange
	projects []projectDocs // in the order of the documents
}

// projectDocs are the documents of a project. They are consecutive within the documents of its namespace.
type projectDocs struct {
	project uint32
	docRange
	number int // among those of the segment
}

// extent are the documents of some projects of a namespace in a part, deleted and hidden ones included.
type extent struct {
	tenant
	projects []projectDocs
	// ranges hold the same documents in ascending order, with gaps between them.
	ranges []docRange
	docs   docSet // the same documents; nil: all of the part
}

func (e *extent) has(doc uint32) bool { return e.docs == nil || e.docs.has(doc) }

func (e *extent) empty() bool { return len(e.ranges) == 0 }

// hull returns the range from the first document to the last one.
func (e *extent) hull() docRange {
	if e.empty() {
		return docRange{}
	}
	return docRange{e.ranges[0].from, e.ranges[len(e.ranges)-1].to}
}

// all yields the documents, ascending.
func (e *extent) all() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, r := range e.ranges {
			for doc := r.from; doc < r.to; doc++ {
				if !yield(doc) {
					return
				}
			}
		}
	}
}
