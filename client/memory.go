package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// Record stores an insight and returns it as stored. When it returns without an error, the
// insight is durable. Errors: a [*hippo.FieldError] that names the field and the limit; a
// [*hippo.UnknownError] for what it supersedes; a [*hippo.SecretError] for what seems to hold a secret, see
// [Client.AllowSecrets].
func (c *Client) Record(ctx context.Context, r api.Record) (*api.Recorded, error) {
	base := hippo.DefaultImportance
	if r.Importance != nil {
		base = *r.Importance
	}
	x := &hippo.Memory{
		Content: r.Content, Situation: r.Situation, Tags: r.Tags, Type: r.Type, Importance: hippo.Importance{Base: base}, Pinned: r.Pinned,
		EventTime: r.EventTime, ValidFrom: r.ValidFrom, ValidUntil: r.ValidUntil, Source: r.Source, Trust: hippo.TrustDefault, Metadata: r.Metadata,
		Namespace: c.scope.Namespace,
	}
	x = x.Clone() // the lists stay those of the caller
	x.Project = c.scope.ProjectFor(x)
	if r.Project != nil {
		x.Project = *r.Project
	}
	if !r.Compare {
		m, err := memory.Record(ctx, c.memories, x, r.Supersedes...)
		if err != nil {
			return nil, err
		}
		return &api.Recorded{Memory: m}, nil
	}
	m, same, err := memory.RecordCompared(ctx, c.memories, x, r.Supersedes...)
	if err != nil {
		return nil, err
	}
	if same.Err != nil {
		return &api.Recorded{Memory: m, Degraded: "not compared with others: " + same.Err.Error()}, nil
	}
	return &api.Recorded{Memory: m, Duplicates: same.Duplicates, Replaces: same.Replaces}, nil
}

// Get returns insights by ID, in the order of the IDs, forgotten ones included. Unknown IDs are a
// [*hippo.UnknownError]. It does not count as use.
func (c *Client) Get(ctx context.Context, q api.Get) (*api.Got, error) {
	return query.GetAt(ctx, c.memories, q)
}

// List returns insights by the time they were recorded, newest first. It does not count as use.
func (c *Client) List(ctx context.Context, q api.List) (*api.Listing, error) {
	if err := c.selectProjects(ctx, q.Projects, &q.Filter); err != nil {
		return nil, err
	}
	return memory.List(ctx, c.memories, q)
}

// Resolve turns a reference into an ID. One that fits several insights is a [*hippo.AmbiguousError], one that fits none
// [hippo.ErrNotFound].
func (c *Client) Resolve(ctx context.Context, q api.Resolve) (hippo.ID, error) {
	if q.Entities {
		return knowledge.ResolveNamed(ctx, c.memories, q.Ref, q.Prefer)
	}
	return memory.Resolve(ctx, c.memories, q.Ref, q.Prefer)
}

// ShortIDs returns the short forms of IDs, which [Client.Resolve] takes back. Cost: a scan of the
// index, 0.2 ms of 100,000 insights.
func (c *Client) ShortIDs(ids ...hippo.ID) hippo.ShortIDs { return memory.ShortIDs(c.memories, ids) }

// Modify changes one insight and returns it as stored. An unknown ID is [hippo.ErrNotFound]; no
// change at all is [hippo.ErrInvalid].
func (c *Client) Modify(ctx context.Context, m api.Modify) (*hippo.Memory, error) {
	return memory.Modify(ctx, c.memories, m.ID, m.Change)
}

// ModifyAll changes several insights, each of which is there once, as one operation: all of them or none. No change may
// supersede. It returns them as stored.
func (c *Client) ModifyAll(ctx context.Context, list ...api.Modify) ([]*hippo.Memory, error) {
	return memory.ModifyAll(ctx, c.memories, list)
}

// Reinforce votes, all or none, and returns the effects, in the order of the lists.
func (c *Client) Reinforce(ctx context.Context, b api.Reinforce) ([]api.Reinforcement, error) {
	return memory.Cast(ctx, c.memories, b)
}

// Feedback returns the votes on an insight and its openings, the newest last, at most [hippo.MaxFeedback]. An unknown ID is a
// [*hippo.UnknownError].
func (c *Client) Feedback(ctx context.Context, id hippo.ID) ([]api.Feedback, error) {
	ms, err := memory.Get(ctx, c.memories, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	out := make([]api.Feedback, len(ms[0].Feedback))
	for i := range ms[0].Feedback {
		f := &ms[0].Feedback[i]
		out[i] = api.Feedback{Kind: f.Kind, Day: f.Day, Weight: f.Weight, Tied: len(f.Question) > 0}
		if f.Former != nil {
			out[i].At = f.Former.At
		}
	}
	return out, nil
}

// Opened notes that insights were read whole as answers to a question.
func (c *Client) Opened(ctx context.Context, o api.Opened) error {
	if err := hippo.ValidQuery("Query", o.Query); err != nil {
		return err
	}
	asked := make(map[hippo.ID]string, len(o.IDs))
	for _, id := range o.IDs {
		asked[id] = o.Query
	}
	return memory.Opened(ctx, c.memories, asked)
}

// Forget hides insights from every search; they are kept. With an unknown ID nothing is
// changed.
func (c *Client) Forget(ctx context.Context, ids ...hippo.ID) ([]*hippo.Memory, error) {
	return memory.Forget(ctx, c.memories, ids)
}

// Restore undoes Forget.
func (c *Client) Restore(ctx context.Context, ids ...hippo.ID) ([]*hippo.Memory, error) {
	return memory.Restore(ctx, c.memories, ids)
}

// Purge deletes insights for good, forgotten or not. With an unknown ID nothing is deleted.
func (c *Client) Purge(ctx context.Context, ids ...hippo.ID) error {
	return memory.Purge(ctx, c.memories, ids)
}
