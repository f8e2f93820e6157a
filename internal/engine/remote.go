package engine

import (
	"context"
	"errors"
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
	e := &Engine{Remote: r, Weights: c.Weights, Clock: c.Now, closing: r.Close, Defaults: defaultsOf(c, zone)}
	if e.Weights == nil {
		w := rank.DefaultWeights()
		e.Weights = &w
	}
	return e
}

// IsRemote reports whether another process carries out the verbs.
func (e *Engine) IsRemote() bool { return e.Remote != nil }

// Perform carries out a verb: it calls local, or the function of that name in the process that has the store open.
// Each local is in the table of its package under its name, and reads nothing but its arguments and m, which is of its process.
func Perform[In, Out any](ctx context.Context, m *Memories, in In, name string, local func(context.Context, *Memories, In) (Out, error)) (Out, error) {
	if m.Remote == nil {
		return observed(ctx, m, in, name, local)
	}
	var out, empty Out
	c := Call{Verb: name, Scope: m.Scope, AllowSecrets: m.SecretsAllowed, Wait: m.Wait, Operation: m.Op, Args: in}
	if err := m.Remote.Call(ctx, &c, &out); err != nil {
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
	o := m.Defaults.observer
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
	if m.Remote == nil {
		return m, func() error { return nil }, nil
	}
	e, end, err := m.Remote.Here(ctx)
	if err != nil {
		return nil, nil, err
	}
	out := e.In(m.Scope)
	out.SecretsAllowed, out.Op = m.SecretsAllowed, m.Op
	return out, end, nil
}

// Identified returns m for a write with an ID of its operation, by which [Applied] finds in a second attempt what the first one did.
func Identified(m *Memories) *Memories {
	if m.Remote == nil || !m.Op.ID.IsZero() {
		return m
	}
	c := *m
	c.Op.ID = hippo.ID(uuid.Must(uuid.NewV7()))
	return &c
}

// Reader reads within the scope of a caller who may have no right to read: what it returns is compared, and
// shown only as the result of a write.
func Reader(m *Memories) store.Scoped {
	s := m.Scope
	s.Rights |= hippo.RightRead
	return m.Store.In(s)
}

// Applied returns what the first attempt of a write keeps of the memories that it changed; nil if the write is still to be
// carried out.
func Applied(ctx context.Context, m *Memories) ([]hippo.Version, error) {
	if !m.Retried {
		return nil, nil
	}
	return store.DoneBefore(ctx, store.As(Reader(m), m.Op))
}

// AppliedTo returns memories as they are after the first attempt of a write; nil if the write is still to be carried out.
func AppliedTo(ctx context.Context, m *Memories, ids ...hippo.ID) ([]*hippo.Memory, error) {
	done, err := Applied(ctx, m)
	if err != nil || len(done) == 0 {
		return nil, err
	}
	return Reader(m).Get(ctx, Distinct(ids))
}

// Flush waits until the accesses of all searches so far are stored.
func (e *Engine) Flush(ctx context.Context) error {
	_, err := Perform(ctx, e.In(hippo.Scope{}), None{}, "flush", flush)
	return err
}

func flush(ctx context.Context, m *Memories, _ None) (None, error) {
	return None{}, m.Accesses.Flush(ctx)
}

// Ready waits until the models are loaded; until then searches are lexical. The error is that
// of loading, or of ctx.
func (e *Engine) Ready(ctx context.Context) error {
	_, err := Perform(ctx, e.In(hippo.Scope{}), None{}, "ready", ready)
	return err
}

func ready(ctx context.Context, m *Memories, _ None) (None, error) {
	return None{}, m.Embedding.Ready(ctx)
}

// Embed waits until the preferred model has embedded all memories, and calls progress
// meanwhile. The error is that of the model, or of ctx; vectors computed so far are kept.
func (e *Engine) Embed(ctx context.Context, progress func(embedded, memories int)) error {
	m, end, err := here(ctx, e.In(hippo.Scope{}))
	if err != nil {
		return err
	}
	err = m.Indexed(ctx, func() error { return m.Embedding.Embed(ctx, progress) })
	return errors.Join(err, end())
}

// Settling is [embedding.Settling].
type Settling = embedding.Settling

// Settle embeds what has no vector yet, see [embedding.Settle], and returns how many memories remain. It is for processes
// that end. Where another process or machine answers, that one embeds, and nothing remains here.
func Settle(ctx context.Context, e *Engine, s Settling) (missing int) {
	if e.Remote != nil {
		return 0
	}
	m := e.In(hippo.Scope{})
	_ = m.Indexed(ctx, func() error { // the next process reports what is wrong with the index
		missing = embedding.Settle(ctx, m.Embedding, s)
		return nil
	})
	return missing
}

// Distinct returns IDs without repetition, in their order.
func Distinct(ids []hippo.ID) []hippo.ID {
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
	if e.Remote != nil {
		return // the other process has done it
	}
	err := e.Index.CatchUp(ctx)
	e.Embedding.Wake()
	_ = errors.Join(err, e.Ready(ctx))
}

// Update changes memories in the store as a verb, after it has flushed pending accesses, so that the
// result includes them.
func Update(ctx context.Context, m *Memories, verb hippo.Verb, ids []hippo.ID, fn func(*hippo.Memory, hippo.Day) error) ([]*hippo.Memory, error) {
	if done, err := AppliedTo(ctx, m, ids...); err != nil || done != nil {
		return done, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	return store.As(m.Scoped, Operation(m, verb)).Update(ctx, ids, fn)
}

// spelled returns an error if the namespace of the caller has no memories and differs from one that has by letters or blanks alone: it was
// mistyped, and would be an empty tenant. Only an owner of the store learns it; a token says nothing of other tenants.
func spelled(ctx context.Context, m *Memories) error {
	own := m.Scope.Namespace
	if own == "" || m.Scope.Projects != nil || !m.Scope.Allows(hippo.AllRights) {
		return nil
	}
	if _, known := m.Defaults.spelled.Load(own); known {
		return nil
	}
	var names []string
	if err := m.Indexed(ctx, func() error {
		names = m.Index.Namespaces()
		return nil
	}); err != nil {
		return err
	}
	if slices.Contains(names, own) {
		m.Defaults.spelled.Store(own, true)
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
