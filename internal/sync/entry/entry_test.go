package entry_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/sync/clock"
	"github.com/hippo-memory/hippo/internal/sync/entry"
)

const (
	a = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	b = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

func replica(t testing.TB, s string) clock.Replica {
	t.Helper()
	r, err := clock.ParseReplica(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// stream is valid output of a later version: it has unknown fields and parts, in a different order.
const stream = `{"format":1,"later":{"x":1},"replica":"` + a + `","from":3,"to":9,"vector":{"` + b + `":7}}
{"n":3,"t":"0000019acfe60000","id":"01890000-0000-7000-8000-000000000001","p":{"tags":{"tags":["<a>"],"version":2}}}
{"t":"0000019acfe60001", "n":5,"p":{"later:thing":  {"b":2, "a":1.50}},"hint":"ü","seen":{"` + b + `":8},"also":[["` + b + `",11]]}
{"format":1,"replica":"` + b + `","from":1,"to":1,"vector":{}}
`

func readAll(text string) (list []*entry.Segment, err error) {
	for s, err := range entry.Read(strings.NewReader(text)) {
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
	return list, nil
}

func TestRead_keeps_what_it_does_not_know(t *testing.T) {
	t.Parallel()
	list, err := readAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || len(list[0].Entries) != 2 || list[0].From != 3 || list[0].To != 9 || list[1].Replica != replica(t, b) {
		t.Fatalf("got %+v", list)
	}
	lines := strings.Split(stream, "\n")
	e := list[0].Entries[1]
	if got := string(e.Line()); got != lines[2] {
		t.Errorf("got %s, want %s", got, lines[2])
	}
	if !cmp.Equal(e.Seen, entry.Vector{replica(t, b): 8}) || !slices.Equal(e.Also, []entry.Dot{{replica(t, b), 11}}) {
		t.Errorf("seen %v, also %v", e.Seen, e.Also)
	}
	e.Set("x", []byte("1"))
	e.Drop("x")
	want := `{"n":5,"t":"0000019acfe60001","seen":{"` + b + `":8},"also":[["` + b + `",11]],"p":{"later:thing":{"b":2, "a":1.50}},"hint":"ü"}`
	if got := string(e.Line()); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := string(list[0].Entries[0].Line()); got != lines[1] {
		t.Errorf("got %s, want %s", got, lines[1])
	}
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	head := `{"format":1,"replica":"` + a + `","from":3,"to":9,"vector":{}}` + "\n"
	good := `{"n":3,"t":"0000019acfe60000","p":{}}` + "\n"
	for name, c := range map[string]struct {
		text string
		line int
		is   error
	}{
		"a newer format":         {strings.Replace(head, `:1,`, `:2,`, 1), 1, hippo.ErrUnsupported},
		"no header":              {good, 1, hippo.ErrInvalid},
		"no replica":             {`{"format":1,"from":3,"to":9,"vector":{}}`, 1, hippo.ErrInvalid},
		"no vector":              {`{"format":1,"replica":"` + a + `","from":3,"to":9}`, 1, hippo.ErrInvalid},
		"to before from":         {strings.Replace(head, `9`, `2`, 1), 1, hippo.ErrInvalid},
		"a vector of strings":    {strings.Replace(head, `{}`, `{"`+a+`":"1"}`, 1), 1, hippo.ErrInvalid},
		"a part of a line":       {head + good[:20], 2, hippo.ErrInvalid},
		"two objects in a line":  {head + strings.TrimSpace(good) + good, 2, hippo.ErrInvalid},
		"no object":              {head + "[]\n", 2, hippo.ErrInvalid},
		"an empty line":          {head + "\n", 2, hippo.ErrInvalid},
		"a number twice":         {head + good + good, 3, hippo.ErrInvalid},
		"a number outside":       {head + strings.Replace(good, `:3`, `:10`, 1), 2, hippo.ErrInvalid},
		"number 0":               {head + strings.Replace(good, `:3`, `:0`, 1), 2, hippo.ErrInvalid},
		"a number with fraction": {head + strings.Replace(good, `:3`, `:3.5`, 1), 2, hippo.ErrInvalid},
		"a name twice":           {head + strings.Replace(good, `{}`, `{"x":1,"x":2}`, 1), 2, hippo.ErrInvalid},
		"a part without a name":  {head + strings.Replace(good, `{}`, `{"":1}`, 1), 2, hippo.ErrInvalid},
		"no time":                {head + `{"n":3,"p":{}}`, 2, hippo.ErrInvalid},
		"a time of null":         {head + `{"n":3,"t":null,"p":{}}`, 2, hippo.ErrInvalid},
		"no parts":               {head + `{"n":3,"t":"0000019acfe60000"}`, 2, hippo.ErrInvalid},
		"a bad id":               {head + `{"n":3,"t":"0000019acfe60000","id":"x","p":{}}`, 2, hippo.ErrInvalid},
		"bad single entries":     {head + `{"n":3,"t":"0000019acfe60000","also":[[1,2]],"p":{}}`, 2, hippo.ErrInvalid},
		"no UTF-8":               {head + strings.Replace(good, `{}`, "{\"\xff\":1}", 1), 2, hippo.ErrInvalid},
		"a long line":            {head + strings.Repeat(" ", entry.MaxLine+2), 2, hippo.ErrInvalid},
		"too many parts":         {head + strings.Replace(good, `{}`, manyParts(), 1), 2, hippo.ErrInvalid},
	} {
		list, err := readAll(c.text)
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("line %d:", c.line)) {
			t.Errorf("%s: got %v, want %v of line %d", name, err, c.is, c.line)
		}
		if len(list) > 0 {
			t.Errorf("%s: the segment with the error was yielded", name)
		}
	}
}

func manyParts() string {
	var b strings.Builder
	for i := range entry.MaxParts + 1 {
		fmt.Fprintf(&b, `,"%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// TestRead_cut truncates a stream at each length and changes each byte. Read must yield only what was written.
func TestRead_cut(t *testing.T) {
	t.Parallel()
	whole, err := readAll(stream)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(stream) {
		if list, _ := readAll(stream[:n]); len(list) > len(whole) {
			t.Fatalf("%d bytes have %d segments", n, len(list))
		}
		broken := []byte(stream)
		broken[n] ^= 0x20
		_, _ = readAll(string(broken)) // must not panic; only a segment's signature detects the change
	}
}

func TestSegments_leave_no_number_out(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := clock.Replica{1}
		from := uint64(rapid.IntRange(1, 5).Draw(t, "from"))
		to := from + uint64(rapid.IntRange(0, 30).Draw(t, "more"))
		var list []*entry.Held
		for n := from; n <= to; n++ {
			if rapid.Bool().Draw(t, "there") {
				e := &entry.Entry{Dot: entry.Dot{Origin: r, Seq: n}}
				e.Set("x", []byte("1"))
				list = append(list, &entry.Held{Entry: e, From: n - n%uint64(rapid.IntRange(1, 9).Draw(t, "segment")), Vector: entry.Vector{r: n}})
			}
		}
		var buf bytes.Buffer
		if err := entry.Write(&buf, entry.Segments(r, from, to, list)...); err != nil {
			t.Fatal(err)
		}
		next, found := from, 0
		for s, err := range entry.Read(&buf) {
			if err != nil {
				t.Fatal(err)
			}
			if s.From != next {
				t.Fatalf("a segment from %d, want %d", s.From, next)
			}
			for _, h := range entry.HeldOf(s) {
				if string(h.Line()) != string(list[found].Line()) {
					t.Fatalf("got %s, want %s", h.Line(), list[found].Line())
				}
				found++
			}
			next = s.To + 1
		}
		if next != to+1 || found != len(list) {
			t.Fatalf("up to %d with %d entries, want %d with %d", next-1, found, to, len(list))
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(stream)
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := readAll(text)
		var first, second bytes.Buffer
		if err := entry.Write(&first, list...); err != nil {
			t.Fatal(err)
		}
		again, err := readAll(first.String())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first.Bytes())
		}
		if err := entry.Write(&second, again...); err != nil || first.String() != second.String() {
			t.Errorf("%v: got %s, want %s", err, second.Bytes(), first.Bytes())
		}
	})
}
