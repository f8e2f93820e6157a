package codeindex_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
)

// asideTree indexes the packages of testdata/aside.txtar, and returns the questions, each with the file that answers it.
func asideTree(t *testing.T) (tree *codeindex.Tree, questions [][2]string) {
	t.Helper()
	a, err := txtar.ParseFile("testdata/aside.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	for line := range strings.Lines(files["questions"]) {
		question, answer, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		questions = append(questions, [2]string{question, answer})
	}
	delete(files, "questions")
	dir := t.TempDir()
	write(t, dir, files)
	tree = add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	return tree, questions
}

// fileOf is the file of a hit of [found].
func fileOf(hit string) string {
	file, _, _ := strings.Cut(hit, ":")
	return file
}

// What a test says often has more of the words of a question than what it is a test of; the implementation is first all the same,
// unless the question is about tests.
func TestTree_Search_aside(t *testing.T) {
	t.Parallel()
	tree, questions := asideTree(t)
	for _, q := range questions {
		if got := found(t, tree, codeindex.Query{Text: q[0]}); fileOf(first(got)) != q[1] {
			t.Errorf("%s: got %v, want one of %s first", q[0], got[:min(3, len(got))], q[1])
		}
	}
}

// What a test says word for word stays first: it is far more relevant than all else. A filter that names a path among the tests asks
// for them. The rankers of one measure keep it.
func TestTree_Search_asideAsked(t *testing.T) {
	t.Parallel()
	tree, _ := asideTree(t)
	const question = "stop accepting jobs after the pool was closed"
	relevance := func(f codeindex.Filter, r hippo.Ranker) float64 {
		t.Helper()
		a, err := tree.Search(t.Context(), codeindex.Query{Text: question, Filter: f, Ranker: r})
		if err != nil || len(a.Hits) == 0 || a.Hits[0].Name != "TestPoolStopsAcceptingJobsAfterClose" {
			t.Fatalf("%+v %s: %+v, %v", f, r, a, err)
		}
		return a.Hits[0].Relevance
	}
	lowered, asked := relevance(codeindex.Filter{Path: "pool"}, ""), relevance(codeindex.Filter{Path: "pool/pool_test.go"}, "")
	if got := rank.Aside(asked); math.Abs(got-lowered) > .01 {
		t.Errorf("%v in the folder, %v in the file: lowered %v", lowered, asked, got)
	}
	for _, r := range []hippo.Ranker{hippo.RankerBM25, hippo.RankerCosine} {
		in, all := relevance(codeindex.Filter{Path: "pool/pool_test.go"}, r), relevance(codeindex.Filter{}, r)
		if in != all {
			t.Errorf("%s: %v in the file, %v in the tree", r, in, all)
		}
	}
}

// rustParser knows functions of Rust, those in the module tests among them.
type rustParser struct{ goParser }

func (p rustParser) Language(path string, head []byte) string {
	if strings.HasSuffix(path, ".rs") {
		return "rust"
	}
	return p.goParser.Language(path, head)
}

func (p rustParser) Parse(ctx context.Context, language string, src []byte) (syntax.File, error) {
	if language != "rust" {
		return p.goParser.Parse(ctx, language, src)
	}
	f, at, line, module := syntax.File{Language: "rust"}, 0, 0, ""
	for text := range strings.Lines(string(src)) {
		line++
		head, _, isFunction := strings.Cut(strings.TrimSpace(text), "(")
		if name, ok := strings.CutPrefix(head, "fn "); ok && isFunction {
			f.Symbols = append(f.Symbols, syntax.Symbol{Name: name, Qualified: module + name, Kind: syntax.Function, Range: syntax.Range{From: at, Until: at + len(text), First: line, Last: line}, Parent: -1})
		}
		if strings.HasPrefix(text, "mod tests") {
			module = "tests."
		}
		at += len(text)
	}
	return f, ctx.Err()
}

// Rust has tests in the files that they are of: the module of a definition names them.
func TestTree_Search_asideInline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"src/pool.rs": "// Close.\nfn shut(pool: &Pool) { pool.group.wait(); }\n\nmod tests {\n    fn closes_the_pool_and_waits_for_running_jobs() { shut(pool_with_running_jobs()); }\n}\n"})
	c := config(t, t.TempDir())
	c.Parser = rustParser{}
	l := opened(t, c)
	tree := add(t, l, dir)
	update(t, tree)
	get := func(text string) map[string]float64 {
		t.Helper()
		a, err := tree.Search(t.Context(), codeindex.Query{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		out := make(map[string]float64)
		for _, h := range a.Hits {
			out[h.Name] = h.Relevance
		}
		return out
	}
	const inTests = "tests.closes_the_pool_and_waits_for_running_jobs"
	plain, about := get("close the pool and wait for running jobs"), get("test: close the pool and wait for running jobs")
	if math.Abs(plain[inTests]-rank.Aside(about[inTests])) > .01 || math.Abs(plain["shut"]-about["shut"]) > .05 {
		t.Errorf("%v, of tests %v", plain, about)
	}
}

// What a test, a mock or a generated file defines comes last in a map, however often it is referred to.
func TestTree_Map_aside(t *testing.T) {
	t.Parallel()
	const helper = "package a\n\nfunc %s() int { return 1 }\n"
	dir := t.TempDir()
	files := map[string]string{"own.go": "package a\n\nfunc own() int { return 1 }\n\nfunc use() int { return own() }\n"}
	for path, name := range map[string]string{"a_test.go": "inTest", "mock_a.go": "inMock", "zz_generated_a.go": "made"} {
		files[path] = fmt.Sprintf(helper, name) + "\nfunc use" + name + "() int { return " + strings.Repeat(name+"() + ", 5) + "0 }\n"
	}
	write(t, dir, files)
	tree := add(t, library(t, t.TempDir()), dir)
	update(t, tree)
	m, err := tree.Map(t.Context(), codeindex.Filter{}, 0)
	if err != nil || len(m.Files) != len(files) || m.Files[0].Path != "own.go" || m.Files[0].References != 1 || m.Files[1].References != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}
