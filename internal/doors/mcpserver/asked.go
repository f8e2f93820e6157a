package mcpserver

import (
	"slices"

	"github.com/hippo-memory/hippo"
)

// maxAsked is the number of searches of a connection that votes may be about.
const maxAsked = 16

// asked is a search and the memories that it showed.
type asked struct {
	query string
	shown []hippo.ID
}

// showed notes what a search of the connection showed.
func (c *conversation) showed(query string, ids []hippo.ID) {
	query, _ = hippo.ShortQuery(query) // as the search took it, and as a vote about it takes it
	if c == nil || query == "" || len(ids) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, asked{query, slices.Clone(ids)})
	if over := len(c.asked) - maxAsked; over > 0 {
		c.asked = slices.Delete(c.asked, 0, over)
	}
}

// found returns the query of the last search of the connection that showed each of these memories.
// Those that none showed are left out.
func (c *conversation) found(ids []hippo.ID) map[hippo.ID]string {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[hippo.ID]string)
	for _, s := range c.asked {
		for _, id := range ids {
			if slices.Contains(s.shown, id) {
				out[id] = s.query
			}
		}
	}
	return out
}
