package restapi_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestInterop_generatedClient: a client that openapi-python-client generates from the document drives the interface.
func TestInterop_generatedClient(t *testing.T) {
	t.Parallel()
	python := os.Getenv("HIPPO_REST_PYTHON")
	if python == "" {
		t.Skip("HIPPO_REST_PYTHON is not set: make interop sets it")
	}
	s := startWith(t, options{now: time.Now})
	const token = "a-token"
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			t.Errorf("%s %s comes without the token", r.Method, r.URL)
		}
		s.handler.ServeHTTP(w, r)
	}))
	defer web.Close()
	dir := t.TempDir()
	document, generated := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "hippo_client")
	if err := os.WriteFile(document, s.do(http.MethodGet, "/openapi.json", "").want(http.StatusOK).body, 0o600); err != nil {
		t.Fatal(err)
	}
	reference := filepath.Join("..", "..", "..", "tools", "reference")
	for _, args := range [][]string{
		{
			"-m", "openapi_python_client", "generate", "--path", document, "--output-path", generated, "--meta", "none", "--fail-on-warning",
			"--config", filepath.Join(reference, "rest.yml"),
		},
		{filepath.Join(reference, "rest_client.py"), generated, web.URL, token},
	} {
		if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}
