package mcpserver_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/transfer"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// The scenarios of the original Python program, Y1 to Y13, through MCP. Their
// vectors hold where the formula is the same; frequency is not (docs/ranking.md).

// Y1: relevance falls as active days pass, to these values.
func TestScenario_Y1(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("temporal behaviour", .8)
	near(t, "day 1", first(t, s.search("temporal", nil)), .730667)
	s.live(10)
	near(t, "ten days later", first(t, s.search("temporal", nil)), .430922)
	s.live(10)
	near(t, "ten more", first(t, s.search("temporal", nil)), .368001)
}

// Y2: use lifts relevance, its absence lowers it, new use lifts it again.
func TestScenario_Y2(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("used now and then", .5)
	n, today := 1, 1
	use := func(day int, want float64) {
		t.Helper()
		s.live(day - today)
		today = day
		near(t, fmt.Sprint("day ", day), first(t, s.search("used", nil)), want)
		n++
	}
	use(3, insight(2, 1, decay(.5, 2)))
	use(5, insight(2, 2, decay(.5, 4)))
	use(7, insight(2, 3, decay(.5, 6)))
	use(10, insight(3, 4, decay(.5, 9)))
	use(40, insight(30, 0, decay(.5, 39))) // all earlier use is outside the window
	use(40, insight(0, 1, decay(.5, 39)))
	use(40, insight(0, 2, decay(.5, 39)))
}

// Y3: an upvote by modify lifts relevance, a downvote lowers it.
func TestScenario_Y3(t *testing.T) {
	t.Parallel()
	s := start(t)
	up, down := s.record("up", .5), s.record("down", .5)
	near(t, "baseline", first(t, s.search("up", nil)), fresh(.5))
	s.must("hippo_modify_insight", object{"uuid": up, "reinforce": "upvote"}, nil)
	a := s.search("up", nil)
	near(t, "importance after an upvote", a.Results[0].Insight.CurrentImportance, .75)
	near(t, "relevance after an upvote", first(t, a), insight(0, 2, .75))
	s.must("hippo_modify_insight", object{"uuid": down, "reinforce": "downvote"}, nil)
	a = s.search("down", nil)
	near(t, "importance after a downvote", a.Results[0].Insight.CurrentImportance, .25)
	near(t, "relevance after a downvote", first(t, a), fresh(.25))
}

// Y4: the distribution counts what was found, by relevance.
func TestScenario_Y4(t *testing.T) {
	t.Parallel()
	s := start(t)
	for i := range 10 {
		s.record(fmt.Sprint("insight ", i), float64(i)/10)
	}
	a := s.search("", nil)
	want := map[string]int{}
	for _, name := range hippo.BucketNames() {
		want[name] = 0
	}
	for _, r := range a.Results {
		var d hippo.Distribution
		d.Add(r.Relevance)
		for i, name := range hippo.BucketNames() {
			want[name] += d[i]
		}
	}
	if diff := cmp.Diff(want, a.Distribution); diff != "" || a.Total != 10 {
		t.Error(diff)
	}
}

// Y5: what is about something else stays away.
func TestScenario_Y5(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []string{
		"Rust programming needs ownership", "Rust has fearless concurrency in programming", "Cargo builds Rust programs", "Python programming is dynamic",
	} {
		s.record(c, .7)
	}
	s.record("The restaurant around the corner has good lunch", .3)
	got := strings.Join(s.search("Rust programming", nil).contents(), "|")
	if strings.Count(got, "Rust") != 3 || strings.Contains(got, "lunch") {
		t.Errorf("got %s", got)
	}
}

// Y6: insights of different days are found together, with their days.
func TestScenario_Y6(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("recorded first", .5)
	s.live(4)
	s.record("recorded later", .5)
	s.live(5)
	a := s.search("recorded", nil)
	var days []int
	for _, r := range a.Results {
		days = append(days, r.Insight.Accesses[0][0])
	}
	slices.Sort(days)
	if diff := cmp.Diff([]int{1, 5}, days); diff != "" || a.Day != 10 {
		t.Errorf("day %d: %s", a.Day, diff)
	}
}

