package openai_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/openai"
)

// near compares vectors up to rounding.
func near() cmp.Option { return cmpopts.EquateApprox(0, 1e-6) }

func TestNew_refuses(t *testing.T) {
	t.Parallel()
	const good = "http://127.0.0.1:1"
	for _, c := range []struct {
		name   string
		config openai.Config
		field  string
	}{
		{"no_url", openai.Config{Model: "m"}, "URL"},
		{"no_scheme", openai.Config{URL: "localhost:11434", Model: "m"}, "URL"},
		{"other_scheme", openai.Config{URL: "ftp://host/v1?key=" + testKey, Model: "m"}, "URL"},
		{"no_host", openai.Config{URL: "http:///v1", Model: "m"}, "URL"},
		{"bad_url", openai.Config{URL: "http://ho st\x7f/" + testKey, Model: "m"}, "URL"},
		{"password", openai.Config{URL: "http://me:" + testKey + "@host/v1", Model: "m"}, "URL"},
		{"no_model", openai.Config{URL: good, Model: " "}, "Model"},
		{"dimension", openai.Config{URL: good, Model: "m", Dimension: -1}, "Dimension"},
		{"key", openai.Config{URL: good, Model: "m", Key: secret.New(testKey + "\r\nX-Other: 1")}, "Key"},
	} {
		_, err := openai.New(c.config)
		f, ok := errors.AsType[*hippo.FieldError](err)
		if !ok || f.Field != c.field || strings.Contains(err.Error(), testKey) {
			t.Errorf("%s: got %v, want a FieldError of %s without the key", c.name, err, c.field)
		}
	}
}

func TestNew_endpoint(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for base, want := range map[string]string{
		"":                     "/v1/embeddings",
		"/":                    "/v1/embeddings",
		"/v1/":                 "/v1/embeddings",
		"/v1/embeddings/":      "/v1/embeddings",
		"/embeddings":          "/embeddings",
		"/openai":              "/openai/v1/embeddings",
		"/api/v3":              "/api/v3/embeddings",
		"/v1beta/openai/":      "/v1beta/openai/embeddings",
		"/vllm":                "/vllm/v1/embeddings",
		"/v1?api-version=2024": "/v1/embeddings?api-version=2024",
		"/v1#fragment":         "/v1/embeddings",
		"/api/embed":           "/v1/embeddings",
		"/api/embeddings/":     "/v1/embeddings",
		"/openai/deployments/d/embeddings?api-version=2024-10-21": "/openai/deployments/d/embeddings?api-version=2024-10-21",
	} {
		c := config(f.server, dimension)
		c.URL += base
		if _, err := open(t, c).Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if got := f.last().URL.String(); got != want {
			t.Errorf("base %q: got %s, want %s", base, got, want)
		}
	}
}

func TestClient_request(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := config(f.server, dimension)
	c.URL = strings.Replace(c.URL, "127.0.0.1", "LocalHost", 1)
	client := open(t, c)
	if id := client.Model().ID; !strings.HasPrefix(id, "openai:localhost:") || !strings.HasSuffix(id, "/all-minilm") || client.Model().Space != id {
		t.Errorf("model %+v, want openai:HOST/MODEL as ID and space", client.Model())
	}
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a b", "c"}); err != nil {
		t.Fatal(err)
	}
	r := f.last()
	for header, want := range map[string]string{
		"Authorization": "Bearer " + testKey,
		"Content-Type":  "application/json",
		"Accept":        "application/json",
	} {
		if got := r.Header.Get(header); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
	if want := `{"model":"all-minilm","input":["a b","c"]}`; r.Method != http.MethodPost || r.body != want {
		t.Errorf("got %s %q, want POST %q", r.Method, r.body, want)
	}
}

// Until it has asked the server, a client knows no dimension and returns no vectors.
func TestClient_Wait(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	client := open(t, config(f.server, 0))
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); !errors.Is(err, embed.ErrNotReady) || client.Model().Dimension != 0 || f.count() != 0 {
		t.Errorf("got %v, dimension %d, after %d requests, want ErrNotReady without any", err, client.Model().Dimension, f.count())
	}
	for range 2 {
		if err := client.Wait(t.Context()); err != nil || client.Model().Dimension != dimension || f.count() != 1 {
			t.Errorf("got %v, dimension %d, after %d requests, want %d after one", err, client.Model().Dimension, f.count(), dimension)
		}
	}
	if got, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil || !cmp.Equal(vectorsOf("a"), got, near()) {
		t.Errorf("got %v, %v", got, err)
	}
	unknown := open(t, config(serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { replay(t, w, "ollama_404_model", "") })), 0))
	if err := unknown.Wait(t.Context()); !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "try pulling it first") {
		t.Errorf("got %v, want unavailable with the server's advice", err)
	}
}

