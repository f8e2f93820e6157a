package server_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/app"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/knowledge"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/engine/query"
	"github.com/hippo-memory/hippo/internal/retrieval/index/snapshots"
	"github.com/hippo-memory/hippo/internal/serve/server"
	"github.com/hippo-memory/hippo/internal/serve/token"
	"github.com/hippo-memory/hippo/internal/store/driver"
	"github.com/hippo-memory/hippo/internal/store/pgtest"
)

// nodes are servers of one database, which keep the files of indexes in a folder.
type nodes struct {
	t                   *testing.T
	url, cache, folder  string
	first, second       *app.Tenants
	deleted, neighbours hippo.Scope
}

func newNodes(t *testing.T) *nodes {
	t.Helper()
	n := &nodes{t: t, url: pgtest.URL(t), cache: t.TempDir(), folder: t.TempDir()}
	t.Setenv("XDG_CACHE_HOME", n.cache)
	store, err := config.ParseStore(n.url)
	if err != nil {
		t.Fatal(err)
	}
	open := func() *app.Tenants {
		o := &app.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Snapshots: app.Snapshots{Place: snapshots.NewFolder(n.folder)}}
		return app.NewTenants(config.Config{Store: store, Model: config.Model{Name: config.NoModel}}, o, server.NamespaceOf, 0)
	}
	n.first, n.second = open(), open()
	t.Cleanup(func() { n.shut() })
	n.deleted, n.neighbours = hippo.Scope{Namespace: "quince4711", Rights: hippo.AllRights}, hippo.Scope{Namespace: "quince", Rights: hippo.AllRights}
	return n
}

// shut ends both nodes.
func (n *nodes) shut() {
	n.t.Helper()
	ctx := context.WithoutCancel(n.t.Context())
	if err := errors.Join(n.first.Shut(ctx), n.second.Shut(ctx)); err != nil {
		n.t.Error(err)
	}
}

// at returns the memories of a namespace on a node, until ctx ends.
func (n *nodes) at(ctx context.Context, node *app.Tenants, scope hippo.Scope) *engine.Memories {
	n.t.Helper()
	e, err := node.Of(ctx, scope.Namespace)
	if err != nil {
		n.t.Fatal(err)
	}
	return e.In(scope)
}

// fill leaves something in every table.
func (n *nodes) fill(scope hippo.Scope) {
	n.t.Helper()
	ctx, release := context.WithCancel(n.t.Context())
	defer release()
	m := n.at(ctx, n.first, scope)
	var ids []hippo.ID
	for i := range 3 {
		x, err := memory.Record(ctx, m, &hippo.Memory{Content: fmt.Sprintf("orchard no. %d of %s", i, scope.Namespace), Project: scope.Namespace, Namespace: scope.Namespace})
		if err != nil {
			n.t.Fatal(err)
		}
		ids = append(ids, x.ID)
	}
	text := "changed in " + scope.Namespace
	_, changed := memory.Modify(ctx, m, ids[0], api.Change{Content: &text})
	_, related := knowledge.Relate(ctx, m, []hippo.Relation{{From: ids[0], To: ids[1], Kind: scope.Namespace, Weight: 1}})
	_, limited := n.first.Admin().Limit(ctx, scope.Namespace, api.NamespaceLimit{Memories: new(100), Requests: new(6000)})
	_, tokened := n.first.Tokens().Create(ctx, token.Token{Name: "of " + scope.Namespace, Right: token.Write, Namespace: scope.Namespace})
	leased := n.first.WithLeases(ctx, scope.Namespace, func(l driver.Leases) error {
		_, err := l.Lease(ctx, "work of "+scope.Namespace, time.Hour)
		return err
	})
	vectors := m.Store.Vectors().Put(ctx, "model", []driver.Vector{{ID: ids[1], Values: []float32{1, 2}}})
	if err := errors.Join(changed, related, limited, tokened, leased, vectors, memory.Purge(ctx, m, ids[2:]), m.Flush(ctx)); err != nil {
		n.t.Fatal(err)
	}
}

// found returns how many memories of a scope a search finds.
func (n *nodes) found(m *engine.Memories) (int, error) {
	a, err := query.Search(n.t.Context(), m, hippo.Query{Text: "orchard"})
	if err != nil {
		return 0, err
	}
	return len(a.Hits), nil
}

// rows returns all rows of the database, as text, by table.
func (n *nodes) rows() map[string][]string {
	n.t.Helper()
	ctx := n.t.Context()
	c, err := pgx.Connect(ctx, n.url)
	if err != nil {
		n.t.Fatal(err)
	}
	defer c.Close(ctx) //nolint:errcheck // only read
	list := func(sql string) []string {
		rows, err := c.Query(ctx, sql)
		if err != nil {
			n.t.Fatal(err)
		}
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			n.t.Fatal(err)
		}
		return out
	}
	out := make(map[string][]string)
	for _, table := range list("SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = 'hippo'") {
		out[table] = list("SELECT t::text FROM hippo." + pgx.Identifier{table}.Sanitize() + " t")
	}
	return out
}

// with returns the tables and files that have a text.
func (n *nodes) with(text string) (tables, files []string) {
	n.t.Helper()
	for table, rows := range n.rows() {
		if slices.ContainsFunc(rows, func(row string) bool { return strings.Contains(row, text) }) {
			tables = append(tables, table)
		}
	}
	for _, dir := range []string{n.cache, n.folder} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if strings.Contains(path, text) || strings.Contains(string(b), text) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			n.t.Fatal(err)
		}
	}
	return tables, files
}

