package mcpserver

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// resolve returns the IDs of references, each once.
func (s *session) resolve(ctx context.Context, r verb.Refs, prefer api.Preference) ([]hippo.ID, error) {
	return r.Resolve(ctx, s.Memories, prefer)
}

// short returns the short form of an ID.
func (s *session) short(id hippo.ID) string {
	return memory.ShortIDs(s.Memories, []hippo.ID{id}).Of(id)
}

// now returns the time in the zone of the store, in which days are read and shown.
func (s *session) now() time.Time { return s.server.Now().In(s.Zone()) }
