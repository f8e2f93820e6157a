// Package metrics counts what a server does and writes the counts in the text format of Prometheus. It has
// counters, histograms of times, and figures that are read when somebody asks. Its cost is a lock and an addition
// for each event; a label never holds what a caller sent.
package metrics

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Set is the families of a server, in the order in which they were added. It is safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	families []family
}

// family is what has one name.
type family interface{ write(w *bufio.Writer) }

func (s *Set) add(f family) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.families = append(s.families, f)
}

// ContentType is that of what [Set.Write] writes. Source: the exposition format of Prometheus, version 0.0.4.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Write writes all families, and figures that were read now.
func (s *Set) Write(w io.Writer, figures ...Figure) error {
	s.mu.Lock()
	families := slices.Clone(s.families)
	s.mu.Unlock()
	b := bufio.NewWriter(w)
	for _, f := range families {
		f.write(b)
	}
	reader(func() []Figure { return figures }).write(b)
	return b.Flush()
}

// maxLabels is the largest number of labels of a family, and maxSeries that of the combinations of their values: what
// goes beyond counts as [Other].
const (
	maxLabels = 2
	maxSeries = 2000
)

// Other is the value of the labels of a family that has too many.
const Other = "other"

// key is the values of the labels of a series.
type key [maxLabels]string

func compareKeys(a, b key) int { return slices.Compare(a[:], b[:]) }

// vector is the series of a family by the values of their labels.
type vector[T any] struct {
	name, help, kind string
	labels           []string

	mu     sync.Mutex
	series map[key]*T
}

func newVector[T any](name, help, kind string, labels []string) vector[T] {
	return vector[T]{name: name, help: help, kind: kind, labels: labels, series: make(map[key]*T)}
}

// update changes a series.
func (v *vector[T]) update(values []string, change func(*T)) {
	var k key
	copy(k[:], values)
	v.mu.Lock()
	defer v.mu.Unlock()
	x := v.series[k]
	if x == nil {
		if len(v.series) >= maxSeries {
			for i := range v.labels {
				k[i] = Other
			}
		}
		if x = v.series[k]; x == nil {
			x = new(T)
			v.series[k] = x
		}
	}
	change(x)
}

// each emits the series in the order of their labels.
func (v *vector[T]) each(w *bufio.Writer, emit func(labels string, x *T)) {
	heading(w, v.name, v.help, v.kind)
	v.mu.Lock()
	defer v.mu.Unlock()
	keys := make([]key, 0, len(v.series))
	for k := range v.series {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	for _, k := range keys {
		emit(labelText(v.labels, k[:]), v.series[k])
	}
}

// Counters only grow.
type Counters struct{ vector[float64] }

// Counter adds counters with labels, at most two. A name ends with _total.
func (s *Set) Counter(name, help string, labels ...string) *Counters {
	c := &Counters{newVector[float64](name, help, "counter", labels)}
	if len(labels) == 0 {
		c.Add(0)
	}
	s.add(c)
	return c
}

// Add adds n, which is not negative, to the counter with these values of the labels.
func (c *Counters) Add(n float64, values ...string) {
	c.update(values, func(x *float64) { *x += n })
}

func (c *Counters) write(w *bufio.Writer) {
	c.each(w, func(labels string, x *float64) { sample(w, c.name, labels, *x) })
}

// bounds are the upper bounds of the buckets of times, in seconds: a search takes some milliseconds, and a request
// is cut after a minute.
var bounds = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60} //nolint:gochecknoglobals // a constant

// times is a distribution of times. Counts has one more element than bounds, for what is above all of them.
type times struct {
	counts [len(bounds) + 1]uint64
	sum    float64
}

// Times are histograms of times in seconds.
type Times struct{ vector[times] }

// Times adds histograms with labels, at most two. A name ends with _seconds.
func (s *Set) Times(name, help string, labels ...string) *Times {
	t := &Times{newVector[times](name, help, "histogram", labels)}
	s.add(t)
	return t
}

// Observe counts a time in the histogram with these values of the labels.
func (t *Times) Observe(took time.Duration, values ...string) {
	seconds := took.Seconds()
	i, _ := slices.BinarySearch(bounds[:], seconds)
	t.update(values, func(x *times) {
		x.counts[i]++
		x.sum += seconds
	})
}

func (t *Times) write(w *bufio.Writer) {
	t.each(w, func(labels string, x *times) {
		total := uint64(0)
		for i, bound := range bounds {
			total += x.counts[i]
			sample(w, t.name+"_bucket", join(labels, `le="`+number(bound)+`"`), float64(total))
		}
		total += x.counts[len(bounds)]
		sample(w, t.name+"_bucket", join(labels, `le="+Inf"`), float64(total))
		sample(w, t.name+"_sum", labels, x.sum)
		sample(w, t.name+"_count", labels, float64(total))
	})
}

// Kind is that of a figure.
type Kind string

// The kinds of figures.
const (
	Gauge   Kind = "gauge"
	Counter Kind = "counter"
)

// Figure is a value that is read when somebody asks.
type Figure struct {
	Name, Help string
	Kind       Kind
	// Label is the name of the label of Points; empty: one value without a label.
	Label  string
	Points []Point
}

// Point is a value of a figure.
type Point struct {
	Label string
	Value float64
}

// One returns a figure without a label.
func One(name, help string, kind Kind, value float64) Figure {
	return Figure{Name: name, Help: help, Kind: kind, Points: []Point{{Value: value}}}
}

// Figures adds figures that read returns, for each [Set.Write].
func (s *Set) Figures(read func() []Figure) { s.add(reader(read)) }

type reader func() []Figure

func (r reader) write(w *bufio.Writer) {
	for _, f := range r() {
		heading(w, f.Name, f.Help, string(f.Kind))
		for _, p := range f.Points {
			labels := ""
			if f.Label != "" {
				labels = labelText([]string{f.Label}, []string{p.Label})
			}
			sample(w, f.Name, labels, p.Value)
		}
	}
}

func heading(w *bufio.Writer, name, help, kind string) {
	_, _ = w.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n") // Flush reports errors
}

func sample(w *bufio.Writer, name, labels string, value float64) {
	if labels != "" {
		name += "{" + labels + "}"
	}
	_, _ = w.WriteString(name + " " + number(value) + "\n") // Flush reports errors
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// labelText returns labels in the form of the format.
func labelText(names, values []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name + `="` + escape(values[i]) + `"`)
	}
	return b.String()
}

// escape returns the value of a label with the escapes of the format.
func escape(value string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(value, "\uFFFD"))
}

func join(labels, more string) string {
	if labels == "" {
		return more
	}
	return labels + "," + more
}
