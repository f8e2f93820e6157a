package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/doors/script"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/enginetest"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/embedtest"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
	"github.com/hippo-memory/hippo/internal/verb"
)

func TestMain(m *testing.M) {
	if code, ran := script.Child(os.Args, os.Stdin, os.Stdout); ran {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// fixture is an engine over a store in memory, and a runner.
type fixture struct {
	*engine.Memories
	t       testing.TB
	runner  *script.Runner
	backend driver.Backend
	caller  script.Caller
}

func noon() time.Time { return time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC) }

func open(t testing.TB) *fixture {
	t.Helper()
	b := memstore.New(nil)
	e := enginetest.Open(t, enginetest.Options{Backend: b, Config: engine.Config{Tokens: &embedtest.Texts{}, Now: noon}})
	scope := hippo.LocalScope("")
	return &fixture{Memories: e.In(scope), t: t, runner: script.New(nil), backend: b, caller: script.Caller{Scope: scope, Now: noon}}
}

// fill records memories: about the gateway, with even numbers tagged.
func (f *fixture) fill(n int) (ids []string) {
	f.t.Helper()
	for i := range n {
		m := &hippo.Memory{
			Content: fmt.Sprintf("gateway note %d", i), Importance: hippo.Importance{Base: .5}, Situation: []string{"on call"},
			CreatedAt: noon().AddDate(0, 0, -i),
		}
		if i%2 == 0 {
			m.Tags = []string{"even"}
		}
		m, err := memory.Record(f.t.Context(), f.Memories, m)
		if err != nil {
			f.t.Fatal(err)
		}
		ids = append(ids, m.ID.Short())
	}
	return ids
}

func (f *fixture) run(p verb.Program) (*script.Report, error) {
	f.t.Helper()
	return f.runner.Run(f.t.Context(), f.Engine, f.caller, p)
}

// text runs a program that must succeed and returns the text of its report.
func (f *fixture) text(source string) string {
	f.t.Helper()
	r, err := f.run(verb.Program{Source: source})
	if err != nil {
		f.t.Fatalf("%s\n%v", source, err)
	}
	return r.Text
}

// state is what the store has.
func (f *fixture) state() (out []string) {
	f.t.Helper()
	for c, err := range f.backend.Changes(f.t.Context(), 0) {
		if err != nil {
			f.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%+v", c.Memory))
	}
	for r, err := range f.backend.AllRelations(f.t.Context()) {
		if err != nil {
			f.t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%+v", r))
	}
	head, err := f.backend.Head(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	slices.Sort(out)
	return append(out, fmt.Sprintf("%+v", head))
}

func TestRun_verbs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"search":             {`len(search("gateway", limit=3))`, "3"},
		"search_total":       {`search("gateway", limit=3).total`, "6"},
		"search_names":       {`[len(search("gateway", n_results=2)), len(search(q="gateway", k=1)), len(hippo.search("gateway", 4))]`, "2\n1\n4"},
		"search_min_score":   {`len(search("gateway", threshold=5.0))`, "0"},
		"filter":             {`[m.content for m in search("gateway", tags=["even"], limit=9) if "4" in m.content]`, "gateway note 4"},
		"search_by_tag":      {`[m.content for m in search_by_tag("even")]`, "gateway note 0\ngateway note 2\ngateway note 4"},
		"search_by_tag_list": {`len(search_by_tag(["even", "odd"], match="all"))`, "0"},
		"search_iter":        {`len([m for m in search_iter("gateway", batch_size=2)])`, "6"},
		"search_iter_break":  {"n = 0\nfor m in search_iter('gateway', batch_size=4):\n  n += 1\n  if n == 2: break\nn", "2"},
		"recall":             {`[m.content for m in recall("2026-03-14")]`, "gateway note 1"},
		"recall_query":       {`[m.content for m in recall("last 3 days", query="note", limit=1)]`, "gateway note 0"},
		"recall_as_there":    {`len(recall(query="yesterday", n_results=5))`, "1"},
		"list":               {`[m.date for m in list_memories(limit=2, offset=1)]`, "2026-03-14\n2026-03-13"},
		"get":                {`get(search("gateway", limit=1)[0].id).content == search("gateway", limit=1)[0].content`, "true"},
		"get_none":           {`[get("00000000-0000-0000-0000-000000000001") == None, get(["ffff0000"])]`, "true\n[]"},
		"expand_memory":      {`expand_memory(search("gateway", limit=1)[0].hash) == get(search("gateway", limit=1)[0])`, "true"},
		"store":              {`m = get(store("new thing", tags="a", importance=0.9)); [m.content, m.tags, m.importance, search("new thing")[0] == m]`, "new thing\n[\"a\"]\n0.9\ntrue\nstored 1"},
		"record":             {`m = get(record(content="x", situation=["s"], type="decision", metadata={"k": [1]})); [m.situation, m.type, m.metadata["k"]]`, "[\"s\"]\ndecision\n[1]\nstored 1"},
		"supersede":          {`old = search("gateway", limit=1)[0]; n = store("newer", supersedes=old); [get(old).superseded_by == n]`, "true\nstored 1"},
		"update":             {`m = update(search("gateway", limit=1)[0], content="changed", tags=["t"]); [m.content, m.tags, m.version]`, "changed\n[\"t\"]\n2\nstored 1"},
		"update_clear":       {`i = store("x", tags=["t"], type="note"); a = update(i, tags=[], type=" ", importance=0.6); b = update(i, clear=["tags", "type"]); [a.tags, a.type, b.tags, len(b.type)]`, "[\"t\"]\nnote\n[]\n0\nstored 3"},
		"vote_blank":         {`len(vote(up=search("gateway", limit=2), query=""))`, "2\nstored 1"},
		"vote":               {`v = vote(up=search("gateway", limit=2)); [len(v), v[0].after > v[0].before]`, "2\ntrue\nstored 1"},
		"upvote_downvote":    {`a, b = search("gateway", limit=2); upvote(a); downvote([b]); [get(a).importance, get(b).importance]`, "0.75\n0.25\nstored 2"},
		"relate":             {`a, b = search("gateway", limit=2); relate(a, b, kind="explains", weight=0.5); r = [x for x in related(a) if x.kind == "explains"]; [len(r), r[0].weight]`, "1\n0.5\nstored 1"},
		"unrelate":           {`a, b = search("gateway", limit=2); relate(a, b, "explains"); unrelate(a, b, "explains"); len([x for x in related(a) if x.kind == "explains"])`, "0\nstored 2"},
		"forget":             {`n = forget(search("gateway", limit=2)); [n, len(search("gateway")), len(list_memories(forgotten=True))]`, "2\n4\n2\nstored 1"},
		"restore":            {`m = search("gateway", limit=1)[0]; delete(m); restore(m); len(search("gateway"))`, "6\nstored 2"},
		"context":            {`store("always use tabs", pinned=True); "always use tabs" in context(prompt="gateway")`, "true\nstored 1"},
		"stats":              {`s = stats(); [s.memories, s.count, health().ready]`, "6\n6\ntrue"},
		"projects":           {`projects()`, "no result: end the program with an expression, or print"},
		"json":               {`json.decode(json.encode(search("gateway", limit=1)))[0]["situation"]`, "on call"},
		"time":               {`[time.now().year, len([m for m in search("gateway") if m.created > time.now() - time.parse_duration("36h")])]`, "2026\n2"},
		"line":               {`search("gateway note 3", limit=1)[0].preview`, "gateway note 3"},
		"print_and_result":   {"print('a', 1)\nresult = {'n': 2}", "a 1\n{\"n\":2}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := open(t)
			f.fill(6)
			if d := cmp.Diff(c.want, f.text(c.source)); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.source, d)
			}
		})
	}
}

