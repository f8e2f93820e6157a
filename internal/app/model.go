package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/bert"
	"github.com/hippo-memory/hippo/internal/embed/hub"
	"github.com/hippo-memory/hippo/internal/embed/openai"
	"github.com/hippo-memory/hippo/internal/embed/static"
	"github.com/hippo-memory/hippo/internal/embedding"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/models"
)

// testTimeout bounds the first question to the endpoint that a user wants to try.
const testTimeout = 5 * time.Second

// remoteTimeout is how long a query waits for an endpoint before it is answered without.
const remoteTimeout = 250 * time.Millisecond

// chosen is what embeds memories and queries.
type chosen struct {
	// models are those in use, the most wanted first.
	models []embedding.Model
	// table cuts texts into tokens for the index, and tokens is that table if texts are
	// compared by tokens, too. The index has them in any case: its file is the same then,
	// whoever asks.
	table, tokens embed.Pieces
	// degraded says why the wanted model is not among them.
	degraded []string
}

// choose returns the wanted model, behind it the one that the store was used with
// before, which serves until the other has caught up, and behind that the built-in
// one. A wanted model that cannot be had is no error: the store opens, and says so.
func choose(ctx context.Context, m config.Model, s *store.Store, client *http.Client) (chosen, error) {
	table, err := static.Open(models.Builtin())
	if err != nil {
		return chosen{}, err
	}
	c := chosen{table: table}
	if m.Name == config.NoModel {
		return c, nil
	}
	own := embedding.Model{Embedder: table, Instant: true}
	c.tokens = table
	if m.Name == config.Builtin {
		c.models = []embedding.Model{own}
		return c, nil
	}
	known, err := s.VectorModels(ctx)
	if err != nil {
		return c, err
	}
	cache, id := hub.New(nil), ""
	switch wanted, err := open(ctx, m, cache, known, client); {
	case err != nil:
		c.degraded = []string{fmt.Sprintf("semantic search: model %s: %v", m, err)}
	case wanted.Model().ID == own.Model().ID:
		c.models = []embedding.Model{own}
		return c, nil
	default:
		c.models, id = append(c.models, wanted), wanted.Model().ID
	}
	c.models = append(append(c.models, former(ctx, cache, known, id)...), own)
	return c, nil
}

// close closes the models.
func (c *chosen) close() error {
	var err error
	for _, m := range c.models {
		if closer, ok := m.Embedder.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
	}
	return err
}

// Tokens returns the word pieces of the model that is part of the program.
func Tokens() (embed.Pieces, error) { return static.Open(models.Builtin()) }

func builtin() (embedding.Model, error) {
	m, err := static.Open(models.Builtin())
	return embedding.Model{Embedder: m, Instant: true}, err
}

// former returns the model that has most of the vectors in the store, if it is not
// the wanted one and its files are here.
func former(ctx context.Context, cache *hub.Cache, known []driver.VectorModel, wanted string) []embedding.Model {
	if len(known) == 0 {
		return nil
	}
	most := slices.MaxFunc(known, func(a, b driver.VectorModel) int { return a.Count - b.Count })
	if most.Name == wanted {
		return nil
	}
	name, _, _ := strings.Cut(most.Name, "@")
	l, err := cache.Resolve(ctx, name)
	if err != nil || l.Identity() != most.Name {
		return nil
	}
	return []embedding.Model{background(l)}
}

// open returns the model that a setting names. Its weights are loaded when they
// are needed.
func open(ctx context.Context, m config.Model, cache *hub.Cache, known []driver.VectorModel, client *http.Client) (embedding.Model, error) {
	if m.Problem != nil {
		return embedding.Model{}, m.Problem
	}
	if m.URL != "" {
		return remote(m, known, client)
	}
	name := m.Name
	if strings.ContainsAny(name, `/\~`) {
		path, err := config.Expand(name)
		if err != nil {
			return embedding.Model{}, err
		}
		name = path
	}
	l, err := cache.Resolve(ctx, name)
	if err != nil {
		return embedding.Model{}, err
	}
	if l.ID == hub.Builtin {
		return builtin()
	}
	return background(l), nil
}

// remote returns the model behind an endpoint, and asks nothing. If the store has no
// vectors of it, its dimension is not known yet: the engine learns it in the background.
func remote(m config.Model, known []driver.VectorModel, hc *http.Client) (embedding.Model, error) {
	c := openai.Config{URL: m.URL, Model: m.Remote, Key: m.Key, Client: hc}
	client, err := openai.New(c)
	if err != nil {
		return embedding.Model{}, err
	}
	for _, k := range known {
		if k.Name == client.Model().ID {
			c.Dimension = k.Dimension
			client, err = openai.New(c)
		}
	}
	return embedding.Model{Embedder: shared(client), Timeout: remoteTimeout}, err
}

// background returns a model that is loaded when it is first used.
func background(l hub.Local) embedding.Model {
	m := modelOf(l)
	return embedding.Model{Embedder: shared(embed.NewLazy(m, func(context.Context) (embed.Embedder, error) { return load(l) }))}
}

// modelOf names a model. MiniLM shares its space with the built-in one, which was
// trained to lie there; every other model has its own.
func modelOf(l hub.Local) embed.Model {
	m := embed.Model{ID: l.Identity(), Space: l.Identity(), Dimension: l.Dimension}
	if l.ID == "minilm-l6-v2" {
		m.Space = "all-MiniLM-L6-v2"
	}
	return m
}

func load(l hub.Local) (embed.Embedder, error) {
	o := bert.Options{
		Model: modelOf(l), QueryPrefix: l.QueryPrefix, PassagePrefix: l.PassagePrefix, MaxTokens: l.MaxTokens,
	}
	if l.Pooling == hub.CLS {
		o.Pooling = bert.First
	}
	return bert.Open(l.Dir, o)
}

// shared puts a queue and a cache before a model.
func shared(e embed.Embedder) embed.Embedder {
	q := embed.NewQueue(e, nil)
	return &closing{embed.NewCache(q, 0), []any{q, e}}
}

// closing closes what an embedder is made of, the outermost first.
type closing struct {
	embed.Embedder
	parts []any
}

// Close implements [io.Closer].
func (c *closing) Close() error {
	var err error
	for _, p := range c.parts {
		if closer, ok := p.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
	}
	return err
}

// Wait implements [embed.Waiter].
func (c *closing) Wait(ctx context.Context) error {
	for _, p := range c.parts {
		if w, ok := p.(embed.Waiter); ok {
			return w.Wait(ctx)
		}
	}
	return nil
}

// OpenModel opens the model that a setting names and waits until it is ready: for
// measurements and tests. The caller closes its Embedder if that is an [io.Closer].
func OpenModel(ctx context.Context, name string, env func(string) string) (embedding.Model, error) {
	m, err := config.ParseModel(name, env)
	if err != nil {
		return embedding.Model{}, err
	}
	if m.Name == config.Builtin {
		return builtin()
	}
	e, err := open(ctx, m, hub.New(nil), nil, nil)
	if err != nil {
		return e, err
	}
	if c, ok := e.Embedder.(*closing); ok {
		if m.URL != "" {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, testTimeout)
			defer cancel()
		}
		if err := c.Wait(ctx); err != nil {
			return embedding.Model{}, errors.Join(err, c.Close())
		}
	}
	return e, nil
}
