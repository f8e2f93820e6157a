package engine_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
)

// Every part of a filter holds for lists, also for those of forgotten memories.
func TestList_Filters(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	one, other := turn(1, "s", "one"), turn(2, "r", "other")
	one.Project, one.Type, one.Tags, one.Source.Author, one.Pinned, one.Trust = "p", "fact", []string{"x"}, "ann", true, hippo.TrustHigh
	one.ValidUntil, one.EventTime = f.now(), f.now()
	f.put(one, other)
	at := one.CreatedAt
	for _, forgotten := range []bool{false, true} {
		for name, filter := range map[string]hippo.Filter{
			"project": {Projects: []string{"p"}}, "type": {Types: []string{"fact"}}, "tag": {Tags: []string{"x"}}, "author": {Origin: hippo.Origin{Author: "ann"}},
			"session": {Origin: hippo.Origin{Session: "s"}}, "created": {CreatedBefore: at.Add(1)}, "event": {EventAfter: f.now()},
			"trust": {MinTrust: hippo.TrustHigh}, "pinned": {Pinned: true},
		} {
			l, err := memory.List(t.Context(), f.Memories, api.List{Filter: filter, Forgotten: forgotten})
			if err != nil || l.Total != 1 || len(l.Memories) != 1 || l.Memories[0].ID != one.ID {
				t.Errorf("%s, forgotten %v: got %+v (%v), want one", name, forgotten, l, err)
			}
		}
		for name, tc := range map[string]struct {
			filter hippo.Filter
			want   hippo.ID
		}{
			"valid":   {hippo.Filter{Moment: hippo.Moment{ValidAt: f.now()}}, other.ID},
			"created": {hippo.Filter{CreatedAfter: at.Add(time.Second)}, other.ID},
		} {
			if l, err := memory.List(t.Context(), f.Memories, api.List{Filter: tc.filter, Forgotten: forgotten}); err != nil || l.Total != 1 || l.Memories[0].ID != tc.want {
				t.Errorf("%s, forgotten %v: got %+v (%v), want one", name, forgotten, l, err)
			}
		}
		f.forget(one.ID)
		f.forget(other.ID)
	}
	tenant := f.In(hippo.Scope{Namespace: "tenant", Rights: hippo.AllRights})
	if l, err := memory.List(t.Context(), tenant, api.List{Forgotten: true}); err != nil || l.Total != 0 {
		t.Errorf("another namespace lists %+v (%v)", l, err)
	}
}