func TestRun_wrong_calls_say_what_is_right(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(3)
	before := f.state()
	for source, want := range map[string]string{
		`search("x", limit=-1)`:            "limit: must be between 1 and 1000, got -1",
		`store()`:                          "content: is required",
		`store("x", event_time="someday")`: "event_time",
		`store("a", "b", "c", {}, [], 1, 1, 1, 1, 1, 1, 1, 1, 1)`: "takes content, tags",
		`get("zz")`:           "id: must be a UUID",
		`relate(" ", "bbbb")`: "source: is required",
		`forget("ffffffff")`:  "no memory with id",
		`vote()`:              "up: is required, and must not be blank",
		`upvote(search("gateway"), query="q" * 40000)`:                                   "query: must be at most",
		`update(search("gateway")[0], clear="content")`:                                  "clear: must have only situation, tags, type",
		`update(search("gateway")[0], tags=[], type="")`:                                 "changes: at least one is required",
		`update(search("gateway"), tags=["x"])`:                                          "id: must be one id, got 3",
		`search_by_tag("x", match="most")`:                                               "match: must be one of any, all",
		`recall("someday")`:                                                              "when",
		`relate("aaaa", "bbbb")`:                                                         "no memory with id",
		`store("key AKIAIOSFODNN7EXAMPLQ and ghp_012345678901234567890123456789abcdef")`: "secret",
	} {
		_, err := f.run(verb.Program{Source: source})
		var failed *script.Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), want) || failed.Line != 1 {
			t.Errorf("%s: %v\nwant: %s", source, err, want)
		}
	}
	if d := cmp.Diff(before, f.state()); d != "" {
		t.Errorf("the store changed:\n%s", d)
	}
}

