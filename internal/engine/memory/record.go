package memory

import (
	"context"
	"fmt"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/store"
)

// Record stores a new memory and returns when it is durable. It sets ID, times, hash, day,
// first access and, where the caller left it empty, the kind of source; Trust
// [hippo.TrustDefault] becomes the trust of that source. Importance.Base is the importance; the
// other fields of Importance are derived from it. An ID that is given and in use is
// [hippo.ErrConflict].
//
// It supersedes the memories in supersedes, in the same transaction: each ends when the new one
// begins. With one that is unknown, or superseded already, nothing is recorded.
//
// One that seems to hold a secret is a [*hippo.SecretError], unless [AllowSecrets] allows it.
func Record(ctx context.Context, m *engine.Memories, r *hippo.Memory, supersedes ...hippo.ID) (*hippo.Memory, error) {
	if err := store.Identify(r); err != nil {
		return nil, err
	}
	return engine.Perform(ctx, m, recordArgs{r, supersedes}, "record", recordAlone)
}

// recordArgs are the arguments of [Record] and [RecordCompared]. The memory has an ID, by which
// a second attempt finds what the first one stored.
type recordArgs struct {
	Memory     *hippo.Memory
	Supersedes []hippo.ID
}

// Recorded returns the memory that a first attempt has stored; nil if there is none.
func Recorded(ctx context.Context, m *engine.Memories, r *hippo.Memory) (*hippo.Memory, error) {
	if !m.Retried {
		return nil, nil
	}
	ms, err := engine.Reader(m).Get(ctx, []hippo.ID{r.ID})
	return first(ms), err
}

func recordAlone(ctx context.Context, m *engine.Memories, a recordArgs) (*hippo.Memory, error) {
	defer embedding.Recording(m.Embedding)()
	r := a.Memory
	if x, err := Recorded(ctx, m, r); err != nil || x != nil {
		return x, err
	}
	if err := PrepareRecord(m, r); err != nil {
		return nil, err
	}
	return RecordHere(ctx, m, r, a.Supersedes)
}

// PrepareRecord sets the source and the trust of a new memory, and screens it.
func PrepareRecord(m *engine.Memories, r *hippo.Memory) error {
	if r.Source.Kind == "" {
		r.Source.Kind = hippo.SourceAgent
	}
	if err := hippo.OneOf("Source.Kind", r.Source.Kind, hippo.SourceKinds()...); err != nil {
		return err
	}
	if r.Trust == hippo.TrustDefault {
		r.Trust = hippo.DefaultTrust(r.Source.Kind)
	}
	return Screened(r, m.SecretsAllowed)
}

// RecordHere stores a memory that is prepared.
func RecordHere(ctx context.Context, m *engine.Memories, r *hippo.Memory, supersedes []hippo.ID) (*hippo.Memory, error) {
	if len(supersedes) == 0 {
		if err := m.Scoped.Add(ctx, r); err != nil {
			return nil, err
		}
		m.Surprise.Add(r)
		return r, nil
	}
	old, err := SomeIDs("Supersedes", supersedes)
	if err != nil {
		return nil, err
	}
	if err := m.Flush(ctx); err != nil {
		return nil, err
	}
	op := engine.Operation(m, hippo.VerbSupersede)
	if op.By == (hippo.Source{}) { // who records is known from what is recorded
		op.By = hippo.Source{Kind: r.Source.Kind, Author: r.Source.Author, Client: r.Source.Client, Session: r.Source.Session}
	}
	if _, err := store.As(m.Scoped, op).AddInstead(ctx, r, old); err != nil {
		return nil, err
	}
	m.Surprise.Add(r)
	return r, nil
}

// RecordCompared is [Record], and lists the memories of the same project that the new one
// duplicates or probably supersedes. If no other record is running it searches for them while the disk writes the new one; else it does afterwards, so that of
// two records at a time one at least finds the other. At most two that are running are compared: nobody
// reads hints on a bulk import.
func RecordCompared(ctx context.Context, m *engine.Memories, r *hippo.Memory, supersedes ...hippo.ID) (*hippo.Memory, *Comparison, error) {
	if err := store.Identify(r); err != nil {
		return nil, nil, err
	}
	out, err := engine.Perform(ctx, m, recordArgs{r, supersedes}, "record_compared", packedRecord)
	if err != nil {
		return nil, nil, err
	}
	if out.Failure != nil {
		out.Comparison.Err = out.Failure.Err()
	}
	return out.Memory, out.Comparison, nil
}

// comparedResult is a memory with its comparison in a form that can travel: the error is beside it.
type comparedResult struct {
	Memory     *hippo.Memory
	Comparison *Comparison
	Failure    *engine.Failure
}

func packedRecord(ctx context.Context, m *engine.Memories, a recordArgs) (comparedResult, error) {
	defer embedding.Recording(m.Embedding)()
	x, err := Recorded(ctx, m, a.Memory)
	if err != nil {
		return comparedResult{}, err
	}
	var c *Comparison
	if x != nil {
		c = compared(ctx, m, x)
	} else if x, c, err = recordCompared(ctx, m, a.Memory, a.Supersedes); err != nil {
		return comparedResult{}, err
	}
	out := comparedResult{Memory: x, Comparison: c}
	if c.Err != nil {
		out.Failure, c.Err = engine.NewFailure(c.Err), nil
	}
	return out, nil
}

func recordCompared(ctx context.Context, m *engine.Memories, r *hippo.Memory, supersedes []hippo.ID) (*hippo.Memory, *Comparison, error) {
	running := m.Comparing.Add(1)
	defer m.Comparing.Add(-1)
	if err := PrepareRecord(m, r); err != nil { // before a model sees the text
		return nil, nil, err
	}
	if running > 1 || len(supersedes) > 0 { // what is superseded is no longer similar afterwards
		out, err := RecordHere(ctx, m, r, supersedes)
		switch {
		case err != nil:
			return nil, nil, err
		case running > maxComparing:
			return out, &Comparison{Skipped: true}, nil
		default:
			return out, compared(ctx, m, out), nil
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	draft := r.Clone()
	comparison := make(chan *Comparison, 1)
	go func() { comparison <- compared(ctx, m, draft) }()
	out, err := RecordHere(ctx, m, r, nil)
	if err != nil {
		cancel()
		<-comparison
		return nil, nil, err
	}
	similar := <-comparison
	if similar.Err == nil { // the index was up to date
		m.Index.Follow() // so that what comes next need not wait for it, and Close saves it
		m.Embedding.WakeOptional()
	}
	return out, similar, nil
}

// compared is [Compare] for a memory that is stored whatever becomes of the comparison.
func compared(ctx context.Context, m *engine.Memories, x *hippo.Memory) (out *Comparison) {
	defer func() {
		if r := recover(); r != nil {
			out = &Comparison{Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	out, err := Compare(ctx, m, x)
	if err != nil {
		return &Comparison{Err: err}
	}
	return out
}

// first returns the only memory of a list; nil of an empty one.
func first(ms []*hippo.Memory) *hippo.Memory {
	if len(ms) == 0 {
		return nil
	}
	return ms[0]
}
