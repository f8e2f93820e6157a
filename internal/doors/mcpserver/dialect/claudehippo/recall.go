package claudehippo

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/verb"
)

const (
	// defaultLimit is the number of memories that a recall returns, neighbours that of relations that are followed.
	defaultLimit = 10
	neighbours   = 20
)

// RecallParams returns the parameters of a recall; limit is the name of that which says how many memories it returns.
func RecallParams(limit string) verb.Table {
	count := verb.Arg{Name: "limit", Also: "n_results", Field: "Count", Rules: verb.Between(1, hippo.MaxCount, defaultLimit), To: verb.New[int]}
	if limit != count.Name {
		count.Name, count.Also = limit, "limit"
	}
	params := verb.Table{
		{Name: "query", Field: "Text", Is: verb.Required, To: verb.New[string]},
		count,
		{Name: "mode", About: "semantic (default), associative, hybrid, or exact", To: verb.New[string]},
		{Name: "seed_id", About: "where associations begin", To: verb.New[verb.Ref]},
		{Name: "no_surprise_boost", To: verb.New[bool]},
		{Name: "oversample_factor", About: "no effect: all that match are ranked", Rules: verb.Between(1, 10_000), To: verb.New[int]},
	}
	if limit != "limit" { // the tool that mcp-memory-service also has
		params = append(params, verb.Arg{Name: "similarity_threshold", Rules: verb.Between(0, 1), To: verb.New[float64]})
	}
	return params
}

// modeOf returns the mode of a recall.
func modeOf(c *d.Call) (hippo.Mode, error) {
	switch strings.ToLower(strings.TrimSpace(c.Text("mode"))) {
	case "", "semantic":
		return hippo.ModeSemantic, nil
	case "associative", "assoc", "hebbian":
		return hippo.ModeAssociative, nil
	case "hybrid", "mixed":
		return hippo.ModeHybrid, nil
	case "exact":
		return hippo.ModeExact, nil
	default:
		return "", hippo.Fieldf("mode", "must be one of semantic, associative, hybrid, exact, got %.40q", c.Text("mode"))
	}
}

// found is a memory that a recall found.
type found struct {
	*hippo.Memory
	score, similarity float64
	// contradicts says which fact the text contradicts.
	contradicts string
}

// recall returns what the arguments ask for, the best first.
func recall(ctx context.Context, c *d.Call, limit int) ([]found, error) {
	mode, err := modeOf(c)
	if err != nil {
		return nil, err
	}
	associated := mode == hippo.ModeAssociative || mode == hippo.ModeHybrid
	q := hippo.Query{Text: c.Text("query"), Ranker: hippo.RankerSurprise, Mode: mode, Count: limit, Detail: hippo.Detail{Each: true}}
	if c.Has("seed_id") || c.Flag("no_surprise_boost") {
		q.Mode = hippo.ModeSemantic // associations are added below
	}
	if c.Flag("no_surprise_boost") {
		q.Ranker, q.Mode = hippo.RankerCosine, ""
	}
	a, err := query.Search(ctx, c.Memories, q)
	if err != nil {
		return nil, err
	}
	out, scores := make([]found, len(a.Hits)), make([]float64, len(a.Hits))
	for i := range a.Hits {
		h := &a.Hits[i]
		out[i] = found{Memory: h.Memory, similarity: query.Similarity(h), contradicts: query.ContradictionNote(h.ContradictedBy, c.Now)}
		if scores[i] = h.Relevance; q.Ranker == hippo.RankerCosine {
			scores[i] = out[i].similarity
		}
	}
	query.Rescored(a.Hits, scores, c.Now)
	for i := range out {
		out[i].score = scores[i]
	}
	if associated && q.Mode != mode {
		return associate(ctx, c, out, mode, limit)
	}
	return out, nil
}

