package index_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
	"github.com/hippo-memory/hippo/internal/retrieval/index/bm25"
	"github.com/hippo-memory/hippo/internal/retrieval/lang/cue"
	"github.com/hippo-memory/hippo/internal/retrieval/retrieve"
)

func TestSearch_filters_exactly(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	at := func(us int64) time.Time { return time.UnixMicro(us).UTC() }
	for n, f := range []func(*hippo.Memory){
		func(*hippo.Memory) {},
		func(m *hippo.Memory) { m.Project, m.Type, m.Tags = "p", "error", []string{"a", "b"} },
		func(m *hippo.Memory) { m.Project, m.Pinned, m.Tags = "q", true, []string{"a"} },
		func(m *hippo.Memory) { m.Namespace = "other" },
		func(m *hippo.Memory) { m.Source.Author, m.Source.Session = "Ann", "s1" },
		func(m *hippo.Memory) { m.ValidFrom, m.ValidUntil = at(100), at(200) },
		func(m *hippo.Memory) { m.Trust = hippo.TrustNone },
		func(m *hippo.Memory) { m.Trust = hippo.TrustHigh },
	} {
		m := note(n, "word")
		m.CreatedAt = at(int64(n) + 10)
		f(m)
		s.put(m)
	}
	x := open(t, s, nil)
	for name, c := range map[string]struct {
		f    hippo.Filter
		want []int
	}{
		"none":                   {hippo.Filter{}, []int{0, 1, 2, 4, 5, 6, 7}},
		"project":                {hippo.Filter{Projects: []string{"p", "unknown"}}, []int{1}},
		"no_project":             {hippo.Filter{Projects: []string{"", "q"}}, []int{0, 2, 4, 5, 6, 7}},
		"unknown_project":        {hippo.Filter{Projects: []string{"unknown"}}, []int{}},
		"type":                   {hippo.Filter{Types: []string{"error"}}, []int{1}},
		"no_type":                {hippo.Filter{Types: []string{""}}, []int{0, 2, 4, 5, 6, 7}},
		"tag":                    {hippo.Filter{Tags: []string{"a"}}, []int{1, 2}},
		"all_tags":               {hippo.Filter{Tags: []string{"a", "b"}}, []int{1}},
		"tags_in_another_case":   {hippo.Filter{Tags: []string{"A"}}, []int{1, 2}},
		"without_tags":           {hippo.Filter{Tags: []string{"a"}, WithoutTags: []string{"B", "unheard"}}, []int{2}},
		"author":                 {hippo.Filter{Origin: hippo.Origin{Author: "Ann"}}, []int{4}},
		"session":                {hippo.Filter{Origin: hippo.Origin{Session: "s1"}}, []int{4}},
		"created_after":          {hippo.Filter{CreatedAfter: at(16)}, []int{6, 7}},
		"created_after_between":  {hippo.Filter{CreatedAfter: at(16).Add(1)}, []int{7}},
		"created_before":         {hippo.Filter{CreatedBefore: at(11)}, []int{0}},
		"created_before_between": {hippo.Filter{CreatedBefore: at(11).Add(1)}, []int{0, 1}},
		"valid_before":           {hippo.Filter{Moment: hippo.Moment{ValidAt: at(99)}}, []int{0, 1, 2, 4, 6, 7}},
		"valid_from":             {hippo.Filter{Moment: hippo.Moment{ValidAt: at(100)}}, []int{0, 1, 2, 4, 5, 6, 7}},
		"valid_until":            {hippo.Filter{Moment: hippo.Moment{ValidAt: at(200).Add(-1)}}, []int{0, 1, 2, 4, 5, 6, 7}},
		"valid_no_more":          {hippo.Filter{Moment: hippo.Moment{ValidAt: at(200)}}, []int{0, 1, 2, 4, 6, 7}},
		"pinned":                 {hippo.Filter{Pinned: true}, []int{2}},
		"trust":                  {hippo.Filter{MinTrust: hippo.TrustHigh}, []int{7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{"", "word"} {
				if d := cmp.Diff(c.want, ids(x, query{Text: text, Filter: c.f})); d != "" {
					t.Errorf("text %q (-want +got):\n%s", text, d)
				}
			}
		})
	}
}

func TestSearch_context(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		filter, situation []string
		want              float64 // 0: filtered out
	}{
		"no_filter":             {nil, nil, 1},
		"no_situation":          {[]string{"debugging"}, nil, 0},
		"equal":                 {[]string{"debugging the cache"}, []string{"Debugging the caches"}, 1},
		"order_does_not_matter": {[]string{"cache debugging"}, []string{"debugging cache"}, 1},
		"part":                  {[]string{"cache"}, []string{"debugging cache"}, .9},
		"one_of_two":            {[]string{"cache tuning"}, []string{"debugging cache"}, .45},
		"one_of_three":          {[]string{"cache tuning here"}, []string{"debugging cache now"}, 0},
		"any_pair":              {[]string{"zebra", "cache"}, []string{"night", "cache"}, 1},
		"elements_apart":        {[]string{"red green"}, []string{"red dust stays", "green dust stays"}, .45},
		"content_is_no_element": {[]string{"content"}, []string{"situation"}, 0},
		"wordless_equal":        {[]string{"!!!"}, []string{"!!!"}, 1},
		"wordless_different":    {[]string{"!!!"}, []string{"???"}, 0},
		"emoji":                 {[]string{"🎉"}, []string{"🎉"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSource("s")
			s.put(note(1, "some content", c.situation...), note(2, "filler"))
			x := open(t, s, nil)
			got := 0.0
			list, _ := search(x, query{Text: "content", Situation: c.filter})
			for _, f := range list {
				got = f.Context
			}
			if got != c.want {
				t.Errorf("got context %v, want %v", got, c.want)
			}
		})
	}
}

