package eval

import (
	"context"
	"errors"

	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// cacheSize is the number of vectors kept for each model: more than the texts of all
// sets. Every ranker embeds the same texts again.
const cacheSize = 1 << 18

// Model is a model that can be measured.
type Model struct {
	// Name is the name of its rows.
	Name string
	// Used are the models that a store uses for this setting, the preferred one first.
	Used []embedding.Model
}

// OpenFunc opens the models that a store uses for a setting, with the variables of an environment.
type OpenFunc func(ctx context.Context, name string, env func(string) string) ([]embedding.Model, error)

// OpenModels opens models by name, each with a cache of its vectors. The caller closes
// them with [CloseModels], after an error too.
func OpenModels(ctx context.Context, names []string, env func(string) string, open OpenFunc) ([]Model, error) {
	var models []Model
	for _, name := range names {
		used, err := open(ctx, name, env)
		if err != nil {
			return models, err
		}
		for i := range used {
			used[i].Embedder = embed.NewCache(used[i].Embedder, cacheSize)
		}
		models = append(models, Model{Name: secret.RedactURL(name), Used: used})
	}
	return models, nil
}

// CloseModels closes models.
func CloseModels(models []Model) error {
	var errs []error
	for _, m := range models {
		for i := range m.Used {
			errs = append(errs, m.Used[i].Close())
		}
	}
	return errors.Join(errs...)
}
