package engine

import (
	"time"

	"github.com/hippo-memory/hippo"
)

// Call is one verb of one caller, as it travels between processes of one user.
type Call struct {
	Verb  string
	Scope hippo.Scope
	// AllowSecrets is [AllowSecrets], Wait [Config.IndexWait] of the caller.
	AllowSecrets bool          `json:",omitempty"`
	Wait         time.Duration `json:",omitempty"`
	// Retried: an earlier attempt may have been carried out, and its result was lost.
	Retried bool `json:",omitempty"`
	// Args is the value that the verb takes.
	Args any
}

// The names of the verbs between processes.
const (
	verbSearch         = "search"
	verbContext        = "context"
	verbList           = "list"
	verbGet            = "get"
	verbResolve        = "resolve"
	verbShortIDs       = "short_ids"
	verbRecord         = "record"
	verbRecordCompared = "record_compared"
	verbCompare        = "compare"
	verbModify         = "modify"
	verbReinforce      = "reinforce"
	verbForget         = "forget"
	verbRestore        = "restore"
	verbPurge          = "purge"
	verbRelate         = "relate"
	verbUnrelate       = "unrelate"
	verbRelations      = "relations"
	verbStatus         = "status"
	verbProjects       = "projects"
	verbFlush          = "flush"
	verbReady          = "ready"
	verbVersions       = "versions"
	verbRevert         = "revert"
	verbCreated        = "created"
	verbPredecessors   = "predecessors"
)

// none is the argument or the result of a verb without one.
type none struct{}
