// Command replay plays conversations as sessions of an agent through the hooks, and reports what
// the hooks injected: how much of what a session then needed, at how many tokens, and repeats.
//
//	go -C lab run ./replay --data DIR --session 300,600,900 --prompt 220
//
// DIR holds sets of conversations as package eval reads them. Each conversation has a store of its
// own. Its sessions are played in order: a session start, then each message of the user as a
// prompt; afterwards the messages of the session are recorded, each as a memory. One more session
// asks the questions of the set. A memory counts as needed if a question names it, and as injected
// if its ID stood in what a hook printed since the session began. Equal data and code print equal
// figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("replay", flag.ContinueOnError)
	f.SetOutput(stderr)
	data := f.String("data", "", "folder of sets of conversations")
	sessions := f.String("session", "300,600,900", "budgets of a session start in tokens, separated by commas")
	prompts := f.String("prompt", "220", "budgets of a prompt in tokens, separated by commas")
	if err := f.Parse(args); err != nil {
		return err
	}
	sets, err := eval.Load(*data)
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, "| set | session | prompt | questions | recall | at start | precision | tokens a start | max | tokens a prompt | max | prompts with any | repeats |")
	fmt.Fprintln(stdout, "|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	for _, s := range sets {
		for session := range strings.SplitSeq(*sessions, ",") {
			for prompt := range strings.SplitSeq(*prompts, ",") {
				b, err := budgetOf(session, prompt)
				if err != nil {
					return err
				}
				r, err := replay(ctx, s, b)
				if err != nil {
					return err
				}
				fmt.Fprintln(stdout, r.row(s.Name, b))
			}
		}
	}
	return nil
}

// budget is what the hooks may inject, in tokens.
type budget struct{ session, prompt int }

func budgetOf(session, prompt string) (b budget, err error) {
	var failed error
	b.session, err = strconv.Atoi(session)
	b.prompt, failed = strconv.Atoi(prompt)
	return b, errors.Join(err, failed)
}

// report is the sums over all conversations.
type report struct {
	questions int
	// recall and atStart are sums of shares of what the questions need.
	recall, atStart float64
	// asked and right count what was injected with questions, and what of it they need.
	asked, right   int
	start, prompts tokens
	repeats        int
}

// tokens describes what was injected at events of one kind; silent ones are not in sum.
type tokens struct{ events, spoken, sum, max int }

func (t *tokens) add(n int) {
	t.events++
	t.sum += n
	t.max = max(t.max, n)
	if n > 0 {
		t.spoken++
	}
}

func (t *tokens) mean() float64 { return ratio(float64(t.sum), t.spoken) }

func ratio(a float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return a / float64(n)
}

func (r *report) row(set string, b budget) string {
	return fmt.Sprintf("| %s | %d | %d | %d | %.3f | %.3f | %.3f | %.0f | %d | %.0f | %d | %.2f | %d |", set, b.session, b.prompt, r.questions,
		ratio(r.recall, r.questions), ratio(r.atStart, r.questions), ratio(float64(r.right), r.asked),
		r.start.mean(), r.start.max, r.prompts.mean(), r.prompts.max, ratio(float64(r.prompts.spoken), r.prompts.events), r.repeats)
}
