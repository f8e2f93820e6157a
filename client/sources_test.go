package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/client"
	"github.com/hippo-memory/hippo/internal/app"
)

// indexed indexes a folder with one file, in a cache directory of the test.
func indexed(t *testing.T, name, text string) (dir string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := app.OpenCode(&app.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := l.Add(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tree.Update(t.Context(), false)
	if err = errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// question is a search for a text.
func question(text string, count int) api.Search {
	return api.Search{Query: hippo.Query{Text: text, Count: count}}
}

// One search asks insights and code; insights on the page count as used, once.
func TestSearchSources(t *testing.T) { // it sets the directories of the user
	dir := indexed(t, "gateway.md", "# Gateway jitter\n\nThe gateway retries with jitter.\n")
	store := "dir:" + t.TempDir()
	c, err := client.Open(t.Context(), store, &client.Options{Model: "none", Now: now, Zone: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	m := recorded(t, c, api.Record{Content: "The gateway needs jitter"})
	recorded(t, c, api.Record{Content: "Lunch is at noon"})
	a, err := c.SearchSources(t.Context(), api.SearchSources{Search: question("gateway jitter", 5), Dir: dir})
	if err != nil || len(a.Hits) != 2 || a.Insights != 1 || a.Chunks != 1 || a.Trees != 1 || len(a.Notes) != 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, h := range a.Hits {
		switch {
		case h.Code != nil && (h.Code.Path != "gateway.md" || h.Code.First != 1):
			t.Errorf("code %+v", h.Code)
		case h.Insight != nil && h.Insight.Memory.ID != m.ID:
			t.Errorf("insight %+v", h.Insight.Memory)
		}
	}
	if err := c.Close(); err != nil { // it stores what was used
		t.Fatal(err)
	}
	c = opened(t, store, client.Options{})
	got, err := c.Get(t.Context(), api.Get{IDs: []hippo.ID{m.ID}})
	if err != nil || len(got.Memories[0].Accesses) != 1 || got.Memories[0].Accesses[0].Count != 2 {
		t.Errorf("recorded and shown: %+v, %v", got, err)
	}
	only, err := c.SearchSources(t.Context(), api.SearchSources{Search: question("gateway jitter", 0), Sources: []string{api.SourceCode}})
	if err != nil || len(only.Hits) != 1 || only.Hits[0].Code == nil {
		t.Errorf("code alone: %+v, %v", only, err)
	}
	for name, q := range map[string]api.SearchSources{
		"no text": {}, "unknown": {Search: question("x", 0), Sources: []string{"mail"}}, "no code": {Search: question("x", 0), Sources: []string{api.SourceMemory}},
	} {
		if a, err := c.SearchSources(t.Context(), q); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "gateway.md")); err != nil {
		t.Fatal(err)
	}
	quiet := question("jitter", 0)
	quiet.NoTouch = true
	a, err = c.SearchSources(t.Context(), api.SearchSources{Search: quiet})
	if err != nil || len(a.Hits) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	for _, h := range a.Hits {
		if h.Code != nil && (h.Code.Freshness == "" || h.Code.Text != "") {
			t.Errorf("a file that is gone: %+v", h.Code)
		}
	}
}

// Without an index code takes no part, and nothing is made.
func TestSearchSources_NoIndex(t *testing.T) { // it sets the directories of the user
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	c := opened(t, "memory:", client.Options{})
	recorded(t, c, api.Record{Content: "The gateway needs jitter"})
	a, err := c.SearchSources(t.Context(), api.SearchSources{Search: question("gateway", 0)})
	if err != nil || len(a.Hits) != 1 || len(a.Notes) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := c.SearchSources(t.Context(), api.SearchSources{Search: question("gateway", 0), Sources: []string{api.SourceCode}}); !errors.Is(err, hippo.ErrNotFound) {
		t.Errorf("code alone: %v", err)
	}
	if list, err := os.ReadDir(cache); err != nil || len(list) != 0 {
		t.Errorf("made %v, %v", list, err)
	}
}
