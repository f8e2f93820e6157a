package memorymcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// The names that memory-mcp has for kinds of code, beside those of the index.
const (
	kindTrait = "trait" // an interface
	kindImpl  = "impl"  // a class
	kindOther = "other" // text between definitions
	kindText  = "text"  // the same, in the index
)

// Kinds of the index.
const (
	kindInterface = "interface"
	kindClass     = "class"
	kindModule    = "module"
)

// modeHybrid is the default of recall_code.
const modeHybrid = "hybrid"

// The weights of recall_code. Source: the design of memory-mcp.
const (
	codeVectorWeight = .50
	codeBM25Weight   = .20
	codeGraphWeight  = .30
)

// symbolKinds returns the kinds of definitions, and more names of them.
func symbolKinds(more ...string) []string {
	out := []string{"function", "method", "class", "struct", "enum", "interface", "module", "type", "field", "constant", "variable", "section"}
	return append(out, more...)
}

// findingCode returns the tools that search source code.
func findingCode() []d.Tool {
	query := verb.Arg{Name: "query", Field: "Text name", Is: verb.Required, To: verb.New[string]}
	weight := func(name string) verb.Arg {
		return verb.Arg{Name: name, Rules: verb.Between(0, 1), Is: verb.Unlisted, To: verb.New[float64]}
	}
	narrow := verb.Table{
		{Name: "path_prefix", Field: "path", About: "a file or folder", To: verb.New[string]},
		{Name: "language", To: verb.New[string]},
		{Name: "chunk_type", Values: symbolKinds(kindImpl, kindOther), To: verb.New[string]},
	}
	mode := verb.Arg{Name: "mode", Field: "Ranker", Values: []string{modeVector, modeHybrid}, Rules: verb.Schema{"default": modeHybrid}, To: verb.New[string]}
	weights := verb.Table{weight("vector_weight"), weight("bm25_weight"), weight("ppr_weight")}
	return []d.Tool{
		{
			Name: "recall_code", Description: "Find source code by meaning, words and names.", ReadOnly: true, Call: callRecallCode,
			Params: verb.With(verb.With(verb.Table{query, projectParam(), limitParam(defaultLimit), mode}, narrow...), weights...),
		},
		{
			Name: "search_symbols", Description: "Find definitions by name, its beginning, a part of it, or with a typo.", ReadOnly: true, Call: callSymbols,
			Params: verb.Table{
				query, projectParam(), limitParam(defaultLimit),
				{Name: "offset", Field: "Offset", Rules: verb.Between(0, maxOffset, 0), To: verb.New[int]},
				{Name: "symbol_type", Values: symbolKinds(kindTrait), To: verb.New[string]},
				{Name: "path_prefix", Field: "path", To: verb.New[string]},
				{Name: "language", Is: verb.Unlisted, To: verb.New[string]},
			},
		},
		{
			Name: "search_code", Description: "The same as recall_code.", ReadOnly: true, Unlisted: true, Call: callSearchCode,
			Params: verb.With(verb.Table{query, projectParam(), limitParam(defaultFound)}, narrow...),
		},
	}
}

// limited puts the limits of the arguments on a tree; kind is the name of the one for kinds.
func limited(c *d.Call, t *code.Tree, kind string, count int) (err error) {
	t.Limits = code.Limits{Language: c.Text("language"), Kind: c.Text(kind), Count: count}
	switch t.Kind {
	case kindTrait:
		t.Kind = kindInterface
	case kindImpl:
		t.Kind = kindClass
	case kindOther:
		t.Kind = kindText
	default:
	}
	t.Path, err = t.Relative(c.Text("path_prefix"))
	return err
}

// codeChunk is a result of recall_code.
type codeChunk struct {
	ID        string  `json:"id"`
	Path      string  `json:"file_path"`
	Content   string  `json:"content"` // empty unless it is as it was indexed
	Language  string  `json:"language"`
	First     int     `json:"start_line"`
	Last      int     `json:"end_line"`
	Kind      string  `json:"chunk_type"`
	Name      string  `json:"name,omitempty"`
	Score     float64 `json:"score"`
	Freshness string  `json:"freshness,omitempty"`
}

// codeAnswer is the answer of recall_code. Partial says that the index is behind, and Message why.
type codeAnswer struct {
	Results []codeChunk `json:"results"`
	Count   int         `json:"count"`
	Query   string      `json:"query"`
	ID      string      `json:"project_id"`
	Weak    string      `json:"weak,omitempty"`
	Partial bool        `json:"is_partial"`
	Message string      `json:"message,omitempty"`
}

func callRecallCode(ctx context.Context, c *d.Call) (d.Result, error) {
	return recallCode(ctx, c, defaultLimit)
}

func callSearchCode(ctx context.Context, c *d.Call) (d.Result, error) {
	return recallCode(ctx, c, defaultFound)
}