// associate adds the memories that the seed is related to; the seed is the best of the list, if none is given. In mode
// associative they take the place of the others.
func associate(ctx context.Context, c *d.Call, list []found, mode hippo.Mode, limit int) ([]found, error) {
	seed, err := seedOf(ctx, c, list)
	if err != nil || seed == nil {
		return list, err
	}
	relations, err := knowledge.RelationsOf(ctx, c.Memories, []hippo.ID{seed.ID})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(relations, func(a, b hippo.Relation) int { return cmp.Compare(b.Weight, a.Weight) })
	if mode == hippo.ModeAssociative {
		first := found{Memory: seed, score: 1, similarity: 1}
		if i := indexOf(list, seed.ID); i >= 0 {
			first.similarity = list[i].similarity
		}
		list = []found{first}
	}
	related, err := relatedTo(ctx, c, seed.ID, relations[:min(len(relations), neighbours)], list)
	if err != nil {
		return nil, err
	}
	list = append(list, related...)
	engine.HoldingFirst(list, func(f found) bool { return f.StateAt(c.Now) == hippo.Holds })
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.score, a.score) })
	return list[:min(len(list), limit)], nil
}

// relatedTo returns the memories that relations, the strongest first, connect with a seed, without those of a list.
func relatedTo(ctx context.Context, c *d.Call, seed hippo.ID, relations []hippo.Relation, list []found) (out []found, err error) {
	var ids []hippo.ID
	for i := range relations {
		r := &relations[i]
		id := r.Other(seed)
		if !r.ValidAt(c.Now) || indexOf(list, id) >= 0 || slices.Contains(ids, id) {
			continue
		}
		ids = append(ids, id)
		out = append(out, found{score: min(max(r.Weight, 0), 1)})
	}
	if len(ids) == 0 {
		return nil, nil
	}
	ms, err := memory.Get(ctx, c.Memories, ids)
	if err != nil {
		return nil, err
	}
	for i, m := range ms {
		out[i].Memory, out[i].score = m, query.Lapse(out[i].score, m, c.Now)
	}
	return out, nil
}

func seedOf(ctx context.Context, c *d.Call, list []found) (*hippo.Memory, error) {
	if c.Has("seed_id") {
		return findOne(ctx, c, "seed_id")
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list[0].Memory, nil
}

func indexOf(list []found, id hippo.ID) int {
	return slices.IndexFunc(list, func(f found) bool { return f.ID == id })
}

// recalled is a memory with its scores, for programs.
type recalled struct {
	Memory     row      `json:"memory"`
	Score      float32  `json:"score"`
	Similarity float32  `json:"cosine_similarity"`
	Surprise   *float32 `json:"surprise_score"`
	// ContradictedBy says which fact the text contradicts; claude-hippo has no such key.
	ContradictedBy string `json:"contradicted_by,omitempty"`
	*debug
}

// debug is what mcp-memory-service says of a result.
type debug struct {
	Relevance float32            `json:"relevance_score"`
	Info      map[string]float32 `json:"debug_info"`
}

func callRecall(ctx context.Context, c *d.Call) (d.Result, error) {
	out, err := results(ctx, c, "limit")
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(out, len(out))
}

// callRetrieve adds the fields of mcp-memory-service.
func callRetrieve(ctx context.Context, c *d.Call) (d.Result, error) {
	out, err := results(ctx, c, "n_results")
	if err != nil {
		return d.Result{}, err
	}
	kept := out[:0]
	for _, r := range out {
		if float64(r.Score) < c.Number("similarity_threshold", 0) {
			continue
		}
		cosine := 2*r.Similarity - 1
		r.debug = &debug{cosine, map[string]float32{"distance": 1 - cosine}}
		kept = append(kept, r)
	}
	return d.JSON(kept, len(kept))
}

func results(ctx context.Context, c *d.Call, limit string) ([]recalled, error) {
	list, err := recall(ctx, c, c.Int(limit, defaultLimit))
	if err != nil {
		return nil, err
	}
	ms := make([]*hippo.Memory, len(list))
	for i := range list {
		ms[i] = list[i].Memory
	}
	shown, err := rows(ctx, c, ms)
	if err != nil {
		return nil, err
	}
	out := make([]recalled, len(list))
	for i, f := range list {
		out[i] = recalled{Memory: shown[i], Score: float32(f.score), Similarity: float32(f.similarity), ContradictedBy: f.contradicts}
		if f.Surprise.Score > 0 {
			out[i].Surprise = new(float32(f.Surprise.Score))
		}
	}
	return out, nil
}