// A namespace that is deleted leaves nothing in any table, and no file of its index. Another node that serves it answers no more with
// what it had, and then serves a new store of the name. Other namespaces do not change.
func TestTenants_Delete(t *testing.T) {
	n := newNodes(t)
	n.fill(n.deleted)
	n.fill(n.neighbours)
	held, release := context.WithCancel(t.Context())
	defer release()
	old := n.at(held, n.second, n.deleted)
	if hits, err := n.found(old); err != nil || hits != 1 {
		t.Fatalf("the second node finds %d (%v)", hits, err)
	}
	head, err := old.Store.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if tables, _ := n.with("quince4711"); len(tables) < 9 {
		t.Fatalf("only the tables %v have something of the namespace", tables)
	}
	if err := n.first.Admin().Delete(t.Context(), n.deleted.Namespace); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"quince4711", head.Store} {
		if tables, _ := n.with(text); len(tables) > 0 {
			t.Errorf("tables %v have %q", tables, text)
		}
	}
	_, found := n.found(old)
	_, recorded := memory.Record(t.Context(), old, &hippo.Memory{Content: "late"})
	for what, err := range map[string]error{"search": found, "record": recorded} {
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "was deleted") {
			t.Errorf("%s on the other node: %v", what, err)
		}
	}
	if tables, _ := n.with("quince4711"); len(tables) > 0 {
		t.Errorf("the other node wrote into %v", tables)
	}
	again := n.at(held, n.second, n.deleted)
	if hits, err := n.found(again); err != nil || hits != 0 {
		t.Errorf("the new store has %d (%v)", hits, err)
	}
	for _, node := range []*app.Tenants{n.first, n.second} {
		if hits, err := n.found(n.at(held, node, n.neighbours)); err != nil || hits != 1 {
			t.Errorf("the neighbour finds %d (%v)", hits, err)
		}
	}
	if u, err := n.first.Admin().Usage(t.Context(), n.neighbours.Namespace); err != nil || u.Memories != 2 || u.Limits.Memories != 100 || u.Vectors != 1 || len(u.Leases) != 1 {
		t.Errorf("usage of the neighbour: %+v (%v)", u, err)
	}
	release()
	n.shut()
	if _, files := n.with(head.Store); len(files) > 0 {
		t.Errorf("files are left: %v", files)
	}
}

// Over HTTP only a token of the default namespace, without projects, manages namespaces. Limits hold there, with a status and a text that
// say what to do.
func TestTenants_Admin(t *testing.T) {
	s := newShared(t)
	for _, path := range []string{"/namespaces", "/namespaces/usage?namespace=" + curious, "/namespaces/export?namespace=" + curious} {
		if w := s.send(curious, http.MethodGet, "/api/v1"+path, ""); w.Code != http.StatusForbidden {
			t.Errorf("GET %s with a token of a namespace: %d", path, w.Code)
		}
		if w := s.send("", http.MethodGet, "/api/v1"+path, ""); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), curious) {
			t.Errorf("GET %s: %d %.500s", path, w.Code, w.Body)
		}
	}
	limit := func(by string, want int) {
		t.Helper()
		if w := s.send("", http.MethodPost, "/api/v1/namespaces/limit", `{"namespace":"`+curious+`",`+by+`}`); w.Code != want {
			t.Errorf("limit %s: %d %.500s", by, w.Code, w.Body)
		}
	}
	limit(`"memories":-1`, http.StatusBadRequest)
	limit(`"memories":1`, http.StatusOK)
	w := s.send(curious, http.MethodPost, "/api/v1/memories", `{"content":"one more"}`)
	if w.Code != http.StatusInsufficientStorage || !strings.Contains(w.Body.String(), "hippo tenant limit") {
		t.Errorf("above the limit: %d %s", w.Code, w.Body)
	}
	if w := s.send(curious, http.MethodGet, "/api/v1/memories", ""); w.Code != http.StatusOK {
		t.Errorf("reading above the limit: %d", w.Code)
	}
	limit(`"memories":0,"requests":3`, http.StatusOK)
	s.now = s.now.Add(time.Minute) // then servers read limits again
	codes := make(map[int]int)
	for range 10 {
		w = s.send(curious, http.MethodGet, "/api/v1/memories", "")
		codes[w.Code]++
	}
	if codes[http.StatusOK] != 3 || codes[http.StatusTooManyRequests] != 7 || w.Header().Get("Retry-After") != "20" || !strings.Contains(w.Body.String(), "hippo tenant limit") {
		t.Errorf("got %v, Retry-After %q: %s", codes, w.Header().Get("Retry-After"), w.Body)
	}
	if w := s.send(secretive, http.MethodGet, "/api/v1/memories", ""); w.Code != http.StatusOK {
		t.Errorf("another namespace: %d", w.Code)
	}
	if w := s.send("", http.MethodDelete, "/api/v1/namespaces?namespace="+curious, ""); w.Code != http.StatusNoContent {
		t.Errorf("delete: %d %s", w.Code, w.Body)
	}
	if w := s.send("", http.MethodGet, "/api/v1/namespaces/usage?namespace="+curious, ""); w.Code != http.StatusNotFound {
		t.Errorf("usage after the deletion: %d %s", w.Code, w.Body)
	}
}
