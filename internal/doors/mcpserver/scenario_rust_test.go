package mcpserver_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
)

// The scenarios of the original Rust program, R1 to R23 and P1 to P3, through
// MCP. R12, R13, R19, R21 and R22 are about its embedding model: R12 and R22 hold
// here for words; R13, R19 and R21 (the model is not loaded at start, has 384
// dimensions, loads in two seconds) say nothing about a build without a model.

// R1: a new insight carries what was recorded.
func TestScenario_R1(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.record("Test insight content", .7, "testing", "unit tests")
	got := s.search("", nil).Results[0].Insight
	if got.UUID != id || got.Content != "Test insight content" || !slices.Equal(got.Situation, []string{"testing", "unit tests"}) ||
		got.Importance != .7 || *got.BaseImportance != .7 {
		t.Errorf("got %+v", got)
	}
}

// R2, R10 and R14: votes multiply by 1.5 and 0.5, and stop at 1.
func TestScenario_R2_R10_R14(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		list             string
		importance, want float64
	}{
		{"upvotes", .6, .9}, {"downvotes", .6, .3}, {"upvotes", .8, 1}, {"downvotes", .7, .35},
	} {
		s := start(t)
		id := s.record("voted on", tc.importance)
		s.must("hippo_reinforce_insight", object{tc.list: []string{id}}, nil)
		near(t, tc.list, s.search("voted", nil).Results[0].Insight.Importance, tc.want)
	}
}

// R2, second half: an upvote and a downvote of 0.6 end at 0.45.
func TestScenario_R2_UpThenDown(t *testing.T) {
	t.Parallel()
	s := start(t)
	id := s.record("voted on twice", .6)
	s.must("hippo_reinforce_insight", object{"upvotes": []string{id}}, nil)
	s.must("hippo_reinforce_insight", object{"downvotes": []string{id}}, nil)
	near(t, "importance", s.search("voted", nil).Results[0].Insight.Importance, .45)
}

// R3: a fresh insight has no age.
func TestScenario_R3(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("fresh", .5)
	r := s.search("fresh", nil).Results[0]
	if r.DaysSinceCreated >= .001 || r.DaysSinceModified >= .001 {
		t.Errorf("got %+v", r)
	}
}

// R4: a fresh directory is on active day 1, and metadata.json says so.
func TestScenario_R4(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startOn(t, backends()["dir"](t, dir))
	for range 2 {
		if a := s.search("", nil); a.Day != 1 {
			t.Errorf("got day %d, want 1", a.Day)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "metadata.json"))
	var m struct {
		Counter int    `json:"active_day_counter"`
		Date    string `json:"last_calendar_date_used"`
	}
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil || m.Counter != 1 || m.Date != "2026-03-01" {
		t.Errorf("got %+v (%v)", m, err)
	}
}

