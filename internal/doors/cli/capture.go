package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo/internal/agents"
	"github.com/hippo-memory/hippo/internal/base/termtext"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

func newCaptureCommand(s *shell) *cobra.Command {
	var o agents.CaptureOptions
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
			cfg, err := s.config()
			if err != nil {
				return err
			}
			r, err := beside(s, cfg).Capture(c.Context(), args[0], s.in, o)
			if r == nil {
				return err
			}
			return errors.Join(printCaptured(s, r), err)
		},
	}
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "read the whole file and show what would be recorded, and why; record nothing")
	c.Flags().StringVar(&o.Client, "client", "", "the client that wrote the transcript, if it is not recognised: claude-code, codex, gemini-cli or opencode")
	return c
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

func captureOf(r *agents.Captured) captureJSON {
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
func printCaptured(s *shell, r *agents.Captured) error {
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
	fmt.Fprintf(s.out, "%s: %d new turns, %d found, %d recorded, %d repeated\n", r.Client, r.Turns, len(r.Outcomes), r.Recorded(), r.Repeated())
	if r.Reason != "" {
		fmt.Fprintf(s.out, "nothing recorded: %s\n", termtext.Line(r.Reason))
	}
	if n := r.Malformed + r.TooLong; n > 0 {
		s.warn("%d records were skipped: %d malformed, %d too long", n, r.Malformed, r.TooLong)
	}
	return nil
}

// captureRows adds the last capture of each client to the table of hippo status.
func captureRows(w io.Writer, out *wire.Status) {
	for _, l := range out.Captures {
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
