package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
)

// player does verbs with arguments that rapid draws.
type player struct {
	*twins
	r   *rapid.T
	ids []hippo.ID
}

func (p *player) id() hippo.ID { return rapid.SampledFrom(p.ids).Draw(p.r, "id") }

func (p *player) some() []hippo.ID {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(p.ids), 1, 3, rapid.ID).Draw(p.r, "ids")
}

// text draws a sentence of a few words. Some of them are names.
func (p *player) text() string {
	words := strings.Fields("cache timeout 30 60 seconds Zanzibar Huber Ann zebra car petrol repair rollout Postgres disk über naïve 日本")
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(p.r, "words"), " ")
}

// do does a verb and stores what it brings. Errors are the same in both.
func (p *player) do(verb string, args any) {
	p.r.Helper()
	_ = p.call(p.r, verb, args, nil)
	p.settle(p.r)
}

func (p *player) record(*rapid.T) {
	m := &hippo.Memory{
		ID: idOf(p.done, 1), Content: p.text(), Tags: rapid.SampledFrom([][]string{nil, {"x"}, {"x", "ÿ"}}).Draw(p.r, "tags"), Trust: hippo.TrustNormal,
		Type: rapid.SampledFrom([]string{"", "decision"}).Draw(p.r, "type"), Project: rapid.SampledFrom([]string{"", "p", "q"}).Draw(p.r, "project"),
		Namespace: "x", Importance: hippo.Importance{Base: rapid.SampledFrom([]float64{.1, .5, 1. / 3}).Draw(p.r, "importance")},
		Situation: rapid.SampledFrom([][]string{nil, {"at night"}}).Draw(p.r, "situation"),
		Metadata:  map[string]json.RawMessage{"n": json.RawMessage(rapid.SampledFrom([]string{"1", "1.0", "1e3", `"é"`, "12345678901234567890"}).Draw(p.r, "n"))},
	}
	var old []hippo.ID
	if len(p.ids) > 0 && rapid.IntRange(0, 4).Draw(p.r, "supersedes") == 0 {
		old = p.some()
	}
	p.ids = append(p.ids, m.ID)
	p.do("record_compared", map[string]any{"Memory": m, "Supersedes": old})
}

func (p *player) modify(*rapid.T) {
	text, no := p.text(), p.now().AddDate(0, 0, 3)
	p.do("modify", api.Modify{ID: p.id(), Change: rapid.SampledFrom([]api.Change{
		{Content: &text}, {Pinned: new(true)}, {Vote: api.VoteUp}, {ValidUntil: &no}, {Tags: &[]string{"new"}}, {Forget: true}, {Importance: new(.7)},
	}).Draw(p.r, "change")})
}

func (p *player) relation() hippo.Relation {
	ends := rapid.SliceOfNDistinct(rapid.SampledFrom(p.ids), 2, 2, rapid.ID).Draw(p.r, "ends")
	x := hippo.Relation{From: ends[0], To: ends[1], Kind: rapid.SampledFrom([]string{"explains", "depends on"}).Draw(p.r, "kind"), Weight: rapid.SampledFrom([]float64{.1, 1}).Draw(p.r, "weight")}
	if rapid.Bool().Draw(p.r, "from") {
		x.ValidFrom = p.now()
	}
	return x
}

func (p *player) search(*rapid.T) {
	q := hippo.Query{
		Text: p.text(), Ranker: rapid.SampledFrom(append(hippo.Rankers(), "")).Draw(p.r, "ranker"), Count: rapid.SampledFrom([]int{0, 2}).Draw(p.r, "count"),
		Offset: rapid.SampledFrom([]int{0, 2}).Draw(p.r, "offset"), NoTouch: rapid.Bool().Draw(p.r, "no touch"), Detail: hippo.Detail{Explain: rapid.Bool().Draw(p.r, "explain")},
	}
	q.Filter.Projects = rapid.SampledFrom([][]string{nil, {"p"}, {hippo.AllProjects}}).Draw(p.r, "projects")
	if rapid.IntRange(0, 3).Draw(p.r, "then") == 0 {
		q.Filter.KnownAt = p.now().Add(-time.Duration(rapid.IntRange(0, 200).Draw(p.r, "ago")) * time.Hour)
	}
	if rapid.Bool().Draw(p.r, "all") {
		q.Relevance = &hippo.Range{Max: 9}
	}
	p.do("search", q)
}

// read reads in the ways that are not searches.
func (p *player) read(*rapid.T) {
	for verb, args := range map[string]any{
		"list": api.List{Forgotten: rapid.Bool().Draw(p.r, "forgotten"), Count: 9}, "get": p.some(), "log": api.Operations{Count: 5}, "versions": api.Versions{Memory: p.id()},
		"relations": api.Relations{IDs: p.some()}, "neighbours": api.Neighbours{ID: p.id(), Depth: 3, GraphFilter: api.GraphFilter{Learned: true}},
		"labels": hippo.Filter{}, "list_projects": engine.None{}, "export_after": "", "relations_after": map[string]any{}, "history_after": "",
		"list_entities": api.ListEntities{}, "communities": api.Communities{}, "clusters": engine.None{}, "audit": api.Audit{}, "count_used": p.some(),
	} {
		p.do(verb, args)
	}
}

// Records, votes, relations, forgotten memories and searches in any order have the same answers in SQLite and in Postgres.
func TestTwins_Any(t *testing.T) {
	t.Parallel()
	url := twinsURL(t)
	seeds := byte(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			data := make([]byte, 1<<20)
			_, _ = rand.NewChaCha8([32]byte{seed}).Read(data)
			w := openTwins(t, url, fmt.Sprint("seed", seed), config.Static)
			rapid.MakeFuzz(func(r *rapid.T) { play(r, w) })(t, data)
		})
	}
}

func play(r *rapid.T, w *twins) {
	p := &player{twins: w, r: r}
	for range 5 {
		p.record(r)
	}
	p.ids = append(p.ids, hippo.ID{0x10, 15: 0xff}) // never recorded
	one := func(verb string, args func() any) func(*rapid.T) { return func(*rapid.T) { p.do(verb, args()) } }
	actions := map[string]func(*rapid.T){
		"record": p.record, "record more": p.record, "modify": p.modify, "search": p.search, "read": p.read,
		"time passes": func(*rapid.T) { p.pass(time.Duration(rapid.IntRange(1, 40).Draw(r, "hours")) * time.Hour) },
		"forget":      one("forget", func() any { return p.some() }),
		"restore":     one("restore", func() any { return p.some() }),
		"purge":       one("purge", func() any { return p.some()[:1] }),
		"vote":        one("reinforce", func() any { return api.Reinforce{Up: p.some(), Query: p.text()} }),
		"vote down":   one("reinforce", func() any { return api.Reinforce{Down: p.some()} }),
		"relate":      one("relate", func() any { return []hippo.Relation{p.relation(), p.relation()} }),
		"unrelate":    one("unrelate", func() any { return []hippo.Relation{p.relation()} }),
		"supersede":   one("supersede", func() any { return map[string]any{"ID": p.id(), "By": p.id()} }),
		"undo":        one("undo", func() any { return idOf(rapid.IntRange(max(1, p.done-60), p.done).Draw(r, "operation"), 7) }),
		"consolidate": one("consolidate", func() any { return map[string]any{"Horizon": "weekly"} }),
	}
	names := slices.Sorted(maps.Keys(actions))
	for range 60 {
		p.pass(time.Minute)
		actions[rapid.SampledFrom(names).Draw(r, "action")](r)
	}
	p.search(r)
	p.read(r)
}
