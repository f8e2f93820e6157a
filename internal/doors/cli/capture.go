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
	"github.com/hippo-memory/hippo/internal/agents/ingest"
	"github.com/hippo-memory/hippo/internal/agents/transcript"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

func newCaptureCommand(s *shell) *cobra.Command {
	var o ingest.Options
	var name string
	c := &cobra.Command{
		Use:   "capture FILE",
		Short: "Record what is worth keeping from a session transcript; - reads stdin",
		Long: `Record what is worth keeping from a transcript of Claude Code, Codex, Gemini CLI or opencode ("opencode export SESSION"):
decisions, errors with their fixes, conventions, preferences, corrections and facts. A known memory gets a vote, and a changed one is
superseded. Capturing a file again reads only its new part.`,
		Args: oneArgument("a file"),
		Example: `  hippo capture ~/.claude/projects/-home-me-app/SESSION.jsonl --dry-run
  opencode export SESSION | hippo capture -`,
		RunE: func(c *cobra.Command, args []string) error {
			if o.Client = transcript.Client(name); name != "" {
				if err := hippo.OneOf("client", o.Client, transcript.Clients()...); err != nil {
					return err
				}
			}
			cfg, err := s.config()
			if err != nil {
				return err
			}
			r, err := captured(c.Context(), s, cfg, args[0], o)
			return errors.Join(printCaptured(s, r), err)
		},
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "read the whole file and show what would be recorded, and why; record nothing")
	c.Flags().StringVar(&name, "client", "", "the client that wrote the transcript, if it is not recognised: claude-code, codex, gemini-cli or opencode")
	return c
}

// captured captures from a file, or from stdin.
func captured(ctx context.Context, s *shell, cfg config.Config, path string, o ingest.Options) (r *ingest.Report, err error) {
	c, closing := ingestConfig(s, cfg)
	defer func() { err = errors.Join(err, closing()) }()
	if path == "-" {
		return ingest.Stream(ctx, c, s.in, o)
	}
	if path, err = config.Expand("file", path); err != nil {
		return &ingest.Report{}, err
	}
	return ingest.File(ctx, c, path, o)
}

// ingestConfig returns how captures reach the store of a configuration, which is opened when there
// is something to store; and what closes it.
func ingestConfig(s *shell, cfg config.Config) (*ingest.Config, func() error) {
	var opened *engine.Engine
	open := func(ctx context.Context, id project.Identity) (*engine.Memories, error) {
		if opened == nil {
			e, err := app.OpenShared(ctx, cfg, openOptions(s, cfg))
			if err != nil {
				return nil, err
			}
			opened = e
		}
		return engine.Locate(ctx, opened.In(s.scope(cfg)), id)
	}
	closing := func() error {
		if opened == nil {
			return nil
		}
		return opened.Close()
	}
	return &ingest.Config{
		Memories: open, Project: func(ctx context.Context, dir string) project.Identity { return app.Project(ctx, cfg, dir) },
		Excluded: captureOff(cfg), StateDir: config.StateDir(os.Getenv), Now: s.now,
	}, closing
}

// captureJSON is a capture in JSON.
type captureJSON struct {
	Client     string          `json:"client,omitempty"`
	Session    string          `json:"session,omitempty"`
	From       int64           `json:"from"`
	To         int64           `json:"to"`
	Turns      int             `json:"turns"`
	Malformed  int             `json:"malformed"`
	TooLong    int             `json:"too_long"`
	Withdrawn  int             `json:"withdrawn"`
	Reason     string          `json:"reason,omitempty"`
	Candidates []candidateJSON `json:"candidates"`
}

type candidateJSON struct {
	Action     string   `json:"action"`
	ID         string   `json:"id,omitempty"`
	Supersedes []string `json:"supersedes,omitempty"`
	Type       string   `json:"type"`
	Content    string   `json:"content"`
	Situation  []string `json:"situation,omitempty"`
	Importance float64  `json:"importance"`
	Score      float64  `json:"score"`
	Why        string   `json:"why"`
	Turns      []string `json:"turns"`
	Error      string   `json:"error,omitempty"`
}

func captureOf(r *ingest.Report) captureJSON {
	out := captureJSON{
		Client: string(r.Client), Session: r.Session, From: r.From, To: r.To, Turns: r.Turns, Malformed: r.Malformed, TooLong: r.TooLong, Withdrawn: r.Withdrawn, Reason: r.Reason,
		Candidates: []candidateJSON{},
	}
	for _, o := range r.Outcomes {
		x := candidateJSON{
			Action: string(o.Action), Type: o.Type, Content: o.Content, Situation: o.Situation, Importance: o.Importance, Score: o.Score,
			Why: o.Reason, Turns: o.Turns,
		}
		if !o.Memory.IsZero() {
			x.ID = o.Memory.String()
		}
		for _, id := range o.Supersedes {
			x.Supersedes = append(x.Supersedes, id.String())
		}
		if o.Err != nil {
			x.Error = o.Err.Error()
		}
		out.Candidates = append(out.Candidates, x)
	}
	return out
}

// printCaptured prints what a capture did.
func printCaptured(s *shell, r *ingest.Report) error {
	if s.json {
		return s.printJSON(captureOf(r))
	}
	for _, o := range r.Outcomes {
		fmt.Fprintf(s.out, "%s %s %.2f: %s\n", o.Action, o.Type, o.Score, termtext.Line(o.Content))
		fmt.Fprintf(s.out, "  why: %s; turn %s\n", termtext.Line(o.Reason), termtext.Line(strings.Join(o.Turns, ", ")))
		if o.Err != nil {
			fmt.Fprintf(s.out, "  refused: %s\n", termtext.Line(o.Err.Error()))
		}
		for _, id := range o.Supersedes {
			fmt.Fprintf(s.out, "  supersedes %s\n", id.Short())
		}
	}
	if r.Client == "" {
		return nil
	}
	fmt.Fprintf(s.out, "%s: %d new turns, %d found, %d recorded, %d repeated\n", r.Client, r.Turns, len(r.Outcomes), r.Count(ingest.Added, ingest.Changed), r.Count(ingest.Repeated))
	if r.Reason != "" {
		fmt.Fprintf(s.out, "nothing recorded: %s\n", termtext.Line(r.Reason))
	}
	if n := r.Malformed + r.TooLong; n > 0 {
		s.warn("%d records were skipped: %d malformed, %d too long", n, r.Malformed, r.TooLong)
	}
	return nil
}

// captureRows adds the last capture of each client to the table of hippo status.
func captureRows(w io.Writer, lasts []ingest.Last) {
	for _, l := range lasts {
		what := fmt.Sprintf("%d recorded, %d repeated of %d turns", l.Kept, l.Repeated, l.Turns)
		if l.Refused > 0 {
			what += fmt.Sprintf(", %d refused", l.Refused)
		}
		if l.Reason != "" {
			what += "; " + l.Reason
		}
		fmt.Fprintf(w, "capture\t%s\n", termtext.Line(fmt.Sprintf("%s, %s: %s", l.Client, clock(l.At), what)))
	}
}
