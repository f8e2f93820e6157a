package dirstore_test

import (
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// contents returns the files of a directory that may be under version control, by name.
func contents(t *testing.T, p *place) map[string]string {
	t.Helper()
	found, err := os.ReadDir(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	for _, f := range found {
		if !f.IsDir() {
			all[f.Name()] = p.read(f.Name())
		}
	}
	return all
}

// use does what a search and an opening leave behind: a new day, counts, and feedback.
func use(t *testing.T, p *place, n int, day hippo.Day, date string) {
	t.Helper()
	s := p.open()
	update(t, s, func(tx driver.Tx) error {
		if err := tx.SetCalendar(driver.Calendar{Day: day, Date: date}); err != nil {
			return err
		}
		return tx.Touch(day, map[hippo.ID]int{id(n): 2})
	})
	update(t, s, func(tx driver.Tx) error {
		ms, err := tx.Get(id(n))
		if err != nil {
			return err
		}
		ms[0].Feedback = append(ms[0].Feedback, hippo.Feedback{Kind: hippo.FeedbackOpened, Day: day, Weight: 1, Question: hippo.Question("question")})
		return tx.Put(ms...)
	})
	closed(t, s)
}

// A search leaves a directory under version control as it was, and what it counted is known to every process.
func TestUse_changes_no_file(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1), memory(2))
	setCalendar(t, s, driver.Calendar{Day: 1, Date: "2025-08-01"})
	put(t, s, memory(3))
	before := contents(t, p)
	use(t, p, 1, 4, "2025-08-09")
	if after := contents(t, p); !maps.Equal(before, after) {
		t.Errorf("the files are %v, were %v", after, before)
	}
	got := get(t, p.open(), 1)
	equal(t, "accesses", got.Accesses, []hippo.Access{{Day: 1, Count: 1}, {Day: 4, Count: 2}})
	if len(got.Feedback) != 1 {
		t.Errorf("feedback is %+v", got.Feedback)
	}
	equal(t, "calendar", head(t, s).Calendar, driver.Calendar{Day: 4, Date: "2025-08-09"})
	noProblems(t, s)
}

// The next change of a memory writes its counts, and the active day.
func TestUse_is_written_with_the_next_change(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	put(t, s, memory(1))
	use(t, p, 1, 4, "2025-08-09")
	m := get(t, s, 1)
	m.Importance.Value = .75
	put(t, s, m)
	if got := p.read(name(1)); !strings.Contains(got, "4,") || !strings.Contains(got, `"opened"`) {
		t.Errorf("the file is %s", got)
	}
	if got := p.read("metadata.json"); !strings.Contains(got, `"active_day_counter": 4`) {
		t.Errorf("metadata.json is %s", got)
	}
	closed(t, s)
	p.remove(".hippo")
	equal(t, "accesses without the replica", get(t, p.open(), 1).Accesses, m.Accesses)
}

// A file that came from elsewhere, by a merge or from the first Hippo program, keeps the counts of this directory.
func TestUse_survives_a_file_of_another_writer(t *testing.T) {
	t.Parallel()
	for what, write := range map[string]func(p *place){
		"merge": func(p *place) { p.edit(name(1), "insight 1", "insight one") },
		"first program": func(p *place) {
			p.writeOld(name(1), strings.Replace(oldText(t, memory(1)), "insight 1", "insight one", 1))
		},
	} {
		p := newPlace(t)
		s := p.open()
		put(t, s, memory(1))
		use(t, p, 1, 4, "2025-08-09")
		write(p)
		rescan(t, s)
		got := get(t, s, 1)
		equal(t, what+": accesses", got.Accesses, []hippo.Access{{Day: 1, Count: 1}, {Day: 4, Count: 2}})
		if got.Content != "insight one" || len(got.Feedback) != 1 {
			t.Errorf("%s: the memory is %+v", what, got)
		}
	}
}
