package engine

import (
	"fmt"
	"time"

	"github.com/hippo-memory/hippo"
)

// ErrAway says that another process or a server has the store open, and that what was asked for needs it in this process.
var ErrAway = fmt.Errorf("%w: the store is open elsewhere", hippo.ErrUnsupported)

// Call is one verb of one caller, as it travels between processes of one user, and to a server.
type Call struct {
	// Verb is the name in the table of verbs.
	Verb  string
	Scope hippo.Scope
	// AllowSecrets is [Memories.SecretsAllowed], Wait [Config.IndexWait] of the caller.
	AllowSecrets bool          `json:",omitempty"`
	Wait         time.Duration `json:",omitempty"`
	// Operation is what [As] was given.
	Operation hippo.Operation `json:",omitzero"`
	// Retried: an earlier attempt may have been carried out, and its result was lost.
	Retried bool `json:",omitempty"`
	// Args is the value that the verb takes.
	Args any
}

// None is the argument or the result of a verb without one.
type None struct{}
