package client

import (
	"context"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
)

// Relations relates insights to each other: a search that finds one of them then finds the
// other, too, or ranks it a little higher.
type Relations struct {
	relations engine.Relations
}

// Relations returns the relations between insights.
func (c *Client) Relations() Relations { return Relations{c.memories.Relations()} }

// Declare declares relations, each in place of the one with its From, To and Kind; all or none.
// Unknown insights are a [*hippo.UnknownError].
func (r Relations) Declare(ctx context.Context, rs ...hippo.Relation) error {
	return r.relations.Declare(ctx, rs)
}

// Remove removes relations by From, To and Kind, learned ones too. Those that are not there are
// [hippo.ErrNotFound], after the others were removed.
func (r Relations) Remove(ctx context.Context, rs ...hippo.Relation) error {
	return r.relations.Remove(ctx, rs)
}

// Of returns the relations at either end of insights, at most 100 of each, the strongest, with
// their weights of now. Unknown IDs are a [*hippo.UnknownError].
func (r Relations) Of(ctx context.Context, ids ...hippo.ID) ([]hippo.Relation, error) {
	return r.relations.Of(ctx, ids)
}

// OfAt is [Relations.Of] as of a moment: those that held then.
func (r Relations) OfAt(ctx context.Context, at hippo.Moment, ids ...hippo.ID) ([]hippo.Relation, error) {
	return r.relations.List(ctx, engine.RelationQuery{IDs: ids, At: at})
}
