package client

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Relations relates insights to each other: a search that finds one of them then also finds the
// other, or ranks it slightly higher.
type Relations struct {
	relations engine.Relations
}

// Relations returns the relations between insights.
func (c *Client) Relations() Relations { return Relations{c.memories.Relations()} }

// Declare declares relations, each in place of those with its From, To and Kind that hold at the same time; all or none. Those of
// [hippo.SingleKinds] end the older one of the same insight. Unknown insights are a [*hippo.UnknownError].
func (r Relations) Declare(ctx context.Context, rs ...hippo.Relation) (*api.Related, error) {
	return r.relations.Declare(ctx, rs)
}

// End ends relations, named by From, To and Kind, the last period that begins before, at a time, the zero time: now. All or none. One that is not there is
// [hippo.ErrNotFound], one that ended before [hippo.ErrConflict], one that begins later [hippo.ErrInvalid].
func (r Relations) End(ctx context.Context, at time.Time, rs ...hippo.Relation) ([]hippo.Relation, error) {
	return r.relations.End(ctx, api.EndRelations{Relations: rs, At: at})
}

// Remove removes all periods of relations by From, To and Kind, or the one that begins at ValidFrom; learned ones too. Those that are not there are
// [hippo.ErrNotFound], after the others were removed.
func (r Relations) Remove(ctx context.Context, rs ...hippo.Relation) error {
	return r.relations.Remove(ctx, rs)
}

// Of returns the relations at either end of insights, at most 100 of each, the strongest, with
// their weights of now. Unknown IDs are a [*hippo.UnknownError].
func (r Relations) Of(ctx context.Context, ids ...hippo.ID) ([]hippo.Relation, error) {
	return r.relations.Of(ctx, ids)
}

// List is [Relations.Of] with a query.
func (r Relations) List(ctx context.Context, q api.Relations) ([]hippo.Relation, error) {
	return r.relations.List(ctx, q)
}