func recallCode(ctx context.Context, c *d.Call, standard int) (d.Result, error) {
	ranker, err := codeRanker(c)
	if err != nil {
		return d.Result{}, err
	}
	t, err := asked(c)
	if err != nil {
		return d.Result{}, err
	}
	if err := limited(c, t, "chunk_type", c.Int("limit", standard)); err != nil {
		return d.Result{}, err
	}
	a, err := t.Search(ctx, c.Text("query"), ranker)
	if err != nil {
		return d.Result{}, err
	}
	out := codeAnswer{make([]codeChunk, len(a.Hits)), len(a.Hits), c.Text("query"), projectID(t), a.Weak, len(a.Notes) > 0, strings.Join(a.Notes, "; ")}
	for i := range a.Hits {
		out.Results[i] = chunkOf(t, &a.Hits[i])
	}
	return d.JSON(out, len(a.Hits))
}

// codeRanker returns the ranker that the mode and the weights mean: vectors alone, words alone, or both as the default ranker weighs them.
func codeRanker(c *d.Call) (hippo.Ranker, error) {
	vector, words, graph := c.Number("vector_weight", codeVectorWeight), c.Number("bm25_weight", codeBM25Weight), c.Number("ppr_weight", codeGraphWeight)
	switch {
	case vector+words+graph == 0:
		return "", hippo.Fieldf("vector_weight", "and the other weights are 0: one must be above")
	case c.Text("mode") == modeVector || words == 0 && graph == 0:
		return hippo.RankerCosine, nil
	case vector == 0 && graph == 0:
		return hippo.RankerBM25, nil
	default:
		return hippo.RankerHippo, nil
	}
}

func chunkOf(t *code.Tree, h *api.CodeHit) codeChunk {
	kind := h.Kind
	if kind == kindText {
		kind = kindOther
	}
	return codeChunk{
		ID: fmt.Sprintf("%s/%s:%d-%d", projectID(t), h.Path, h.First, h.Last), Path: h.Path, Content: h.Text, Language: h.Language, First: h.First, Last: h.Last,
		Kind: kind, Name: h.Name, Score: wire.Round(h.Relevance, 4), Freshness: freshnessOf(h.Freshness),
	}
}

// codeSymbol is a definition.
type codeSymbol struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Kind      string `json:"symbol_type"`
	Path      string `json:"file_path"`
	First     int    `json:"start_line"`
	Last      int    `json:"end_line"`
	Language  string `json:"language"`
	Signature string `json:"signature,omitempty"`
	Freshness string `json:"freshness,omitempty"`
}

// symbolID is the ID of a definition: that of its project, its file, and its key there. It stays when other parts of the file change.
func symbolID(t *code.Tree, s api.CodeRef) string {
	id := projectID(t) + "/" + s.Path
	if s.Key != "" {
		id += "#" + s.Key
	}
	return id
}

// codeSymbolsOf returns definitions. What a file does outside of them is a module that is called as the file.
func codeSymbolsOf(t *code.Tree, list []api.CodeSymbol) []codeSymbol {
	out := make([]codeSymbol, len(list))
	for i := range list {
		x := &list[i]
		out[i] = codeSymbol{symbolID(t, api.CodeRef{Path: x.Path, Key: x.Key}), x.Name, x.Kind, x.Path, x.First, x.Last, x.Language, x.Signature, freshnessOf(x.Freshness)}
		if x.Key == "" {
			out[i].Name, out[i].Kind = x.Path, kindModule
		}
	}
	return out
}

// symbolPage is the result of search_symbols.
type symbolPage struct {
	Results []codeSymbol `json:"results"`
	Count   int          `json:"count"`
	Total   int          `json:"total"`
	Limit   int          `json:"limit"`
	Offset  int          `json:"offset"`
	Query   string       `json:"query"`
	ID      string       `json:"project_id"`
	Partial bool         `json:"is_partial"`
	Message string       `json:"message,omitempty"`
}

func callSymbols(ctx context.Context, c *d.Call) (d.Result, error) {
	t, err := asked(c)
	if err != nil {
		return d.Result{}, err
	}
	if err := limited(c, t, "symbol_type", limitOf(c)); err != nil {
		return d.Result{}, err
	}
	out := symbolPage{Limit: limitOf(c), Offset: c.Int("offset", 0), Query: c.Text("query"), ID: projectID(t)}
	list, total, err := code.NamedFrom(ctx, t, out.Query, out.Offset)
	if err != nil {
		return d.Result{}, err
	}
	notes := t.Notes()
	out.Results, out.Count, out.Total, out.Partial, out.Message = codeSymbolsOf(t, list), len(list), total, len(notes) > 0, strings.Join(notes, "; ")
	return d.JSON(out, len(list))
}
