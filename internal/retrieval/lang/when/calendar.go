package when

import "time"

// unit is a length of time by the calendar, in the order of the lexicon.
type unit int

const (
	second unit = iota + 1
	minute
	hour
	day
	week
	fortnight
	weekend
	month
	quarter
	year
)

// midnight returns when a day begins in a zone: the first instant of that date, also where
// clocks change at midnight. Days and months may be out of range.
func midnight(y int, m time.Month, d int, zone *time.Location) time.Time {
	date := time.Date(y, m, d, 12, 0, 0, 0, time.UTC)
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	start, end := t.ZoneBounds()
	if t.Day() != date.Day() { // there is no midnight, and t is before the gap
		return end
	}
	if start.IsZero() {
		return t
	}
	_, now := t.Zone()
	_, before := start.Add(-time.Second).Zone()
	if first := t.Add(time.Duration(now-before) * time.Second); first.Before(start) && first.Day() == date.Day() {
		return first // midnight comes twice
	}
	return t
}

// timeOfDay returns a time of the day of t. One that is left out because clocks go forward is that which the clock shows
// instead: where 02:00 is followed by 03:00, 02:30 is 03:30.
func timeOfDay(t time.Time, hour, minute int) time.Time {
	y, m, d := t.Date()
	at := time.Date(y, m, d, hour, minute, 0, 0, t.Location())
	if at.Hour() == hour && at.Minute() == minute {
		return at
	}
	_, end := at.ZoneBounds()
	_, now := at.Zone()
	if _, then := end.Zone(); !end.IsZero() && then > now && at.Hour()*60+at.Minute() < hour*60+minute {
		return at.Add(time.Duration(then-now) * time.Second)
	}
	return at
}

// monday returns the number of days since Monday.
func monday(w time.Weekday) int { return (int(w) + 6) % 7 }

// start returns when the unit begins that is n units before the current one, for units of
// a day and longer.
func (p *parser) start(u unit, n int) time.Time {
	y, m, d := p.now.Date()
	sinceMonday := monday(p.now.Weekday())
	switch u {
	case week:
		d -= sinceMonday + 7*n
	case fortnight:
		d -= sinceMonday + 14*n
	case weekend:
		d -= (sinceMonday+2)%7 + 7*n // begun last Saturday
	case month:
		m, d = m-time.Month(n), 1
	case quarter:
		m, d = (m-1)/3*3+1-time.Month(3*n), 1
	case year:
		y, m, d = y-n, 1, 1
	case second, minute, hour, day:
		d -= n
	}
	return midnight(y, m, d, p.now.Location())
}

// unitAt returns the unit that is n units before the current one, a day or longer.
func (p *parser) unitAt(u unit, n int) Span {
	if u == weekend {
		from := p.start(u, n)
		return Span{from, after(from, 2)}
	}
	if u == fortnight { // the week that long ago
		from := p.start(u, n)
		return Span{from, after(from, 7)}
	}
	return Span{p.start(u, n), p.start(u, n-1)}
}

// days returns the span of whole days around a date.
func (p *parser) days(y int, m time.Month, d, before, behind int) Span {
	zone := p.now.Location()
	return Span{midnight(y, m, d-before, zone), midnight(y, m, d+behind+1, zone)}
}

// after returns the beginning of the day n days after that of t.
func after(t time.Time, n int) time.Time {
	y, m, d := t.Date()
	return midnight(y, m, d+n, t.Location())
}

// daysBetween counts the days from one midnight to another.
func daysBetween(from, until time.Time) int {
	date := func(t time.Time) time.Time {
		y, m, d := t.Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(date(until).Sub(date(from)) / (24 * time.Hour)) // in UTC every day is as long
}

// exists reports whether a date exists.
func exists(y int, m time.Month, d int) bool {
	t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return m >= 1 && m <= 12 && d >= 1 && t.Month() == m && t.Day() == d
}

// nextMinute returns the end of a span that lasts until now: the next whole minute.
func nextMinute(now time.Time) time.Time { return now.Truncate(time.Minute).Add(time.Minute) }

// duration returns the length of a second, minute or hour.
func (u unit) duration() time.Duration {
	switch u {
	case second:
		return time.Second
	case minute:
		return time.Minute
	default:
		return time.Hour
	}
}

// latest returns the newest span of a yearly event that has begun; past excludes one that
// has not ended. It searches as many years back as a leap day needs.
func (p *parser) latest(past bool, of func(year int) (Span, bool)) (Span, bool) {
	y := p.now.Year()
	for n := y + 1; n > y-10; n-- {
		if s, ok := of(n); ok && !s.From.After(p.now) && (!past || !s.Until.After(p.now)) {
			return s, true
		}
	}
	return Span{}, false
}

// easter returns Easter Sunday of the Gregorian calendar.
// Source: the anonymous algorithm of Meeus, Astronomical Algorithms (1991), chapter 8.
func easter(y int) (time.Month, int) {
	a, b, c := y%19, y/100, y%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return time.Month(n / 31), n%31 + 1
}
