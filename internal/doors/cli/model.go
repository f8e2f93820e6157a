package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

func newModelCommand(s *shell) *cobra.Command {
	c := &cobra.Command{
		Use:   "model",
		Short: "List, download and choose the embedding models of semantic search",
		Long: `A small embedding model is built in. Larger models find more, and take milliseconds per text instead of microseconds; their files
come from the Hugging Face hub, a mirror, or a folder. A model can also be a folder of your own (config.json, tokenizer.json,
model.safetensors) or an OpenAI-compatible endpoint such as http://127.0.0.1:11434/v1#nomic-embed-text. Its API key is read from
HIPPO_MODEL_KEY or from the file that HIPPO_MODEL_KEY_FILE names.`,
		Args: refuseUnknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newModelListCommand(s), newModelPullCommand(s), newModelUseCommand(s), newModelRemoveCommand(s), newModelTestCommand(s))
	return c
}

func newModelListCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the available models, and mark the downloaded ones",
		Args:  maximumArguments(0),
		RunE: func(*cobra.Command, []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			cache, err := app.Models(os.Getenv)
			if err != nil {
				return err
			}
			return printModels(s, cfg.Model, cache)
		},
	}
}

// modelView is an entry of the list.
type modelView struct {
	ID        string `json:"id"`
	Current   bool   `json:"current,omitempty"`
	State     string `json:"state"`
	Dimension int    `json:"dimension,omitempty"`
	Size      int64  `json:"size,omitempty"`
	Licence   string `json:"licence,omitempty"`
	Repo      string `json:"repo,omitempty"`
	Note      string `json:"note,omitempty"`
	Problem   string `json:"problem,omitempty"`
}

func printModels(s *shell, chosen config.Model, cache *hub.Cache) error {
	current := chosen.String()
	var views []modelView
	listed := current == config.NoModel
	if known, err := cache.Lookup(current); err == nil && (known.Repo != "" || known.ID == hub.Builtin) {
		current = known.ID
	}
	for _, e := range cache.List() {
		v := modelView{
			ID: e.ID, Current: e.ID == current, State: string(e.State),
			Dimension: e.Dimension, Size: e.Size, Licence: e.Licence, Repo: e.Repo, Note: e.Note,
		}
		if e.Problem != nil {
			v.Problem = e.Problem.Error()
		}
		listed = listed || v.Current
		views = append(views, v)
	}
	if !listed {
		views = append(views, modelView{ID: current, Current: true, State: "yours"})
	}
	if s.json {
		return s.printJSON(views)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "\tmodel\tstate\tdimension\tMB\tlicence\t")
		for _, v := range views {
			mark := ""
			if v.Current {
				mark = "*"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", mark, v.ID, v.State, count(v.Dimension), count(int(v.Size/1e6)), v.Licence, v.Note)
			if v.Problem != "" {
				fmt.Fprintf(w, "\t\t%s\n", v.Problem)
			}
		}
	})
}

// count formats a number; 0 is empty.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func newModelPullCommand(s *shell) *cobra.Command {
	var o hub.PullOptions
	c := &cobra.Command{
		Use:   "pull MODEL",
		Short: "Download the files of a model; resumes an interrupted download",
		Args:  oneArgument("a model"),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := pullModel(c.Context(), s, args[0], o)
			if err != nil {
				return err
			}
			if l.Dir == "" {
				fmt.Fprintf(s.out, "%s is part of the program\n", l.ID)
				return nil
			}
			fmt.Fprintf(s.out, "%s is here: %s\n", l.ID, l.Dir)
			return nil
		},
	}
	c.Flags().StringVar(&o.Endpoint, "endpoint", "", "the URL of a mirror, instead of https://huggingface.co ($HF_ENDPOINT)")
	addPath(c.Flags(), &o.From, "from", "a folder with the files, instead of the network")
	return c
}

// pullModel downloads a model and shows the progress.
func pullModel(ctx context.Context, s *shell, id string, o hub.PullOptions) (hub.Local, error) {
	bar, file := newBar(s, 0, id), ""
	o.Progress = func(name string, done, total int64) {
		if name != file {
			file = name
			bar.what = id + " " + name
		}
		bar.set(done, total)
	}
	defer bar.finish()
	cache, err := app.Models(os.Getenv)
	if err != nil {
		return hub.Local{}, err
	}
	return cache.Pull(ctx, id, &o)
}

func newModelRemoveCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "rm MODEL",
		Short: "Delete the files of a model, including unfinished downloads",
		Args:  oneArgument("a model"),
		RunE: func(c *cobra.Command, args []string) error {
			cache, err := app.Models(os.Getenv)
			if err != nil {
				return err
			}
			if err := cache.Remove(c.Context(), args[0]); err != nil {
				return err
			}
			fmt.Fprintf(s.out, "%s is removed; vectors that it made stay in the stores\n", args[0])
			return nil
		},
	}
}

