package index

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hippo-memory/hippo"
)

// group finds the namespaces of the documents, which are ordered by namespace and ID.
func group(s *segment) {
	rows := s.columns.rows
	for from := 0; from < len(rows); {
		namespace := rows[from].namespace
		n := sort.Search(len(rows)-from, func(i int) bool { return rows[from+i].namespace != namespace })
		s.tenants = append(s.tenants, tenant{namespace, docRange{uint32(from), uint32(from + n)}})
		from += n
	}
}

// order lists the documents by ID if that is another order than theirs.
func order(s *segment) {
	if len(s.tenants) < 2 {
		return
	}
	s.byID = make([]uint32, s.docs)
	for i := range s.byID {
		s.byID[i] = uint32(i)
	}
	rows := s.columns.rows
	slices.SortFunc(s.byID, func(a, b uint32) int { return rows[a].id.Compare(rows[b].id) })
}

// inOrder returns the document whose ID is the i-th.
func (s *segment) inOrder(i int) uint32 {
	if s.byID == nil {
		return uint32(i)
	}
	return s.byID[i]
}

// find returns the document of a memory, deleted or not.
func (s *segment) find(id hippo.ID) (uint32, bool) {
	rows := s.columns.rows
	i := sort.Search(len(rows), func(i int) bool { return rows[s.inOrder(i)].id.Compare(id) >= 0 })
	if i == len(rows) {
		return 0, false
	}
	doc := s.inOrder(i)
	return doc, rows[doc].id == id
}

// findIn is find for the memories of a namespace, which is faster.
func findIn(s *segment, t tenant, id hippo.ID) (uint32, bool) {
	rows := s.columns.rows[t.from:t.to]
	i := sort.Search(len(rows), func(i int) bool { return rows[i].id.Compare(id) >= 0 })
	return t.from + uint32(i), i < len(rows) && rows[i].id == id
}

// firstID returns the lowest ID.
func firstID(s *segment) hippo.ID { return s.columns.rows[s.inOrder(0)].id }

// tenant returns the number of a namespace among those of the segment.
func (s *segment) tenant(namespace uint32) (int, bool) {
	return slices.BinarySearchFunc(s.tenants, namespace, func(t tenant, n uint32) int { return cmp.Compare(t.namespace, n) })
}

// of returns the documents of a namespace in its segment. Cost: a set of all documents if another one was asked for last.
func (t tenant) of(s *segment) extent {
	if int(t.to-t.from) == s.docs {
		return extent{tenant: t}
	}
	if last := s.namespace.Load(); last != nil && last.tenant == t {
		return *last
	}
	set := newDocSet(s.docs)
	for i := t.from / 64; i <= (t.to-1)/64; i++ {
		set[i] = lowBits(int(t.to)-int(i)*64) &^ lowBits(int(t.from)-int(i)*64)
	}
	out := &extent{t, set}
	s.namespace.Store(out)
	return *out
}

// inProjects returns the documents of projects. Cost: a pass over the rows of the namespace if others were asked for last.
func (s *segment) inProjects(t tenant, projects []uint32) *projectDocs {
	if last := s.projects.Load(); last != nil && last.namespace == t.namespace && slices.Equal(last.projects, projects) {
		return last
	}
	out := &projectDocs{projects, extent{t, newDocSet(s.docs)}}
	for i := t.from; i < t.to; i++ {
		if slices.Contains(projects, s.columns.rows[i].project) {
			out.docs.add(i)
		}
	}
	if out.docs.count() == s.docs {
		out.docs = nil
	}
	s.projects.Store(out)
	return out
}

// anyName returns the numbers of those strings that occur.
func (s *segment) anyName(list []string) []uint32 {
	out := make([]uint32, 0, len(list))
	for _, name := range list {
		if id, ok := s.names.find(name); ok {
			out = append(out, id)
		}
	}
	return out
}
