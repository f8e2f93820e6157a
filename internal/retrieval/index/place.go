package index

import (
	"slices"
	"sort"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
)

// labelFilter keeps documents by their tags, their situation elements and their sources.
type labelFilter struct {
	tags   [][]uint32    // one of the names of each
	no     []uint32      // none of these names
	place  *placeFilter  // nil: any
	source *sourceFilter // nil: any
}

func (l *labelFilter) bound() bool {
	return len(l.tags) > 0 || len(l.no) > 0 || l.place != nil || l.source != nil
}

func (l *labelFilter) pass(c *columns, x *extra, doc uint32) bool {
	if l.source != nil && !l.source.has(c.sources[doc]) {
		return false
	}
	tags := c.tags(x)
	for _, names := range l.tags {
		if !slices.ContainsFunc(names, func(t uint32) bool { return slices.Contains(tags, t) }) {
			return false
		}
	}
	if slices.ContainsFunc(l.no, func(t uint32) bool { return slices.Contains(tags, t) }) {
		return false
	}
	return l.place == nil || l.place.has(c.elements(x))
}

// sourceFilter keeps documents by their sources. Each name is looked at once.
type sourceFilter struct {
	names *names
	is    func(*hippo.Source) bool
	known []answer // by name
}

// answer is what is known of a name.
type answer uint8

const (
	unknown answer = iota
	no
	yes
)

// source returns the filter for sources of which is holds; nil if that is nil.
func (n *names) source(is func(*hippo.Source) bool) *sourceFilter {
	if is == nil {
		return nil
	}
	return &sourceFilter{n, is, make([]answer, n.len())}
}

func (f *sourceFilter) has(name uint32) bool {
	if f.known[name] == unknown {
		f.known[name] = no
		if s := sourceNamed(f.names.text(name)); f.is(&s) {
			f.known[name] = yes
		}
	}
	return f.known[name] == yes
}

// placeFilter is a [api.Place] in the names of a part: as the dictionary is sorted, names with one beginning follow one
// another.
type placeFilter struct {
	within []nameRange
	root   nameRange
	// rootless: documents without an element of root are kept.
	rootless bool
}

// nameRange are the names from one number, inclusive, to another, exclusive.
type nameRange struct{ from, until uint32 }

func (r nameRange) has(name uint32) bool { return r.from <= name && name < r.until }

// place returns the place in the names of a part; nil if it keeps all documents.
func (n *names) place(p *api.Place) *placeFilter {
	if p.All() {
		return nil
	}
	out := &placeFilter{rootless: p.Root != "", root: n.beginning(p.Root)}
	for _, s := range p.At {
		if at, ok := n.find(s); ok {
			out.within = append(out.within, nameRange{at, at + 1})
		}
	}
	for _, s := range p.Below {
		out.within = append(out.within, n.beginning(s))
	}
	return out
}

// beginning returns the names that begin with a text.
func (n *names) beginning(s string) nameRange {
	from, _ := n.find(s)
	count := sort.Search(n.len()-int(from), func(i int) bool { return !strings.HasPrefix(string(n.at(int(from)+i)), s) })
	return nameRange{from, from + uint32(count)}
}

// has reports whether a document with these situation elements lies there.
func (p *placeFilter) has(elements []uint32) bool {
	rooted := false
	for _, name := range elements {
		if slices.ContainsFunc(p.within, func(r nameRange) bool { return r.has(name) }) {
			return true
		}
		rooted = rooted || p.root.has(name)
	}
	return p.rootless && !rooted
}
