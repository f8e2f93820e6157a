package index_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

// What an index caches of the projects that are searched does not outlive a change.
func TestSearch_projects(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	projects := []string{"", "p", "q"}
	scopes := []hippo.Scope{{}, {Projects: []string{"p"}}, {Projects: []string{"", "q"}}, {Projects: []string{"none"}}}
	s := newSource("s")
	x := open(t, s, &index.Options{})
	var all []*hippo.Memory
	for step := range 100 {
		scope := scopes[rng.IntN(len(scopes))]
		_ = scopedTo(x, scope) // so that something is cached
		switch n := rng.IntN(4); {
		case len(all) == 0 || n < 2:
			m := note(step+1, []string{"cache", "cache tests", "tests of it"}[rng.IntN(3)])
			m.Project = projects[rng.IntN(len(projects))]
			all = append(all, m)
			s.put(m)
		case n == 2:
			m := all[rng.IntN(len(all))]
			if m.Forgotten() {
				m.ForgottenAt = time.Time{}
			} else {
				m.ForgottenAt = time.Unix(1, 0)
			}
			s.put(m)
		default:
			i := rng.IntN(len(all))
			s.purge(all[i].ID)
			all = slices.Delete(all, i, i+1)
		}
		catchUp(t, x)
		want := scopedTo(open(t, s, &index.Options{}), scope)
		for range 2 {
			if d := cmp.Diff(want, scopedTo(x, scope)); d != "" {
				t.Fatalf("step %d, scope %+v: (-fresh +got):\n%s", step, scope, d)
			}
		}
	}
}

// A search in a project counts matches in other projects, even if a segment holds none of the project and the situation must fit.
func TestSearch_elsewhere(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	x := open(t, s, &index.Options{})
	for i, m := range []*hippo.Memory{note(1, "cache tests", "debugging"), note(2, "cache tests", "debugging"), note(3, "cache tests", "reviewing")} {
		m.Project = []string{"p", "q", "q"}[i]
		s.put(m)
	}
	catchUp(t, x)
	for _, c := range []struct {
		project   string
		situation []string
		matches   int
		elsewhere int
	}{
		{"p", nil, 1, 2},
		{"p", []string{"debugging"}, 1, 1},
		{"none", nil, 0, 3},
		{"none", []string{"debugging"}, 0, 2},
	} {
		r, err := x.Search(t.Context(), &retrieve.Query{
			Text: "cache tests", Filter: hippo.Filter{Projects: []string{c.project}}, Elsewhere: true, Situation: retrieve.Situation{Elements: c.situation},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Matches) != c.matches || r.Elsewhere != c.elsewhere {
			t.Errorf("%+v: %d matches, %d elsewhere", c, len(r.Matches), r.Elsewhere)
		}
		r.Close()
	}
}

// scoped is what depends on the memories of a scope.
type scoped struct {
	Memories int
	MaxScore float64
	Scores   map[hippo.ID]float64
}

func scopedTo(x *index.Index, scope hippo.Scope) (out scoped) {
	find(x, query{Scope: scope, Text: "cache tests"}, func(r *retrieve.Result) {
		out = scoped{r.Memories, r.MaxScore, make(map[hippo.ID]float64)}
		for _, m := range r.Matches {
			out.Scores[idOf(r, m.Doc)] = m.Score
		}
	})
	return out
}