// R5, R6, R7, R9: what is stored is there, whole, and can be changed.
func TestScenario_R5_R6_R7_R9(t *testing.T) {
	t.Parallel()
	for name, open := range backends() {
		s := startOn(t, open(t, t.TempDir()))
		one := s.record("Original content", .5)
		s.record("Another one", .5)
		s.must("hippo_modify_insight", object{"uuid": one, "content": "Updated content"}, nil)
		got := s.search("", nil).contents()
		slices.Sort(got)
		if diff := gocmp.Diff([]string{"Another one", "Updated content"}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// R8 and R17: an unknown id is an error that names it.
func TestScenario_R8_R17(t *testing.T) {
	t.Parallel()
	s := start(t)
	for tool, args := range map[string]object{
		"hippo_modify_insight":    {"uuid": uuidAt(1), "content": "x"},
		"hippo_reinforce_insight": {"upvotes": []string{uuidAt(1)}},
		"hippo_forget":            {"uuids": []string{uuidAt(1)}},
	} {
		if o := s.tool(tool, args); !o.IsError || !strings.Contains(o.Text, "[not_found]") || !strings.Contains(o.Text, uuidAt(1)) {
			t.Errorf("%s: got %+v", tool, o)
		}
	}
}

// R11: a second instance on the same directory gives an equal insight.
func TestScenario_R11(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sqlite", "dir"} {
		dir := t.TempDir()
		one := startOn(t, backends()[kind](t, dir))
		one.record("shared by two", .6, "a", "b")
		two := startOn(t, backends()[kind](t, dir))
		q := object{"limit": object{"count": 1}}
		a, b := one.engineView(), two.engineView()
		if diff := gocmp.Diff(a, b); diff != "" || len(a) != 1 {
			t.Errorf("%s: %s", kind, diff)
		}
		if got := two.search("shared", q).Total; got != 1 {
			t.Errorf("%s: got %d, want 1", kind, got)
		}
	}
}

// engineView is every memory as the store has it.
func (s *session) engineView() []any {
	s.t.Helper()
	var out []any
	for m, err := range transfer.New(s.engine.In(hippo.LocalScope(""))).Export(s.t.Context()) {
		if err != nil {
			s.t.Fatal(err)
		}
		m.Revision = 0
		out = append(out, *m)
	}
	return out
}

// R12: a text is as near to itself as can be, and not at all to one without a
// word in common.
func TestScenario_R12(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("alpha beta gamma", .5)
	if got := s.search("alpha beta gamma", nil).Results[0].Signals.Coverage; got != 1 {
		t.Errorf("got coverage %v of itself, want 1", got)
	}
	if got := s.search("delta epsilon", nil).Total; got != 0 {
		t.Errorf("got %d hits without a common word", got)
	}
}

// R15: an empty store answers nothing, without an error.
func TestScenario_R15(t *testing.T) {
	t.Parallel()
	if a := start(t).search("anything", nil); a.Total != 0 || len(a.Results) != 0 {
		t.Errorf("got %+v", a)
	}
}

// R16: the JSON of an insight has the keys of the original, and its times are
// exact to the microsecond.
func TestScenario_R16(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.clock.set(time.Date(2025, 8, 1, 10, 0, 0, 0, time.UTC).Add(-time.Millisecond)) // record adds it
	s.record("keys", .5)
	var a struct {
		Results []struct{ Insight map[string]any }
	}
	s.must("hippo_search_insights", object{"query": "keys", "detail": "full"}, &a)
	got := a.Results[0].Insight
	for _, key := range []string{
		"uuid", "content", "situation", "base_importance", "importance", "created_at", "importance_modified_at", "daily_access_counts",
	} {
		if _, ok := got[key]; !ok {
			t.Errorf("no key %s", key)
		}
	}
	if got["created_at"] != "2025-08-01T10:00:00Z" || got["importance_modified_at"] != "2025-08-01T10:00:00Z" {
		t.Errorf("got times %v and %v", got["created_at"], got["importance_modified_at"])
	}
}

// R18: a situation that no insight has leaves nothing.
func TestScenario_R18(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, i := range []float64{.8, .7, .6} {
		s.record("a test of filters", i)
	}
	if a := s.search("test", object{"situation_filter": []string{"nonexistent"}}); a.Total != 0 {
		t.Errorf("got %+v", a)
	}
}

// R20: what is about the query comes, sorted by relevance.
func TestScenario_R20(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("Rust is a systems programming language", .7)
	s.record("Python is used for data science programming", .6)
	s.record("Machine learning models need data", .8)
	a := s.search("programming languages", object{"relevance_range": object{"min": 0, "max": 1}})
	if len(a.Results) == 0 || first(t, a) <= .3 {
		t.Fatalf("got %+v", a)
	}
	if !slices.IsSortedFunc(a.Results, func(x, y result) int {
		return cmp.Compare(y.Relevance, x.Relevance)
	}) {
		t.Errorf("not sorted: %+v", a.contents())
	}
}

// R22: two texts about Rust are nearer to each other than to one about Python.
func TestScenario_R22(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("Rust systems programming", .5)
	s.record("Python data science", .5)
	a := s.search("Rust programming language", object{"ranker": "hippo"})
	if got := a.Results[0]; got.Insight.Content != "Rust systems programming" || got.Signals.Coverage <= .3 || got.Signals.Coverage >= 1 || a.Total != 1 {
		t.Errorf("got %+v", a)
	}
}

// R23: content decides what takes part, and a situation narrows it to one.
func TestScenario_R23(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("Rust has memory safety without a garbage collector: systems programming", .8, "rust", "learning")
	s.record("Python is good for programming data science", .7, "python", "data science")
	s.record("FastEmbed makes embeddings fast", .9, "embeddings")
	a := s.search("memory safety programming", nil)
	if !strings.Contains(a.Results[0].Insight.Content, "Rust") || first(t, a) <= .3 {
		t.Errorf("got %+v", a.contents())
	}
	a = s.search("programming", object{"situation_filter": []string{"rust"}})
	if a.Total != 1 || !strings.Contains(a.Results[0].Insight.Content, "Rust") {
		t.Errorf("got %+v", a.contents())
	}
}

// P1: the tools are there, the four of the original among them.
func TestScenario_P1(t *testing.T) {
	t.Parallel()
	var r struct {
		Result struct{ Tools []struct{ Name string } }
	}
	if err := json.Unmarshal(start(t).call("tools/list", object{}), &r); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Result.Tools {
		names = append(names, tool.Name)
	}
	want := []string{
		"hippo_context", "hippo_forget", "hippo_get", "hippo_modify_insight", "hippo_record_insight", "hippo_reinforce_insight", "hippo_run", "hippo_search_insights", "hippo_status",
	}
	if diff := gocmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

// P2: record, then find.
func TestScenario_P2(t *testing.T) {
	t.Parallel()
	s := start(t)
	o := s.must("hippo_record_insight", object{
		"content": "MCP integration test insight", "situation": []string{"testing", "mcp integration"}, "importance": .8,
	}, nil)
	if !strings.Contains(o.Text, "Recorded insight ") {
		t.Errorf("got %q", o.Text)
	}
	var a answer
	s.must("hippo_search_insights", object{"query": "MCP integration test"}, &a)
	if a.Total == 0 || a.Results[0].Insight.Content != "MCP integration test insight" {
		t.Errorf("got %+v", a)
	}
}

// P3: an importance of 1.5 is refused, with the field and the limit. The
// original answered with a protocol error; an agent learns more from a result.
func TestScenario_P3(t *testing.T) {
	t.Parallel()
	o := start(t).tool("hippo_record_insight", object{"content": "x", "situation": []string{"y"}, "importance": 1.5})
	if !o.IsError || o.Text != "error [invalid] importance: must be between 0 and 1, got 1.5" {
		t.Errorf("got %+v", o)
	}
}
