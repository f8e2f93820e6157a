package cli_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
)

// library is the Go API: of a store in this process, of one that another process holds, which is called through its socket, or of a server.
type library struct {
	*wing
	spelling
	client *client.Client
}

func openLibrary(t *testing.T, dir string) door {
	w := newWing(t, dir)
	return newLibrary(w, w.store, "")
}

// openSocket opens a store while another process has it open.
func openSocket(t *testing.T, dir string) door {
	w := newWing(t, dir)
	w.server()
	return newLibrary(w, w.store, "")
}

func openRemote(t *testing.T, dir string) door {
	w := newWing(t, dir)
	s, token := w.server()
	return newLibrary(w, s.url, token)
}

func newLibrary(w *wing, url, token string) door {
	w.t.Helper()
	c, err := client.Open(w.t.Context(), url, &client.Options{Model: "static", Token: token})
	if err != nil {
		w.t.Fatal(err)
	}
	return &library{w, spelling{names: map[string]string{
		"query": "Text", "situation": "Situation", "limit": "Count", "offset": "Offset", "tags": "Tags", "type": "Types", "project": "Projects", "created_before": "CreatedBefore",
		"created_after": "CreatedAfter", "min_relevance": "Relevance", "ranker": "Ranker", "record.type": "Type", "modify.type": "Type", "content": "Content", "importance": "Importance",
		"vote": "Vote", "ids": "IDs", "id": "ID", "upvote.ids": "Up", "downvote.ids": "Down", "kind": "Kind", "depth": "Depth", "direction": "Direction", "when": "When", "mode": "Mode",
		"max_tokens": "MaxTokens", "name": "Entity", "weight": "Weight", "valid_until": "ValidUntil", "valid_from": "ValidFrom", "min_trust": "MinTrust", "supersedes": "Supersedes",
		"event_after": "EventAfter", "event_before": "EventBefore", "clear": "Clear",
	}}, c}
}

func (d *library) close() {
	if err := d.client.Close(); err != nil {
		d.t.Error(err)
	}
}

// given are the arguments of a request, read one by one.
type given struct {
	args map[string]any
	used map[string]bool
	err  error
}

func (g *given) take(name string) any {
	g.used[name] = true
	return g.args[name]
}

func (g *given) text(name string) string {
	x, _ := g.take(name).(string)
	return x
}

func (g *given) texts(name string) (list []string) {
	for _, x := range each(g.take(name)) {
		list = append(list, fmt.Sprint(x))
	}
	return list
}

func (g *given) number(name string, otherwise float64) float64 {
	if x, ok := g.take(name).(float64); ok {
		return x
	}
	return otherwise
}

func (g *given) is(name string) bool {
	x, _ := g.take(name).(bool)
	return x
}

func (g *given) at(name string) (at time.Time) {
	if text := g.text(name); text != "" {
		var err error
		if at, err = time.ParseInLocation(time.DateOnly, text, time.UTC); err != nil {
			g.err = errNoValue
		}
	}
	return at
}

// errNoValue: a program in Go cannot say it, because the argument has a type of its own.
var errNoValue = errors.New("no value")

func (g *given) filter() hippo.Filter {
	f := hippo.Filter{
		Types: g.texts("type"), Tags: g.texts("tags"), WithoutTags: g.texts("without_tags"), Origin: hippo.Origin{Author: g.text("author"), Session: g.text("session")},
		CreatedAfter: g.at("created_after"), CreatedBefore: g.at("created_before"), EventAfter: g.at("event_after"), EventBefore: g.at("event_before"),
		Moment: hippo.Moment{ValidAt: g.at("as_of"), KnownAt: g.at("known_at")}, Pinned: g.is("pinned"), Archived: g.is("archived"),
	}
	switch g.text("min_trust") {
	case "":
	case "high":
		f.MinTrust = hippo.TrustHigh
	default:
		g.err = errNoValue
	}
	return f
}

func (d *library) ids(g *given, name string) (list []hippo.ID) {
	for _, ref := range g.texts(name) {
		id, err := d.client.Resolve(d.t.Context(), api.Resolve{Ref: ref, Prefer: api.PreferNone})
		if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
			err = hippo.Fieldf(d.name("", name), "%s", bad.Why)
		}
		g.err = cmp.Or(g.err, err)
		list = append(list, id)
	}
	return list
}

func (d *library) do(verb string, args map[string]any) (string, *refusal) {
	g := &given{args: args, used: map[string]bool{}}
	answer, err := d.call(verb, g)
	if g.err != nil {
		err = g.err
	}
	for name := range args {
		if !g.used[name] {
			return "", &refusal{Code: absent}
		}
	}
	if errors.Is(err, errNoVerb) || errors.Is(err, errNoValue) {
		return "", &refusal{Code: absent}
	}
	if err != nil {
		r := &refusal{Code: string(hippo.CodeOf(err)), Message: err.Error()}
		if f, ok := errors.AsType[*hippo.FieldError](err); ok {
			r.Field = f.Field
		}
		return "", d.refused(verb, args, r)
	}
	b, err := json.Marshal(answer)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b), nil
}

var errNoVerb = errors.New("no such verb")