// A list filters by situation and by time in words, as a search does.
func TestList_FiltersAsASearch(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for content, situation := range map[string]string{"retry with jitter": "debugging outages", "lunch at noon": "small talk"} {
		if _, err := memory.Record(t.Context(), f.Memories, &hippo.Memory{Content: content, Situation: []string{situation}, Importance: hippo.Importance{Base: .5}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		q    api.List
		want int
	}{
		{api.List{}, 2},
		{api.List{Situation: []string{"debugging"}}, 1},
		{api.List{When: "today"}, 2},
		{api.List{When: "last year"}, 0},
		{api.List{When: "2h", Situation: []string{"small talk"}}, 1},
	} {
		found, err := query.Search(t.Context(), f.Memories, hippo.Query{Situation: tc.q.Situation, When: tc.q.When})
		if err != nil {
			t.Fatal(err)
		}
		if l, err := memory.List(t.Context(), f.Memories, tc.q); err != nil || l.Total != tc.want || l.Total != found.Total {
			t.Errorf("%+v: got %+v (%v), want %d as a search of %d", tc.q, l, err, tc.want, found.Total)
		}
	}
	if _, err := memory.List(t.Context(), f.Memories, api.List{When: "some day"}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("got %v", err)
	}
}

// Labels counts what a list with the same filter finds, and nothing that is forgotten or of another tenant.
func TestLabels(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	for i, m := range []hippo.Memory{
		{Type: "fact", Tags: []string{"x", "y"}},
		{Type: "fact", Tags: []string{"x"}, Project: "p"},
		{Tags: []string{"z"}, Project: "q"},
		{},
		{Type: "gone", Tags: []string{"gone"}},
		{Type: "theirs", Tags: []string{"theirs"}, Namespace: "tenant"},
	} {
		m.ID, m.Content, m.Importance.Base = hippo.ID{15: byte(i + 1)}, fmt.Sprintf("memory %d", i), .5
		if _, err := memory.Record(t.Context(), f.In(hippo.Scope{Namespace: m.Namespace, Rights: hippo.AllRights}), &m); err != nil {
			t.Fatal(err)
		}
	}
	f.forget(hippo.ID{15: 5})
	for name, tc := range map[string]struct {
		scope  hippo.Scope
		filter hippo.Filter
		want   memory.LabelCounts
	}{
		"all":             {hippo.LocalScope(""), hippo.Filter{}, memory.LabelCounts{Memories: 4, Types: map[string]int{"fact": 2, "": 2}, Tags: map[string]int{"x": 2, "y": 1, "z": 1}}},
		"current_project": {hippo.LocalScope("p"), hippo.Filter{}, memory.LabelCounts{Memories: 3, Types: map[string]int{"fact": 2, "": 1}, Tags: map[string]int{"x": 2, "y": 1}}},
		"scope":           {hippo.Scope{Projects: []string{"q"}, Rights: hippo.RightRead}, hippo.Filter{}, memory.LabelCounts{Memories: 1, Types: map[string]int{"": 1}, Tags: map[string]int{"z": 1}}},
		"filter":          {hippo.LocalScope(""), hippo.Filter{Tags: []string{"y"}}, memory.LabelCounts{Memories: 1, Types: map[string]int{"fact": 1}, Tags: map[string]int{"x": 1, "y": 1}}},
		"unknown_tag":     {hippo.LocalScope(""), hippo.Filter{Tags: []string{"none"}}, memory.LabelCounts{Types: map[string]int{}, Tags: map[string]int{}}},
		"tenant":          {hippo.Scope{Namespace: "tenant", Rights: hippo.RightRead}, hippo.Filter{}, memory.LabelCounts{Memories: 1, Types: map[string]int{"theirs": 1}, Tags: map[string]int{"theirs": 1}}},
		"nobody":          {hippo.Scope{Namespace: "nobody", Rights: hippo.RightRead}, hippo.Filter{}, memory.LabelCounts{Types: map[string]int{}, Tags: map[string]int{}}},
	} {
		got, err := memory.Labels(t.Context(), f.In(tc.scope), tc.filter)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(tc.want, *got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
	if _, err := memory.Labels(t.Context(), f.In(hippo.Scope{Rights: hippo.RightWrite}), hippo.Filter{}); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without the right to read: got %v", err)
	}
	if _, err := memory.Labels(t.Context(), f.In(hippo.LocalScope("")), hippo.Filter{Tags: []string{""}}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("an empty tag: got %v", err)
	}
}

// A list of what passes any of some filters has each memory once, in the order of a list, whatever the order of the filters is.
func TestListAny(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	var ids []hippo.ID
	for i, tags := range [][]string{{"a"}, {"a", "b"}, {"b"}, {"b"}, {"c"}} {
		m := turn(i+1, "s", fmt.Sprintf("text %d", i))
		m.Tags = tags
		if i == 3 {
			m.ValidUntil = f.now()
		}
		f.put(m)
		ids = append(ids, m.ID)
	}
	for _, c := range []struct {
		tags  string
		n     int
		want  []hippo.ID
		total int
	}{
		{"ab", math.MaxInt, []hippo.ID{ids[2], ids[1], ids[0], ids[3]}, 4},
		{"ba", math.MaxInt, []hippo.ID{ids[2], ids[1], ids[0], ids[3]}, 4},
		{"ba", 1, []hippo.ID{ids[2]}, 3},
		{"c", 2, []hippo.ID{ids[4]}, 1},
		{"", 2, nil, 0},
	} {
		var filters []hippo.Filter
		for _, tag := range c.tags {
			filters = append(filters, hippo.Filter{Tags: []string{string(tag)}})
		}
		l, err := memory.ListAny(t.Context(), f.Memories, api.List{}, filters, c.n, f.now())
		if err != nil || !slices.Equal(hippo.IDsOf(l.Memories...), c.want) || l.Total != c.total {
			t.Errorf("%s, %d: got %+v (%v), want %v of %d", c.tags, c.n, l, err, c.want, c.total)
		}
	}
}
