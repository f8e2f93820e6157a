package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/static"
	"github.com/hippo-memory/hippo/internal/retrieval/embedding"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/models"
)

// small is a measurement of the small set with the model of the program.
func small(t *testing.T) *measurement {
	t.Helper()
	m, err := static.Open(models.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	x := &measurement{workers: 1}
	x.Data = filepath.Join("..", "..", "internal", "retrieval", "eval", "testdata", "small")
	x.Models, x.Engine = []eval.Model{{Name: "builtin", Used: []embedding.Model{{Embedder: m, Instant: true}}}}, eval.EngineOptions{Backend: app.Memory, Tokens: m}
	return x
}

// made is a set with n memories in each of some conversations; the first of each
// answers its one question.
func made(name string, n int, conversations ...string) *eval.Set {
	s := &eval.Set{Name: name, Setting: eval.SettingConversation}
	for c, conversation := range conversations {
		g := eval.Group{Name: conversation}
		for i := range n {
			id := conversation + "/" + strconv.Itoa(i)
			m := &hippo.Memory{
				ID: hippo.ID{byte(c + 1), byte(i >> 8), byte(i), name[0]}, Project: conversation,
				Content:    "Ann: The " + name + " harbour has pier " + strconv.Itoa(i) + " of many. Yes! See you there.",
				Importance: hippo.Importance{Base: .5, Value: .5},
				Source:     hippo.Source{URI: id, Author: "Ann", Session: conversation, Seq: i + 1},
			}
			m.ContentHash = hippo.HashContent(m.Content)
			g.Docs = append(g.Docs, m)
		}
		s.Groups = append(s.Groups, g)
		s.Questions = append(s.Questions, eval.Question{
			ID: conversation, Text: "harbour pier 0", Group: conversation, Relevant: map[string]float64{conversation + "/0": 1},
		})
	}
	return s
}

func TestUsed_store_holds_the_votes_and_accesses(t *testing.T) {
	t.Parallel()
	s := made("north", 250, "a")
	u := used(s)
	if d := cmp.Diff(u.Groups, used(s).Groups); d != "" {
		t.Errorf("a second time differs:\n%s", d)
	}
	if s.Groups[0].Docs[7].Accesses != nil {
		t.Error("the set itself changed")
	}
	e, err := eval.OpenEngine(t.Context(), u.Groups[0].Docs, &eval.EngineOptions{Backend: app.Memory, Ranker: hippo.RankerHippo})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}()
	answer, err := query.Search(t.Context(), e.In(eval.Scope()), hippo.Query{Count: hippo.MaxCount, NoTouch: true})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, h := range answer.Hits[:3] { // nothing was asked for, so use alone orders
		if h.Signals.Importance != 1 || h.Signals.Frequency != 1 || h.Signals.Recency != 1 || len(h.Memory.Accesses) != hippo.MaxAccessDays {
			t.Errorf("%s: got %+v and %d days of use", eval.Name(h.Memory), h.Signals, len(h.Memory.Accesses))
		}
		if eval.Name(h.Memory) == "a/0" {
			t.Error("what answers a question was used")
		}
	}
	for _, h := range answer.Hits {
		if h.Signals.Prior > .5 {
			n++
		} else if h.Signals.Prior > .01 {
			t.Errorf("%s: prior %v of what was never used", eval.Name(h.Memory), h.Signals.Prior)
		}
	}
	if n != 3 || answer.Day != usedToday {
		t.Errorf("got %d used memories of 250 on day %d, want 3 on day %d", n, answer.Day, usedToday)
	}
}

