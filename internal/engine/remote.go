package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/store"
)

// NewRemote returns an engine whose verbs r carries out. Of c it uses Ranker, IndexWait, Weights and Now; zone is
// [Engine.Zone]. [Engine.Embed], which cannot travel, uses [Remote.Here].
func NewRemote(r Remote, c *Config, zone *time.Location) *Engine {
	e := &Engine{remote: r, weights: c.Weights, now: c.Now, closing: r.Close, defaults: defaultsOf(c, zone)}
	if e.weights == nil {
		w := rank.DefaultWeights()
		e.weights = &w
	}
	return e
}

// IsRemote reports whether another process carries out the verbs.
func (e *Engine) IsRemote() bool { return e.remote != nil }

// perform carries out a verb: it calls local, or the function of that name in the process that has the store open.
// Each local is in the table of [verbs] under its name, and reads nothing but its arguments and m, which is of its process.
func perform[In, Out any](ctx context.Context, m *Memories, in In, name string, local func(context.Context, *Memories, In) (Out, error)) (Out, error) {
	if m.remote == nil {
		return observed(ctx, m, in, name, local)
	}
	var out, empty Out
	c := Call{Verb: name, Scope: m.scope, AllowSecrets: m.secretsAllowed, Wait: m.wait, Operation: m.op, Args: in}
	if err := m.remote.Call(ctx, &c, &out); err != nil {
		return empty, err
	}
	return out, nil
}

// observed carries out a verb, and its observer, if there is one, hears of it. Those that only serve other verbs have no
// public name, and nobody hears of them.
func observed[In, Out any](ctx context.Context, m *Memories, in In, name string, local func(context.Context, *Memories, In) (Out, error)) (Out, error) {
	if err := spelled(ctx, m); err != nil {
		var empty Out
		return empty, err
	}
	o := ObserverOf(ctx)
	if o == nil {
		return local(ctx, m, in)
	}
	public := specs()[name].public
	if public == "" {
		return local(ctx, m, in)
	}
	inner, end := o(ctx, public)
	out, err := local(inner, m, in)
	end(err)
	return out, err
}

