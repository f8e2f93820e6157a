package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
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
			list, err := app.KnownModels(cfg.Model, os.Getenv)
			if err != nil {
				return err
			}
			return printModels(s, list)
		},
	}
}

func printModels(s *shell, list []app.KnownModel) error {
	if s.json {
		return s.printJSON(list)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintln(w, "\tmodel\tstate\tdimension\tMB\tlicence\t")
		for _, v := range list {
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
	var p app.ModelPull
	c := &cobra.Command{
		Use:   "pull MODEL",
		Short: "Download the files of a model; resumes an interrupted download",
		Args:  oneArgument("a model"),
		RunE: func(c *cobra.Command, args []string) error {
			p.Name = args[0]
			id, dir, err := pullModel(c.Context(), s, &p)
			if err != nil {
				return err
			}
			if dir == "" {
				fmt.Fprintf(s.out, "%s is part of the program\n", id)
				return nil
			}
			fmt.Fprintf(s.out, "%s is here: %s\n", id, dir)
			return nil
		},
	}
	c.Flags().StringVar(&p.Endpoint, "endpoint", "", "the URL of a mirror, instead of https://huggingface.co ($HF_ENDPOINT)")
	addPath(c.Flags(), &p.From, "from", "a folder with the files, instead of the network")
	return c
}

// pullModel downloads a model and shows the progress.
func pullModel(ctx context.Context, s *shell, p *app.ModelPull) (id, dir string, err error) {
	bar, file := newBar(s, 0, p.Name), ""
	p.Progress = func(name string, done, total int64) {
		if name != file {
			file = name
			bar.what = p.Name + " " + name
		}
		bar.set(done, total)
	}
	defer bar.finish()
	return app.PullModel(ctx, p, os.Getenv)
}

func newModelRemoveCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "rm MODEL",
		Short: "Delete the files of a model, including unfinished downloads",
		Args:  oneArgument("a model"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := app.RemoveModel(c.Context(), args[0], os.Getenv); err != nil {
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
			name, err := app.UsableModel(c.Context(), args[0], os.Getenv)
			if err != nil {
				return err
			}
			if err := config.Save(config.Path(os.Getenv), "model", name); err != nil {
				return err
			}
			s.file = nil
			fmt.Fprintf(s.out, "the model is %s\n", config.Model{Name: name})
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

// embedAll embeds the memories of the store with the chosen model.
func embedAll(ctx context.Context, s *shell) error {
	cfg, err := s.config()
	if err == nil {
		err = openedHere(cfg.Store, "embeds in this process: the server embeds by itself, with its --model")
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
			if name, err = app.ModelName(name); err != nil {
				return err
			}
			return tryModel(c.Context(), s, name)
		},
	}
}

// tryModel prints the trial of a model.
func tryModel(ctx context.Context, s *shell, name string) error {
	t, err := app.TryModel(ctx, name, os.Getenv, s.now)
	if t == nil {
		return err
	}
	fmt.Fprintf(s.out, "%s: dimension %d, %.3f ms a text, cosine %.2f for two similar texts and %.2f for two different ones\n",
		t.ID, t.Dimension, milliseconds(t.PerText), t.Similar, t.Different)
	return err
}
