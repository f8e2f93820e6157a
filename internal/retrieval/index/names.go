package index

import (
	"slices"
	"sort"
)

// names is the dictionary of the strings that columns refer to by number: projects, types,
// tags, authors and the like. It is sorted, so the empty string has number 0, which every
// dictionary holds.
type names struct{ blobs }

// find returns the number of a string.
func (n *names) find(s string) (uint32, bool) {
	i := sort.Search(n.len(), func(i int) bool { return string(n.at(i)) >= s })
	return uint32(i), i < n.len() && string(n.at(i)) == s
}

// text returns a string by its number, as a copy.
func (n *names) text(i uint32) string { return string(n.at(int(i))) }

// numbering assigns provisional numbers to strings while a segment is built.
type numbering struct {
	ids  map[string]uint32
	list []string
}

func newNumbering() *numbering {
	return &numbering{ids: map[string]uint32{"": 0}, list: []string{""}}
}

func (n *numbering) add(s string) uint32 {
	id, ok := n.ids[s]
	if !ok {
		id = uint32(len(n.list))
		n.list = append(n.list, s)
		n.ids[s] = id
	}
	return id
}

// seal returns the dictionary, and the final numbers by the provisional ones.
func (n *numbering) seal() (dictionary names, final []uint32) {
	order := make([]uint32, len(n.list))
	size := 0
	for i, s := range n.list {
		order[i] = uint32(i)
		size += len(s)
	}
	slices.SortFunc(order, func(a, b uint32) int { return compareStrings(n.list[a], n.list[b]) })
	dictionary.blobs = newBlobs(len(order), size)
	final = make([]uint32, len(order))
	for i, id := range order {
		final[id] = uint32(i)
		dictionary.data = append(dictionary.data, n.list[id]...)
		dictionary.end()
	}
	return dictionary, final
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}
