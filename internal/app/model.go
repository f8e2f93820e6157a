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
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/models"
)

// testTimeout bounds the first question to the endpoint that a user wants to try.
const testTimeout = 5 * time.Second

// chosen is what finds memories by meaning in a store.
type chosen struct {
	models []engine.Model
	pieces embed.Pieces
	// degraded says why the wanted model is not among them.
	degraded []string
}

// choose returns the wanted model, behind it the one that the store was used with
// before, which serves until the other has caught up, and behind that the built-in
// one. A wanted model that cannot be had is no error: the store opens, and says so.
func choose(ctx context.Context, m config.Model, s *store.Store, client *http.Client) (chosen, error) {
	var c chosen
	if m.Name == config.NoModel {
		return c, nil
	}
	table, err := static.Open(models.Builtin())
	if err != nil {
		return c, err
	}
	own := engine.Model{Embedder: table, Instant: true}
	c.pieces = table
	if m.Name == config.Builtin {
		c.models = []engine.Model{own}
		return c, nil
	}
	known, err := s.VectorModels(ctx)
	if err != nil {
		return c, err
	}
	cache, id := hub.New(nil), ""
	switch wanted, err := open(ctx, m, cache, known, client); {
	case err != nil:
		c.degraded = []string{fmt.Sprintf("meaning: model %s: %v", m, err)}
	case wanted.Model().ID == own.Model().ID:
		c.models = []engine.Model{own}
		return c, nil
	default:
		c.models, id = append(c.models, wanted), wanted.Model().ID
	}
	c.models = append(append(c.models, former(ctx, cache, known, id)...), own)
	return c, nil
}

// Pieces returns the word pieces of the model that is part of the program.
func Pieces() (embed.Pieces, error) {
	m, err := static.Open(models.Builtin())
	return m, err
}

func builtin() (engine.Model, error) {
	m, err := static.Open(models.Builtin())
	return engine.Model{Embedder: m, Instant: true}, err
}

// former returns the model that has most of the vectors in the store, if it is not
// the wanted one and its files are here.
func former(ctx context.Context, cache *hub.Cache, known []driver.VectorModel, wanted string) []engine.Model {
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
	return []engine.Model{background(l)}
}

// open returns the model that a setting names. Its weights are loaded when they
// are needed.
func open(ctx context.Context, m config.Model, cache *hub.Cache, known []driver.VectorModel, client *http.Client) (engine.Model, error) {
	if m.Problem != nil {
		return engine.Model{}, m.Problem
	}
	if m.URL != "" {
		return remote(m, known, client)
	}
	name := m.Name
	if strings.ContainsAny(name, `/\~`) {
		path, err := config.Expand(name)
		if err != nil {
			return engine.Model{}, err
		}
		name = path
	}
	l, err := cache.Resolve(ctx, name)
	if err != nil {
		return engine.Model{}, err
	}
	if l.ID == hub.Builtin {
		return builtin()
	}
	return background(l), nil
}

// remote returns the model behind an endpoint, and asks nothing. If the store has no
// vectors of it, its dimension is not known yet: the engine learns it in the background.
func remote(m config.Model, known []driver.VectorModel, hc *http.Client) (engine.Model, error) {
	c := openai.Config{URL: m.URL, Model: m.Remote, Key: m.Key, Client: hc}
	client, err := openai.New(c)
	if err != nil {
		return engine.Model{}, err
	}
	for _, k := range known {
		if k.Name == client.Model().ID {
			c.Dimension = k.Dimension
			client, err = openai.New(c)
		}
	}
	return engine.Model{Embedder: shared(client)}, err
}

// background returns a model that is loaded when it is first used.
func background(l hub.Local) engine.Model {
	m := modelOf(l)
	return engine.Model{Embedder: shared(embed.NewLazy(m, func(context.Context) (embed.Embedder, error) { return load(l) }))}
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
func OpenModel(ctx context.Context, name string, env func(string) string) (engine.Model, error) {
	m, err := config.ParseModel(name, env)
	if err != nil {
		return engine.Model{}, err
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
			return engine.Model{}, errors.Join(err, c.Close())
		}
	}
	return e, nil
}
