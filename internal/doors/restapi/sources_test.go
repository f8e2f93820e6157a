package restapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// TestSources: insights are found where there is no code to ask, and the answer says that.
func TestSources(t *testing.T) {
	t.Parallel()
	s := start(t)
	m := s.record(`{"content":"the pump needs oil"}`)
	var out struct {
		Results []struct {
			Source string
			Memory struct{ Insight struct{ UUID string } }
		}
		InsightCount int `json:"insight_count"`
		Notes        []string
	}
	s.do(http.MethodPost, "/search/sources", `{"query":"pump oil"}`).want(http.StatusOK).into(&out)
	if len(out.Results) != 1 || out.Results[0].Source != "memory" || out.Results[0].Memory.Insight.UUID != m.UUID || out.InsightCount != 1 {
		t.Errorf("%+v", out)
	}
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "answers no questions about code") {
		t.Errorf("%q", out.Notes)
	}
	for body, field := range map[string]string{
		`{"query":"x","sources":["mail"]}`: "sources", `{"query":"x","sources":["memory"]}`: "sources", `{"query":"x","ranker":"bm25"}`: "ranker", `{}`: "query",
		`{"query":"x","limit":60,"offset":60}`: "limit",
	} {
		s.do(http.MethodPost, "/search/sources", body).failed(http.StatusBadRequest, "invalid", field)
	}
}

// trees are source trees of this machine that nothing keeps up to date.
type trees struct{ library *codeindex.Library }

func (t trees) Library() (code.Library, error) { return code.Library{Library: t.library}, nil }

func (trees) Indexed() bool { return true }

func (trees) Follow(*code.Tree) {}

func (trees) Dir() string { return "" }

// grow indexes the trees of two projects, pump and mill, each with a file that speaks of oil.
func grow(t *testing.T) trees {
	t.Helper()
	base, indexes, weights := t.TempDir(), t.TempDir(), rank.DefaultWeights()
	open := func() *codeindex.Library {
		return codeindex.NewLibrary(codeindex.Config{Dir: indexes, Parser: symbols.New(t.TempDir(), grammar.Limits{}), Weights: &weights, Now: noon})
	}
	l := open()
	for _, name := range []string{"pump", "mill"} {
		dir := filepath.Join(base, name)
		err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "oil.md"), []byte("# Oil\n\nThe "+name+" needs oil.\n"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := l.Add(t.Context(), dir)
		if err == nil {
			_, err = tree.Update(t.Context(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(l.Close(), assign(indexes)); err != nil {
		t.Fatal(err)
	}
	l = open()
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return trees{l}
}

// assign makes each tree that a folder has an index of the project that is called like its root, as one of a repository would be.
func assign(indexes string) error {
	files, err := filepath.Glob(filepath.Join(indexes, "*", "root.json"))
	for _, file := range files {
		var r codeindex.Root
		b, wrong := os.ReadFile(file)
		if wrong == nil {
			wrong = json.Unmarshal(b, &r)
		}
		r.Project = filepath.Base(r.Path)
		b, bad := json.Marshal(r)
		err = errors.Join(err, wrong, bad, os.WriteFile(file, b, 0o600))
	}
	return err
}

// TestSources_Trees: insights and code are one answer, and a caller sees the trees of the projects in its scope alone.
func TestSources_Trees(t *testing.T) {
	t.Parallel()
	s := startWith(t, options{trees: grow(t)})
	s.record(`{"content":"the pump needs oil every week","project":"pump"}`)
	for name, c := range map[string]struct {
		scope hippo.Scope
		body  string
		want  string // projects of the code, in order
		fails string
	}{
		"all projects":     {hippo.LocalScope(""), `{"query":"needs oil","project":["*"]}`, "mill pump", ""},
		"one":              {hippo.LocalScope(""), `{"query":"needs oil","project":["mill"]}`, "mill", ""},
		"reader of one":    {hippo.Scope{Rights: hippo.RightRead, Projects: []string{"pump"}}, `{"query":"needs oil","project":["*"]}`, "pump", ""},
		"names none":       {hippo.Scope{Rights: hippo.RightRead, Projects: []string{"pump"}}, `{"query":"needs oil"}`, "pump", ""},
		"another one":      {hippo.Scope{Rights: hippo.RightRead, Projects: []string{"pump"}}, `{"query":"needs oil","project":["mill"]}`, "", "unknown"},
		"another tenant":   {hippo.Scope{Rights: hippo.RightRead, Namespace: "x"}, `{"query":"needs oil","project":["*"]}`, "", "none"},
		"no right to read": {hippo.Scope{Rights: hippo.RightWrite}, `{"query":"needs oil","sources":["code"]}`, "", "forbidden"},
	} {
		r := s.do(http.MethodPost, "/search/sources", c.body, asScope(c.scope)...)
		if c.fails == "forbidden" {
			r.failed(http.StatusForbidden, "forbidden", "")
			continue
		}
		if c.fails == "unknown" {
			r.failed(http.StatusNotFound, "not_found", "")
			continue
		}
		var out struct {
			Results []struct {
				Source string
				Code   struct{ Root, Path, Text string }
			}
			CodeCount int `json:"code_count"`
			Notes     []string
		}
		r.want(http.StatusOK).into(&out)
		var got []string
		for _, x := range out.Results {
			if x.Source != "code" {
				continue
			}
			project := filepath.Base(x.Code.Root)
			if x.Code.Path != "oil.md" || !strings.Contains(x.Code.Text, "The "+project+" needs oil.") {
				t.Errorf("%s: %+v", name, x.Code)
			}
			got = append(got, project)
		}
		if slices.Sort(got); strings.Join(got, " ") != c.want || out.CodeCount != len(got) {
			t.Errorf("%s: %q of %d, want %q", name, got, out.CodeCount, c.want)
		}
		if without := len(out.Notes) == 1 && strings.Contains(out.Notes[0], "no source tree of these projects"); without != (c.fails == "none") || strings.Contains(string(r.body), "mill") != strings.Contains(c.want, "mill") {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	s.do(http.MethodPost, "/search/sources", `{"query":"oil","sources":["code"],"offset":9223372036854775807}`).failed(http.StatusBadRequest, "invalid", "offset")
}
