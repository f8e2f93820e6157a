package app

import (
	"cmp"
	"context"

	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/causal"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise/adaptive"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise/completions"
	inprocess "github.com/hippo-memory/hippo/internal/retrieval/surprise/local"
)

// Surprise returns how a configuration has surprise computed. It makes no request.
func Surprise(c *config.Config) (engine.Surprise, error) { return surpriseOf(&c.Surprise, &Options{}) }

// surpriseOf returns how surprise is computed. It makes no request.
func surpriseOf(c *config.Surprise, o *Options) (s engine.Surprise, err error) {
	s.Mode = cmp.Or(surprise.Mode(c.Mode), surprise.Nearest)
	if s.Weights, err = surprise.ParseWeights(c.Weights, s.Mode); err != nil {
		return s, err
	}
	switch {
	case c.Loss == config.Adaptive:
		s.Predictor = &adaptive.Model{}
	case c.Folder != "":
		s.Predictor = inprocess.New(func(ctx context.Context) (inprocess.Model, error) { return causal.Open(ctx, c.Folder) }, o.Now)
	case c.Endpoint.URL != "":
		s.Predictor, err = completions.New(completions.Config{URL: c.Endpoint.URL, Model: c.Endpoint.Remote, Key: c.Endpoint.Key, Client: o.Client, Now: o.Now})
	}
	return s, err
}
