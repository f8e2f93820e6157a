package memorymcp

import (
	"context"
	"strings"

	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The actions of symbol_graph.
const (
	actionCallers = "callers"
	actionCallees = "callees"
	actionRelated = "related"
)

const bothWays = "both"

// graphing returns the tools that follow references between definitions.
func graphing() []d.Tool {
	symbol := verb.Table{
		{Name: "symbol_id", About: "an id, or a name such as Server.Close", Is: verb.Required, To: verb.New[string]},
		{Name: "depth", Field: "Depth", Rules: verb.Between(1, api.MaxCodeWalk, 1), To: verb.New[int]},
		{Name: "project_id", Is: verb.Unlisted, To: verb.New[string]},
	}
	direction := verb.Arg{Name: "direction", About: "of related; default: both", Values: []string{outgoing, incoming, bothWays, "out", "in"}, To: verb.New[string]}
	tool := func(name, about, action string, more ...verb.Arg) d.Tool {
		return d.Tool{Name: name, Description: about, ReadOnly: true, Unlisted: true, Params: verb.With(symbol, more...), Call: func(ctx context.Context, c *d.Call) (d.Result, error) {
			return walkSymbols(ctx, c, action)
		}}
	}
	return []d.Tool{
		{
			Name: "symbol_graph", Description: "What calls a definition, what it calls, or all that is connected with it, to a depth.", ReadOnly: true,
			Params: verb.With(symbol, verb.Arg{Name: "action", Values: []string{actionCallers, actionCallees, actionRelated}, Is: verb.Required, To: verb.New[string]}, direction),
			Call:   func(ctx context.Context, c *d.Call) (d.Result, error) { return walkSymbols(ctx, c, c.Text("action")) },
		},
		tool("get_symbol_callers", "What calls a definition.", actionCallers),
		tool("get_symbol_callees", "What a definition calls.", actionCallees),
		tool("get_related_symbols", "What is connected with a definition.", actionRelated, direction),
	}
}

// codeGraph is what is connected with a definition.
type codeGraph struct {
	ID        string         `json:"symbol_id"`
	Of        []codeSymbol   `json:"of"`
	Symbols   []codeSymbol   `json:"symbols"`
	Relations []codeRelation `json:"relations"`
	// SymbolCount and RelationCount count what is shown.
	SymbolCount   int  `json:"symbol_count"`
	RelationCount int  `json:"relation_count"`
	Truncated     bool `json:"truncated"`
	// Deferred counts the definitions that the bounds left out. Frontier are those whose own references were not followed.
	Deferred int      `json:"deferred_count"`
	Frontier []string `json:"frontier"`
	Partial  bool     `json:"is_partial"`
	Message  string   `json:"message,omitempty"`
}

// codeRelation is a reference. Candidates is how many definitions it may mean, if that is not sure.
type codeRelation struct {
	From       string `json:"from_symbol"`
	To         string `json:"to_symbol"`
	Kind       string `json:"relation_type"`
	Path       string `json:"file_path"`
	Line       int    `json:"line"`
	Candidates int    `json:"candidates,omitempty"`
}

func walkSymbols(ctx context.Context, c *d.Call, action string) (d.Result, error) {
	t, symbol, err := symbolOf(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	direction := c.Text("direction")
	calls := action != actionRelated
	w, err := code.Walk(ctx, t, &api.CodeWalk{
		Start: symbol, Depth: c.Int("depth", 1), Calls: calls,
		In:  action == actionCallers || !calls && direction != outgoing && direction != "out",
		Out: action == actionCallees || !calls && direction != incoming && direction != "in",
	})
	if err != nil {
		return d.Result{}, err
	}
	notes := t.Notes()
	out := codeGraph{
		Of: codeSymbolsOf(t, w.Of), Symbols: codeSymbolsOf(t, w.Found), Relations: make([]codeRelation, len(w.Links)), SymbolCount: len(w.Found), RelationCount: len(w.Links),
		Truncated: w.Left > 0, Deferred: w.Left, Frontier: make([]string, len(w.Frontier)), Partial: len(notes) > 0, Message: strings.Join(notes, "; "),
	}
	out.ID = out.Of[0].ID // a walk without a beginning is an error
	for i, l := range w.Links {
		out.Relations[i] = relationOf(t, l)
	}
	for i, s := range w.Frontier {
		out.Frontier[i] = symbolID(t, s)
	}
	return d.JSON(out, len(w.Found))
}

func relationOf(t *code.Tree, l api.CodeReference) codeRelation {
	r := codeRelation{From: symbolID(t, l.From), To: symbolID(t, l.To), Kind: l.Use, Path: l.Path, Line: l.Line}
	switch l.Use {
	case "call":
		r.Kind = "calls"
	case "read", "type":
		r.Kind = "references"
	default: // the other names are the same
	}
	if l.Candidates > 1 {
		r.Candidates = l.Candidates
	}
	return r
}

// symbolOf reads the argument symbol_id: an ID of [symbolID], a file and a key in the tree of the question, or a name there.
func symbolOf(ctx context.Context, c *d.Call) (*code.Tree, api.CodeRef, error) {
	text := strings.TrimSpace(c.Text("symbol_id"))
	l, err := library(c)
	if err != nil {
		return nil, api.CodeRef{}, err
	}
	if id, rest, ok := strings.Cut(text, "/"); ok {
		t, err := treeNamed(c, l, id)
		if err != nil {
			return nil, api.CodeRef{}, err
		}
		if t != nil {
			c.Code.Follow(t)
			path, key, _ := strings.Cut(rest, "#")
			return t, api.CodeRef{Path: path, Key: key}, nil
		}
	}
	t, err := asked(c)
	if err != nil {
		return nil, api.CodeRef{}, err
	}
	if path, key, ok := strings.Cut(text, "#"); ok {
		held, err := t.Holds(ctx, path)
		if held || err != nil {
			return t, api.CodeRef{Path: path, Key: key}, err
		}
	}
	return t, api.CodeRef{Key: text}, nil
}
