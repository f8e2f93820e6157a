package index

import "github.com/hippo-memory/hippo"

// inherit notes what replaces a document; the zero ID: nothing does.
func (r *rows) inherit(id, heir hippo.ID) {
	if heir.IsZero() {
		delete(r.heirs, id)
		return
	}
	r.heirs[id] = heir
}

// Heir returns the live document that replaces a superseded one; [None] if nothing
// does, or it is unknown or forgotten. Cost: that of finding an ID.
func (v *View) Heir(doc uint32) uint32 {
	h := &v.x.rows.hot[doc]
	if h.flags&flagSuperseded == 0 {
		return None
	}
	if d, ok := v.x.doc(v.x.rows.heirs[h.id]); ok {
		return d
	}
	return None
}
