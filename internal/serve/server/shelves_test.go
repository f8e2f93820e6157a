package server_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/config"
	"github.com/hippo-memory/hippo/internal/serve/httpd"
	"github.com/hippo-memory/hippo/internal/serve/server"
)

// callers knows callers by the names of their namespaces.
type callers struct{}

func (callers) Authenticate(namespace string) (httpd.Caller, bool) {
	return httpd.Caller{Name: namespace, Scope: hippo.Scope{Namespace: strings.TrimPrefix(namespace, "-"), Rights: hippo.RightSync}}, true
}

// Each namespace has a folder of its own, beside the store, and what a caller learns of an error names no path.
func TestShelves(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := httptest.NewServer(httpd.New(server.ShelfRoutes(config.Store{Kind: "sqlite", Path: path}, slog.New(slog.DiscardHandler)), httpd.Options{Tokens: callers{}, Now: time.Now}))
	t.Cleanup(s.Close)
	ask := func(method, namespace, name, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1/shelf"+name, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-API-Key", namespace)
		a, err := s.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close() //nolint:errcheck // it was only read
		var b strings.Builder
		_ = a.Write(&b)
		return a.StatusCode, b.String()
	}
	if code, text := ask("PUT", "-", "/format", "own"); code != http.StatusCreated {
		t.Errorf("%d %s", code, text)
	}
	if code, text := ask("PUT", "-crew", "/format", "crew"); code != http.StatusCreated {
		t.Errorf("%d %s", code, text)
	}
	for namespace, want := range map[string]string{"-": "own", "-crew": "crew"} {
		if code, text := ask("GET", namespace, "/format", ""); code != http.StatusOK || !strings.HasSuffix(text, "\r\n\r\n"+want) {
			t.Errorf("%s: %d %s", namespace, code, text)
		}
	}
	if code, text := ask("GET", "-other", "", ""); code != http.StatusOK || !strings.HasSuffix(text, "[]") {
		t.Errorf("%d %s", code, text)
	}
	for _, name := range []string{"/%2e%2e/%2e%2e/memory.db", "/..%2Fx", "/.hidden", "/a/b/c/d/e", "/r/%00"} {
		if code, text := ask("PUT", "-", name, "x"); code/100 != 4 {
			t.Errorf("%s: %d %s", name, code, text)
		}
	}
	if err := errors.Join(os.RemoveAll(path+".shelf"), os.WriteFile(path+".shelf", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if code, text := ask("GET", "-", "", ""); code != http.StatusServiceUnavailable || strings.Contains(text, "memory.db") {
		t.Errorf("%d %s", code, text)
	}
}

// A server whose store is in a database, which others may serve as well, has no folder.
func TestShelves_database(t *testing.T) {
	t.Parallel()
	s := httpd.New(server.ShelfRoutes(config.Store{Kind: "postgres"}, slog.New(slog.DiscardHandler)), httpd.Options{Tokens: callers{}, Now: time.Now})
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/api/v1/shelf", nil)
	r.Header.Set("X-API-Key", "-")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code != http.StatusNotImplemented || !strings.Contains(w.Body.String(), "is not a file of its own") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
