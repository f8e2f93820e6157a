package sources_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/engine/sources"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// forest is source trees of a test.
type forest struct {
	library  *codeindex.Library
	dir      string // of the caller
	followed int
}

func (f *forest) Library() (code.Library, error) { return code.Library{Library: f.library}, nil }

func (f *forest) Indexed() bool { return f.library != nil }

func (f *forest) Follow(*code.Tree) { f.followed++ }

func (f *forest) Dir() string { return f.dir }

// plant returns trees by their names, each with a file of that text.
func plant(t *testing.T, texts map[string]string) *forest {
	t.Helper()
	weights := rank.DefaultWeights()
	l := codeindex.NewLibrary(codeindex.Config{Dir: t.TempDir(), Parser: symbols.New(t.TempDir(), grammar.Limits{}), Weights: &weights, Now: time.Now})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	base := t.TempDir()
	for name, text := range texts {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tree, err := l.Add(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Update(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	return &forest{library: l, dir: base}
}

// store is the insights of a test: it answers with some hits, and remembers the queries.
type store struct {
	hits  int
	asked []hippo.Query
	used  []hippo.ID
	note  string // why use is not counted
}

func (s *store) insights() sources.Insights {
	return sources.Insights{Search: s.search, CountUsed: s.countUsed}
}

func (s *store) countUsed(_ context.Context, ids []hippo.ID) (string, error) {
	s.used = append(s.used, ids...)
	return s.note, nil
}

func (s *store) search(_ context.Context, q hippo.Query) (*hippo.Answer, error) {
	s.asked = append(s.asked, q)
	a := memory(slices.Repeat([]float64{.01}, s.hits)...)
	a.Hits = a.Hits[min(q.Offset, len(a.Hits)):min(q.Offset+q.Count, len(a.Hits))]
	return a, nil
}

func set(t *testing.T, name string) sources.Set {
	t.Helper()
	s, err := sources.Parse([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const gateway = "# Gateway\n\nRetries of the gateway need jitter.\n"

func TestSearch(t *testing.T) {
	t.Parallel()
	f, s := plant(t, map[string]string{"a": gateway, "b": gateway}), &store{hits: 3}
	asked := sources.Asked{Sources: set(t, "memory,code"), Scope: hippo.LocalScope(""), Insights: s.insights(), Trees: f}
	a, err := sources.Search(t.Context(), &asked, hippo.Query{Text: "gateway jitter", Count: 3})
	if err != nil {
		t.Fatal(err)
	}
	if a.Trees != 2 || len(a.Hits) != 3 || a.Chunks != 2 || len(a.Notes) != 0 || f.followed != 2 {
		t.Errorf("%+v, followed %d", a, f.followed)
	}
	if i := slices.IndexFunc(a.Hits, func(h api.SourceHit) bool { return h.Code != nil }); i < 0 || a.Hits[i].Relevance >= a.Hits[i].Code.Relevance {
		t.Errorf("%+v", a.Hits)
	}
	only, err := sources.Search(t.Context(), &sources.Asked{Sources: set(t, "code"), Trees: f}, hippo.Query{Text: "gateway"})
	if err == nil {
		t.Errorf("a scope without rights: %+v", only)
	}
	asked.Sources, s.asked = set(t, "code"), nil
	only, err = sources.Search(t.Context(), &asked, hippo.Query{Text: "gateway", Relevance: &hippo.Range{Min: .99999, Max: math.Inf(1)}})
	if err != nil || len(only.Hits) != 0 || only.Chunks == 0 || s.asked != nil {
		t.Errorf("%+v, %v, %v", only, err, s.asked)
	}
}

// Insights count as used if they are on the page, and not if they were only ranked; the store is searched once.
func TestSearch_Use(t *testing.T) {
	t.Parallel()
	f := plant(t, map[string]string{"a": gateway})
	for name, c := range map[string]struct {
		query hippo.Query
		used  []byte // the first bytes of the ids
	}{
		"first page":  {hippo.Query{Count: 2}, []byte{1}},
		"second page": {hippo.Query{Offset: 2, Count: 2}, []byte{2, 3}},
		"no touch":    {hippo.Query{Count: 2, NoTouch: true}, nil},
		"past":        {hippo.Query{Count: 2, Filter: hippo.Filter{Moment: hippo.Moment{KnownAt: time.Unix(1, 0)}}}, []byte(nil)},
		"beyond":      {hippo.Query{Offset: 50, Count: 2}, nil},
	} {
		s := &store{hits: 3, note: "disk full"}
		c.query.Text = "gateway"
		a, err := sources.Search(t.Context(), &sources.Asked{Sources: set(t, "memory,code"), Scope: hippo.LocalScope(""), Insights: s.insights(), Trees: f}, c.query)
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Hits) > 0 && a.Hits[0].Code == nil && name == "first page" {
			t.Fatalf("%s: the test needs code at first: %+v", name, a.Hits[0])
		}
		if len(s.asked) != 1 || s.asked[0].Offset != 0 || s.asked[0].Count != c.query.Offset+c.query.Count || !s.asked[0].NoTouch {
			t.Errorf("%s: asked %+v", name, s.asked)
		}
		var used []byte
		for _, id := range s.used {
			used = append(used, id[0])
		}
		if !slices.Equal(used, c.used) || (len(a.Memory.Degraded) == 1) != (len(used) > 0) {
			t.Errorf("%s: used %v, want %v; degraded %q", name, used, c.used, a.Memory.Degraded)
		}
	}
}

// What code cannot take part in is a note beside insights, and an error without them.
func TestSearch_WithoutCode(t *testing.T) {
	t.Parallel()
	f := plant(t, map[string]string{"a": gateway})
	all, other := hippo.LocalScope(""), hippo.Scope{Rights: hippo.AllRights, Projects: []string{"other"}}
	for name, c := range map[string]struct {
		trees sources.Trees
		scope hippo.Scope
		query hippo.Query
		want  string
	}{
		"none here":     {nil, all, hippo.Query{}, "this server answers no questions about code"},
		"none indexed":  {&forest{}, all, hippo.Query{}, "no source tree of these projects is indexed"},
		"other project": {f, other, hippo.Query{}, "no source tree of these projects is indexed"},
		"other tenant":  {f, hippo.Scope{Rights: hippo.AllRights, Namespace: "x"}, hippo.Query{}, "no source tree of these projects is indexed"},
		"filter":        {f, all, hippo.Query{Filter: hippo.Filter{Projects: []string{"other"}}}, "no source tree of these projects is indexed"},
		"tags":          {f, all, hippo.Query{Filter: hippo.Filter{Tags: []string{"x"}}}, "code has no tags"},
		"without tags":  {f, all, hippo.Query{Filter: hippo.Filter{WithoutTags: []string{"x"}}}, "code has no tags"},
		"when":          {f, all, hippo.Query{When: "last week"}, "code has no time of recording"},
	} {
		s := &store{hits: 2}
		asked := sources.Asked{Sources: set(t, "memory,code"), Scope: c.scope, Insights: s.insights(), Trees: c.trees}
		c.query.Text = "gateway"
		a, err := sources.Search(t.Context(), &asked, c.query)
		if err != nil || len(a.Hits) != 2 || len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "code takes no part: "+c.want) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		asked.Sources = set(t, "code")
		if a, err := sources.Search(t.Context(), &asked, c.query); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}

func TestSearch_Bad(t *testing.T) {
	t.Parallel()
	s := &store{}
	for field, q := range map[string]hippo.Query{
		"Text": {}, "Ranker": {Text: "x", Ranker: hippo.RankerBM25}, "Count": {Text: "x", Offset: 95, Count: 6}, "Offset": {Text: "x", Offset: -1},
		"Count: must be at most 100 together": {Text: "x", Offset: math.MaxInt}, // the sum would be negative
	} {
		_, err := sources.Search(t.Context(), &sources.Asked{Sources: set(t, "memory,code"), Scope: hippo.LocalScope(""), Insights: s.insights()}, q)
		if hippo.CodeOf(err) != hippo.CodeInvalid || !strings.HasPrefix(err.Error(), field) || s.asked != nil {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// The range of a query is that of the relevance that the answer shows.
func TestSearch_Range(t *testing.T) {
	t.Parallel()
	f := plant(t, map[string]string{"a": gateway})
	asked := sources.Asked{Sources: set(t, "code"), Scope: hippo.LocalScope(""), Trees: f}
	a, err := sources.Search(t.Context(), &asked, hippo.Query{Text: "gateway jitter"})
	if err != nil || len(a.Hits) == 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	shown, own := a.Hits[0].Relevance, a.Hits[0].Code.Relevance
	if shown >= own {
		t.Fatalf("the test needs two scales: %v, %v", shown, own)
	}
	for low, want := range map[float64]int{shown: 1, (shown + own) / 2: 0} {
		a, err := sources.Search(t.Context(), &asked, hippo.Query{Text: "gateway jitter", Relevance: &hippo.Range{Min: low, Max: 1}})
		if err != nil || len(a.Hits) != want {
			t.Errorf("from %v, with %v: %+v, %v", low, shown, a, err)
		}
	}
}

// If all of several trees fail, the answer says why of each of them, once.
func TestSearch_AllFail(t *testing.T) {
	t.Parallel()
	f := plant(t, nil)
	var roots []string
	for range 3 {
		dir := t.TempDir()
		tree, err := f.library.Add(t.Context(), dir) // and no update: there is nothing to search
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, tree.Root.Path)
	}
	s := &store{hits: 1}
	a, err := sources.Search(t.Context(), &sources.Asked{Sources: set(t, "memory,code"), Scope: hippo.LocalScope(""), Insights: s.insights(), Trees: f}, hippo.Query{Text: "gateway"})
	if err != nil || len(a.Hits) != 1 || a.Trees != 0 || len(a.Notes) != len(roots) || !strings.HasPrefix(a.Notes[2], "code takes no part: ") {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, root := range roots {
		if n := strings.Count(strings.Join(a.Notes, "\n"), root+" has no index"); n != 1 {
			t.Errorf("%s is named %d times: %q", root, n, a.Notes)
		}
	}
}

// A query over the limit is cut to its beginning, with one note.
func TestSearch_LongQuery(t *testing.T) {
	t.Parallel()
	f, s := plant(t, map[string]string{"a": gateway}), &store{hits: 3}
	for _, names := range []string{"memory,code", "code"} {
		asked := sources.Asked{Sources: set(t, names), Scope: hippo.LocalScope(""), Insights: s.insights(), Trees: f}
		a, err := sources.Search(t.Context(), &asked, hippo.Query{Text: "gateway jitter " + strings.Repeat("outage ", hippo.MaxQuery)})
		if err != nil || len(a.Notes) != 1 || !strings.HasPrefix(a.Notes[0], "only the first 81") || a.Chunks == 0 {
			t.Errorf("%s: got %+v (%v)", names, a, err)
		}
	}
}
