package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/config"
)

// shownValues is how many values of a vector are printed.
const shownValues = 5

// embedded is the vector of a text, for programs.
type embedded struct {
	Text      string    `json:"text"`
	Model     string    `json:"model"`
	Dimension int       `json:"dimension"`
	Norm      float64   `json:"norm"`
	Vector    []float32 `json:"vector"`
}

func newEmbedCommand(s *shell) *cobra.Command {
	pending := false
	cmd := &cobra.Command{
		Use:   "embed TEXT",
		Short: "Embed a text with the current model and show the vector",
		Long:  "Embed a text with the current model, as a memory is embedded, and show the dimension of the vector, its length and its first values; --json prints all values. --pending embeds the memories that have no vector yet, and ends when all have one.",
		Args:  maximumArguments(1),
		RunE: func(c *cobra.Command, args []string) error {
			if pending && len(args) == 0 {
				cfg, err := s.named()
				if err != nil {
					return err
				}
				return embedPending(c.Context(), s, cfg)
			}
			if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
				return usagef("the text to embed is missing")
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			if cfg.Model.Name == config.NoModel {
				return usagef("no model is chosen: name one with --model")
			}
			vector, id, err := app.EmbedText(c.Context(), cfg.Model.Name, args[0], os.Getenv)
			if err != nil {
				return err
			}
			return printEmbedded(s, &embedded{Text: args[0], Model: id, Dimension: len(vector), Norm: norm(vector), Vector: vector})
		},
	}
	cmd.Flags().BoolVar(&pending, "pending", false, "embed the memories that have no vector yet")
	return cmd
}

// norm returns the length of a vector.
func norm(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func printEmbedded(s *shell, e *embedded) error {
	if s.json {
		return s.printJSON(e)
	}
	return s.table(func(w io.Writer) {
		fmt.Fprintf(w, "text\t%s\n", termtext.Line(e.Text))
		fmt.Fprintf(w, "model\t%s\n", termtext.Line(e.Model))
		fmt.Fprintf(w, "dimension\t%d\n", e.Dimension)
		fmt.Fprintf(w, "norm\t%.6f\n", e.Norm)
		fmt.Fprintf(w, "first values\t%.6f\n", e.Vector[:min(len(e.Vector), shownValues)])
	})
}
