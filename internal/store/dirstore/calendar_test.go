package dirstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/store/dirstore"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

func setCalendar(t testing.TB, s *dirstore.Store, c driver.Calendar) {
	t.Helper()
	if err := s.Write(t.Context(), driver.Durable, func(tx driver.Tx) error { return tx.SetCalendar(c) }); err != nil {
		t.Fatal(err)
	}
}

func TestCalendar_never_goes_back_by_another_programs_doing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.open()
	now := driver.Calendar{Day: 5, Date: "2025-08-05"}
	setCalendar(t, s, now)
	for _, file := range []string{
		`{"active_day_counter": 4, "last_calendar_date_used": "2025-09-01"}`,
		`{"active_day_counter": 5, "last_calendar_date_used": "2025-08-04"}`,
		`{"active_day_counter": 0, "last_calendar_date_used": null}`,
	} {
		p.write("metadata.json", file)
		rescan(t, s)
		equal(t, "calendar", head(t, s).Calendar, now)
		equal(t, "calendar after opening", head(t, p.open()).Calendar, now)
	}
	p.remove("metadata.json")
	rescan(t, s)
	equal(t, "calendar", head(t, s).Calendar, now)
	now = driver.Calendar{Day: 6, Date: "2025-08-06"}
	setCalendar(t, s, now)
	if got := p.read("metadata.json"); !strings.Contains(got, `"active_day_counter": 6`) {
		t.Errorf("metadata.json is %s", got)
	}
}

func TestCalendar_moves_on_with_another_program(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s, other := p.open(), p.open()
	want := driver.Calendar{Day: 9, Date: "2025-08-20"}
	p.write("metadata.json", `{"active_day_counter": 9, "last_calendar_date_used": "2025-08-20"}`)
	update(t, s, func(tx driver.Tx) error {
		got, err := tx.Calendar()
		equal(t, "calendar in a transaction", got, want)
		return err
	})
	equal(t, "calendar of the other handle", head(t, other).Calendar, want)
}

func TestCalendar_corrupt_is_quarantined_and_repaired(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := memory(1)
	m.Touch(8, 1)
	p.writeOld(name(1), text(t, m))
	p.writeOld("metadata.json", `{"active_day_counter":`)
	s := p.open()
	equal(t, "calendar", head(t, s).Calendar, driver.Calendar{Day: 8})
	if ps := problems(t, s); len(ps) != 1 || ps[0].Was != p.path("metadata.json") {
		t.Errorf("problems: %+v", ps)
	}
	if got := p.read("metadata.json"); !strings.Contains(got, `"active_day_counter": 8`) {
		t.Errorf("metadata.json is %s", got)
	}
	setCalendar(t, s, driver.Calendar{Day: 9, Date: "2025-08-20"})
	p.write("metadata.json", "")
	rescan(t, s)
	equal(t, "calendar", head(t, s).Calendar, driver.Calendar{Day: 9, Date: "2025-08-20"})
	p.advance(time.Hour)
	rescan(t, s)
	equal(t, "calendar", head(t, s).Calendar, driver.Calendar{Day: 9, Date: "2025-08-20"})
	equal(t, "calendar after opening", head(t, p.open()).Calendar, driver.Calendar{Day: 9, Date: "2025-08-20"})
}

func TestCalendar_lost_with_everything_but_the_memories(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	m := memory(1)
	m.Touch(8, 1)
	p.writeOld(name(1), text(t, m))
	equal(t, "calendar", head(t, p.open()).Calendar, driver.Calendar{Day: 8})
}
