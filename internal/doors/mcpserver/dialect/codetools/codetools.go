// Package codetools holds the tool that asks about source trees which the user indexed. It is a set of its own, because only who has
// an index pays for its entry in the list, where there is room for one.
package codetools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Name selects this set.
const Name = "code"

// New returns the set.
func New() *d.System {
	return &d.System{
		Name:  Name,
		Tools: []d.Tool{codeTool()},
	}
}

// What hippo_code shows.
const (
	showSearch  = "search"
	showSymbol  = "symbol"
	showOutline = "outline"
	showCallers = "callers"
	showCallees = "callees"
	showRelated = "related"
	showMap     = "map"
)

func codeTool() d.Tool {
	return d.Tool{
		Name:        "hippo_code",
		Description: "Find indexed source code by words or purpose, or read its structure: what defines, calls or relates to a name; a file's outline; a map.",
		Params: verb.Table{
			{Name: "query", Also: "q text of name symbol pattern", Field: "Text name", About: "words, a name or a file", To: verb.New[string]},
			{
				Name: "show", Also: "action what", Values: []string{showSearch, showSymbol, showOutline, showCallers, showCallees, showRelated, showMap}, To: verb.New[string],
			},
			{Name: "path", Also: "file folder file_path", Is: verb.Unlisted, To: verb.New[string]},
			{Name: "language", Also: "lang", Is: verb.Unlisted, To: verb.New[string]},
			{Name: "kind", Also: "type", Is: verb.Unlisted, To: verb.New[string]},
			{Name: "root", Also: "tree repo project", Is: verb.Unlisted, To: verb.New[string]},
			{Name: "detail", Values: verb.Details(), Is: verb.Unlisted, To: verb.New[string]},
			{Name: "limit", Also: "count top_k n", Field: "Count", Rules: verb.Between(1, api.MaxSourceHits), Is: verb.Unlisted, To: verb.New[int]},
			{Name: "max_tokens", Field: "tokens", Rules: verb.Between(verb.MinTokens, verb.MaxTokens), Is: verb.Unlisted, To: verb.New[int]},
		},
		ReadOnly: true,
		Call:     answer,
	}
}

// answer answers a question. What was not found has a hint of its own.
func answer(ctx context.Context, c *d.Call) (d.Result, error) {
	q, err := ask(c)
	if err != nil {
		return d.Result{}, &d.HintedError{Err: err} // it says itself what to do
	}
	r, err := reply(ctx, c, q)
	if errors.Is(err, hippo.ErrNotFound) {
		err = &d.HintedError{Err: err, Hint: "show search finds code by words; hippo_code without arguments shows a map"}
	}
	return r, err
}

// question is what the arguments say.
type question struct {
	of string // empty: the tree
	// trees are those that a search asks; tree is the only one, or nil.
	trees  *code.Trees
	tree   *code.Tree
	tokens int
}

// ask reads a question, and has the indexes of its trees kept up to date from now on.
func ask(c *d.Call) (*question, error) {
	if c.Code == nil {
		return nil, fmt.Errorf("%w: this server answers no questions about code", hippo.ErrUnsupported)
	}
	l, err := c.Code.Library()
	if err != nil {
		return nil, err
	}
	given, root := c.Text("path"), c.Text("root")
	if root == "" && strings.HasPrefix(given, "/") {
		root = given
	}
	q := &question{of: strings.TrimSpace(c.Text("query")), tokens: c.Int("max_tokens", verb.DefaultTokens)}
	if q.trees, err = l.Among(&c.Scope, c.Code.Dir(), root); err != nil {
		if root == given {
			err = verb.Renamed(err, "path")
		}
		return nil, err
	}
	q.trees.Limits = code.Limits{Language: c.Text("language"), Kind: c.Text("kind"), Count: c.Int("limit", 0)}
	if err := q.settle(given, c.Text("show")); err != nil {
		return nil, err
	}
	for _, t := range q.trees.All() {
		c.Code.Follow(t)
	}
	return q, nil
}

// settle reads a path of the arguments. Of several trees it takes the one that holds it or what is asked about, as answers of several
// name their files: from the folder of the caller. A search without a path asks all, and the error of other questions lists them.
func (q *question) settle(given, show string) error {
	given = q.trees.Narrow(given)
	q.of = q.trees.Narrow(q.of)
	if q.trees.Several() && given == "" && q.of != "" && (show == "" || show == showSearch) {
		return nil
	}
	var err error
	if q.tree, err = q.trees.Only(); err != nil {
		return err
	}
	q.tree.Path, err = q.tree.Relative(given)
	return err
}
