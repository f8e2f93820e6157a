package engine

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/store"
)

// updated returns the names after memories were changed.
func (n *entityNames) updated(m *Memories, changed []*hippo.Memory) *entityNames {
	byID := make(map[hippo.ID]bool, len(changed))
	for _, x := range changed {
		byID[x.ID] = true
	}
	list := slices.DeleteFunc(slices.Clone(n.list), func(e *api.Entity) bool { return byID[e.ID] })
	projects := m.scope.Narrow(hippo.Filter{}).Projects
	for _, x := range changed {
		if x.IsEntity() && !x.Forgotten() && x.SupersededBy.IsZero() && (projects == nil || slices.Contains(projects, x.Project)) {
			list = append(list, entityIn(x))
		}
	}
	return newEntityNames(list)
}

// guard returns m whose writes give check, in their transaction, the names as of then: no other writer, of any process, comes
// between that and the write. An error of check stops it.
func (n *entityNames) guard(m *Memories, check func(*entityNames) error) *Memories {
	out := *m
	out.scoped = store.Checked(m.scoped, n.since, func(changed []*hippo.Memory) error { return check(n.updated(m, changed)) })
	return &out
}
