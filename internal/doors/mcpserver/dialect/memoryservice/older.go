package memoryservice

import (
	"context"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
	"github.com/hippo-memory/hippo/internal/verb"
)

// older returns a tool of an older name, which is not listed.
func older(name string, call func(context.Context, *d.Call) (d.Result, error), params ...verb.Arg) d.Tool {
	return d.Tool{Name: name, Unlisted: true, Call: call, Params: params}
}

// olderReading returns the older names of the tools that read.
func olderReading() []d.Tool {
	query := verb.Arg{Name: "query", Field: "Text", Is: verb.Required, To: verb.New[string]}
	n := func(standard int) verb.Arg {
		p := count("n_results", 100, standard)
		p.Also = "limit"
		return p
	}
	least := verb.Arg{Name: "similarity_threshold", Rules: verb.Between(0, 1), To: verb.New[float64]}
	start, end := verb.Arg{Name: "start_date", To: verb.New[verb.Time]}, verb.Arg{Name: "end_date", Field: "CreatedBefore", To: verb.New[verb.Time]}
	return []d.Tool{
		older("recall_memory", recallMemory, query, n(5)),
		older("recall_by_timeframe", timeframe, start, end, n(5)),
		older("retrieve_with_quality_boost", retrieve, query, n(10), verb.Arg{Name: "quality_weight", Rules: verb.Between(0, 1, qualityWeight), To: verb.New[float64]}),
		older("exact_match_retrieve", exactMatch, verb.Arg{Name: "content", Is: verb.Required, To: verb.New[string]}),
		older("debug_retrieve", retrieve, query, n(5), least),
		older("search_by_tag", byTag, required(d.TagsArg()), verb.Arg{Name: "operation", Values: []string{"and", "or"}, To: verb.New[string]}, d.MatchArg()),
		older("check_database_health", callHealth),
		older("get_cache_stats", callStats),
		older("get_memory_quality", withAction(callQuality, "get"), hashParam()),
		older("analyze_quality_distribution", withAction(callQuality, "analyze"), verb.Arg{Name: "min_quality", Rules: verb.Between(0, 1), To: verb.New[float64]}, verb.Arg{Name: "max_quality", Rules: verb.Between(0, 1), To: verb.New[float64]}),
		older("find_connected_memories", withAction(callGraph, "connected"), graphHash("hash"), count("max_hops", 10, 2), verb.Arg{Name: "rel_type", To: verb.New[string]}),
		older("find_shortest_path", withAction(callGraph, "path"), graphHash("hash1"), graphHash("hash2"), count("max_depth", 10, 5), verb.Arg{Name: "rel_type", To: verb.New[string]}),
		older("get_memory_subgraph", withAction(callGraph, "subgraph"), graphHash("hash"), count("radius", 10, 2), verb.Arg{Name: "rel_type", To: verb.New[string]}),
	}
}

func horizonParam() verb.Arg {
	return verb.Arg{Name: "time_horizon", Values: api.HorizonNames(), To: verb.New[string]}
}

// qualityWeight is the standard of retrieve_with_quality_boost.
const qualityWeight = 0.3

func required(p verb.Arg) verb.Arg {
	p.Is |= verb.Required
	return p
}

func graphHash(name string) verb.Arg {
	p := verb.Arg{Name: name, Is: verb.Required, To: verb.New[string]}
	if name == "hash" {
		p.Also = "content_hash"
	}
	return p
}

// withAction returns the verb of a tool with its argument action.
func withAction(call func(context.Context, *d.Call) (d.Result, error), action string) func(context.Context, *d.Call) (d.Result, error) {
	return func(ctx context.Context, c *d.Call) (d.Result, error) {
		c.Input["action"] = action
		return call(ctx, c)
	}
}

