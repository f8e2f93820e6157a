package index_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/index"
)

func TestSuccessor_follows_the_store(t *testing.T) {
	t.Parallel()
	s := newSource("s")
	old, now, itself, dangling := note(1, "port one"), note(2, "port two"), note(3, "port three"), note(4, "port four")
	old.SupersededBy, itself.SupersededBy, dangling.SupersededBy = now.ID, itself.ID, id(9)
	s.put(old, now, itself, dangling)
	path := filepath.Join(t.TempDir(), "index")
	x := open(t, s, &index.Options{Path: path})
	want := map[hippo.ID]hippo.ID{old.ID: now.ID, itself.ID: itself.ID}
	if d := cmp.Diff(want, successors(x)); d != "" {
		t.Error(d)
	}
	if err := x.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := open(t, s, &index.Options{Path: path})
	if d := cmp.Diff(want, successors(again)); d != "" {
		t.Errorf("from the file: %s", d)
	}
	now.ForgottenAt, itself.SupersededBy = now.CreatedAt, hippo.ID{}
	s.put(now, itself)
	catchUp(t, again)
	if d := cmp.Diff(map[hippo.ID]hippo.ID{}, successors(again)); d != "" {
		t.Errorf("after a change: %s", d)
	}
}
