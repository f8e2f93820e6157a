package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/agents/hook"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/base/tokencount"
	"github.com/hippo-memory/hippo/internal/code/project"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// client is the client as which the sessions are played: what it gets is plain text.
const client = "kiro"

// replay plays all conversations of a set.
func replay(ctx context.Context, s *eval.Set, b budget) (*report, error) {
	r := &report{}
	for i := range s.Groups {
		p, err := newPlayer(ctx, &s.Groups[i], b, r)
		if err != nil {
			return nil, err
		}
		err = p.play(ctx, s)
		if err = errors.Join(err, p.close()); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Groups[i].Name, err)
		}
	}
	return r, nil
}

// player plays one conversation.
type player struct {
	report *report
	group  *eval.Group
	engine *engine.Engine
	hooks  hook.Config
	now    time.Time
	// names has the name of each document by its abbreviated ID; seen are those that were
	// injected into the session.
	names   map[string]string
	session string
	seen    map[string]bool
}

func newPlayer(ctx context.Context, g *eval.Group, b budget, r *report) (*player, error) {
	dir, err := os.MkdirTemp("", "replay")
	if err != nil {
		return nil, err
	}
	p := &player{report: r, group: g, names: make(map[string]string), now: time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return p.now }
	c := config.Config{Store: config.Store{Kind: "memory"}, Model: config.Model{Name: config.Static}}
	if p.engine, err = app.Open(ctx, c, &app.Options{Now: clock, Zone: time.UTC}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	nothing := func(context.Context, string) api.Work { return api.Work{} }
	p.hooks = hook.Config{
		Open:    func(context.Context) (*engine.Engine, error) { return p.engine, nil },
		Project: func(context.Context, string) project.Identity { return project.Identity{Name: g.Name} }, Work: nothing,
		Scope: hippo.LocalScope(""), StateDir: dir, Now: clock, SessionTokens: b.session, PromptTokens: b.prompt,
	}
	return p, nil
}

func (p *player) close() error { return errors.Join(p.engine.Close(), os.RemoveAll(p.hooks.StateDir)) }

// play plays the sessions, and the questions.
func (p *player) play(ctx context.Context, s *eval.Set) error {
	for from := 0; from < len(p.group.Docs); {
		to, session := from, p.group.Docs[from].Source.Session
		for to < len(p.group.Docs) && p.group.Docs[to].Source.Session == session {
			to++
		}
		if err := p.playSession(ctx, session, p.group.Docs[from:to]); err != nil {
			return err
		}
		from = to
	}
	p.now = p.now.AddDate(0, 0, 1)
	return p.ask(ctx, s)
}

// playSession plays one session and records its messages.
func (p *player) playSession(ctx context.Context, session string, docs []*hippo.Memory) error {
	if at := docs[0].When(); at.After(p.now) {
		p.now = at
	}
	if _, err := p.begin(ctx, session); err != nil {
		return err
	}
	for _, m := range docs {
		text, ok := strings.CutPrefix(m.Content, "user: ")
		if !ok {
			continue
		}
		if _, err := p.prompt(ctx, text); err != nil {
			return err
		}
	}
	// The messages of the set stand in for what an agent records; some of them quote passwords.
	memories := memory.AllowSecrets(p.engine.In(hippo.LocalScope(p.group.Name)))
	for _, m := range docs {
		c := m.Clone()
		c.Project, c.Trust, c.CreatedAt = p.group.Name, hippo.TrustNormal, time.Time{}
		c.Source.Kind = hippo.SourceAgent
		if _, err := memory.Record(ctx, memories, c); err != nil {
			return err
		}
		p.names[c.ID.Short()] = eval.Name(m)
	}
	return nil
}

// ask plays the session of the questions.
func (p *player) ask(ctx context.Context, s *eval.Set) error {
	if _, err := p.begin(ctx, p.group.Name+"/questions"); err != nil {
		return err
	}
	began := len(p.seen)
	started := make(map[string]bool, began)
	for name := range p.seen {
		started[name] = true
	}
	for _, q := range s.Judged().Questions {
		if q.Group != p.group.Name {
			continue
		}
		names, err := p.prompt(ctx, q.Text)
		if err != nil {
			return err
		}
		r := p.report
		r.questions++
		for name := range q.Relevant {
			share := 1 / float64(len(q.Relevant))
			if p.seen[name] {
				r.recall += share
			}
			if started[name] {
				r.atStart += share
			}
		}
		for _, name := range names {
			r.asked++
			if q.Relevant[name] > 0 {
				r.right++
			}
		}
	}
	return nil
}

// begin begins a session.
func (p *player) begin(ctx context.Context, session string) ([]string, error) {
	p.session, p.seen = session, make(map[string]bool)
	return p.run(ctx, hook.SessionStart, "", &p.report.start)
}

func (p *player) prompt(ctx context.Context, text string) ([]string, error) {
	return p.run(ctx, hook.UserPrompt, text, &p.report.prompts)
}

// run runs a hook and returns the names of what it injected.
func (p *player) run(ctx context.Context, event hook.Event, prompt string, sum *tokens) ([]string, error) {
	in, err := json.Marshal(map[string]string{"session_id": p.session, "source": "startup", "prompt": prompt})
	if err != nil {
		return nil, err
	}
	out, err := hook.Run(ctx, event, client, bytes.NewReader(in), &p.hooks)
	if err != nil {
		return nil, err
	}
	sum.add(tokencount.Of(string(out)))
	var names []string
	for _, id := range regexp.MustCompile(`(?m)^- .*\[([0-9a-f]{8}), [^\[]*\]$`).FindAllStringSubmatch(string(out), -1) {
		name, ok := p.names[id[1]]
		if !ok {
			return nil, fmt.Errorf("injected %s, which was not recorded", id[1])
		}
		if p.seen[name] {
			p.report.repeats++
		}
		p.seen[name] = true
		names = append(names, name)
	}
	return names, nil
}