func TestClient_blank_texts(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	client := open(t, config(f.server, dimension))
	got, err := client.Embed(t.Context(), embed.Passage, []string{"", "a", " \n", "b"})
	if err != nil {
		t.Fatal(err)
	}
	zero, ab := make([]float32, dimension), vectorsOf("a", "b")
	if diff := cmp.Diff([][]float32{zero, ab[0], zero, ab[1]}, got, near()); diff != "" {
		t.Error(diff)
	}
	for _, texts := range [][]string{nil, {""}} {
		if got, err := client.Embed(t.Context(), embed.Passage, texts); err != nil || len(got) != len(texts) || f.count() != 1 {
			t.Errorf("%q: got %v, %v after %d requests, want no further one", texts, got, err, f.count())
		}
	}
}

func TestClient_concurrent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.maxTexts, f.maxRunes = 3, 64
	client := open(t, config(f.server, 0))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			texts := []string{"a", strings.Repeat("word ", i), "b", "c", "d"}
			err := client.Wait(t.Context())
			var got [][]float32
			if err == nil {
				got, err = client.Embed(t.Context(), embed.Role(i%3), texts)
			}
			if err == nil {
				err = embed.Check(client.Model(), len(texts), got)
			}
			if err != nil {
				t.Error(err)
			} else if diff := cmp.Diff(vectorsOf("d")[0], got[4], near()); diff != "" {
				t.Error(diff)
			}
		})
	}
	wg.Wait()
}

// roundTrip is a transport without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A request ends with its context, or after 30 seconds of the bubble's time.
func TestClient_hanging_server(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		client := open(t, openai.Config{URL: "http://host", Model: "m", Dimension: 2, Client: &http.Client{Transport: hang}})
		begin := time.Now()
		_, err := client.Embed(t.Context(), embed.Query, []string{"a"})
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), "took longer than 30s") || time.Since(begin) != 30*time.Second {
			t.Errorf("got %v after %v, want unavailable after 30s", err, time.Since(begin))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 { // in the request, and before it
			if _, err := client.Embed(ctx, embed.Query, []string{"a"}); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, hippo.ErrUnavailable) {
				t.Errorf("got %v, want the error of the context", err)
			}
		}
	})
}

// TestClient_live asks the server that HIPPO_EMBED_URL names for its model
// HIPPO_EMBED_MODEL; HIPPO_EMBED_KEY is the key, if it needs one.
func TestClient_live(t *testing.T) {
	t.Parallel()
	base, model := os.Getenv("HIPPO_EMBED_URL"), os.Getenv("HIPPO_EMBED_MODEL")
	if base == "" || model == "" {
		t.Skip("HIPPO_EMBED_URL and HIPPO_EMBED_MODEL name no server")
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	t.Cleanup(transport.CloseIdleConnections)
	client := open(t, openai.Config{
		URL: base, Model: model, Key: secret.New(os.Getenv("HIPPO_EMBED_KEY")), Client: &http.Client{Transport: transport},
	})
	if err := client.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"A man is playing the guitar.", "Someone makes music on a guitar.", "The stock market fell today.",
		"caf\u00e9 \u4f60\u597d \U0001f980 \u0645\u0631\u062d\u0628\u0627", "", strings.Repeat("A long text about rivers and lakes. ", 2000),
	}
	got, err := client.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := embed.Check(client.Model(), len(texts), got); err != nil {
		t.Fatal(err)
	}
	same, other := dot(got[0], got[1]), dot(got[0], got[2])
	t.Logf("model %+v: similar %.3f, different %.3f", client.Model(), same, other)
	if same <= other {
		t.Errorf("similar texts have %.3f, different ones %.3f", same, other)
	}
}

// A deployment of Azure takes its key in a header of its own; no other server gets that.
func TestClient_Azure(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{"name.openai.azure.com": testKey, "azure.com.example.org": "", "api.openai.com": ""} {
		got := "not asked"
		client := open(t, openai.Config{
			URL: "https://" + host + "/openai/deployments/d/embeddings?api-version=2024-10-21", Model: "m", Dimension: 2, Key: secret.New(testKey),
			Client: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r.Header.Get("Api-Key")
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(`{"data":[{"embedding":[3,4]}]}`)), Request: r}, nil
			})},
		})
		if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil || got != want {
			t.Errorf("%s: the header is %q, %v, want %q", host, got, err, want)
		}
	}
}
