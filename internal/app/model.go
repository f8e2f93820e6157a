package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/bert"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/cnn"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/modelfile"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/openai"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
	"github.com/hippo-memory/hippo/internal/store"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/models"
)

// firstAnswerTimeout is the timeout for an endpoint that the user wants to try. Opening a
// store does not wait for endpoints.
const firstAnswerTimeout = 5 * time.Second

// queryTimeout is the timeout of a query to an endpoint, after which it is answered without.
const queryTimeout = 250 * time.Millisecond

// selection is the models of a store.
type selection struct {
	models []embedding.Model // the preferred one first
	// table tokenizes texts for the index, and reranker is the same table, with the one for
	// source code, if the reranker is in use. The index always has tokens, so that its file does not depend on the model.
	table, reranker embed.TokenEmbedder
	// degraded says why the configured model is not among them.
	degraded []string
	// shared: other engines use the same models.
	shared bool
}

// close closes the models.
func (s *selection) close() error {
	var err error
	for i := range s.models {
		err = errors.Join(err, s.models[i].Close())
	}
	return err
}

// selectModels returns the configured model; after it the one that the store was used
// with before, which serves until the other has embedded the memories; and last the
// built-in ones. It is no error if the configured model is not available: the store opens,
// and says so. It makes no request.
func selectModels(ctx context.Context, m config.Model, s *store.Store, client *http.Client) (selection, error) {
	own, err := static.Open(models.Builtin())
	if err != nil {
		return selection{}, err
	}
	sel := selection{table: own}
	if m.Name == config.NoModel {
		return sel, nil
	}
	if sel.reranker, err = static.OpenWithCode(own, models.Code()); err != nil {
		return selection{}, err
	}
	instant := embedding.Model{Embedder: own, Instant: true}
	if m.Name == config.Static {
		sel.models = []embedding.Model{instant}
		return sel, nil
	}
	if m.Name == config.Builtin {
		sel.models, err = builtin(own)
		return sel, err
	}
	known, err := s.Vectors().Models(ctx)
	if err != nil {
		return sel, err
	}
	cache, err := downloaded(os.Getenv)
	if err != nil {
		return sel, err
	}
	id := ""
	switch configured, err := openModel(ctx, m, cache, known, client); {
	case err != nil:
		sel.degraded = []string{fmt.Sprintf("semantic search: model %s: %v", m, err)}
		sel.models, err = builtin(own)
		return sel, err
	case configured.Instant: // another name of the built-in ones
		sel.models, err = builtin(own)
		return sel, err
	default:
		sel.models, id = append(sel.models, configured), configured.Model().ID
	}
	other, err := multilingual()
	sel.models = append(append(sel.models, previous(ctx, cache, known, id)...), other, instant)
	return sel, err
}

// builtin returns the models in the program: the contextual one, which replaces the vectors of the
// instant one as it embeds, and the multilingual one beside them.
func builtin(instant *static.Model) ([]embedding.Model, error) {
	contextual, err := contextual()
	if err != nil {
		return nil, err
	}
	multilingual, err := multilingual()
	return []embedding.Model{contextual, multilingual, {Embedder: instant, Instant: true}}, err
}

// threads is the number of cores that a built-in model uses: what embeds in the background must not
// be noticed.
const threads = 1

func contextual() (embedding.Model, error) {
	m, err := bert.OpenPacked(models.Contextual(), bert.Options{Threads: threads})
	if err != nil {
		return embedding.Model{}, err
	}
	return embedding.Model{Embedder: encoder(m, m.Table()), Optional: true}, nil
}

func multilingual() (embedding.Model, error) {
	m, err := cnn.Open(models.Multilingual(), cnn.Options{Threads: threads})
	if err != nil {
		return embedding.Model{}, err
	}
	return embedding.Model{Embedder: encoder(m, m.Table()), Channel: retrieve.Multilingual, Optional: true, Common: models.Questions()}, nil
}

// encoder returns a built-in encoder that joins queries, evicts its table, and has a cache.
func encoder(m embed.Embedder, table []byte) embed.Embedder {
	return embed.NewCache(embed.NewJoining(embed.NewEvicting(m, modelfile.Evictor(table))), 0)
}

// OpenModels opens the models that a store uses for a setting, the preferred one first. The caller
// closes the Embedders that are an [io.Closer].
func OpenModels(ctx context.Context, name string, env func(string) string) ([]embedding.Model, error) {
	instant, err := static.Open(models.Builtin())
	if err != nil {
		return nil, err
	}
	all, err := builtin(instant)
	switch {
	case err != nil || name == config.Builtin:
		return all, err
	case name == config.Static:
		return all[2:], nil
	}
	m, err := OpenModel(ctx, name, env)
	all[0] = m
	return all, err
}

// verifyBuiltin reads all bytes of the encoders in the program. The error is [hippo.ErrCorrupt].
func verifyBuiltin() error {
	m, err := cnn.Open(models.Multilingual(), cnn.Options{})
	if err != nil {
		return err
	}
	return errors.Join(bert.VerifyPacked(models.Contextual()), m.Verify())
}

