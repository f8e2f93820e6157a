package mcpserver

import "github.com/hippo-memory/hippo/internal/engine"

// secretInput is the arguments that decide whether a memory may hold what looks like a secret.
type secretInput struct {
	source  keyword // who said it; empty: an agent
	allowed bool
}

// memories returns the memories of a session, which store secrets if the argument says so.
func (in secretInput) memories(s *session) *engine.Memories {
	if in.allowed {
		return engine.AllowSecrets(s.Memories)
	}
	return s.Memories
}
