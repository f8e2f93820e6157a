package eval

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

func ram() driver.Backend { return memstore.New(nil) }

// made is a set with n memories in each of some conversations; the first of each
// answers its one question.
func made(name string, n int, conversations ...string) *set {
	s := &set{name: name, scope: ScopeConversation}
	for c, conversation := range conversations {
		g := group{name: conversation}
		for i := range n {
			id := conversation + "/" + strconv.Itoa(i)
			m := &hippo.Memory{
				ID: hippo.ID{byte(c + 1), byte(i >> 8), byte(i), name[0]}, Project: conversation,
				Content:    "Ann: The " + name + " harbour has pier " + strconv.Itoa(i) + " of many. Yes! See you there.",
				Importance: hippo.Importance{Base: .5, Value: .5},
				Source:     hippo.Source{URI: id, Author: "Ann", Session: conversation, Seq: i + 1},
			}
			m.ContentHash = hippo.HashContent(m.Content)
			g.docs = append(g.docs, m)
		}
		s.groups = append(s.groups, g)
		s.questions = append(s.questions, question{
			id: conversation, text: "harbour pier 0", group: conversation, relevant: map[string]float64{conversation + "/0": 1},
		})
	}
	return s
}

func TestUsed_store_holds_the_votes_and_accesses(t *testing.T) {
	t.Parallel()
	s := made("north", 250, "a")
	u := s.used()
	if d := cmp.Diff(u.groups, s.used().groups, cmp.AllowUnexported(group{})); d != "" {
		t.Errorf("a second time differs:\n%s", d)
	}
	if s.groups[0].docs[7].Accesses != nil {
		t.Error("the set itself changed")
	}
	searcher, err := engineSystem("x", ram, hippo.RankerHippo, nil, nil, nil).Open(t.Context(), u.groups[0].docs)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := searcher.Close(); err != nil {
			t.Error(err)
		}
	}()
	e, ok := searcher.(*engineSearcher)
	if !ok {
		t.Fatalf("got a %T", searcher)
	}
	answer, err := e.Engine.Search(t.Context(), hippo.Query{Count: hippo.MaxCount, NoTouch: true})
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, h := range answer.Hits[:3] { // nothing was asked for, so use alone orders
		if h.Signals.Importance != 1 || h.Signals.Frequency != 1 || h.Signals.Recency != 1 || len(h.Memory.Accesses) != hippo.MaxAccessDays {
			t.Errorf("%s: got %+v and %d days of use", idOf(h.Memory), h.Signals, len(h.Memory.Accesses))
		}
		if idOf(h.Memory) == "a/0" {
			t.Error("what answers a question was used")
		}
	}
	for _, h := range answer.Hits {
		if h.Signals.Prior > .5 {
			used++
		} else if h.Signals.Prior > .01 {
			t.Errorf("%s: prior %v of what was never used", idOf(h.Memory), h.Signals.Prior)
		}
	}
	if used != 3 || answer.Day != usedToday {
		t.Errorf("got %d used memories of 250 on day %d, want 3 on day %d", used, answer.Day, usedToday)
	}
}

func TestDistracted_adds_nothing_of_its_own(t *testing.T) {
	t.Parallel()
	s, copied := made("north", 5, "a", "b"), made("north", 9, "a", "c")
	copied.name = "copy of north"
	sets := []*set{s, copied, made("south", 6, "d")}
	const n = 40
	got, err := s.distracted(sets, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.groups) != 1 || len(got.groups[0].docs) != s.documents()+n || got.scope != ScopeDistractors {
		t.Fatalf("got %d documents, want %d more than %d", got.documents(), n, s.documents())
	}
	own, ids := ownOf(s), make(map[hippo.ID]bool)
	from := make(map[bool]int)
	for i, m := range got.groups[0].docs {
		if ids[m.ID] {
			t.Errorf("%s is there twice", idOf(m))
		}
		ids[m.ID] = true
		if i < s.documents() {
			continue
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		for _, g := range s.groups {
			for _, o := range g.docs {
				if o.ID == m.ID || o.ContentHash == m.ContentHash || idOf(o) == idOf(m) {
					t.Errorf("%s is one of its own", idOf(m))
				}
			}
		}
		for x := range sentencesOf(textOf(m)) {
			if own.sentences[plain(x)] && len(strings.Fields(x)) >= telling {
				t.Errorf("%s says %q", idOf(m), x)
			}
		}
		from[strings.HasPrefix(m.Project, "d")]++
	}
	if from[true] != n/2 {
		t.Errorf("got %v documents by set, want as many of each", from)
	}
	again, err := s.distracted(sets, n)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got.groups, again.groups, cmp.AllowUnexported(group{})); d != "" {
		t.Errorf("a second time differs:\n%s", d)
	}
	if _, err := s.distracted(sets[:1], n); err == nil || !strings.Contains(err.Error(), "40 too few beside north") {
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
			if seen[w] || functionWord(w) || w == right[min(i, len(right)-1)] {
				t.Errorf("%q: %s stands there twice, holds a question together, or is its own synonym", line, w)
			}
			seen[w] = true
		}
	}
}

// TestRun_harder measures every setting, some rows at a time, and the
// same as one at a time.
func TestRun_harder(t *testing.T) {
	t.Parallel()
	o := Options{
		Backend: ram, Data: filepath.Join("testdata", "small"), Rankers: []hippo.Ranker{hippo.RankerHippo}, Workers: 3,
		Harder: Harder{Pooled: true, Paraphrased: true, Used: true},
	}
	got, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var scopes []Scope
	for _, r := range got.Sets[0].Rows {
		if r.System == Baseline {
			scopes = append(scopes, r.Scope)
			continue
		}
		if (r.Loss == nil) != (r.Scope == ScopeConversation) || r.Lead == nil || r.Lead.Questions != r.Questions {
			t.Errorf("%s: got loss %+v and lead %+v", r.Scope, r.Loss, r.Lead)
		}
		if r.Latency != (Latency{}) {
			t.Errorf("%s: got latencies of rows that were measured at the same time", r.Scope)
		}
	}
	if want := []Scope{ScopeConversation, ScopePooled, ScopeParaphrased, ScopeUsed}; !slices.Equal(scopes, want) {
		t.Errorf("got scopes %v, want %v", scopes, want)
	}
	o.Workers = 1
	one, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range one.Sets[0].Rows {
		one.Sets[0].Rows[i].Latency = Latency{}
	}
	if d := cmp.Diff(one, got); d != "" {
		t.Errorf("one at a time differs (-one +three):\n%s", d)
	}
}