// TokenEmbedder returns the token embeddings of the built-in model and the table for source code.
func TokenEmbedder() (embed.TokenEmbedder, error) {
	m, err := static.Open(models.Builtin())
	if err != nil {
		return nil, err
	}
	return static.OpenWithCode(m, models.Code())
}

func table() (embedding.Model, error) {
	m, err := static.Open(models.Builtin())
	return embedding.Model{Embedder: m, Instant: true}, err
}

// previous returns the model with the most vectors in the store; none if it is the configured
// one or its files are not on this machine.
func previous(ctx context.Context, cache *hub.Cache, known []driver.VectorModel, configured string) []embedding.Model {
	if len(known) == 0 {
		return nil
	}
	most := slices.MaxFunc(known, func(a, b driver.VectorModel) int { return a.Count - b.Count })
	if most.Name == configured {
		return nil
	}
	name, _, _ := strings.Cut(most.Name, "@")
	l, err := cache.Resolve(ctx, name)
	if err != nil || l.Identity() != most.Name {
		return nil
	}
	return []embedding.Model{local(l)}
}

// openModel returns the model that a setting names, without its weights or a request.
// known are the models of which the store has vectors.
func openModel(ctx context.Context, m config.Model, cache *hub.Cache, known []driver.VectorModel, client *http.Client) (embedding.Model, error) {
	if m.Problem != nil {
		return embedding.Model{}, m.Problem
	}
	if m.URL != "" {
		return endpoint(m, known, client)
	}
	name := m.Name
	if strings.ContainsAny(name, `/\~`) {
		path, err := config.Expand("model", name)
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
		return table()
	}
	return local(l), nil
}

// endpoint returns the model behind an endpoint. If the store has no vectors of it, its
// dimension is unknown; the engine learns it in the background.
func endpoint(m config.Model, known []driver.VectorModel, client *http.Client) (embedding.Model, error) {
	c := openai.Config{URL: m.URL, Model: m.Remote, Key: m.Key, Client: client}
	e, err := openai.New(c)
	if err != nil {
		return embedding.Model{}, err
	}
	id := e.Model().ID
	if i := slices.IndexFunc(known, func(k driver.VectorModel) bool { return k.Name == id }); i >= 0 {
		c.Dimension = known[i].Dimension
		e, err = openai.New(c)
	}
	return embedding.Model{Embedder: embed.NewCache(e, 0), Timeout: queryTimeout}, err
}

// local returns a model whose weights are loaded in the background when it is first used.
func local(l hub.Local) embedding.Model {
	o := bert.Options{
		Model: identify(l), QueryPrefix: l.QueryPrefix, PassagePrefix: l.PassagePrefix, MaxTokens: l.MaxTokens,
	}
	if l.Pooling == hub.CLS {
		o.Pooling = bert.First
	}
	lazy := embed.NewLazy(o.Model, func(context.Context) (embed.Embedder, error) { return bert.Open(l.Dir, o) })
	return embedding.Model{Embedder: embed.NewCache(lazy, 0)}
}

// identify names a model and its vector space. MiniLM shares the space of the built-in
// model, which was trained to imitate it; every other model has one of its own.
func identify(l hub.Local) embed.Model {
	m := embed.Model{ID: l.Identity(), Space: l.Identity(), Dimension: l.Dimension}
	if l.ID == "minilm-l6-v2" {
		m.Space = "all-MiniLM-L6-v2"
	}
	return m
}

// downloaded returns the downloaded models of this machine.
func downloaded(env func(string) string) (*hub.Cache, error) {
	dir, err := config.ModelsDir(env)
	if err != nil {
		return nil, err
	}
	return hub.New(&hub.Options{Dir: dir, Getenv: env}), nil
}

// OpenModel opens the model that a setting names and waits until it is ready, at most 5 s
// for an endpoint. The caller closes its Embedder if that is an [io.Closer].
func OpenModel(ctx context.Context, name string, env func(string) string) (embedding.Model, error) {
	c, err := config.ParseModel(name, env)
	if err != nil {
		return embedding.Model{}, err
	}
	if c.Name == config.Builtin {
		return table()
	}
	cache, err := downloaded(env)
	if err != nil {
		return embedding.Model{}, err
	}
	m, err := openModel(ctx, c, cache, nil, nil)
	if err != nil {
		return m, err
	}
	cached, ok := m.Embedder.(*embed.Cache)
	if !ok {
		return m, nil
	}
	if c.URL != "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, firstAnswerTimeout)
		defer cancel()
	}
	err = cached.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) && c.URL != "" {
		err = fmt.Errorf("%w: model %s: no answer within %v", hippo.ErrUnavailable, c, firstAnswerTimeout)
	}
	if err != nil {
		return embedding.Model{}, errors.Join(err, cached.Close())
	}
	return m, nil
}