func TestDistracted_adds_nothing_of_its_own(t *testing.T) {
	t.Parallel()
	s, copied := made("north", 5, "a", "b"), made("north", 9, "a", "c")
	copied.Name = "copy of north"
	sets := []*eval.Set{s, copied, made("south", 6, "d")}
	const n = 40
	got, err := withDistractors(s, sets, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Groups) != 1 || len(got.Groups[0].Docs) != s.Report().Documents+n || got.Setting != settingDistractors {
		t.Fatalf("got %d documents, want %d more than %d", got.Report().Documents, n, s.Report().Documents)
	}
	own, ids := textsOf(s), make(map[hippo.ID]bool)
	from := make(map[bool]int)
	for i, m := range got.Groups[0].Docs {
		if ids[m.ID] {
			t.Errorf("%s is there twice", eval.Name(m))
		}
		ids[m.ID] = true
		if i < s.Report().Documents {
			continue
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		for _, g := range s.Groups {
			for _, o := range g.Docs {
				if o.ID == m.ID || o.ContentHash == m.ContentHash || eval.Name(o) == eval.Name(m) {
					t.Errorf("%s is one of its own", eval.Name(m))
				}
			}
		}
		for x := range sentencesOf(textOf(m)) {
			if own.sentences[normalised(x)] && len(strings.Fields(x)) >= minWords {
				t.Errorf("%s says %q", eval.Name(m), x)
			}
		}
		from[strings.HasPrefix(m.Project, "d")]++
	}
	if from[true] != n/2 {
		t.Errorf("got %v documents by set, want as many of each", from)
	}
	again, err := withDistractors(s, sets, n)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got.Groups, again.Groups); d != "" {
		t.Errorf("a second time differs:\n%s", d)
	}
	if _, err := withDistractors(s, sets[:1], n); err == nil || !strings.Contains(err.Error(), "40 too few beside north") {
		t.Errorf("got %v without another set", err)
	}
}

func TestSentencesOf(t *testing.T) {
	t.Parallel()
	got := slices.Collect(sentencesOf("Version 1.2 is out. Really?  Yes!\n\n  def f():\n    return 1"))
	want := []string{"Version 1.2 is out. ", "Really? ", "Yes!\n", "def f():\n", "return 1 "}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("sentences (-want +got):\n%s", d)
	}
}

func TestSynonyms_are_well_formed(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for line := range strings.Lines(synonymTable) {
		from, to, _ := strings.Cut(line, ":")
		left, right := strings.Fields(from), strings.Fields(to)
		if len(left) == 0 || len(left) != len(right) {
			t.Errorf("%q: as many words on both sides", line)
		}
		for i, w := range left {
			if seen[w] || isFunctionWord(w) || w == right[min(i, len(right)-1)] {
				t.Errorf("%q: %s stands there twice, is a function word, or is its own synonym", line, w)
			}
			seen[w] = true
		}
	}
}

// TestRun_harder measures every setting, three rows at a time, and the same as one at a
// time.
func TestRun_harder(t *testing.T) {
	t.Parallel()
	m := small(t)
	m.Models, m.Rankers, m.workers = nil, []hippo.Ranker{hippo.RankerHippo}, 3
	m.harder = harder{pooled: true, paraphrased: true, used: true}
	got, err := m.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var settings []eval.Setting
	for _, r := range got.Sets[0].Rows {
		if r.System == eval.Baseline {
			settings = append(settings, r.Setting)
			continue
		}
		if (r.Loss == nil) != plain(r.Setting) || r.Lead == nil || r.Lead.Questions != r.Questions {
			t.Errorf("%s: got loss %+v and lead %+v", r.Setting, r.Loss, r.Lead)
		}
		if r.Latency != (eval.Latency{}) {
			t.Errorf("%s: got latencies of rows that were measured at the same time", r.Setting)
		}
	}
	if want := []eval.Setting{eval.SettingConversation, settingPooled, settingParaphrased, settingUsed}; !slices.Equal(settings, want) {
		t.Errorf("got settings %v, want %v", settings, want)
	}
	m.workers = 1
	one, err := m.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range one.Sets[0].Rows {
		one.Sets[0].Rows[i].Latency = eval.Latency{}
	}
	if d := cmp.Diff(one, got, cmpopts.IgnoreFields(eval.Row{}, "Answers")); d != "" {
		t.Errorf("one at a time differs (-one +three):\n%s", d)
	}
}
