package mcpserver

import "github.com/hippo-memory/hippo/internal/engine"

// secretInput is the argument that lets a memory hold what looks like a secret.
type secretInput struct{ allowed bool }

// memories returns the memories of a session, which store secrets if the argument says so.
func (in secretInput) memories(s *session) *engine.Memories {
	if in.allowed {
		return s.AllowSecrets()
	}
	return s.Memories
}
