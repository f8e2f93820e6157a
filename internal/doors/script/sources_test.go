package script_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo/internal/code"
	"github.com/hippo-memory/hippo/internal/code/codeindex"
	"github.com/hippo-memory/hippo/internal/code/codeindex/grammar"
	"github.com/hippo-memory/hippo/internal/code/codeindex/symbols"
	"github.com/hippo-memory/hippo/internal/retrieval/rank"
	"github.com/hippo-memory/hippo/internal/verb"
)

// forest is source trees of a test.
type forest struct{ library *codeindex.Library }

func (f forest) Library() (code.Library, error) { return code.Library{Library: f.library}, nil }

func (forest) Indexed() bool { return true }

func (forest) Follow(*code.Tree) {}

func (forest) Dir() string { return "" }

// plant returns a source tree with one file.
func plant(t *testing.T, name, text string) forest {
	t.Helper()
	weights := rank.DefaultWeights()
	l := codeindex.NewLibrary(codeindex.Config{Dir: t.TempDir(), Parser: symbols.New(t.TempDir(), grammar.Limits{}), Weights: &weights, Now: time.Now})
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tree, err := l.Add(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Update(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return forest{l}
}

// One search of a program asks memories and code. Code has a place where a memory has its id, and no verb takes it for one.
func TestRun_searches_code(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(2)
	f.caller.Trees = plant(t, "gateway.md", "# Gateway jitter\n\nThe gateway retries with jitter.\n")
	const found = `found = search("gateway jitter", sources=["memory", "code"]); `
	for source, want := range map[string]string{
		found + `[len(found), found.total, found.notes, found.weak == ""]`:                                     "3\n3\n[]\ntrue",
		found + `[[m.id, m.name, m.kind, m.first_line] for m in found if m.source == "code"]`:                  `["gateway.md:1","Gateway jitter","section",1]`,
		found + `["retries" in m.content for m in found if m.source == "code"]`:                                "true",
		`[m for m in search("gateway jitter", sources="code")][0].preview`:                                     "Gateway jitter: # Gateway jitter",
		`search("gateway jitter", source="code").total`:                                                        "1",
		`len([m for m in search_iter("gateway", batch_size=2, sources="memory,code")])`:                        "3",
		`search("gateway", sources=["memory", "code"], offset=100)`:                                            "",
		`search("gateway", tags=["even"], sources=["memory", "code"]).notes[0][:33]`:                           "code takes no part: code has no t",
		`type(search("gateway", sources="code")[0])`:                                                           "code",
		`json.decode(json.encode(search("gateway jitter", sources="code")))[0]["id"]`:                          "gateway.md:1",
		`x = search("gateway jitter", sources="code")[0]; [x in search("gateway", sources="code"), {x: 1}[x]]`: "true\n1",
	} {
		if want == "" {
			want = "no result: end the program with an expression, or print"
		}
		if d := cmp.Diff(want, f.text(source)); d != "" {
			t.Errorf("%s (-want +got):\n%s", source, d)
		}
	}
	if line := f.text(`search("gateway jitter", sources="code")`); !strings.HasPrefix(line, "[code] gateway.md:1 0.") || !strings.HasSuffix(line, " Gateway jitter: # Gateway jitter") {
		t.Errorf("line %q", line)
	}
	f.wantFailures(map[string]string{
		`upvote(search("gateway", sources="code"))`:        "is a place in code",
		`get(search("gateway", sources="code")[0].id)`:     "is a place in code",
		`search("gateway", sources="mail")`:                "sources: must be some of memory, code",
		`search("", sources="code")`:                       "query: is required, and must not be blank",
		`search("gateway", sources="code", limit=101)`:     "limit: must be at most 100",
		`search("gateway", sources="code", ranker="bm25")`: "ranker: must be hippo with source code",
	})
	f.caller.Trees = nil
	if text := f.text(`search("gateway", sources="memory,code").notes`); !strings.Contains(text, "this server answers no questions about code") {
		t.Errorf("without trees: %q", text)
	}
}

// wantFailures runs programs that must fail, each with a part of the error.
func (f *fixture) wantFailures(programs map[string]string) {
	f.t.Helper()
	for source, want := range programs {
		if _, err := f.run(verb.Program{Source: source}); err == nil || !strings.Contains(err.Error(), want) {
			f.t.Errorf("%s: %v\nwant: %s", source, err, want)
		}
	}
}