func TestRun_dry_run_lists_and_stores_nothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	ids := f.fill(3)
	before := f.state()
	r, err := f.run(verb.Program{Source: `upvote(search("gateway note 1")[0]); store("a summary", tags=["s"]); forget("` + ids[0] + `")`, DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dry run, nothing was stored", "upvote up [", `store "a summary" tags [s]`, "forget " + ids[0]} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("no %q in:\n%s", want, r.Text)
		}
	}
	if len(r.Writes) != 3 {
		t.Errorf("writes are %v", r.Writes)
	}
	if d := cmp.Diff(before, f.state()); d != "" {
		t.Errorf("the store changed:\n%s", d)
	}
}

// A vote with a question counts for questions like it; one without is tied to none.
func TestRun_votes_for_a_question(t *testing.T) {
	t.Parallel()
	for source, question := range map[string]bool{
		`upvote(search("gateway note 1")[0], query="how is the gateway configured?")`:    true,
		`downvote(search("gateway note 1")[:1], query="how is the gateway configured?")`: true,
		`vote(up=search("gateway note 1")[:1], query="how is the gateway configured?")`:  true,
		`upvote(search("gateway note 1")[0])`:                                            false,
	} {
		f := open(t)
		f.fill(2)
		if _, err := f.run(verb.Program{Source: source}); err != nil {
			t.Fatal(err)
		}
		tied := 0
		for c, err := range f.backend.Changes(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			for _, fb := range c.Memory.Feedback {
				if len(fb.Question) > 0 {
					tied++
				}
			}
		}
		if (tied == 1) != question {
			t.Errorf("%s: %d votes are tied to a question", source, tied)
		}
	}
}

