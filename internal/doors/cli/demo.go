package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

func newDemoCommand(s *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Play two weeks in the life of a memory, in a temporary store",
		Args:  maximumArguments(0),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			dir, err := os.MkdirTemp("", "hippo-demo")
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			d := &demo{ctx: c.Context(), out: s.out, now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), ids: map[string]hippo.ID{}}
			// The instant model: what the others have embedded by now depends on the machine.
			cfg := config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(dir, "memory.db")}, Model: config.Model{Name: config.Static}}
			e, err := app.Open(d.ctx, cfg, &app.Options{Now: func() time.Time { return d.now }, Zone: time.UTC})
			if err != nil {
				return err
			}
			d.engine = e.In(hippo.LocalScope(""))
			return errors.Join(d.run(), d.engine.Close())
		},
	}
}

// demo is a scripted session; the script moves its clock.
type demo struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the one call that made it
	out    io.Writer
	engine *engine.Memories
	now    time.Time
	ids    map[string]hippo.ID
	hits   []hippo.Hit // of the first search: the second one helps
}

// sample is a text that the demo records, with a short name.
type sample struct {
	name, content, situation string
	importance               float64
}

func samples() []sample {
	return []sample{
		{"backoff", "Without random backoff, retries make the gateway fail", "debugging outages", .6},
		{"gateway", "Under load, requests fail in the gateway after thirty seconds", "debugging outages", .6},
		{"tests", "Ana wants table tests, one behaviour per case", "code review", .5},
		{"deploy", "Deploys go out on Tuesday mornings, never on Friday", "release planning", .5},
		{"cache", "The price cache is invalidated by the nightly job at 02:00 UTC", "debugging stale data", .4},
		{"lunch", "The team has lunch together on Thursdays", "small talk", .2},
	}
}

func (d *demo) run() error {
	for _, step := range []func() error{d.record, d.first, d.vote, d.pass, d.again, d.insight, d.forget, d.status} {
		if err := step(); err != nil {
			return err
		}
		d.say("")
	}
	return nil
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.out, format+"\n", args...) }

const question = "why does the gateway fail"

func (d *demo) record() error {
	d.say("1. Monday. An agent records what it learns, with the situation it applies to.")
	for _, in := range samples() {
		m, err := memory.Record(d.ctx, d.engine, &hippo.Memory{
			Content: in.content, Situation: []string{in.situation}, Importance: hippo.Importance{Base: in.importance}, Trust: hippo.TrustDefault,
		})
		if err != nil {
			return err
		}
		d.ids[in.name] = m.ID
		d.now = d.now.Add(time.Minute)
		d.say("   + %s (%s, importance %.1f)", in.content, in.situation, in.importance)
	}
	return nil
}

func (d *demo) first() error {
	d.say("2. It searches. Words and meaning decide; both memories about the gateway match.")
	a, err := d.search(hippo.Query{Text: question})
	if err == nil {
		d.hits = a.Hits
	}
	return err
}

func (d *demo) vote() error {
	d.say("3. The first hint was true but did not help; the second did. It votes.")
	rs, err := memory.Cast(d.ctx, d.engine, api.Reinforce{
		Up: []hippo.ID{d.hits[1].Memory.ID}, Down: []hippo.ID{d.hits[0].Memory.ID}, Query: question,
	})
	if err != nil {
		return err
	}
	d.say("   second  importance %.2f -> %.2f", rs[0].Before, rs[0].After)
	d.say("   first   importance %.2f -> %.2f", rs[1].Before, rs[1].After)
	return nil
}

// pass advances the clock by two weeks, of which one is a holiday.
func (d *demo) pass() error {
	const week = 7
	for range week {
		d.now = d.now.AddDate(0, 0, 1)
		if _, err := query.Search(d.ctx, d.engine, hippo.Query{Text: d.hits[1].Memory.Content, Count: 1}); err != nil {
			return err
		}
	}
	d.now = d.now.AddDate(0, 0, week)
	d.say("4. Two weeks pass: seven days of work, in which only what helped is looked up, then a")
	d.say("   week of holidays, which do not count: time is active days.")
	return nil
}

func (d *demo) again() error {
	d.say("5. The same question. What helped as an answer to it leads. The votes count for questions like it;")
	d.say("   the importance below is that for all others, and it fades by active day.")
	_, err := d.search(hippo.Query{Text: question})
	return err
}

func (d *demo) insight() error {
	d.say("6. What matters in this situation? The ranker \"insight\" orders by use and votes alone.")
	_, err := d.search(hippo.Query{Situation: []string{"debugging outages"}, Ranker: hippo.RankerInsight, NoTouch: true})
	return err
}

func (d *demo) forget() error {
	d.say("7. Forgetting hides, and can be undone: the note on lunch.")
	ids := []hippo.ID{d.ids["lunch"]}
	steps := []struct {
		name string
		do   func(context.Context, *engine.Memories, []hippo.ID) ([]*hippo.Memory, error)
	}{{"forget ", memory.Forget}, {"restore", memory.Restore}}
	for _, step := range steps {
		if _, err := step.do(d.ctx, d.engine, ids); err != nil {
			return err
		}
		a, err := query.Search(d.ctx, d.engine, hippo.Query{Text: "lunch", NoTouch: true})
		if err != nil {
			return err
		}
		finds := "does not find it"
		if slices.ContainsFunc(a.Hits, func(h hippo.Hit) bool { return h.Memory.ID == ids[0] }) {
			finds = "finds it"
		}
		d.say("   %s: a search for lunch %s", step.name, finds)
	}
	return nil
}

func (d *demo) status() error {
	st, err := memory.Status(d.ctx, d.engine)
	if err != nil {
		return err
	}
	d.say("8. %d memories, active day %d. Your own store: hippo record, hippo search, hippo serve.", st.Memories, st.Day)
	return nil
}

func (d *demo) search(q hippo.Query) (*hippo.Answer, error) {
	a, err := query.Search(d.ctx, d.engine, q)
	if err != nil {
		return nil, err
	}
	what := q.Text
	if what == "" {
		what = "situation: " + q.Situation[0]
	}
	d.say("   ? %s", what)
	for i, h := range a.Hits {
		g := h.Signals
		d.say("   %d. %.3f  %s", i+1, h.Relevance, preview(h.Memory.Content, 66))
		d.say("             lexical %.2f, cosine %.2f · recency %.2f, frequency %.3f, importance %.2f", g.Lexical, g.Cosine, g.Recency, g.Frequency, g.Importance)
	}
	return a, d.engine.Flush(d.ctx)
}
