package engine

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/rank"
)

// Remote carries out verbs in the process that has the store open. It is safe for concurrent use.
type Remote interface {
	// Call carries out a verb and decodes its result into out, a pointer. If the connection breaks it may
	// repeat the call with Retried set.
	Call(ctx context.Context, c *Call, out any) error
	Close() error
}

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

// NewRemote returns an engine whose verbs r carries out. Of c it uses Ranker, IndexWait and Now; zone is
// [Engine.Zone]. [Memories.Transfer] and [Engine.Embed] need an engine of this process.
func NewRemote(r Remote, c *Config, zone *time.Location) *Engine {
	w := rank.DefaultWeights()
	return &Engine{
		remote: r, weights: &w, now: c.Now, closing: r.Close,
		defaults: defaults{ranker: cmp.Or(c.Ranker, hippo.RankerHippo), wait: c.IndexWait, zone: zone},
	}
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
)

// none is the argument or the result of a verb without one.
type none struct{}

// perform carries out a verb here, or where the store is open.
func perform[In, Out any](ctx context.Context, m *Memories, verb string, in In, local func(context.Context, *Memories, In) (Out, error)) (Out, error) {
	if m.remote == nil {
		return local(ctx, m, in)
	}
	var out, empty Out
	c := Call{Verb: verb, Scope: m.scope, AllowSecrets: m.secretsAllowed, Wait: m.wait, Args: in}
	if err := m.remote.Call(ctx, &c, &out); err != nil {
		return empty, err
	}
	return out, nil
}

// searchArgs are a query in a form that can travel: a bound that is infinite is missing in Relevance.
type searchArgs struct {
	hippo.Query
	Relevance *bounds
}

// bounds are a [hippo.Range]; nil stands for infinity.
type bounds struct{ Min, Max *float64 }

func pack(r *hippo.Range) *bounds {
	if r == nil {
		return nil
	}
	return &bounds{finite(r.Min), finite(r.Max)}
}

func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	return &x
}

func (b *bounds) unpack() *hippo.Range {
	if b == nil {
		return nil
	}
	r := hippo.Range{Min: math.Inf(-1), Max: math.Inf(1)}
	set(&r.Min, b.Min)
	set(&r.Max, b.Max)
	return &r
}

// versions are the versions of memories before a write that must not be carried out twice.
type versions map[hippo.ID]int

// versionsOf returns the versions of memories for a remote write; nil if the write is carried out here. Unknown
// memories have none: the write reports them.
func versionsOf(ctx context.Context, m *Memories, ids []hippo.ID) (versions, error) {
	if m.remote == nil || len(ids) == 0 || len(ids) > hippo.MaxIDs {
		return nil, nil
	}
	ms, err := perform(ctx, m, verbVersions, ids, visible)
	return ms, err
}

const verbVersions = "versions"

func visible(ctx context.Context, m *Memories, ids []hippo.ID) (versions, error) {
	ms, err := m.scoped.Get(ctx, distinct(ids))
	if err != nil {
		return nil, err
	}
	out := make(versions, len(ms))
	for _, x := range ms {
		out[x.ID] = x.Version
	}
	return out, nil
}

// applied returns the memories of a write whose first attempt was carried out: their versions are no longer those
// from before it. It returns nil if the write is still to be carried out. All memories of a write change in one
// transaction, so one that has changed stands for all.
func applied(ctx context.Context, m *Memories, before versions) ([]*hippo.Memory, error) {
	if !m.retried || len(before) == 0 {
		return nil, nil
	}
	ids := make([]hippo.ID, 0, len(before))
	for id := range before {
		ids = append(ids, id)
	}
	ms, err := m.scoped.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, x := range ms {
		if x.Version != before[x.ID] {
			return ms, nil
		}
	}
	return nil, nil
}
