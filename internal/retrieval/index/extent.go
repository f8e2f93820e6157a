package index

// docRange are the documents from one number, inclusive, to another, exclusive.
type docRange struct{ from, to uint32 }

// tenant are the documents of a namespace, which follow one another in a segment: a search in it passes over no other ones.
type tenant struct {
	namespace uint32
	docRange
}

// extent are the documents of a scope in a part, deleted and hidden ones included.
type extent struct {
	tenant
	// docs are the documents, all of which are in the range; nil: all of the part.
	docs docSet
}

func (e *extent) has(doc uint32) bool { return e.docs == nil || e.docs.has(doc) }

// projectDocs are the documents of some projects of a namespace.
type projectDocs struct {
	projects []uint32
	extent
}