// olderSearch carries out a search and writes it in the older form.
func olderSearch(ctx context.Context, c *d.Call, s *search) (d.Result, error) {
	r, err := s.run(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return writeOlder(c, s.query, r), nil
}

func retrieve(ctx context.Context, c *d.Call) (d.Result, error) {
	s := &search{query: c.Text("query"), limit: c.Int("n_results", 5), least: c.Number("similarity_threshold", 0)}
	if c.Has("quality_weight") {
		b := c.Number("quality_weight", 0)
		s.weights = &weights{semantic: 1 - b, quality: b}
	}
	return olderSearch(ctx, c, s)
}

// recallMemory searches in the time that the query names, for the rest of the query.
func recallMemory(ctx context.Context, c *d.Call) (d.Result, error) {
	s := &search{query: c.Text("query"), limit: c.Int("n_results", 5)}
	if span, err := when.Parse(s.query, c.Now); err == nil && !span.IsZero() {
		s.Filter.EventAfter, s.Filter.EventBefore, s.query = span.From, span.Until, ""
	} else if found, ok := when.Find(s.query, c.Now); ok {
		s.Filter.EventAfter, s.Filter.EventBefore, s.query = found.From, found.Until, found.Rest
	}
	return olderSearch(ctx, c, s)
}

func timeframe(ctx context.Context, c *d.Call) (d.Result, error) {
	s := &search{limit: c.Int("n_results", 5)}
	err := dates(c, &s.Filter)
	if err != nil {
		return d.Result{}, err
	}
	return olderSearch(ctx, c, s)
}

// dates reads start_date and end_date; the end includes its whole day.
func dates(c *d.Call, f *hippo.Filter) error {
	if err := d.NotBlank(c, "start_date", "end_date"); err != nil {
		return err
	}
	if err := verb.Read(c.Now, c.Time("start_date").Into(&f.CreatedAfter), c.Time("end_date").Into(&f.CreatedBefore)); err != nil {
		return err
	}
	if f.CreatedAfter.IsZero() && f.CreatedBefore.IsZero() {
		return hippo.Fieldf("start_date", "or end_date must be given, such as 2026-03-01")
	}
	if day, err := time.Parse(time.DateOnly, c.Time("end_date").Text); err == nil {
		f.CreatedBefore = time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, c.Now.Location())
	}
	return nil
}

func exactMatch(ctx context.Context, c *d.Call) (d.Result, error) {
	s := &search{query: c.Text("content"), exact: true, limit: 100}
	return olderSearch(ctx, c, s)
}

func byTag(ctx context.Context, c *d.Call) (d.Result, error) {
	s := &search{limit: 100}
	s.All = c.Text("operation") == "and" || c.Text("tag_match") == "all"
	s.Tags = filterTags(c.Texts("tags"), s.All)
	return olderSearch(ctx, c, s)
}

// olderChanging returns the older names of the tools that change something.
func olderChanging() []d.Tool {
	oneTag := required(d.TagsArg())
	return []d.Tool{
		older("consolidate_memories", withAction(callConsolidate, "run"), horizonParam()),
		older("trigger_consolidation", withAction(callConsolidate, "run"), horizonParam(), verb.Arg{Name: "immediate", To: verb.New[bool]}),
		older("consolidation_recommendations", withAction(callConsolidate, "recommend"), horizonParam()),
		older("delete_by_tag", callDelete, oneTag),
		older("delete_by_tags", callDelete, oneTag),
		older("delete_by_all_tags", func(ctx context.Context, c *d.Call) (d.Result, error) {
			c.Input["tag_match"] = "all"
			return callDelete(ctx, c)
		}, oneTag),
		older("delete_by_timeframe", deleteDates, verb.Arg{Name: "start_date", To: verb.New[verb.Time]}, verb.Arg{Name: "end_date", Field: "CreatedBefore", To: verb.New[verb.Time]}, d.TagsArg()),
		older("delete_before_date", func(ctx context.Context, c *d.Call) (d.Result, error) {
			c.Input["before"] = c.Input["before_date"]
			return callDelete(ctx, c)
		}, verb.Arg{Name: "before_date", Field: "before", Is: verb.Required, To: verb.New[verb.Time]}, d.TagsArg()),
		older("cleanup_duplicates", callCleanup),
		older("update_memory_metadata", callUpdate, changing()[2].Params[:3]...),
		older("rate_memory", withAction(callQuality, "rate"), hashParam(), verb.Arg{Name: "rating", Values: []string{"-1", "0", "1"}, Is: verb.Required, To: verb.New[string]}, verb.Arg{Name: "feedback", To: verb.New[string]}),
	}
}

func deleteDates(ctx context.Context, c *d.Call) (d.Result, error) {
	s := d.Selection{Tags: filterTags(c.Texts("tags"), false)}
	if err := dates(c, &s.Filter); err != nil {
		return d.Result{}, err
	}
	ms, err := s.Deletion(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return forget(ctx, c, ms, false)
}
