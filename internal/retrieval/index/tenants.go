package index

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hippo-memory/hippo"
)

// group finds the namespaces and projects of the documents, which are ordered by namespace, project and ID.
func group(s *segment) {
	rows, number := s.columns.rows, 0
	for from := 0; from < len(rows); {
		first := rows[from]
		n := sort.Search(len(rows)-from, func(i int) bool {
			return rows[from+i].namespace != first.namespace || rows[from+i].project != first.project
		})
		docs := docRange{uint32(from), uint32(from + n)}
		if last := len(s.tenants) - 1; last < 0 || s.tenants[last].namespace != first.namespace {
			s.tenants = append(s.tenants, tenant{namespace: first.namespace, docRange: docs})
		}
		t := &s.tenants[len(s.tenants)-1]
		t.projects, t.to = append(t.projects, projectDocs{first.project, docs, number}), docs.to
		from, number = from+n, number+1
	}
}

// order lists the documents by ID if that is another order than theirs.
func order(s *segment) {
	rows := s.columns.rows
	if slices.IsSortedFunc(rows, func(a, b row) int { return a.id.Compare(b.id) }) {
		return
	}
	s.byID = make([]uint32, s.docs)
	for i := range s.byID {
		s.byID[i] = uint32(i)
	}
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

// firstID returns the lowest ID.
func firstID(s *segment) hippo.ID { return s.columns.rows[s.inOrder(0)].id }

// tenant returns the number of a namespace among those of the segment.
func (s *segment) tenant(namespace uint32) (int, bool) {
	return slices.BinarySearchFunc(s.tenants, namespace, func(t tenant, n uint32) int { return cmp.Compare(t.namespace, n) })
}

// project returns the number of the document's project in the segment.
func (s *segment) project(doc uint32) int {
	i := sort.Search(len(s.tenants), func(i int) bool { return s.tenants[i].to > doc })
	list := s.tenants[i].projects
	k := sort.Search(len(list), func(k int) bool { return list[k].to > doc })
	return list[k].number
}

// narrow returns the documents of an extent in the named projects. Nil means any project.
func narrow(s *segment, in *extent, projects []string) extent {
	if projects == nil {
		return *in
	}
	return docsOf(s, in.tenant, among(s, in.projects, projects))
}

// among returns the projects of a list with one of these names.
func among(s *segment, list []projectDocs, names []string) []projectDocs {
	wanted := s.anyName(names)
	some := make([]projectDocs, 0, min(len(list), len(wanted)))
	for _, x := range list {
		if slices.Contains(wanted, x.project) {
			some = append(some, x)
		}
	}
	return some
}

// docsOf returns the documents of projects of a namespace.
func docsOf(s *segment, t tenant, projects []projectDocs) extent {
	out, n := extent{tenant: t, projects: projects}, 0
	for _, x := range projects {
		n += int(x.to - x.from)
		if last := len(out.ranges) - 1; last >= 0 && out.ranges[last].to == x.from {
			out.ranges[last].to = x.to
			continue
		}
		out.ranges = append(out.ranges, x.docRange)
	}
	if n == s.docs {
		return out
	}
	out.docs = newDocSet(s.docs)
	for _, r := range out.ranges {
		out.docs.addRange(r)
	}
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
