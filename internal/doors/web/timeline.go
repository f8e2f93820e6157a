package web

import (
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/when"
)

// timelineBody shows when memories were recorded, and those of a range by day.
type timelineBody struct {
	Form  filterForm
	Chart chart
	Days  []dayItems
	Pager pager
}

// dayItems are the memories of a day.
type dayItems struct {
	Date  string
	Items []item
}

// chart has a bar for each day, week or month.
type chart struct {
	Unit string
	Bars []chartBar
	Most int
}

// chartBar is one bar in a drawing of 100 units in height, and 100 units in width for all bars.
type chartBar struct {
	X, Y, Width, Height float64
	Count, Total        int // Total counts the memories up to its end
	Label, Link         string
	Start               time.Time
	Chosen              bool
}

// text says what a bar counts.
func (b *chartBar) text() string { return b.Label + ": " + count(b.Count, "memory", "memories") }

func showTimeline(v *visit) (page, error) {
	form, filter, err := v.filter(v.r.Context(), v.r.URL.Query())
	b, p := timelineBody{Form: form}, page{Title: "Timeline"}
	if err == nil {
		err = b.list(v, filter)
	}
	err = b.Form.kept(&p, err)
	p.Content = timelineContent(b)
	return p, err
}

// list fills in the chart and the memories.
func (b *timelineBody) list(v *visit, filter hippo.Filter) error {
	ctx := v.r.Context()
	offset, err := v.offset()
	if err != nil {
		return err
	}
	all := filter
	all.CreatedAfter, all.CreatedBefore = time.Time{}, time.Time{}
	times, err := history.Created(ctx, v.memories, api.List{Filter: all})
	if err != nil {
		return err
	}
	b.Chart = newChart(v, times, filter)
	list, err := memory.List(ctx, v.memories, api.List{Filter: filter, Offset: offset, Count: pageSize})
	if err != nil {
		return err
	}
	for _, m := range list.Memories {
		date := m.CreatedAt.In(v.memories.Zone()).Format("Monday, 2 January 2006")
		if n := len(b.Days); n == 0 || b.Days[n-1].Date != date {
			b.Days = append(b.Days, dayItems{Date: date})
		}
		last := &b.Days[len(b.Days)-1]
		last.Items = append(last.Items, v.newItem(m))
	}
	b.Pager = v.pager(offset, len(list.Memories), list.Total, pageSize)
	return nil
}

// maxBars is how many bars a chart has at most; what is older is not drawn.
const maxBars = 60

// newChart counts times, which are ascending, by day, week or month, whichever fits.
func newChart(v *visit, times []time.Time, chosen hippo.Filter) chart {
	if len(times) == 0 {
		return chart{}
	}
	zone := v.memories.Zone()
	now, first := v.now.In(zone), times[0].In(zone)
	c := chart{Unit: "month"}
	step := func(t time.Time, n int) time.Time { return t.AddDate(0, n, 0) }
	start := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, zone)
	const day = 24 * time.Hour
	switch span := now.Sub(first); {
	case span < maxBars*day:
		c.Unit, start = "day", time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
		step = func(t time.Time, n int) time.Time { return t.AddDate(0, 0, n) }
	case span < maxBars*7*day:
		c.Unit, start = "week", time.Date(now.Year(), now.Month(), now.Day()-(int(now.Weekday())+6)%7, 0, 0, 0, 0, zone)
		step = func(t time.Time, n int) time.Time { return t.AddDate(0, 0, 7*n) }
	}
	n := 1
	for n < maxBars && start.After(first) {
		start = step(start, -1)
		n++
	}
	for i := range n {
		from, to := step(start, i), step(start, i+1)
		low, high := countBefore(times, from), countBefore(times, to)
		bar := chartBar{
			Count: high - low, Total: high, Start: from, Label: from.In(zone).Format(map[string]string{"day": "2 Jan 2006", "week": "2 Jan 2006", "month": "Jan 2006"}[c.Unit]),
			Link:   link(v.r.URL.Path, "from", when.Date(from, zone), "to", when.Date(to.AddDate(0, 0, -1), zone), "project", v.r.URL.Query().Get("project")),
			Chosen: from.Equal(chosen.CreatedAfter) && to.Equal(chosen.CreatedBefore),
		}
		c.Most = max(c.Most, bar.Count)
		c.Bars = append(c.Bars, bar)
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		b.Width = 100 / float64(n)
		b.X = float64(i) * b.Width
		b.Height = 100 * float64(b.Count) / float64(max(c.Most, 1))
		b.Y = 100 - b.Height
	}
	return c
}

// countBefore returns how many of ascending times are before t.
func countBefore(times []time.Time, t time.Time) int {
	n, _ := slices.BinarySearchFunc(times, t, time.Time.Compare)
	return n
}
