package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/doors/wire"
)

// library is the Go API: of a store in this process, of one that another process holds, which is called through its socket, or of a server.
type library struct {
	*wing
	spelling
	client *client.Client
}

func openLibrary(t *testing.T, dir string) door {
	w := newWing(t, dir)
	return newLibrary(w, w.store)
}

// openSocket opens a store while another process has it open.
func openSocket(t *testing.T, dir string) door {
	w := newWing(t, dir)
	w.server()
	return newLibrary(w, w.store)
}

func openRemote(t *testing.T, dir string) door {
	w := newWing(t, dir)
	s, token := w.server()
	return newLibrary(w, s.url, client.Token(token))
}

func newLibrary(w *wing, url string, opts ...client.Option) door {
	w.t.Helper()
	c, err := client.Open(w.t.Context(), url, append(opts, client.Model("static"))...)
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
		id, err := d.client.Resolve(d.t.Context(), ref, client.Any())
		if err != nil && g.err == nil {
			g.err = wire.RenameField(err, map[string]string{"ID": d.name("", name)})
		}
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
			Filter: g.filter(), Situation: g.texts("situation"), Strict: g.is("strict"), When: g.text("when"), Offset: int(g.number("offset", 0)),
			Count: int(g.number("limit", 0)), Ranker: hippo.Ranker(g.text("ranker")), Mode: hippo.Mode(g.text("mode")), NoTouch: g.is("no_touch"), Detail: hippo.Detail{Explain: g.is("explain")},
		}
		if x, ok := g.take("min_relevance").(float64); ok {
			q.Relevance = &hippo.Range{Min: x, Max: math.Inf(1)}
		}
		opts := []client.SearchOption{client.FromQuery(q)}
		if names := g.texts("project"); names != nil {
			opts = append(opts, client.InProjects(names...))
		}
		return c.Search(ctx, g.text("query"), opts...)
	case "list":
		opts := []client.ListOption{client.FromFilter(g.filter()), client.Page(int(g.number("offset", 0)), int(g.number("limit", hippo.DefaultCount)))}
		if s := g.texts("situation"); s != nil {
			opts = append(opts, client.InSituation(s...))
		}
		if w := g.text("when"); w != "" {
			opts = append(opts, client.When(w))
		}
		if g.is("forgotten") {
			opts = append(opts, client.Forgotten())
		}
		return c.List(ctx, opts...)
	case "record":
		return d.record(g)
	case "modify":
		return d.modify(g)
	default:
		return d.other(verb, g)
	}
}

func (d *library) record(g *given) (any, error) {
	opts := []client.RecordOption{client.Situation(g.texts("situation")...), client.Tags(g.texts("tags")...), client.Type(g.text("type"))}
	if x, ok := g.take("importance").(float64); ok {
		opts = append(opts, client.Importance(x))
	}
	if g.is("pinned") {
		opts = append(opts, client.Pinned())
	}
	if p := g.text("project"); p != "" {
		opts = append(opts, client.InProject(p))
	}
	if from, until := g.at("valid_from"), g.at("valid_until"); !from.IsZero() || !until.IsZero() {
		opts = append(opts, client.Valid(from, until))
	}
	if at := g.at("event_time"); !at.IsZero() {
		opts = append(opts, client.EventTime(at))
	}
	if s := d.ids(g, "supersedes"); s != nil {
		opts = append(opts, client.Supersedes(s...))
	}
	return d.client.Record(d.t.Context(), g.text("content"), opts...)
}

func (d *library) modify(g *given) (any, error) {
	var list []client.Change
	if x := g.text("content"); x != "" {
		list = append(list, client.SetContent(x))
	}
	if x, ok := g.take("importance").(float64); ok {
		list = append(list, client.SetImportance(x))
	}
	if x := g.texts("tags"); x != nil {
		list = append(list, client.SetTags(x...))
	}
	if x := g.texts("clear"); x != nil {
		list = append(list, client.Clear(x...))
	}
	if x := g.text("type"); x != "" {
		list = append(list, client.SetType(x))
	}
	if x := g.text("vote"); x != "" {
		list = append(list, client.SetVote(x))
	}
	if x := d.ids(g, "supersedes"); x != nil {
		list = append(list, client.SetSupersedes(x...))
	}
	if x := g.at("valid_until"); !x.IsZero() {
		list = append(list, client.SetValidUntil(x))
	}
	ids := d.ids(g, "id")
	if g.err != nil || len(ids) == 0 {
		return nil, g.err
	}
	return d.client.Modify(d.t.Context(), ids[0], list...)
}

// other carries out the verbs on known memories and entities.
func (d *library) other(verb string, g *given) (any, error) {
	ctx, c := d.t.Context(), d.client
	switch verb {
	case "get":
		return client.GetAt(ctx, c, hippo.Moment{ValidAt: g.at("as_of"), KnownAt: g.at("known_at")}, d.ids(g, "ids")...)
	case "upvote":
		return client.Cast(ctx, c, client.Ballot{Up: d.ids(g, "ids"), Query: g.text("query")})
	case "downvote":
		return client.Cast(ctx, c, client.Ballot{Down: d.ids(g, "ids"), Query: g.text("query")})
	case "forget":
		return c.Forget(ctx, d.ids(g, "ids")...)
	case "restore":
		return c.Restore(ctx, d.ids(g, "ids")...)
	case "relate", "fact":
		r := hippo.Relation{Kind: g.text("kind"), Weight: g.number("weight", 1)}
		for name, to := range map[string]*hippo.ID{"from": &r.From, "to": &r.To} {
			var err error
			if *to, err = client.ResolveNamed(ctx, c, g.text(name)); err != nil && g.err == nil {
				g.err = err
			}
		}
		if g.err != nil {
			return nil, g.err
		}
		return c.Relations().Declare(ctx, r)
	case "relations":
		return c.Relations().Of(ctx, d.ids(g, "id")...)
	case "graph":
		q := api.Neighbours{Depth: int(g.number("depth", 0)), Direction: api.Direction(g.text("direction")), Count: int(g.number("limit", 0))}
		q.Kinds = g.texts("kinds")
		if ids := d.ids(g, "id"); len(ids) > 0 {
			q.ID = ids[0]
		}
		return client.Neighbours(ctx, c, q)
	case "entities":
		return client.AddEntity(ctx, c, hippo.Entity{Name: g.text("name"), Kind: g.text("kind")})
	case "entity", "facts":
		return client.ShowEntity(ctx, c, api.ShowEntity{Entity: g.text("name"), MaxTokens: int(g.number("max_tokens", 0))})
	case "context":
		return client.Context(ctx, c, client.ContextQuery{Prompt: g.text("prompt"), MaxTokens: int(g.number("max_tokens", 0))})
	case "status":
		return c.Status(ctx)
	}
	return nil, errNoVerb
}
