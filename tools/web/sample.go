package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// hostile is a text that must stay text wherever it is shown.
const hostile = `<script>window.hacked=1</script><img src=x onerror="window.hacked=2">"><svg onload=window.hacked=3> {{.}} ` +
	"\u202egnp.exe\u202c \u200bhidden \u2066x\u2069"

// note is a memory of the sample: days ago, project, kind, tags, content, situation.
type note struct {
	ago                    int
	project, kind, content string
	tags                   []string
	situation              string
	source                 hippo.SourceKind
	importance             float64
}

func notes() []note {
	return []note{
		{58, "shop", "decision", "Payments go through the queue, never straight from the request: a retry must not charge twice", []string{"payments", "queue"}, "changing the checkout", "agent", .8},
		{55, "shop", "fact", "The gateway timeout is 30 s", []string{"gateway"}, "debugging outages", "agent", .5},
		{51, "shop", "error", "Without random backoff, retries after an outage make the gateway fail again", []string{"gateway", "incident"}, "debugging outages", "agent", .7},
		{47, "shop", "preference", "Ana wants table tests, one behaviour per case, and no assertion library", []string{"tests"}, "code review", "user", .6},
		{44, "infra", "decision", "Backups go to the second region at 02:00 UTC and are restored once a month as a test", []string{"backup"}, "planning maintenance", "agent", .7},
		{40, "infra", "fact", "The staging database is rebuilt from a masked dump every Sunday", []string{"database", "staging"}, "testing with data", "agent", .4},
		{37, "shop", "fact", "The price cache is invalidated by the nightly job at 02:00 UTC", []string{"cache"}, "debugging stale data", "agent", .5},
		{33, "", "preference", "Answer in short sentences, and say first whether it worked", []string{"style"}, "", "user", .9},
		{30, "infra", "error", "Certificates of the internal registry expire after 90 days; the renewal had no alert", []string{"incident", "tls"}, "debugging outages", "agent", .6},
		{26, "shop", "decision", "Feature flags live in the database, not in the environment, since a restart took the shop down", []string{"flags"}, "releasing", "agent", .6},
		{22, "docs", "fact", "Screenshots of the guide are made by a script at a width of 1200 pixels", []string{"docs"}, "writing the guide", "agent", .3},
		{18, "shop", "lesson", "Under load, requests fail in the gateway after thirty seconds although the service answers in five: its pool of connections is too small", []string{"gateway", "load"}, "debugging outages", "agent", .8},
		{15, "infra", "fact", "Deploys go out on Tuesday mornings, never on a Friday", []string{"release"}, "release planning", "user", .6},
		{12, "shop", "", "Run make seed before the end-to-end tests, or the catalogue is empty", []string{"tests"}, "running tests", "hook", .4},
		{9, "shop", "", "The flaky checkout test waits for an animation; it passes with reduced motion", []string{"tests"}, "running tests", "hook", .4},
		{7, "infra", "fact", "The gateway runs version 4.2 in staging and 4.1 in production", []string{"gateway"}, "", "agent", .4},
		{4, "shop", "", "npm ci fails behind the proxy unless the registry is set in .npmrc", nil, "", "hook", .3},
		{3, "docs", "preference", "Bo wants every page of the guide to begin with what the reader can do after it", []string{"docs"}, "writing the guide", "user", .5},
		{2, "shop", "fact", "The price cache is invalidated by the nightly job at 04:00 UTC", []string{"cache"}, "", "agent", .5},
		{1, "infra", "fact", "Deploys go out on Tuesday mornings, never on a Friday", []string{"release"}, "", "agent", .5},
	}
}

// openSample opens a new store in a folder with the sample, and more memories up to a number.
func openSample(ctx context.Context, folder string, more int) (*engine.Engine, landmarks, error) {
	cfg := config.Config{Store: config.Store{Kind: "sqlite", Path: filepath.Join(folder, "memory.db")}, Model: config.Model{Name: config.Static}}
	e, err := app.Open(ctx, cfg, &app.Options{Zone: time.UTC})
	if err != nil {
		return nil, landmarks{}, err
	}
	m := e.In(hippo.LocalScope(""))
	at, err := fill(ctx, m, more)
	return e, at, err
}