func TestRun_read_only_refuses_writes(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(2)
	if r, err := f.run(verb.Program{Source: `len(search("gateway"))`, ReadOnly: true}); err != nil || r.Text != "2" {
		t.Errorf("a search: %+v, %v", r, err)
	}
	for _, source := range []string{`store("x")`, `upvote(search("gateway")[0])`, `forget(search("gateway"))`, `relate("a", "b")`} {
		if _, err := f.run(verb.Program{Source: source, ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "read_only") {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestRun_stays_in_the_scope(t *testing.T) {
	t.Parallel()
	f := open(t)
	ids := f.fill(1)
	f.caller.Scope = hippo.Scope{Namespace: "other", Rights: hippo.RightRead}
	if r, err := f.run(verb.Program{Source: `[len(search("gateway")), get("` + ids[0] + `") == None, stats().memories]`}); err != nil || r.Text != "0\ntrue\n0" {
		t.Errorf("report is %+v, %v", r, err)
	}
	if _, err := f.run(verb.Program{Source: `store("x")`}); err == nil || !strings.Contains(err.Error(), "no right") {
		t.Errorf("a write without the right: %v", err)
	}
}

func TestRun_text_is_cut_and_says_so(t *testing.T) {
	t.Parallel()
	f := open(t)
	for source, tokens := range map[string]int{
		`"word " * 100000`: 100, `["line %d" % i for i in range(10000)]`: 200, `"\x1b[31mred"`: 100, `"字" * 5000`: 50,
	} {
		r, err := f.run(verb.Program{Source: source, MaxTokens: tokens})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if strings.ContainsRune(r.Text, '\x1b') {
			t.Errorf("%s: a control character in %q", source, r.Text)
		}
		if len(r.Text) > 20*tokens || len(r.Result) > 1000 && !strings.Contains(r.Text, "cut at max_tokens") {
			t.Errorf("%s: %d bytes: %s", source, len(r.Text), r.Text)
		}
	}
}

func TestRun_program_limits(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, p := range []verb.Program{{}, {Source: strings.Repeat("x", script.MaxProgram+1)}, {Source: "1", MaxTokens: 1}, {Source: "1", MaxTokens: 1 << 20}} {
		if _, err := f.run(p); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%.20q, %d tokens: %v", p.Source, p.MaxTokens, err)
		}
	}
	if _, err := f.run(verb.Program{Source: "for i in range(2000): store('x')"}); err == nil || !strings.Contains(err.Error(), "more than 1000") {
		t.Errorf("many writes: %v", err)
	}
}

// TestRun_failed_changes_nothing: whatever a program wrote before it failed, the store is as it was.
func TestRun_failed_changes_nothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(4)
	before := f.state()
	steps := []string{
		`store("new %d" % n)`, `upvote(all[0])`, `downvote(all[1])`, `forget(all[2])`, `update(all[3], content="changed %d" % n)`,
		`relate(all[0], all[1], "explains")`, `store("instead %d" % n, supersedes=all[n % 4])`, `search("gateway")`, `restore(all[2])`,
	}
	ends := []string{`fail("on purpose")`, `1 // 0`, `get("nope!")`, `[0] * (1 << 28)`, `nothing.at_all`, `print("x" * 2000000)`}
	rapid.Check(t, func(rt *rapid.T) {
		lines := []string{`all = search("gateway note", limit=4)`, "n = 0"}
		for range rapid.IntRange(0, 6).Draw(rt, "steps") {
			lines = append(lines, rapid.SampledFrom(steps).Draw(rt, "step"), "n += 1")
		}
		source := strings.Join(append(lines, rapid.SampledFrom(ends).Draw(rt, "end")), "\n")
		if _, err := f.run(verb.Program{Source: source}); err == nil {
			rt.Fatalf("no error from\n%s", source)
		}
		if d := cmp.Diff(before, f.state()); d != "" {
			rt.Fatalf("the store changed by\n%s\n%s", source, d)
		}
	})
}

func TestRun_canceled_stores_nothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(2)
	before := f.state()
	ctx, cancel := context.WithCancel(t.Context())
	f.caller.Place = func(*hippo.Memory) { cancel() } // in the middle of a write
	_, err := f.runner.Run(ctx, f.Engine, f.caller, verb.Program{Source: `upvote(search("gateway")[0]); store("x"); store("y")`})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if d := cmp.Diff(before, f.state()); d != "" {
		t.Errorf("the store changed:\n%s", d)
	}
}

func TestRun_waits_for_its_turn(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.fill(1)
	const running, waiting = 2, 16
	inside, release := make(chan bool, running), make(chan bool)
	f.caller.Place = func(*hippo.Memory) {
		inside <- true
		<-release
	}
	done := make(chan error)
	runOne := func() {
		_, err := f.run(verb.Program{Source: `store("x")`})
		done <- err
	}
	for range running {
		go runOne()
	}
	for range running {
		<-inside
	}
	for range waiting + 4 {
		go runOne()
	}
	for range 4 { // those beyond the queue come back at once
		if err := <-done; !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("beyond the queue: %v", err)
		}
	}
	close(release)
	go func() {
		for range inside { // what waited comes in
		}
	}()
	for range running + waiting {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	close(inside)
	if r, err := memory.List(t.Context(), f.Memories, api.List{}); err != nil || r.Total != 1+running+waiting {
		t.Errorf("stored %d, %v", r.Total, err)
	}
}

// BenchmarkRun is the cost of a program beside that of its calls: the process of this test binary, which is smaller
// than Hippo, the pipes, and a memory whose writes are held back.
func BenchmarkRun(b *testing.B) {
	f := open(b)
	f.fill(100)
	for name, source := range map[string]string{
		"nothing": "1", "search": `len(search("gateway", limit=20))`, "hundred_gets": `m = search("gateway", limit=1)[0]
for i in range(100): get(m)`,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := f.runner.Run(b.Context(), f.Engine, f.caller, verb.Program{Source: source}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The preview of a hit has the sentence that answers, also where that is far behind the beginning; of a memory that no question found,
// it is the beginning.
func TestPreview_ShowsWhatAnswers(t *testing.T) {
	t.Parallel()
	f := open(t)
	filler := strings.Repeat("Nothing of interest happened on that day, and nobody wrote it down. ", 12)
	const answer = "The gateway listens on port 9443."
	if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: filler + answer + " " + filler}); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]bool{
		`search("which port does the gateway listen on")[0].preview`: true,
		`search("which port does the gateway listen on")`:            true,
		`list_memories()[0].preview`:                                 false,
	} {
		r, err := f.runner.Run(t.Context(), f.Engine, f.caller, verb.Program{Source: program})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Text, answer) != want || len(r.Text) > 300 {
			t.Errorf("%s: %s", program, r.Text)
		}
	}
}
