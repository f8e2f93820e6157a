package token_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/serve/token"
)

func clock() time.Time { return time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC) }

func open(t *testing.T) (*token.File, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "new", "tokens.json")
	return token.NewFile(path, clock), path
}

func create(t *testing.T, f *token.File, x token.Token) string {
	t.Helper()
	text, err := f.Create(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestFile(t *testing.T) {
	t.Parallel()
	f, path := open(t)
	if list, err := f.List(); err != nil || len(list) != 0 {
		t.Fatalf("a file that is not there: %v, %v", list, err)
	}
	text := create(t, f, token.Token{Name: "ci", Right: token.Write, Namespace: "team", Projects: []string{"a", ""}})
	other := create(t, f, token.Token{Name: "me", Right: token.Admin})
	if !strings.HasPrefix(text, token.Prefix) || len(text) != len(token.Prefix)+64 || text == other {
		t.Errorf("got %q and %q", text, other)
	}
	again := token.NewFile(path, clock) // another process
	x, ok := again.Find(text)
	want := hippo.Scope{Namespace: "team", Projects: []string{"a", ""}, Rights: hippo.RightRead | hippo.RightWrite}
	if d := cmp.Diff(want, x.Scope()); !ok || d != "" || x.Name != "ci" || !x.Created.Equal(clock()) {
		t.Errorf("found %v %+v: %s", ok, x, d)
	}
	if s := token.ScopeOf(token.Write, "", []string{"px"}); s.Project != "px" {
		t.Errorf("a token for one project works for %q", s.Project)
	}
	for _, wrong := range []string{"", text[:len(text)-1], text + "0", strings.ToUpper(text), strings.TrimPrefix(text, token.Prefix), x.Hash} {
		if _, ok := again.Find(wrong); ok {
			t.Errorf("found %q", wrong)
		}
	}
	b, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || strings.Contains(string(b), text[len(token.Prefix):]) || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v:\n%s", info.Mode(), err, b)
	}
	if err := f.Revoke(t.Context(), "team", "ci"); err != nil {
		t.Fatal(err)
	}
	if _, ok := again.Find(text); ok {
		t.Error("a revoked token is found by another process")
	}
	if _, ok := again.Find(other); !ok {
		t.Error("another token went with it")
	}
}

func TestFile_Refuses(t *testing.T) {
	t.Parallel()
	f, _ := open(t)
	create(t, f, token.Token{Name: "ci", Right: token.Read})
	for name, x := range map[string]struct {
		t    token.Token
		want string
	}{
		"no name":     {token.Token{Right: token.Read}, "name: must be"},
		"long name":   {token.Token{Name: strings.Repeat("x", 65), Right: token.Read}, "name: must be"},
		"line break":  {token.Token{Name: "a\nb", Right: token.Read}, "name: must be"},
		"no right":    {token.Token{Name: "a"}, "right: must be one of [read write admin metrics sync]"},
		"wrong right": {token.Token{Name: "a", Right: "root"}, "right: must be"},
		"restricted":  {token.Token{Name: "a", Right: token.Metrics, Projects: []string{"p"}}, "right: metrics counts all"},
		"of projects": {token.Token{Name: "a", Right: token.Sync, Projects: []string{"p"}}, "right: sync is for all projects"},
		"a namespace": {token.Token{Name: "a", Right: token.Metrics, Namespace: "n"}, "right: metrics counts all"},
		"expired":     {token.Token{Name: "a", Right: token.Read, Expires: clock()}, "expires: must be in the future"},
		"name in use": {token.Token{Name: "ci", Right: token.Read}, "there is a token named"},
	} {
		if text, err := f.Create(t.Context(), x.t); err == nil || text != "" || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
	}
	if err := f.Revoke(t.Context(), "", "other"); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "ci") {
		t.Errorf("got %v", err)
	}
}

// A name is one of its namespace: whether another tenant has a token of it is not learned, and none of another is revoked by it.
func TestFile_NamesOfTenants(t *testing.T) {
	t.Parallel()
	f, _ := open(t)
	texts := make(map[string]string)
	for _, namespace := range []string{"", "a", "b"} {
		texts[namespace] = create(t, f, token.Token{Name: "phone", Right: token.Read, Namespace: namespace})
	}
	if _, err := f.Create(t.Context(), token.Token{Name: "phone", Right: token.Read, Namespace: "a"}); !errors.Is(err, hippo.ErrConflict) {
		t.Errorf("got %v", err)
	}
	if err := f.Revoke(t.Context(), "a", "phone"); err != nil {
		t.Fatal(err)
	}
	for namespace, text := range texts {
		if found, ok := f.Find(text); ok == (namespace == "a") || ok && found.Namespace != namespace {
			t.Errorf("%q: got %+v, %t", namespace, found, ok)
		}
	}
}

func TestFile_Expires(t *testing.T) {
	t.Parallel()
	now := clock()
	f := token.NewFile(filepath.Join(t.TempDir(), "t.json"), func() time.Time { return now })
	text := create(t, f, token.Token{Name: "short", Right: token.Read, Expires: now.Add(time.Hour)})
	if _, ok := f.Find(text); !ok {
		t.Error("not found before its end")
	}
	now = now.Add(time.Hour)
	if _, ok := f.Find(text); ok {
		t.Error("found at its end")
	}
}

// A damaged file has no tokens, says so, and is not overwritten.
func TestFile_Damaged(t *testing.T) {
	t.Parallel()
	f, path := open(t)
	text := create(t, f, token.Token{Name: "ci", Right: token.Read})
	if err := os.WriteFile(path, []byte(`{"tokens":[{`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Find(text); ok {
		t.Error("found in a damaged file")
	}
	if _, err := token.NewFile(path, clock).List(); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("List: %v", err)
	}
	if _, err := f.Create(t.Context(), token.Token{Name: "a", Right: token.Read}); !errors.Is(err, hippo.ErrCorrupt) {
		t.Errorf("Create: %v", err)
	}
}

// Tokens that several processes create at once are all there.
func TestFile_Concurrent(t *testing.T) {
	t.Parallel()
	_, path := open(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			f := token.NewFile(path, clock)
			if _, err := f.Create(context.Background(), token.Token{Name: fmt.Sprint(i), Right: token.Read}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := token.NewFile(path, clock).List(); err != nil || len(list) != 20 {
		t.Errorf("%d tokens, %v", len(list), err)
	}
}

// Metrics count all scopes together: only one who may see all of them reads them.
func TestScopeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		right     token.Right
		namespace string
		projects  []string
		want      hippo.Rights
	}{
		{token.Admin, "", nil, hippo.AllRights},
		{token.Admin, "other", nil, hippo.AllRights &^ hippo.RightMetrics},
		{token.Admin, "", []string{}, hippo.AllRights &^ hippo.RightMetrics &^ hippo.RightSync},
		{token.Sync, "", nil, hippo.RightSync},
		{token.Sync, "other", nil, hippo.RightSync},
		{token.Sync, "", []string{"p"}, 0},
		{token.Metrics, "", nil, hippo.RightMetrics},
		{token.Metrics, "other", nil, 0},
		{token.Write, "", nil, hippo.RightRead | hippo.RightWrite},
		{"root", "", nil, 0},
	} {
		if got := token.ScopeOf(c.right, c.namespace, c.projects); got.Rights != c.want || got.Namespace != c.namespace {
			t.Errorf("%s in %q %v: got %b, want %b", c.right, c.namespace, c.projects, got.Rights, c.want)
		}
	}
}