// here returns m with an engine of this process, and what ends its use.
func here(ctx context.Context, m *Memories) (*Memories, func() error, error) {
	if m.remote == nil {
		return m, func() error { return nil }, nil
	}
	e, end, err := m.remote.Here(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := e.In(m.scope)
	out.secretsAllowed, out.op = m.secretsAllowed, m.op
	return out, end, nil
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

// unpack returns the query.
func (a *searchArgs) unpack() hippo.Query {
	q := a.Query
	q.Relevance = a.Relevance.unpack()
	return q
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

// identified returns m for a write with an ID of its operation, by which [applied] finds in a second attempt what the first one did.
func identified(m *Memories) *Memories {
	if m.remote == nil || !m.op.ID.IsZero() {
		return m
	}
	c := *m
	c.op.ID = hippo.ID(uuid.Must(uuid.NewV7()))
	return &c
}

// reader reads within the scope of a caller who may have no right to read: what it returns is compared, and
// shown only as the result of a write.
func reader(m *Memories) store.Scoped {
	s := m.scope
	s.Rights |= hippo.RightRead
	return m.store.In(s)
}

// applied returns what the first attempt of a write keeps of the memories that it changed; nil if the write is still to be
// carried out.
func applied(ctx context.Context, m *Memories) ([]hippo.Version, error) {
	if !m.retried {
		return nil, nil
	}
	return store.DoneBefore(ctx, store.As(reader(m), m.op))
}

// appliedTo returns memories as they are after the first attempt of a write; nil if the write is still to be carried out.
func appliedTo(ctx context.Context, m *Memories, ids ...hippo.ID) ([]*hippo.Memory, error) {
	done, err := applied(ctx, m)
	if err != nil || len(done) == 0 {
		return nil, err
	}
	return reader(m).Get(ctx, distinct(ids))
}

// Flush waits until the accesses of all searches so far are stored.
func (e *Engine) Flush(ctx context.Context) error {
	_, err := perform(ctx, e.In(hippo.Scope{}), none{}, "flush", flush)
	return err
}

func flush(ctx context.Context, m *Memories, _ none) (none, error) {
	return none{}, m.accesses.Flush(ctx)
}

// Ready waits until the models are loaded; until then searches are lexical. The error is that
// of loading, or of ctx.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := perform(ctx, e.In(hippo.Scope{}), none{}, "ready", ready)
	return err
}

func ready(ctx context.Context, m *Memories, _ none) (none, error) {
	return none{}, m.embedding.Ready(ctx)
}

// Embed waits until the preferred model has embedded all memories, and calls progress
// meanwhile. The error is that of the model, or of ctx; vectors computed so far are kept.
func (e *Engine) Embed(ctx context.Context, progress func(embedded, memories int)) error {
	m, end, err := here(ctx, e.In(hippo.Scope{}))
	if err != nil {
		return err
	}
	err = m.indexed(ctx, func() error { return m.embedding.Embed(ctx, progress) })
	return errors.Join(err, end())
}

// Settling is [embedding.Settling].
type Settling = embedding.Settling

// Settle embeds what has no vector yet, see [embedding.Settle], and returns how many memories remain. It is for processes
// that end. Where another process or machine answers, that one embeds, and nothing remains here.
func Settle(ctx context.Context, e *Engine, s Settling) (missing int) {
	if e.remote != nil {
		return 0
	}
	m := e.In(hippo.Scope{})
	_ = m.indexed(ctx, func() error { // the next process reports what is wrong with the index
		missing = embedding.Settle(ctx, m.embedding, s)
		return nil
	})
	return missing
}

// set copies a value that is given.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

func first(ms []*hippo.Memory) *hippo.Memory {
	if len(ms) == 0 {
		return nil
	}
	return ms[0]
}

func distinct(ids []hippo.ID) []hippo.ID {
	out := make([]hippo.ID, 0, len(ids))
	seen := make(map[hippo.ID]bool, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Warm prepares for the first search: it updates the index, embeds memories without a vector,
// and waits until the models are loaded. The first search reports failures.
func (e *Engine) Warm(ctx context.Context) {
	if e.remote != nil {
		return // the other process has done it
	}
	err := e.index.CatchUp(ctx)
	e.embedding.Wake()
	_ = errors.Join(err, e.Ready(ctx))
}

// update changes memories in the store as a verb, after it has flushed pending accesses, so that the
// result includes them.
func update(ctx context.Context, m *Memories, verb hippo.Verb, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	if done, err := appliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	return store.As(m.scoped, as(m, verb)).Update(ctx, ids, fn)
}

// spelled returns an error if the namespace of the caller has no memories and differs from one that has by letters or blanks alone: it was
// mistyped, and would be an empty tenant. Only an owner of the store learns it; a token says nothing of other tenants.
func spelled(ctx context.Context, m *Memories) error {
	own := m.scope.Namespace
	if own == "" || m.scope.Projects != nil || !m.scope.Allows(hippo.AllRights) {
		return nil
	}
	if _, known := m.defaults.spelled.Load(own); known {
		return nil
	}
	var names []string
	if err := m.indexed(ctx, func() error {
		names = m.index.Namespaces()
		return nil
	}); err != nil {
		return err
	}
	if slices.Contains(names, own) {
		m.defaults.spelled.Store(own, true)
		return nil
	}
	plain := strings.TrimSpace(own)
	if i := slices.IndexFunc(names, func(n string) bool { return n != "" && strings.EqualFold(strings.TrimSpace(n), plain) }); i >= 0 {
		return hippo.Fieldf("namespace", "%q has no memories, and %q has: write it so", own, names[i])
	}
	if plain != own {
		return hippo.Fieldf("namespace", "must not begin or end with a blank, got %q", own)
	}
	return nil
}
