package eval

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/engine/upkeep"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// EngineOptions wire an engine that is measured.
type EngineOptions struct {
	// Backend returns an empty store; required.
	Backend func() driver.Backend
	Ranker  hippo.Ranker
	// Index is for the baseline only.
	Index index.Options
	// Models compare texts by vectors, and with their help Tokens token by token; none: lexical
	// search only. They are not closed.
	Models []embedding.Model
	Tokens embed.TokenEmbedder
	// Surprise is how that of the documents is computed, when all are there; the zero value: it is not.
	Surprise engine.Surprise
}

// OpenEngine returns an engine over a new store with copies of these documents, all of
// them indexed. Its clock stands still, as documents that were recorded at once have
// one age. The caller closes it.
func OpenEngine(ctx context.Context, docs []*hippo.Memory, o *EngineOptions) (*engine.Engine, error) {
	s := store.New(o.Backend(), &store.Options{Now: Now, Zone: time.UTC})
	c := engine.Config{Store: s, Ranker: o.Ranker, Now: Now}
	indexed := o.Index
	if len(o.Models) > 0 {
		for _, m := range o.Models {
			m.Embedder = shared{m.Embedder}
			c.Models = append(c.Models, m)
		}
		indexed.Models, indexed.Instant = embedding.Indexed(c.Models)
		c.Tokens, indexed.Tokens = o.Tokens, o.Tokens
	}
	var err error
	if c.Index, err = index.Open(ctx, s, &indexed); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	e := engine.New(c)
	if o.Surprise.Mode != "" {
		e.Score(o.Surprise, nil)
	}
	if err := load(ctx, e, Now(), docs); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Now is the clock of measured engines, which stands still.
func Now() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }

// Scope is the scope of measured searches: all memories.
func Scope() hippo.Scope { return hippo.LocalScope("") }

// shared hides that a model can be closed: it outlives the engine.
type shared struct{ embed.Embedder }

// load imports the documents, searches once so that they are indexed, and waits until all models
// have embedded them.
func load(ctx context.Context, e *engine.Engine, now time.Time, docs []*hippo.Memory) error {
	report, err := transfer.New(e.In(Scope())).AllowSecrets().Import(ctx, calendarOf(docs, now), copies(docs, now), nil)
	if err != nil {
		return err
	}
	for _, r := range report.Rejected {
		return r.Err
	}
	if _, err = query.Search(ctx, e.In(Scope()), hippo.Query{Text: "a", Count: 1, NoTouch: true}); err != nil {
		return err
	}
	if err := e.Embed(ctx, func(int, int) {}); err != nil {
		return err
	}
	_, err = upkeep.Rescore(ctx, e.In(Scope()), 0)
	return err
}

// copies returns copies of documents. Those without a time were recorded in their order, a second
// after each other, the last one now.
func copies(docs []*hippo.Memory, now time.Time) iter.Seq2[*hippo.Memory, error] {
	return func(yield func(*hippo.Memory, error) bool) {
		for i, m := range docs {
			m = m.Clone()
			if m.CreatedAt.IsZero() {
				m.CreatedAt = now.Add(time.Duration(i+1-len(docs)) * time.Second)
			}
			if !yield(m, nil) {
				return
			}
		}
	}
}

// calendarOf returns the calendar, at now, of the store that documents came from: its
// day is the newest active day that they know of. Zero if they carry no days.
func calendarOf(docs []*hippo.Memory, now time.Time) hippo.Calendar {
	var day hippo.Day
	for _, m := range docs {
		day = max(day, m.Importance.SetDay)
		if n := len(m.Accesses); n > 0 {
			day = max(day, m.Accesses[n-1].Day)
		}
	}
	if day == 0 {
		return hippo.Calendar{}
	}
	return hippo.Calendar{Day: day, Date: when.Date(now, now.Location())}
}
