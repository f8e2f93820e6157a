package web_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/exchange"
	"github.com/hippo-memory/hippo/internal/store"
)

// syncedSite returns a site whose store can sync.
func syncedSite(t *testing.T, dir string) *site {
	t.Helper()
	s := newSite(t)
	s.options.Sync = &exchange.Served{
		Options: exchange.Options{Dir: dir, Now: func() time.Time { return s.now }},
		Store:   func(context.Context) (*store.Store, error) { return s.engine.Store, nil },
	}
	return s.start()
}

// use uses the remotes of a site.
func (s *site) use(fn func(ctx context.Context, x *exchange.Remotes) error) {
	s.t.Helper()
	if err := s.options.Sync.Use(s.t.Context(), func(x *exchange.Remotes) error { return fn(s.t.Context(), x) }); err != nil {
		s.t.Fatal(err)
	}
}

// change changes the content of a memory.
func (s *site) change(id hippo.ID, content string) {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	if _, err := memory.Modify(s.t.Context(), s.engine.In(hippo.LocalScope("")), id, api.Change{Content: &content}); err != nil {
		s.t.Fatal(err)
	}
}

// The page shows the machines and the values that lost, syncs, and gives a value back.
func TestSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	folder := filepath.Join(dir, "drop")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	a, b := syncedSite(t, filepath.Join(dir, "a")), syncedSite(t, filepath.Join(dir, "b"))
	owner := b.owner()
	p := owner.open("/ui/sync")
	p.want(http.StatusOK, "The store has no remote: begin one with hippo sync init CARRIER")
	checkStructure(t, p)
	if p.form("Sync now") != nil {
		t.Error("a store without remotes can be synced")
	}
	m := a.record(hippo.Memory{Content: "the heron stands"})
	code := ""
	a.use(func(ctx context.Context, x *exchange.Remotes) error {
		_, _, err := x.Init(ctx, exchange.Carrier(folder), "alpha", nil)
		if err == nil {
			code, _, err = x.Invite(ctx, "", a.now.Add(time.Hour), false)
		}
		return err
	})
	b.use(func(ctx context.Context, x *exchange.Remotes) error {
		_, err := x.Join(ctx, code, exchange.Carrier(folder), "beta", nil)
		return err
	})
	b.change(m.ID, "the heron <b>stands</b> on one leg")
	a.now = b.now.Add(time.Minute)
	a.change(m.ID, "the heron stands in the reeds")
	a.use(func(ctx context.Context, x *exchange.Remotes) error {
		_, err := x.Sync(ctx)
		return err
	})
	b.now = a.now.Add(time.Minute)

	p = owner.open("/ui/sync")
	p.want(http.StatusOK, folder, "alpha", "beta", "this machine", "Behind by", "Nothing in the last week")
	checkStructure(t, p)
	p = owner.submit(p, "Sync now")
	p.want(http.StatusOK, "Synced: 1 memory changed here, 1 conflict.", "the heron <b>stands</b> on one leg", "set at once on several machines: text")
	checkStructure(t, p)
	if got := b.get(m.ID).Content; got != "the heron stands in the reeds" {
		t.Errorf("synced: %q", got)
	}
	p = owner.submit(p, "Undo")
	p.want(http.StatusOK, "Undone: the other value is shown now.", "Nothing in the last week")
	if got := b.get(m.ID).Content; got != "the heron <b>stands</b> on one leg" {
		t.Errorf("undone: %q", got)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	p = owner.submit(p, "Sync now")
	p.want(http.StatusOK, "mount or make the folder first", "Fails since")
	checkStructure(t, p)
}

// Only who runs the server sees the page, and a server whose store needs no sync has none.
func TestSync_Rights(t *testing.T) {
	t.Parallel()
	s := syncedSite(t, filepath.Join(t.TempDir(), "a"))
	linked := func(p *shown) bool {
		return strings.Contains(p.body, `href="/ui/sync"`)
	}
	if !linked(s.owner().open("/")) {
		t.Error("the owner finds no link to the page")
	}
	for _, scope := range []hippo.Scope{
		{Rights: hippo.AllRights &^ hippo.RightMetrics}, {Rights: hippo.AllRights, Projects: []string{"p"}}, {Namespace: "n", Rights: hippo.AllRights}, {Rights: hippo.RightRead | hippo.RightWrite},
	} {
		b := s.enter(scope)
		if linked(b.open("/")) {
			t.Errorf("%+v finds a link to the page", scope)
		}
		b.open("/ui/sync").want(http.StatusForbidden, "Not allowed")
		csrf := fieldsOf(b.open("/").form("Sign out")).Get("csrf")
		for _, path := range []string{"/ui/sync/now", "/ui/sync/undo"} {
			b.send(path, url.Values{"csrf": {csrf}}).want(http.StatusForbidden, "Not allowed")
		}
	}
	none := newSite(t)
	none.options.Sync = &exchange.Served{Why: fmt.Errorf("%w: a store in a database needs no sync", hippo.ErrUnsupported)}
	owner := none.start().owner()
	if linked(owner.open("/")) {
		t.Error("a page that says nothing is linked")
	}
	owner.open("/ui/sync").want(http.StatusOK, "A store in a database needs no sync.")
}