func (d *library) call(verb string, g *given) (any, error) {
	ctx, c := d.t.Context(), d.client
	switch verb {
	case "search":
		q := hippo.Query{
			Text: g.text("query"), Filter: g.filter(), Situation: g.texts("situation"), Strict: g.is("strict"), When: g.text("when"), Offset: int(g.number("offset", 0)),
			Count: int(g.number("limit", 0)), Ranker: hippo.Ranker(g.text("ranker")), Mode: hippo.Mode(g.text("mode")), NoTouch: g.is("no_touch"), Detail: hippo.Detail{Explain: g.is("explain")},
		}
		if x, ok := g.take("min_relevance").(float64); ok {
			q.Relevance = &hippo.Range{Min: x, Max: math.Inf(1)}
		}
		return c.Search(ctx, api.Search{Query: q, Projects: g.texts("project")})
	case "list":
		return c.List(ctx, api.List{
			Filter: g.filter(), Projects: g.texts("project"), Situation: g.texts("situation"), When: g.text("when"), Forgotten: g.is("forgotten"),
			Offset: int(g.number("offset", 0)), Count: int(g.number("limit", hippo.DefaultCount)),
		})
	case "record":
		return d.record(g)
	case "modify":
		return d.modify(g)
	default:
		return d.other(verb, g)
	}
}

func (d *library) record(g *given) (any, error) {
	r := api.Record{
		Content: g.text("content"), Situation: g.texts("situation"), Tags: g.texts("tags"), Type: g.text("type"), Pinned: g.is("pinned"),
		ValidFrom: g.at("valid_from"), ValidUntil: g.at("valid_until"), EventTime: g.at("event_time"), Supersedes: d.ids(g, "supersedes"),
	}
	if x, ok := g.take("importance").(float64); ok {
		r.Importance = &x
	}
	if p := g.text("project"); p != "" {
		r.Project = &p
	}
	return d.client.Record(d.t.Context(), r)
}

func (d *library) modify(g *given) (any, error) {
	change := api.Change{Vote: api.Vote(g.text("vote"))}
	if x := g.text("content"); x != "" {
		change.Content = &x
	}
	if x, ok := g.take("importance").(float64); ok {
		change.Importance = &x
	}
	if x := g.texts("tags"); x != nil {
		change.Tags = &x
	}
	if x := g.text("type"); x != "" {
		change.Type = &x
	}
	if x := d.ids(g, "supersedes"); x != nil {
		change.Supersedes = &x
	}
	if x := g.at("valid_until"); !x.IsZero() {
		change.ValidUntil = &x
	}
	err := change.Clear(g.texts("clear"))
	ids := d.ids(g, "id")
	if g.err != nil || err != nil || len(ids) == 0 {
		return nil, cmp.Or(g.err, err)
	}
	return d.client.Modify(d.t.Context(), api.Modify{ID: ids[0], Change: change})
}

// other carries out the verbs on known memories and entities.
func (d *library) other(verb string, g *given) (any, error) {
	ctx, c := d.t.Context(), d.client
	switch verb {
	case "get":
		return c.Get(ctx, api.Get{IDs: d.ids(g, "ids"), At: hippo.Moment{ValidAt: g.at("as_of"), KnownAt: g.at("known_at")}})
	case "upvote":
		return c.Reinforce(ctx, api.Reinforce{Up: d.ids(g, "ids"), Query: g.text("query")})
	case "downvote":
		return c.Reinforce(ctx, api.Reinforce{Down: d.ids(g, "ids"), Query: g.text("query")})
	case "forget":
		return c.Forget(ctx, d.ids(g, "ids")...)
	case "restore":
		return c.Restore(ctx, d.ids(g, "ids")...)
	case "relate", "fact":
		r := hippo.Relation{Kind: g.text("kind"), Weight: g.number("weight", 1)}
		for name, to := range map[string]*hippo.ID{"from": &r.From, "to": &r.To} {
			var err error
			if *to, err = c.Resolve(ctx, api.Resolve{Ref: g.text(name), Entities: true}); err != nil && g.err == nil {
				g.err = err
			}
		}
		if g.err != nil {
			return nil, g.err
		}
		return c.Relate(ctx, r)
	case "relations":
		return c.Relations(ctx, api.Relations{IDs: d.ids(g, "id")})
	case "graph":
		q := api.Neighbours{Depth: int(g.number("depth", 0)), Direction: api.Direction(g.text("direction")), Count: int(g.number("limit", 0))}
		q.Kinds = g.texts("kinds")
		if ids := d.ids(g, "id"); len(ids) > 0 {
			q.ID = ids[0]
		}
		return c.Neighbours(ctx, q)
	case "entities":
		return c.AddEntity(ctx, hippo.Entity{Name: g.text("name"), Kind: g.text("kind")})
	case "entity", "facts":
		return c.ShowEntity(ctx, api.ShowEntity{Entity: g.text("name"), MaxTokens: int(g.number("max_tokens", 0))})
	case "context":
		return c.Context(ctx, api.Context{Prompt: g.text("prompt"), MaxTokens: int(g.number("max_tokens", 0))})
	case "status":
		return c.Status(ctx)
	}
	return nil, errNoVerb
}
