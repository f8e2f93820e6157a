package knowledge

import (
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/entities"
	"github.com/hippo-memory/hippo/internal/store"
)

// namesAfter returns names after memories were changed.
func namesAfter(n *entities.Names, m *engine.Memories, changed []*hippo.Memory) *entities.Names {
	byID := make(map[hippo.ID]bool, len(changed))
	for _, x := range changed {
		byID[x.ID] = true
	}
	list := slices.DeleteFunc(slices.Clone(n.List), func(e *api.Entity) bool { return byID[e.ID] })
	projects := m.Scope.Narrow(hippo.Filter{}).Projects
	for _, x := range changed {
		if x.IsEntity() && !x.Forgotten() && x.SupersededBy.IsZero() && (projects == nil || slices.Contains(projects, x.Project)) {
			list = append(list, entities.EntityIn(x))
		}
	}
	return entities.NewNames(list)
}

// guarded returns m whose writes give check, in their transaction, the names as of then: no other writer, of any process, comes
// between that and the write. An error of check stops it.
func guarded(n *entities.Names, m *engine.Memories, check func(*entities.Names) error) *engine.Memories {
	out := *m
	out.Scoped = store.Checked(m.Scoped, n.Since, func(changed []*hippo.Memory) error { return check(namesAfter(n, m, changed)) })
	return &out
}
