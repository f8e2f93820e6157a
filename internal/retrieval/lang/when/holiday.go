package when

import "time"

// holiday is a day of each year, with the number of days before and after it that its name
// includes.
type holiday struct {
	day    func(y int) (time.Month, int)
	around int
}

// parseHoliday reads Christmas, New Year's Eve, last Easter, Thanksgiving 2024. A holiday
// includes some days around it, "Christmas Day" and "Christmas Eve" do not.
func parseHoliday(p *parser, i int) (value, int) {
	past, which := isLast(p.at(i)), isLast(p.at(i)) || p.at(i) == "this"
	if p.at(i) == "the" && p.at(i+1) == "new" || which {
		i++
	}
	f, next := parseHolidayName(p, i)
	if next == 0 {
		return value{}, 0
	}
	of := func(y int) (Span, bool) {
		m, d := f.day(y)
		return p.days(y, m, d, f.around, f.around), true
	}
	if y, end := parseYearNamed(p, next); end > 0 && !which {
		s, _ := of(y)
		return value{Span: s, dated: true, single: f.around == 0}, end
	}
	v := value{cycle: year, ambiguity: festive, edge: true, single: f.around == 0}
	if which || f.around == 0 {
		v.ambiguity = unambiguous
	}
	v.Span, _ = p.latest(past, of)
	return v, next
}

// parseHolidayName reads the name of a holiday.
func parseHolidayName(p *parser, i int) (holiday, int) {
	fixed := func(m time.Month, d int) func(int) (time.Month, int) {
		return func(int) (time.Month, int) { return m, d }
	}
	next := i + 1
	var f holiday
	var eve func(int) (time.Month, int)
	switch p.at(i) {
	case "christmas", "xmas":
		f, eve = holiday{fixed(time.December, 25), 3}, fixed(time.December, 24)
	case "newyear", "newyears":
		f, eve = holiday{fixed(time.January, 1), 3}, fixed(time.December, 31)
	case "new":
		if p.at(next) != "year" && p.at(next) != "years" {
			return f, 0
		}
		next++
		f, eve = holiday{fixed(time.January, 1), 3}, fixed(time.December, 31)
	case "valentine", "valentines":
		f = holiday{fixed(time.February, 14), 1}
	case "halloween":
		f = holiday{fixed(time.October, 31), 3}
	case "thanksgiving":
		f = holiday{thanksgiving, 3}
	case "easter":
		f = holiday{easter, 3}
	default:
		return f, 0
	}
	switch w := p.at(next); {
	case w == "day" || w == "sunday" && p.at(i) == "easter":
		if f.around > 1 {
			f.around = 0
		}
		next++
	case w == "eve" && eve != nil:
		f, next = holiday{eve, 0}, next+1
	}
	return f, next
}

// thanksgiving returns the fourth Thursday of November.
func thanksgiving(y int) (time.Month, int) {
	first := time.Date(y, time.November, 1, 0, 0, 0, 0, time.UTC).Weekday()
	return time.November, 22 + int(time.Thursday-first+7)%7
}