func newModelUseCommand(s *shell) *cobra.Command {
	var later bool
	c := &cobra.Command{
		Use:   "use MODEL",
		Short: "Select the model for all stores, and embed the memories of this one",
		Long: `Select the model in the settings file. The memories of the store are then embedded; Ctrl-C keeps what is done, and servers embed
the rest in the background. Searches use the previous model until all memories are embedded.`,
		Args: oneArgument("a model: builtin, none, one of hippo model list, a folder or URL#NAME"),
		RunE: func(c *cobra.Command, args []string) error {
			name, err := usableModel(c.Context(), args[0])
			if err != nil {
				return err
			}
			if err := config.Save(config.Path(os.Getenv), "model", name); err != nil {
				return err
			}
			s.file = nil
			fmt.Fprintf(s.out, "the model is %s\n", secret.RedactURL(name))
			if cfg, err := s.config(); err != nil {
				return err
			} else if cfg.Model.Name != name {
				fmt.Fprintf(s.errw, "hippo: HIPPO_MODEL or --model says %s, which goes before it\n", cfg.Model)
				return nil
			}
			if later || name == config.NoModel || name == config.Static {
				return nil
			}
			return embedAll(c.Context(), s)
		},
	}
	c.Flags().BoolVar(&later, "later", false, "leave the embedding to servers")
	return c
}

// usableModel opens a model to report missing or damaged files now rather than at the next
// search, and returns the name to save.
func usableModel(ctx context.Context, name string) (string, error) {
	if name == config.NoModel || name == config.Builtin || name == config.Static {
		return name, nil
	}
	name, err := canonical(name)
	if err != nil || name == config.Builtin {
		return name, err
	}
	m, err := app.OpenModel(ctx, name, os.Getenv)
	if err != nil {
		return "", err
	}
	return name, m.Close()
}

// canonical returns the absolute path of a folder or the ID of a known model.
func canonical(name string) (string, error) {
	switch {
	case strings.Contains(name, "://"):
		return name, nil
	case name == "." || name == ".." || strings.ContainsAny(name, `/\~$%`):
		return config.Expand("model", name)
	}
	s, err := hub.New(nil).Lookup(name)
	return s.ID, err
}

// embedAll embeds the memories of the store with the chosen model.
func embedAll(ctx context.Context, s *shell) error {
	cfg, err := s.config()
	if err == nil {
		err = ownStore(cfg.Store, "embeds in this process: the server embeds by itself, with its --model")
	}
	if err != nil {
		return err
	}
	return s.withEngine(ctx, cfg, func(e *engine.Memories) error {
		bar := newBar(s, 0, "embedding")
		total := 0
		err := e.Embed(ctx, func(done, all int) {
			bar.set(int64(done), int64(all))
			total = all
		})
		bar.finish()
		if errors.Is(err, context.Canceled) {
			fmt.Fprintln(s.errw, "what is done is kept; servers embed the rest")
			return nil
		}
		if err == nil {
			fmt.Fprintf(s.out, "%d memories are embedded\n", total)
		}
		return err
	})
}

func newModelTestCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "test [MODEL]",
		Short: "Verify the files of a model and run it once",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := s.config()
			if err != nil {
				return err
			}
			name := cfg.Model.Name
			if len(args) == 1 {
				name = args[0]
			}
			if name == config.NoModel {
				return usagef("no model is chosen: name one")
			}
			if name, err = canonical(name); err != nil {
				return err
			}
			return tryModel(c.Context(), s, name)
		},
	}
}

// tryModel verifies every byte of a model and embeds a few texts.
func tryModel(ctx context.Context, s *shell, name string) error {
	if !strings.Contains(name, "://") {
		cache, err := app.Models(os.Getenv)
		if err != nil {
			return err
		}
		if err := cache.Verify(ctx, name); err != nil {
			return err
		}
	}
	if name == config.Builtin {
		if err := app.VerifyBuiltin(); err != nil {
			return err
		}
	}
	m, err := app.OpenModel(ctx, name, os.Getenv)
	if err != nil {
		return err
	}
	texts := []string{"The database was slow because an index was missing.", "A query took long: no index.", "We had pizza on Friday."}
	start := s.now()
	vectors, err := m.Embed(ctx, embed.Sentence, texts)
	taken := s.now().Sub(start)
	if err == nil {
		err = embed.Check(m.Model(), len(texts), vectors)
	}
	if err = errors.Join(err, m.Close()); err != nil {
		return err
	}
	similar, different := cosine(vectors[0], vectors[1]), cosine(vectors[0], vectors[2])
	fmt.Fprintf(s.out, "%s: dimension %d, %.3f ms a text, cosine %.2f for two similar texts and %.2f for two different ones\n",
		m.Model().ID, m.Model().Dimension, float64(taken.Microseconds())/1000/float64(len(texts)), similar, different)
	if similar <= different {
		return fmt.Errorf("%w: model %s finds different texts as similar as similar ones", hippo.ErrCorrupt, m.Model().ID)
	}
	return nil
}

// cosine returns the cosine of two vectors of length 1.
func cosine(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
