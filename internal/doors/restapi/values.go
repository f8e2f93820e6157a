package restapi

import "time"

// now is the time in the zone of the store.
func (r *request) now() time.Time { return r.server.Now().In(r.Zone()) }

// ofTree reports whether a source tree that the caller sees is of a project.
func (r *request) ofTree(project string) bool {
	if r.server.Trees == nil || !r.server.Trees.Indexed() {
		return false
	}
	l, err := r.server.Trees.Library()
	if err != nil {
		return false
	}
	trees, err := l.OfProjects(&r.scope, []string{project}, "")
	return err == nil && len(trees) > 0
}