// Y7: situations narrow a search without words.
func TestScenario_Y7(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("Rust ownership rules", .7, "programming in rust", "learning")
	s.record("C++ templates are hard", .6, "programming")
	s.record("Notes of the weekly", .5, "meeting")
	got := s.search("", object{"situation_filter": []string{"programming"}}).contents()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"C++ templates are hard", "Rust ownership rules"}, got); diff != "" {
		t.Error(diff)
	}
}

// Y8: a floor of relevance keeps the important one. The original's floor was 0.8
// with a frequency that one access could fill.
func TestScenario_Y8(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, i := range []float64{.95, .3, .7} {
		s.record(fmt.Sprintf("authentication, %v", i), i)
	}
	a := s.search("authentication", object{"relevance_range": object{"min": .75}})
	if a.Total != 1 || a.Distribution["0.4_to_0.6"] != 1 || a.Distribution["0.6_to_0.8"] != 2 {
		t.Fatalf("got %+v", a)
	}
	near(t, "the important one", first(t, a), fresh(.95))
}

// Y9, Y10, Y11: record, search, change and delete through files.
func TestScenario_Y9_Y10_Y11(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startOn(t, backends()["dir"](t, dir))
	id := s.record("Stored in files", .8)
	if a := s.search("files", object{"limit": object{"offset": 0, "count": 5}}); a.Total != 1 {
		t.Errorf("got %+v", a)
	}
	s.must("hippo_modify_insight", object{"uuid": id, "content": "Updated in files", "importance": .9}, nil)
	if a := s.search("Updated", nil); a.Total != 1 || a.Results[0].Insight.Importance != .9 {
		t.Errorf("got %+v", a)
	}
	for _, name := range []string{id + ".json", "metadata.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	s.must("hippo_forget", object{"uuids": []string{id}, "purge": true}, nil)
	if _, err := os.Stat(filepath.Join(dir, id+".json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there (%v)", err)
	}
}

// Y13: migration takes over what was there, once, whatever its state. The file
// that it reads stays where it is, so there is no renaming to test. Y12, that a
// watcher starts and stops, is in the tests of dirstore.
func TestScenario_Y13(t *testing.T) {
	t.Parallel()
	const two = `{"insights":[
		{"uuid":"00000000-0000-4000-8000-000000000001","content":"old one","situation":["s"],"importance":0.6,"created_at":"2025-07-28T18:57:08","daily_access_counts":[[3,1]]},
		{"uuid":"00000000-0000-4000-8000-000000000002","content":"old two","situation":["s"],"importance":0.5,"created_at":"2025-07-28T18:57:09","daily_access_counts":[[5,1]]}],
		"active_day_counter":5,"last_calendar_date_used":"2026-03-01"}`
	path := filepath.Join(t.TempDir(), "hippo.json")
	if err := os.WriteFile(path, []byte(two), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	again := func() {
		if _, err := migrate(t, s, path); err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for range 3 { // at once, and again
		wg.Go(again)
	}
	wg.Wait()
	again()
	a := s.search("old", nil)
	if a.Total != 2 || a.Day != 5 {
		t.Errorf("got %d insights on day %d, want 2 on day 5", a.Total, a.Day)
	}
	near(t, "relevance of the recent one", a.Results[0].Relevance, insight(0, 1, .5))
	if err := os.WriteFile(path, []byte(`{"insights":[{"uuid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := migrate(t, s, path); err == nil && len(r.Rejected) == 0 || r.Added > 0 {
		t.Errorf("a corrupt file: got %+v (%v)", r, err)
	}
}

// Y13, partial overlap: what is there already stays as it is, the rest is added.
func TestScenario_Y13_Overlap(t *testing.T) {
	t.Parallel()
	const one = `{"uuid":"00000000-0000-4000-8000-000000000001","content":"old one","situation":["s"],"importance":0.6,` +
		`"created_at":"2025-07-28T18:57:08","daily_access_counts":[[3,1]]}`
	changed := strings.Replace(one, "old one", "old one, changed since", 1)
	other := strings.Replace(strings.Replace(one, "0001", "0002", 1), "one", "two", 1)
	s := start(t)
	path := filepath.Join(t.TempDir(), "hippo.json")
	for _, tc := range []struct {
		insights    string
		added, here int
	}{{"", 0, 0}, {one, 1, 0}, {changed + "," + other, 1, 1}} {
		text := `{"insights":[` + tc.insights + `],"active_day_counter":5,"last_calendar_date_used":"2026-03-01"}`
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := migrate(t, s, path)
		if err != nil || r.Added != tc.added || r.Present+r.Kept != tc.here || len(r.Rejected) > 0 {
			t.Errorf("%s: got %+v (%v)", tc.insights, r, err)
		}
	}
	got := s.search("old", nil).contents()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"old one", "old two"}, got); diff != "" {
		t.Error(diff)
	}
}

// migrate imports a file of the original.
func migrate(t *testing.T, s *session, path string) (api.ImportReport, error) {
	t.Helper()
	src, err := formats.Open(path)
	if err != nil {
		return api.ImportReport{}, err
	}
	return transfer.New(s.engine.In(hippo.LocalScope(""))).Import(t.Context(), src.Calendar, src.Entries(), nil)
}

// The vectors of the formulas, for a fresh insight of each importance.
func TestScenario_FreshVectors(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, i := range []float64{0, .1, .3, .5, .6, .7, .8, .9, .95, 1} {
		word := fmt.Sprintf("vector%d", int(i*100))
		score := func(filter object) float64 {
			found := first(t, s.search(word, filter))
			if err := s.engine.Flush(t.Context()); err != nil { // the next one counts it
				t.Fatal(err)
			}
			return found
		}
		s.record("about "+word, i, "exact situation")
		near(t, word, score(nil), fresh(i))
		near(t, word+" in its situation", score(object{"situation_filter": []string{"exact situation"}}), insight(0, 2, i))
		near(t, word+" in a part of it", score(object{"situation_filter": []string{"situation"}}), insight(0, 3, i)-.15*.1)
	}
}

// The vectors of recency and decay, after that many active days.
func TestScenario_DayVectors(t *testing.T) {
	t.Parallel()
	for days, want := range map[int][2]float64{
		1: {.951229, .9}, 7: {.704688, .4782969}, 10: {.606531, .34867844}, 20: {.367879, .12157665}, 30: {.223130, .04239116}, 60: {.049787, .00179701},
	} {
		s := start(t)
		s.record("aging", 1)
		s.live(days)
		got := s.search("aging", object{"relevance_range": object{"min": 0}}).Results[0]
		near(t, fmt.Sprintf("recency after %d days", days), got.Signals.Recency, want[0])
		near(t, fmt.Sprintf("importance after %d days", days), got.Signals.Importance, want[1])
	}
}

// Ninety active days of use are kept.
func TestScenario_Pruning(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("looked up daily", .5)
	for range 119 {
		s.clock.set(s.clock.now().AddDate(0, 0, 1))
		s.search("daily", nil)
	}
	if err := s.engine.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.search("daily", nil).Results[0].Insight.Accesses
	if len(got) != 90 || got[0] != [2]int{31, 1} || got[89] != [2]int{120, 1} {
		t.Errorf("got %d entries, %v to %v", len(got), got[0], got[len(got)-1])
	}
}

// Searching alone lifts an insight by a bounded amount, and a holiday costs nothing.
func TestScenario_Holiday(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.record("vacation proof", .8)
	before := first(t, s.search("vacation", nil))
	s.clock.set(s.clock.now().AddDate(0, 3, 0))
	after := first(t, s.search("vacation", nil))
	near(t, "after three months away, one active day", after, insight(1, 2, decay(.8, 1)))
	if math.Abs(before-after) > .05 {
		t.Errorf("a holiday cost %v", before-after)
	}
}