// landmarks are the hostile memory, and the one with the most relations.
type landmarks struct{ hostile, central hippo.ID }

// fill records the sample.
func fill(ctx context.Context, m *engine.Memories, more int) (at landmarks, err error) {
	now := time.Now()
	_, err = transfer.New(m).Import(ctx, hippo.Calendar{}, func(yield func(*hippo.Memory, error) bool) {
		for i := range more {
			x := notes()[i%len(notes())]
			x.content, x.ago = fmt.Sprintf("%s (%d of the archive)", x.content, i), 400+i%700
			if !yield(x.memory(now, i), nil) {
				return
			}
		}
		for i, x := range notes() {
			if !yield(x.memory(now, i), nil) {
				return
			}
		}
	}, nil)
	if err != nil {
		return at, err
	}
	if at.central, err = relate(ctx, m); err != nil {
		return at, err
	}
	x, err := memory.Record(ctx, m, &hippo.Memory{
		Content: hostile, Situation: []string{`<script>window.hacked=4</script>`}, Tags: []string{`"><script>window.hacked=5</script>`}, Type: `<b onclick=window.hacked=6>`,
		Project: `<i>project`, Metadata: map[string]json.RawMessage{`<script>window.hacked=7</script>`: json.RawMessage(`"<script>window.hacked=8</script>"`)},
		Source: hippo.Source{Kind: hippo.SourceHook, Author: `<script>window.hacked=9</script>`}, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: .1},
	})
	if err != nil {
		return at, err
	}
	at.hostile = x.ID
	return at, m.Flush(ctx)
}

// relate records a successor, and relations, and returns the successor.
func relate(ctx context.Context, m *engine.Memories) (central hippo.ID, err error) {
	list, err := memory.List(ctx, m, api.List{Count: len(notes())})
	if err != nil {
		return central, err
	}
	byText := make(map[string]hippo.ID)
	for _, x := range list.Memories {
		byText[x.Content] = x.ID
	}
	old, pool := byText["The gateway timeout is 30 s"], hippo.ID{}
	for text, id := range byText {
		if len(text) > 100 && text[:10] == "Under load" {
			pool = id
		}
	}
	next, err := memory.Record(ctx, m, &hippo.Memory{
		Content: "The gateway timeout is 60 s since the move to the new region", Tags: []string{"gateway"}, Type: "fact", Project: "shop",
		Situation: []string{"debugging outages"}, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: .6},
	}, old)
	if err != nil {
		return central, err
	}
	var relations []hippo.Relation
	for text, id := range byText {
		if id != old && (len(text)%2 == 0 || len(text) > 90) {
			relations = append(relations, hippo.Relation{From: next.ID, To: id, Kind: "explains", Weight: .3 + float64(len(text)%7)/10})
		}
		if id != pool && len(text)%3 == 0 {
			relations = append(relations, hippo.Relation{From: pool, To: id, Kind: "caused", Weight: .5})
		}
	}
	_, err = knowledge.Relate(ctx, m, relations)
	return next.ID, err
}

func (n *note) memory(now time.Time, i int) *hippo.Memory {
	at := now.Add(-time.Duration(n.ago)*24*time.Hour - time.Duration(i)*time.Minute)
	m := &hippo.Memory{
		Content: n.content, Tags: n.tags, Type: n.kind, Project: n.project, Trust: hippo.DefaultTrust(n.source), CreatedAt: at, UpdatedAt: at,
		Importance: hippo.Importance{Base: n.importance, Value: n.importance, SetAt: at}, Source: hippo.Source{Kind: n.source, Client: "claude-code"},
	}
	if n.situation != "" {
		m.Situation = []string{n.situation}
	}
	return m
}
