package sources_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/sources"
)

// memory returns an answer with hits of these relevances, called m0, m1 and on.
func memory(relevances ...float64) *hippo.Answer {
	a := &hippo.Answer{Total: 10 * len(relevances)}
	for i, r := range relevances {
		a.Hits = append(a.Hits, hippo.Hit{Memory: &hippo.Memory{ID: hippo.ID{byte(i + 1)}, Content: "m" + string(rune('0'+i))}, Relevance: r})
	}
	return a
}

// tree returns an answer of a tree with hits of these relevances, called by its root and a number.
func tree(root string, relevances ...float64) *api.CodeAnswer {
	a := &api.CodeAnswer{Total: 10 * len(relevances)}
	for i, r := range relevances {
		a.Hits = append(a.Hits, api.CodeHit{Root: root, Name: root + string(rune('0'+i)), Relevance: r})
	}
	return a
}

func names(hits []api.SourceHit) string {
	var out []string
	for _, h := range hits {
		if h.Insight != nil {
			out = append(out, h.Insight.Memory.Content)
		} else {
			out = append(out, h.Code.Name)
		}
	}
	return strings.Join(out, " ")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		memory *hippo.Answer
		trees  []*api.CodeAnswer
		page   sources.Page
		want   string
	}{
		"nothing":           {memory(), nil, sources.Page{Count: 3}, ""},
		"insights":          {memory(.9, .8), nil, sources.Page{Count: 3}, "m0 m1"},
		"code":              {memory(), []*api.CodeAnswer{tree("a", .9)}, sources.Page{Count: 3}, "a0"},
		"code counts less":  {memory(.8, .5), []*api.CodeAnswer{tree("a", .82, .6)}, sources.Page{Count: 4}, "m0 a0 a1 m1"},
		"equal":             {memory(1), []*api.CodeAnswer{tree("a", 1)}, sources.Page{Count: 2}, "m0 a0"},
		"several trees":     {memory(.5), []*api.CodeAnswer{tree("a", .7, .3), tree("b", .8)}, sources.Page{Count: 9}, "b0 a0 m0 a1"},
		"each in its order": {memory(.2, .9), []*api.CodeAnswer{tree("a", .5)}, sources.Page{Count: 3}, "a0 m0 m1"},
		"second page":       {memory(.9, .6), []*api.CodeAnswer{tree("a", .9, .6)}, sources.Page{Offset: 2, Count: 1}, "m1"},
		"behind the end":    {memory(.9), []*api.CodeAnswer{tree("a", .9)}, sources.Page{Offset: 5, Count: 2}, ""},
	} {
		a := sources.Merge(c.memory, c.trees, c.page)
		if got := names(a.Hits); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if want := 10 * len(c.memory.Hits); a.Insights != want || a.Trees != len(c.trees) {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// The answer of the store has what is on the page and no more, and changes nothing of what it was made of.
func TestMerge_Memory(t *testing.T) {
	t.Parallel()
	m := memory(.9, .8, .1)
	m.Conflicts = []hippo.Conflict{{A: m.Hits[0].Memory.ID, B: m.Hits[1].Memory.ID}, {A: m.Hits[0].Memory.ID, B: m.Hits[2].Memory.ID}}
	a := sources.Merge(m, []*api.CodeAnswer{tree("a", .9)}, sources.Page{Count: 3})
	if len(a.Memory.Hits) != 2 || len(a.Memory.Conflicts) != 1 || len(m.Hits) != 3 || len(m.Conflicts) != 2 {
		t.Errorf("%+v", a.Memory)
	}
	if got := []int{a.Total(), a.Next(0, 3), a.Next(97, 3), a.Next(0, 0)}; !cmp.Equal(got, []int{40, 3, 0, 0}) {
		t.Error(got)
	}
}

// An answer is weak if each source that is on the page says so.
func TestMerge_Weak(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		memory, code string
		page         int
		want         string
	}{
		"both":        {"m", "c", 2, "insights: m; code: c"},
		"neither":     {"", "", 2, ""},
		"memory":      {"m", "", 2, ""},
		"code":        {"", "c", 2, ""},
		"first alone": {"m", "", 1, "insights: m"},
	} {
		m, x := memory(.9), tree("a", .5)
		m.Weak, x.Weak = c.memory, c.code
		a := sources.Merge(m, []*api.CodeAnswer{x}, sources.Page{Count: c.page})
		if a.Weak != c.want || a.Memory.Weak != c.want {
			t.Errorf("%s: %q, %q", name, a.Weak, a.Memory.Weak)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		code  bool
		bad   bool
	}{
		{nil, false, false},
		{[]string{"memory"}, false, false},
		{[]string{"memory, Code"}, true, false},
		{[]string{"code", "memory"}, true, false},
		{[]string{""}, false, true},
		{[]string{}, false, true},
		{[]string{"code", "mail"}, false, true},
	} {
		s, err := sources.Parse(c.names)
		if s.HasCode() != c.code || (hippo.CodeOf(err) == hippo.CodeInvalid) != c.bad {
			t.Errorf("%q: %+v, %v", c.names, s, err)
		}
	}
}
