package drivertest

import (
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

func timeChecks() []check {
	return []check{
		{"microseconds_are_kept", timesKept},
		{"the_epoch_is_not_unset", epochKept},
		{"each_time_may_be_unset", eachTimeUnset},
		{"times_are_utc", timesAreUTC},
	}
}

// times returns every time of m.
func times(m *hippo.Memory) map[string]*time.Time {
	return map[string]*time.Time{
		"CreatedAt": &m.CreatedAt, "UpdatedAt": &m.UpdatedAt, "EventTime": &m.EventTime,
		"ValidFrom": &m.ValidFrom, "ValidUntil": &m.ValidUntil,
		"ForgottenAt": &m.ForgottenAt, "Importance.SetAt": &m.Importance.SetAt,
	}
}

// timesKept goes beyond what nanoseconds in 64 bits can hold (1677 to 2262).
func timesKept(t *testing.T, h Harness) {
	var ms []*hippo.Memory
	for i, moment := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 1_000, time.UTC),
		time.Date(1066, 10, 14, 9, 0, 0, 0, time.UTC),
		time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.Date(2024, 2, 29, 12, 0, 0, 1_000, time.UTC),
		time.Date(2025, 6, 1, 12, 0, 0, 100_000_000, time.UTC),
		time.Date(2038, 1, 19, 3, 14, 8, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999_998_000, time.UTC),
	} {
		m := plain(i)
		setTimes(m, moment)
		ms = append(ms, m)
	}
	roundTrip(t, h, ms...)
}

func epochKept(t *testing.T, h Harness) {
	before, after := plain(1), plain(2)
	setTimes(before, time.UnixMicro(-1).UTC())
	setTimes(after, time.UnixMicro(0).UTC())
	roundTrip(t, h, before, after)
}

// setTimes sets every time of m to moment, but the end of validity one later.
func setTimes(m *hippo.Memory, moment time.Time) {
	for _, field := range times(m) {
		*field = moment
	}
	m.ValidUntil = moment.Add(time.Microsecond)
}

func eachTimeUnset(t *testing.T, h Harness) {
	var ms []*hippo.Memory
	for name := range times(bare(0)) {
		one, others := bare(len(ms)), full(len(ms)+1)
		*times(one)[name] = at(len(ms))
		*times(others)[name] = time.Time{}
		ms = append(ms, one, others)
	}
	roundTrip(t, h, ms...)
}

func timesAreUTC(t *testing.T, h Harness) {
	b := h.fresh(t)
	put(t, b, full(1))
	for name, field := range times(get(t, b, id(1))[0]) {
		if field.Location() != time.UTC {
			t.Errorf("%s is in zone %s", name, field.Location())
		}
	}
	put(t, b, bare(1))
	for name, field := range times(get(t, b, id(1))[0]) {
		if !field.IsZero() {
			t.Errorf("%s is %s, want unset", name, field)
		}
	}
}