func TestSearch_substring(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "the database is slow"), note(2, "base camp"), note(3, "nothing"), note(4, "tabulate"))
	x := open(t, s, nil)
	for range 2 { // from the delta, then from the base
		for text, want := range map[string][]int{"tabas": {1}, "bas": {1, 2}, "base": {1, 2}, "abase": {1}, "ta": {1, 4}, "zzz": {}, "ta bas": {}} {
			if d := cmp.Diff(want, ids(x, query{Text: text, Substring: true})); d != "" {
				t.Errorf("%q (-want +got):\n%s", text, d)
			}
		}
		list, _ := search(x, query{Text: "base", Substring: true})
		for _, f := range list {
			if f.Coverage != 1 || (f.Score > 0) != (f.ID == id(2)) {
				t.Errorf("%v: got coverage %v, score %v", f.ID, f.Coverage, f.Score)
			}
		}
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSearch_stop_words(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	s.put(note(1, "the cat"), note(2, "the dog"))
	for _, c := range []struct {
		text string
		o    *index.Options
		want []int
	}{
		{"where is the cat", nil, []int{1}},
		{"what is the", nil, []int{1, 2}},
		{"the cat", &index.Options{Analyzer: bm25.Plain()}, []int{1}},
		{"...", nil, []int{}},
		{" \n", nil, []int{1, 2}},
	} {
		if d := cmp.Diff(c.want, ids(open(t, s, c.o), query{Text: c.text})); d != "" {
			t.Errorf("%q, %+v (-want +got):\n%s", c.text, c.o, d)
		}
	}
}

func TestSearch_empty_index(t *testing.T) {
	t.Parallel()
	x := open(t, newSource("s"), nil)
	for _, q := range []query{{}, {Text: "a"}, {Text: "a", Situation: []string{"b"}, Substring: true}} {
		if got := ids(x, q); len(got) > 0 {
			t.Errorf("%+v: got %v", q, got)
		}
	}
}

func TestSearch_rows(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	m := note(1, "two words", "one")
	m.UpdatedAt, m.EventTime, m.ValidFrom = time.UnixMicro(7), time.UnixMicro(-8), time.UnixMicro(0)
	m.Importance = hippo.Importance{Value: .25, SetDay: 3}
	m.Pinned, m.SupersededBy = true, id(2)
	m.Source = hippo.Source{Author: "Ann", Session: "s1", Seq: -4}
	m.Accesses = []hippo.Access{{Day: 1, Count: 1}, {Day: 11, Count: 2}, {Day: 40, Count: 3}}
	s.put(m)
	hash := hippo.HashContent(m.Content)
	want := []found{{
		Key: retrieve.Key{ID: m.ID, CreatedAt: 1e6}, Coverage: 1, Context: 1,
		Details: retrieve.Details{When: -8, ValidFrom: 1, Text: index.TextKey(m), ContentHash: binary.BigEndian.Uint64(hash[:])},
		Row:     retrieve.Row{Importance: .25, Untied: .25, UntiedDay: 3, SetDay: 3, LastUse: 40, Length: 2, Marks: retrieve.Marks{Pinned: true, Superseded: true, Bounded: true}},
		Author:  "Ann", Cues: cue.HasNumber,
	}}
	o := &index.Options{Path: filepath.Join(t.TempDir(), "i")}
	for _, what := range []string{"built", "from the file"} {
		x := open(t, s, o)
		got, _ := search(x, query{})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
		// The accesses of the 30 days before the newest are kept.
		for day, uses := range map[hippo.Day]int{1: 5, 40: 5, 41: 3, 69: 3, 70: 0} {
			if got := usesOn(x, day)[m.ID]; got != uses {
				t.Errorf("%s: day %d: %d recent uses, want %d", what, day, got, uses)
			}
		}
		if err := x.Save(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestIndex_Lookup(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	for n := range 20 {
		s.put(note(n, strings.Repeat("word ", n+1)))
	}
	s.purge(id(5))
	x := open(t, s, nil)
	whole, hash := id(7).String(), hippo.HashContent(strings.Repeat("word ", 8))
	sum := hex.EncodeToString(hash[:])
	for prefix, want := range map[string][]hippo.ID{
		whole: {id(7)}, whole[:9]: {id(7)}, whole[:5]: {id(7)}, sum: {id(7)}, sum[:7]: {id(7)},
		strings.ReplaceAll(whole, "-", ""): {id(7)}, whole[3:]: {id(7)}, whole[10:]: {id(7)}, whole[27:]: {id(7)}, id(7).Short(): {id(7)},
		whole[4:7] + "-" + whole[9:]: nil, id(5).String(): nil, "": nil, "-": nil, "xyz": nil, whole + "0": nil, strings.ToUpper(sum[:9]) + "g": nil,
	} {
		got, forgotten := x.Lookup(&hippo.Scope{}, prefix)
		if d := cmp.Diff(want, got); d != "" || forgotten != nil {
			t.Errorf("%q: forgotten %v (-want +got):\n%s", prefix, forgotten, d)
		}
	}
	m := s.get(id(7))
	m.ForgottenAt = time.Unix(1, 0)
	s.put(m)
	catchUp(t, x)
	if live, forgotten := x.Lookup(&hippo.Scope{}, whole[:9]); live != nil || !cmp.Equal(forgotten, []hippo.ID{id(7)}) {
		t.Errorf("forgotten: got %v and %v", live, forgotten)
	}
	if live, forgotten := x.Lookup(&hippo.Scope{Namespace: "other"}, whole[:9]); live != nil || forgotten != nil {
		t.Errorf("of another namespace: got %v and %v", live, forgotten)
	}
}

func TestIndex_Distinguish(t *testing.T) {
	t.Parallel()
	ending := func(digits string) hippo.ID {
		u, err := hippo.ParseID("00000000-0000-7000-8000-000000000000"[:36-len(digits)] + digits)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	alone, a, b, forgotten, purged := ending("11111111"), ending("a22222222"), ending("b22222222"), ending("cb22222222"), ending("dcb22222222")
	other := ending("b11111111") // of another namespace
	s := newSource("s")
	for i, u := range []hippo.ID{alone, a, b, forgotten, purged, other} {
		m := note(i, "word")
		m.ID = u
		switch u {
		case forgotten:
			m.ForgottenAt = time.Unix(1, 0)
		case other:
			m.Namespace = "other"
		}
		s.put(m)
	}
	x := open(t, s, nil)
	ids := []hippo.ID{alone, a, b, forgotten, ending("99999999")}
	want := []int{8, 9, 10, 11, 8}
	if d := cmp.Diff(want, x.Distinguish(&hippo.Scope{}, ids)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	s.purge(purged)
	catchUp(t, x)
	want[3] = 10
	if d := cmp.Diff(want, x.Distinguish(&hippo.Scope{}, ids)); d != "" {
		t.Errorf("after a purge (-want +got):\n%s", d)
	}
}

func TestIndex_follows_replaced_store(t *testing.T) {
	t.Parallel()
	s := newSource("one")
	s.put(note(1, "old"), note(2, "old"))
	x := open(t, s, nil)
	other := newSource("two")
	other.put(note(3, "new"))
	s.mu.Lock()
	s.store, s.revision, s.changes, s.log = other.store, other.revision, other.changes, other.log
	s.mu.Unlock()
	catchUp(t, x)
	if d := cmp.Diff([]int{3}, ids(x, query{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestIndex_after_Close(t *testing.T) {
	t.Parallel()
	x, err := index.Open(t.Context(), newSource("s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.CatchUp(t.Context()); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	if _, err := x.Search(t.Context(), &retrieve.Query{}); !errors.Is(err, hippo.ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

// Searches, changes, touches, merges and saves at the same time.
func TestIndex_concurrent(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	x := open(t, s, &index.Options{Path: filepath.Join(t.TempDir(), "i"), SaveEvery: 300, Tokens: hashed("a")})
	const n = 6000
	var writer, readers sync.WaitGroup
	done := make(chan struct{})
	writer.Go(func() {
		defer close(done)
		for i := range n {
			s.put(note(i, "word number "+strconv.Itoa(i%50)))
			if i%3 == 0 {
				s.purge(id(i / 2))
			}
			if i%100 == 0 {
				if err := x.CatchUp(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := x.CatchUp(t.Context()); err != nil {
					t.Error(err)
				}
				if list, most := search(x, query{Text: "number 7"}); len(list) > 0 && most <= 0 {
					t.Errorf("got %d matches, bound %v", len(list), most)
				}
				x.Touch([]hippo.ID{id(3), id(1000)}, 2)
				x.Stats()
			}
		})
	}
	writer.Wait()
	readers.Wait()
	err := x.Settle(t.Context(), 2, map[hippo.ID]int{id(3): math.MaxInt32, id(1000): math.MaxInt32}, func() error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	s.put(note(3, "word again"), note(1000, "word again"))
	catchUp(t, x)
	q := query{Text: "word number 7 again"}
	got, _ := search(x, q)
	want, _ := search(open(t, s, &index.Options{Tokens: hashed("a")}), q)
	if d := difference(want, got); d != "" {
		t.Errorf("differs from a fresh build (-fresh +index):\n%s", d)
	}
}
