package grid

import (
	"cmp"
	"math"
	"slices"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
)

// tokens orders texts by comparing them with a question token by token: the mean over its tokens, by how rare they are, of the highest cosine
// with a token of the text. It is for one goroutine.
type tokens struct {
	model embed.TokenEmbedder
	of    map[string][]int32 // by the name of the memory
	in    map[int32]int      // how many texts have a token
}

// newTokens reads all texts; nil without a model.
func newTokens(model embed.TokenEmbedder, docs []*hippo.Memory) *tokens {
	if model == nil {
		return nil
	}
	t := &tokens{model: model, of: make(map[string][]int32), in: make(map[int32]int)}
	for _, m := range docs {
		list := model.Tokenize(nil, m.Content)
		t.of[eval.Name(m)] = list
		list = slices.Clone(list)
		slices.Sort(list)
		for _, x := range slices.Compact(list) {
			t.in[x]++
		}
	}
	return t
}

// order sorts the names of memories by their similarity with a question, the best first.
func (t *tokens) order(question string, names []string) []string {
	query := t.model.Tokenize(nil, question)
	if len(query) == 0 {
		return nil
	}
	maxsim := t.model.NewMaxSim(query)
	defer maxsim.Close()
	score := make(map[string]float64)
	similarities := make([]float32, len(query))
	for _, name := range names {
		if _, ok := score[name]; ok {
			continue
		}
		clear(similarities)
		maxsim.Update(similarities, t.of[name])
		sum := 0.0
		for i, x := range query {
			idf := math.Log(1 + float64(len(t.of))/float64(1+t.in[x]))
			sum += t.model.Weight(x) * idf * float64(similarities[i])
		}
		score[name] = sum
	}
	out := make([]string, 0, len(score))
	for name := range score {
		out = append(out, name)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
	return out
}
