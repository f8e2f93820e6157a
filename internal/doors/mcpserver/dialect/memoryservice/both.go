package memoryservice

import (
	"context"
	"slices"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect/claudehippo"
	"github.com/hippo-memory/hippo/internal/doors/wire"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Four names are also those of claude-hippo. They take the arguments of both systems, and answer programs with the fields of
// both; the text is that of this one.

// both returns these tools.
func both() []d.Tool {
	recall := slices.DeleteFunc(claudehippo.RecallParams("n_results"), func(p verb.Arg) bool { return p.Name == "n_results" })
	results := count("n_results", hippo.MaxCount, 5)
	results.Also = "limit"
	page := count("page_size", hippo.MaxCount, 10)
	page.Also = "n limit"
	return []d.Tool{
		older("store_memory", storeBoth, verb.Arg{Name: "content", Is: verb.Required, To: verb.New[string]}, d.TagsArg(), d.TypeArg(), verb.Arg{Name: "metadata", To: verb.New[verb.Metadata]},
			verb.Arg{Name: "client_hostname", To: verb.New[string]}, verb.Arg{Name: "importance", Rules: verb.Between(0, 1), To: verb.New[float64]}),
		older("retrieve_memory", retrieveBoth, verb.With(recall, results)...),
		older("list_memories", listBoth, verb.Arg{Name: "page", Field: "Offset", Rules: verb.Between(1, maxPage), To: verb.New[int]}, page, d.TagsArg(), d.TypeArg()),
		older("delete_memory", deleteBoth, claudehippo.DeleteParams()...),
	}
}

// storedBoth is the result of storing for programs.
type storedBoth struct {
	storeOutcome
	claudehippo.Scored
}

func storeBoth(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := newMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	if c.Has("importance") {
		claudehippo.SetImportance(m, c.Number("importance", 0))
	}
	m, r, err := storeOnce(ctx, c, m)
	if err != nil {
		return d.Result{}, err
	}
	out, _ := r.Data.(storeOutcome)
	scored, err := claudehippo.ScoreOf(ctx, c, m, !out.Success)
	r.Data = storedBoth{out, scored}
	return r, err
}

// foundBoth is a result of a search for programs.
type foundBoth struct {
	found
	claudehippo.Numbered
	Relevance  float64 `json:"score"`
	Similarity float64 `json:"cosine_similarity"`
}

// retrieveBoth searches in the ranking of claude-hippo if a mode, a seed or no surprise is asked for.
func retrieveBoth(ctx context.Context, c *d.Call) (d.Result, error) {
	query, least := c.Text("query"), c.Number("similarity_threshold", 0)
	r := &results{}
	var err error
	if claudehippo.Recalls(c) {
		var list []claudehippo.Found
		list, err = claudehippo.Recall(ctx, c, c.Int("n_results", 5))
		for _, f := range list {
			if f.Score >= least {
				r.list = append(r.list, result{Memory: f.Memory, score: f.Score, similarity: f.Similarity, contradicts: f.ContradictedBy})
			}
		}
	} else {
		s := &search{query: query, limit: c.Int("n_results", 5), least: least}
		r, err = s.run(ctx, c)
	}
	if err != nil {
		return d.Result{}, err
	}
	numbers, err := claudehippo.NumberedOf(ctx, c, memoriesOf(r.list))
	list := make([]foundBoth, len(r.list))
	for i := range r.list {
		m := &r.list[i]
		score := wire.Round(m.score, 4)
		list[i] = foundBoth{found{storedOf(m.Memory, c.Now), score, m.contradicts}, numbers[i], score, wire.Round(m.similarity, 4)}
	}
	out := writeOlder(c, query, r)
	out.Data = struct {
		Memories []foundBoth `json:"memories"`
		Query    string      `json:"query"`
		Count    int         `json:"count"`
	}{list, query, len(list)}
	return out, err
}

func memoriesOf(list []result) []*hippo.Memory {
	out := make([]*hippo.Memory, len(list))
	for i := range list {
		out[i] = list[i].Memory
	}
	return out
}

// listedBoth is a page of memories for programs.
type listedBoth struct {
	*listed
	Memories []numberedRow `json:"memories"`
	Count    int           `json:"count"`
}

type numberedRow struct {
	stored
	claudehippo.Numbered
}

func listBoth(ctx context.Context, c *d.Call) (d.Result, error) {
	p, ms, err := list(ctx, c, c.Int("page_size", 10))
	if err != nil {
		return d.Result{}, err
	}
	p.TotalFound = p.Total
	numbers, err := claudehippo.NumberedOf(ctx, c, ms)
	if err != nil {
		return d.Result{}, err
	}
	out := listedBoth{listed: p, Memories: make([]numberedRow, len(ms)), Count: len(ms)}
	for i := range ms {
		out.Memories[i] = numberedRow{p.Memories[i], numbers[i]}
	}
	r, err := d.JSON(out, len(ms))
	r.Data = out
	return r, err
}

// deletedBoth is the result of a deletion for programs.
type deletedBoth struct {
	deleted
	Deleted int      `json:"deleted"`
	DryRun  bool     `json:"dry_run"`
	Hashes  []string `json:"deleted_hashes"`
}

func deleteBoth(ctx context.Context, c *d.Call) (d.Result, error) {
	var ms []*hippo.Memory
	var err error
	switch {
	case c.Flag("restore"):
		return claudehippo.Restore(ctx, c)
	case c.Text("content_hash") == "" && (c.Has("id") || c.Has("uuids")):
		for _, name := range []string{"tags", "memory_type", "after", "before"} {
			if c.Has(name) {
				return d.Result{}, hippo.Fieldf(name, "and id or uuids exclude each other")
			}
		}
		ms, err = claudehippo.Named(ctx, c)
	default:
		ms, err = deletion(ctx, c)
	}
	if err != nil {
		return d.Result{}, err
	}
	r, err := forget(ctx, c, ms, c.Flag("dry_run"))
	done, _ := r.Data.(deleted)
	if c.Flag("dry_run") {
		done = deleted{Success: true, Message: "Nothing was deleted: this is a dry run", Count: len(ms)}
	}
	r.Data = deletedBoth{done, len(ms), c.Flag("dry_run"), hashes(ms)}
	return r, err
}
