package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
)

// KnownModel is a model that can be chosen.
type KnownModel struct {
	ID string `json:"id"`
	// Current: the setting names it.
	Current   bool   `json:"current,omitempty"`
	State     string `json:"state"`
	Dimension int    `json:"dimension,omitempty"`
	Size      int64  `json:"size,omitempty"`
	Licence   string `json:"licence,omitempty"`
	Repo      string `json:"repo,omitempty"`
	Note      string `json:"note,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

// KnownModels lists the models that have a name. The one of a setting that has none, such as a folder, comes last.
func KnownModels(chosen config.Model, env func(string) string) ([]KnownModel, error) {
	cache, err := downloaded(env)
	if err != nil {
		return nil, err
	}
	current := chosen.String()
	listed := current == config.NoModel
	if known, err := cache.Lookup(current); err == nil && (known.Repo != "" || known.ID == hub.Builtin) {
		current = known.ID
	}
	var out []KnownModel
	for _, e := range cache.List() {
		m := KnownModel{
			ID: e.ID, Current: e.ID == current, State: string(e.State),
			Dimension: e.Dimension, Size: e.Size, Licence: e.Licence, Repo: e.Repo, Note: e.Note,
		}
		if e.Problem != nil {
			m.Problem = e.Problem.Error()
		}
		listed = listed || m.Current
		out = append(out, m)
	}
	if !listed {
		out = append(out, KnownModel{ID: current, Current: true, State: "yours"})
	}
	return out, nil
}

// ModelPull says which model to download, and from where.
type ModelPull struct {
	Name string
	// Endpoint is the URL of a mirror; empty: $HF_ENDPOINT, or else the Hugging Face hub. From is a folder with the files, which takes its place.
	Endpoint, From string
	// Progress, if not nil, is called often with the bytes of a file that are here, and its size; 0: unknown.
	Progress func(file string, done, total int64)
}

// PullModel downloads the files of a model. It returns its ID and their folder, which is empty for a model in the program.
func PullModel(ctx context.Context, p *ModelPull, env func(string) string) (id, dir string, err error) {
	cache, err := downloaded(env)
	if err != nil {
		return "", "", err
	}
	l, err := cache.Pull(ctx, p.Name, &hub.PullOptions{Endpoint: p.Endpoint, From: p.From, Progress: p.Progress})
	return l.ID, l.Dir, err
}

// RemoveModel deletes the files of a model.
func RemoveModel(ctx context.Context, name string, env func(string) string) error {
	cache, err := downloaded(env)
	if err != nil {
		return err
	}
	return cache.Remove(ctx, name)
}

// ModelName returns the name of a model to save: the absolute path of a folder, the ID of a known model, or a URL.
func ModelName(name string) (string, error) {
	switch {
	case strings.Contains(name, "://"):
		return name, nil
	case name == "." || name == ".." || strings.ContainsAny(name, `/\~$%`):
		return config.Expand("model", name)
	}
	s, err := hub.New(nil).Lookup(name)
	return s.ID, err
}

// UsableModel is [ModelName] for a model that can be opened, so that missing or damaged files are reported before the name is saved.
func UsableModel(ctx context.Context, name string, env func(string) string) (string, error) {
	if name == config.NoModel || name == config.Builtin || name == config.Static {
		return name, nil
	}
	name, err := ModelName(name)
	if err != nil || name == config.Builtin {
		return name, err
	}
	m, err := OpenModel(ctx, name, env)
	if err != nil {
		return "", err
	}
	return name, m.Close()
}

// ModelTrial is the outcome of [TryModel].
type ModelTrial struct {
	ID        string
	Dimension int
	// PerText is how long a text took; Similar is the cosine of two texts that say the same, Different that of two that do not.
	PerText            time.Duration
	Similar, Different float64
}

// TryModel verifies every byte of a model, by a name of [ModelName], and embeds a few texts. The error is [hippo.ErrCorrupt], with the trial,
// if the model cannot tell them apart.
func TryModel(ctx context.Context, name string, env func(string) string, now func() time.Time) (*ModelTrial, error) {
	if err := verifyModel(ctx, name, env); err != nil {
		return nil, err
	}
	m, err := OpenModel(ctx, name, env)
	if err != nil {
		return nil, err
	}
	texts := []string{"The database was slow because an index was missing.", "A query took long: no index.", "We had pizza on Friday."}
	start := now()
	vectors, err := m.Embed(ctx, embed.Sentence, texts)
	t := &ModelTrial{ID: m.Model().ID, Dimension: m.Model().Dimension, PerText: now().Sub(start) / time.Duration(len(texts))}
	vectors, err = checked(&m, len(texts), vectors, err)
	if err != nil {
		return nil, err
	}
	t.Similar, t.Different = cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])
	if t.Similar <= t.Different {
		err = fmt.Errorf("%w: model %s finds different texts as similar as similar ones", hippo.ErrCorrupt, t.ID)
	}
	return t, err
}

func verifyModel(ctx context.Context, name string, env func(string) string) error {
	if !strings.Contains(name, "://") {
		cache, err := downloaded(env)
		if err != nil {
			return err
		}
		if err := cache.Verify(ctx, name); err != nil {
			return err
		}
	}
	if name == config.Builtin {
		return verifyBuiltin()
	}
	return nil
}

// EmbedText returns the vector of a text, embedded as a memory is, and the ID of the model.
func EmbedText(ctx context.Context, name, text string, env func(string) string) (vector []float32, id string, err error) {
	m, err := OpenModel(ctx, name, env)
	if err != nil {
		return nil, "", err
	}
	vectors, err := embedTexts(ctx, &m, embed.Passage, []string{text})
	if err != nil {
		return nil, "", err
	}
	return vectors[0], m.Model().ID, nil
}

// embedTexts embeds texts, checks the vectors, and closes the model.
func embedTexts(ctx context.Context, m *embedding.Model, role embed.Role, texts []string) ([][]float32, error) {
	vectors, err := m.Embed(ctx, role, texts)
	return checked(m, len(texts), vectors, err)
}

// checked checks what a model made of n texts, and closes it.
func checked(m *embedding.Model, n int, vectors [][]float32, err error) ([][]float32, error) {
	if err == nil {
		err = embed.Check(m.Model(), n, vectors)
	}
	return vectors, errors.Join(err, m.Close())
}

// cosine returns the cosine of two vectors of length 1.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
