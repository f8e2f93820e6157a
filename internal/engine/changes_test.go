package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/engine/history"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/store/memstore"
)

// feedFrom returns the feed of a scope from a position on.
func feedFrom(t *testing.T, f *fixture, scope hippo.Scope, position string, want bool) *history.Feed {
	t.Helper()
	feed, resumed, err := history.NewFeed(t.Context(), f.In(scope), position)
	if err != nil || resumed != want {
		t.Fatalf("resumed is %v (%v), want %v", resumed, err, want)
	}
	return feed
}

// reported returns what a feed reports next.
func reported(t *testing.T, feed *history.Feed) (list []string) {
	t.Helper()
	_, err := feed.Next(t.Context(), func(e history.Event) error {
		list = append(list, e.Memory.Content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFeed: changes come once, in order, also from the position of an event on.
func TestFeed(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	f.record("before", .5)
	feed := feedFrom(t, f, hippo.LocalScope(""), "", false)
	if got := reported(t, feed); got != nil {
		t.Errorf("it begins with %q", got)
	}
	a := f.record("a", .5)
	f.record("b", .5)
	f.forget(a)
	var positions []string
	_, err := feed.Next(t.Context(), func(e history.Event) error {
		positions = append(positions, e.Position)
		return nil
	})
	if err != nil || len(positions) != 2 {
		t.Fatalf("%d events (%v), want b and a", len(positions), err)
	}
	if got := reported(t, feed); got != nil {
		t.Errorf("%q came twice", got)
	}
	resumed := feedFrom(t, f, hippo.LocalScope(""), positions[0], true)
	if d := cmp.Diff([]string{"a"}, reported(t, resumed)); d != "" {
		t.Error(d)
	}
	broken := errors.New("the client is gone")
	f.record("c", .5)
	if _, err := feed.Next(t.Context(), func(history.Event) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// TestFeed_staysInItsScope: nothing of another namespace or project is reported, no position of another
// namespace is taken, and equal revisions have no equal positions.
func TestFeed_staysInItsScope(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	tenant := hippo.Scope{Namespace: "tenant", Rights: hippo.RightRead}
	project := hippo.Scope{Projects: []string{"p"}, Rights: hippo.RightRead}
	feeds := []*history.Feed{feedFrom(t, f, tenant, "", false), feedFrom(t, f, project, "", false)}
	for i, m := range []hippo.Memory{{Content: "mine"}, {Content: "theirs", Namespace: "tenant"}, {Content: "p's", Project: "p"}} {
		m.ID = hippo.ID{15: byte(i + 1)}
		if _, err := memory.Record(t.Context(), f.In(hippo.Scope{Namespace: m.Namespace, Rights: hippo.AllRights}), &m); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range [][]string{{"theirs"}, {"p's"}} {
		if d := cmp.Diff(want, reported(t, feeds[i])); d != "" {
			t.Error(d)
		}
	}
	if a, b := feeds[0].Position(), feeds[0].Position(); a == b {
		t.Error("two positions are equal: they show whether others wrote")
	}
	feedFrom(t, f, tenant, feeds[1].Position(), false)
	feedFrom(t, f, tenant, "2", false)
	if _, _, err := history.NewFeed(t.Context(), f.In(hippo.Scope{}), ""); !errors.Is(err, hippo.ErrForbidden) {
		t.Errorf("without a right: got %v", err)
	}
}

// TestFeed_ofAnotherStore: a position of another store begins now.
func TestFeed_ofAnotherStore(t *testing.T) {
	t.Parallel()
	one, other := open(t, options{backend: memstore.New(nil)}), open(t, options{backend: memstore.New(nil)})
	one.record("a", .5)
	other.record("b", .5)
	feedFrom(t, other, hippo.LocalScope(""), feedFrom(t, one, hippo.LocalScope(""), "", false).Position(), false)
}

// TestFeed_Pages: more changes than one page has come once each, in order, also from the middle on.
func TestFeed_Pages(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	feed := feedFrom(t, f, hippo.LocalScope(""), "", false)
	want := f.fill(450)
	var got []string
	middle := ""
	_, err := feed.Next(t.Context(), func(e history.Event) error {
		if got = append(got, e.Memory.Content); len(got) == 250 {
			middle = e.Position
		}
		return nil
	})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(want[250:], reported(t, feedFrom(t, f, hippo.LocalScope(""), middle, true))); diff != "" {
		t.Errorf("from the middle on (-want +got):\n%s", diff)
	}
}
