package index_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
)

// A memory is of the time of its event, or else of its creation.
func TestSearch_filters_by_time(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	at := func(us int64) time.Time { return time.UnixMicro(us).UTC() }
	for n, event := range []int64{0, 0, 5, 90, 100} {
		m := note(n, "word")
		m.CreatedAt = at(int64(n) + 50)
		if event > 0 {
			m.EventTime = at(event)
		}
		s.put(m)
	}
	x := open(t, s, nil)
	for name, c := range map[string]struct {
		f    hippo.Filter
		want []int
	}{
		"after":          {hippo.Filter{EventAfter: at(51)}, []int{1, 3, 4}},
		"after_between":  {hippo.Filter{EventAfter: at(51).Add(1)}, []int{3, 4}},
		"before":         {hippo.Filter{EventBefore: at(51)}, []int{0, 2}},
		"before_between": {hippo.Filter{EventBefore: at(51).Add(1)}, []int{0, 1, 2}},
		"both":           {hippo.Filter{EventAfter: at(5), EventBefore: at(100)}, []int{0, 1, 2, 3}},
		"nothing":        {hippo.Filter{EventAfter: at(60), EventBefore: at(90)}, []int{}},
		"with_creation":  {hippo.Filter{EventAfter: at(60), CreatedBefore: at(54)}, []int{3}},
		"long_ago":       {hippo.Filter{EventBefore: time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)}, []int{}},
	} {
		for _, text := range []string{"", "word"} {
			if d := cmp.Diff(c.want, ids(x, query{Text: text, Filter: c.f})); d != "" {
				t.Errorf("%s, text %q (-want +got):\n%s", name, text, d)
			}
		}
	}
}
