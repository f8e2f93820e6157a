package metrics_test

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/serve/telemetry/metrics"
)

func text(t *testing.T, s *metrics.Set) string {
	t.Helper()
	var b strings.Builder
	if err := s.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSet_Write(t *testing.T) {
	t.Parallel()
	var s metrics.Set
	c := s.Counter("a_total", "Things.", "route", "code")
	c.Add(1, "GET /x", "200")
	c.Add(2, "GET /x", "200")
	c.Add(1, "a\"b\\c\nd\xff", "404")
	s.Counter("b_total", "Nothing yet.")
	h := s.Times("c_seconds", "Times.", "verb")
	for _, took := range []time.Duration{0, time.Millisecond, 3 * time.Millisecond, time.Hour} {
		h.Observe(took, "search")
	}
	s.Figures(func() []metrics.Figure {
		return []metrics.Figure{metrics.One("d", "One.", metrics.Gauge, 1.5), {Name: "e", Help: "Two.", Kind: metrics.Gauge, Label: "state", Points: []metrics.Point{{"x", 1}, {"y", 2}}}}
	})
	got := text(t, &s)
	for _, want := range []string{
		"# HELP a_total Things.\n# TYPE a_total counter\na_total{route=\"GET /x\",code=\"200\"} 3\na_total{route=\"a\\\"b\\\\c\\nd\uFFFD\",code=\"404\"} 1\n",
		"# TYPE b_total counter\nb_total 0\n",
		"# TYPE c_seconds histogram\nc_seconds_bucket{verb=\"search\",le=\"0.0005\"} 1\nc_seconds_bucket{verb=\"search\",le=\"0.001\"} 2\nc_seconds_bucket{verb=\"search\",le=\"0.0025\"} 2\nc_seconds_bucket{verb=\"search\",le=\"0.005\"} 3\n",
		"c_seconds_bucket{verb=\"search\",le=\"60\"} 3\nc_seconds_bucket{verb=\"search\",le=\"+Inf\"} 4\nc_seconds_sum{verb=\"search\"} 3600.004\nc_seconds_count{verb=\"search\"} 4\n",
		"# TYPE d gauge\nd 1.5\n# HELP e Two.\n# TYPE e gauge\ne{state=\"x\"} 1\ne{state=\"y\"} 2\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks\n%s\nin\n%s", want, got)
		}
	}
}

// Labels that come from outside after all cannot fill the memory.
func TestSet_Bounded(t *testing.T) {
	t.Parallel()
	var s metrics.Set
	c := s.Counter("a_total", "Things.", "name")
	for i := range 5000 {
		c.Add(1, fmt.Sprint(i))
	}
	got := text(t, &s)
	if n := strings.Count(got, "\n"); n > 2100 || !strings.Contains(got, `a_total{name="other"} 3000`) {
		t.Errorf("%d lines", n)
	}
}

func TestSet_Concurrent(t *testing.T) {
	t.Parallel()
	var s metrics.Set
	c, h := s.Counter("a_total", "Things.", "name"), s.Times("b_seconds", "Times.")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				c.Add(1, "x")
				h.Observe(time.Duration(i), "")
				if i%100 == 0 {
					_ = s.Write(&strings.Builder{})
				}
			}
		})
	}
	all.Wait()
	if got := text(t, &s); !strings.Contains(got, `a_total{name="x"} 8000`) || !strings.Contains(got, "b_seconds_count 8000") {
		t.Error(got)
	}
}

func TestProcess(t *testing.T) {
	t.Parallel()
	var s metrics.Set
	s.Figures(metrics.Process(time.Unix(1700000000, 5e8)))
	got := text(t, &s)
	for _, want := range []string{`process_start_time_seconds 1.7000000005e\+09`, `go_goroutines [1-9]`, `go_memstats_heap_alloc_bytes [1-9]`, `go_info\{version="go1`} {
		if !regexp.MustCompile("(?m)^" + want).MatchString(got) {
			t.Errorf("lacks %s in\n%s", want, got)
		}
	}
}
