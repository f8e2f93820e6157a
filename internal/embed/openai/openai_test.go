package openai_test

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/openai"
	"github.com/hippo-memory/hippo/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey   = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz"
	testModel = "all-minilm"
)

// open returns a client of a server, which notes instead of sleeping how long it
// would have slept.
func open(t testing.TB, c openai.Config) (*openai.Client, *naps) {
	t.Helper()
	n := &naps{}
	if c.Model == "" {
		c.Model = testModel
	}
	if c.Sleep == nil {
		c.Sleep = n.sleep
	}
	client, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	if c.Dimension == 0 {
		if err := client.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return client, n
}

type naps struct {
	mu    sync.Mutex
	taken []time.Duration
}

func (n *naps) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken = append(n.taken, d)
	return ctx.Err()
}

// serve starts a server; the client it gives keeps no connection after the test.
func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

func configOf(s *httptest.Server, dimension int) openai.Config {
	return openai.Config{URL: s.URL, Model: testModel, Dimension: dimension, Client: s.Client(), Key: secret.New(testKey)}
}

// near compares vectors but for rounding.
func near() cmp.Option { return cmpopts.EquateApprox(0, 1e-6) }

func TestOpen_refuses(t *testing.T) {
	t.Parallel()
	const good = "http://127.0.0.1:1"
	for _, c := range []struct {
		name   string
		config openai.Config
		want   string
	}{
		{"no_url", openai.Config{Model: "m"}, "URL"},
		{"no_scheme", openai.Config{URL: "localhost:11434", Model: "m"}, "URL"},
		{"other_scheme", openai.Config{URL: "ftp://host/v1", Model: "m"}, "URL"},
		{"no_host", openai.Config{URL: "http:///v1", Model: "m"}, "URL"},
		{"bad_url", openai.Config{URL: "http://ho st\x7f/" + testKey, Model: "m"}, "URL"},
		{"password", openai.Config{URL: "http://me:" + testKey + "@host/v1", Model: "m"}, "URL"},
		{"no_model", openai.Config{URL: good, Model: " "}, "Model"},
		{"dimension", openai.Config{URL: good, Model: "m", Dimension: -1}, "Dimension"},
		{"runes", openai.Config{URL: good, Model: "m", MaxRunes: -1}, "MaxRunes"},
		{"batch", openai.Config{URL: good, Model: "m", Batch: -1}, "Batch"},
		{"bytes", openai.Config{URL: good, Model: "m", BatchBytes: -1}, "BatchBytes"},
		{"timeout", openai.Config{URL: good, Model: "m", Timeout: -1}, "Timeout"},
		{"key", openai.Config{URL: good, Model: "m", Key: secret.New(testKey + "\r\nX-Other: 1")}, "Key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(c.config)
			f, ok := errors.AsType[*hippo.FieldError](err)
			if !ok || f.Field != c.want {
				t.Fatalf("got %v, want a FieldError of %s", err, c.want)
			}
			if strings.Contains(err.Error(), testKey) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

func TestOpen_url(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	for _, c := range []struct{ base, want string }{
		{"", "/v1/embeddings"},
		{"/", "/v1/embeddings"},
		{"/v1", "/v1/embeddings"},
		{"/v1/", "/v1/embeddings"},
		{"/v1/embeddings", "/v1/embeddings"},
		{"/v1/embeddings/", "/v1/embeddings"},
		{"/embeddings", "/embeddings"},
		{"/openai", "/openai/v1/embeddings"},
		{"/api/v3", "/api/v3/embeddings"},
		{"/v1beta/openai/", "/v1beta/openai/embeddings"},
		{"/vllm", "/vllm/v1/embeddings"},
		{"/v1?api-version=2024", "/v1/embeddings?api-version=2024"},
		{"/v1#fragment", "/v1/embeddings"},
	} {
		t.Run(strings.ReplaceAll("base"+c.base, "/", "_"), func(t *testing.T) {
			config := configOf(b.server, backendDimension)
			config.URL += c.base
			client, _ := open(t, config)
			if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
				t.Fatal(err)
			}
			if got := b.last().URL.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestClient_request(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	client, _ := open(t, configOf(b.server, 0))
	if got := client.Model().Dimension; got != backendDimension {
		t.Errorf("learned dimension %d, want %d", got, backendDimension)
	}
	if _, err := client.Embed(t.Context(), embed.Query, []string{"a < b", "c"}); err != nil {
		t.Fatal(err)
	}
	r := b.last()
	for header, want := range map[string]string{
		"Authorization": "Bearer " + testKey,
		"Content-Type":  "application/json",
		"Accept":        "application/json",
	} {
		if got := r.Header.Get(header); got != want {
			t.Errorf("%s: got %q, want %q", header, got, want)
		}
	}
	want := `{"model":"all-minilm","input":["a < b","c"],"encoding_format":"float"}` + "\n"
	if got := string(r.body); r.Method != http.MethodPost || got != want {
		t.Errorf("got %s %q, want POST %q", r.Method, got, want)
	}
}

func TestClient_Model(t *testing.T) {
	t.Parallel()
	ids := make(map[string]bool)
	for _, c := range []openai.Config{
		{},
		{QueryPrefix: "query: "},
		{PassagePrefix: "query: "},
		{QueryPrefix: "query: ", PassagePrefix: "passage: "},
	} {
		c.URL, c.Dimension = "http://LocalHost:11434/v1", 384
		client, _ := open(t, c)
		m := client.Model()
		if !strings.HasPrefix(m.ID, "openai:localhost:11434/all-minilm") || m.Space != m.ID || m.Dimension != 384 {
			t.Errorf("model %+v", m)
		}
		ids[m.ID] = true
	}
	if len(ids) != 4 || !ids["openai:localhost:11434/all-minilm"] {
		t.Errorf("IDs %v, want one for each choice of prefixes", ids)
	}
}

func TestClient_roles(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	config := configOf(b.server, backendDimension)
	config.QueryPrefix, config.PassagePrefix = "query: ", "passage: "
	client, _ := open(t, config)
	for role, want := range map[embed.Role]string{
		embed.Query: "query: a", embed.Passage: "passage: a", embed.Sentence: "query: a",
	} {
		if _, err := client.Embed(t.Context(), role, []string{"a"}); err != nil {
			t.Fatal(err)
		}
		if got := b.lastInput(); !cmp.Equal(got, []string{want}) {
			t.Errorf("%v: sent %q, want %q", role, got, want)
		}
	}
}

func TestClient_blank_texts_are_not_sent(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	client, _ := open(t, configOf(b.server, backendDimension))
	got, err := client.Embed(t.Context(), embed.Passage, []string{"", "a", " \n", "b"})
	if err != nil {
		t.Fatal(err)
	}
	zero := make([]float32, backendDimension)
	want := [][]float32{zero, unitVector("a"), zero, unitVector("b")}
	if diff := cmp.Diff(want, got, near()); diff != "" {
		t.Error(diff)
	}
	if err := embed.Check(client.Model(), 4, got); err != nil {
		t.Error(err)
	}
	before := b.count()
	for _, texts := range [][]string{nil, {""}} {
		if got, err := client.Embed(t.Context(), embed.Passage, texts); err != nil || len(got) != len(texts) {
			t.Errorf("%q: got %v, %v", texts, got, err)
		}
	}
	if b.count() != before {
		t.Error("sent a request for nothing")
	}
}

func TestClient_batches(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	config := configOf(b.server, backendDimension)
	config.Batch, config.BatchBytes = 3, 10
	client, _ := open(t, config)
	texts := []string{"1", "2", "3", "4", "12345678", "123", "a text that is longer", "5"}
	got, err := client.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(unitVectors(texts), got, near()); diff != "" {
		t.Error(diff)
	}
	want := [][]string{{"1", "2", "3"}, {"4", "12345678"}, {"123"}, {"a text that is longer"}, {"5"}}
	if diff := cmp.Diff(want, b.inputs()); diff != "" {
		t.Error(diff)
	}
}

func TestClient_encoding_format_is_left_out_where_unknown(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.refuseFormat = true
	client, naps := open(t, configOf(b.server, backendDimension))
	for range 2 {
		if _, err := client.Embed(t.Context(), embed.Query, []string{"a"}); err != nil {
			t.Fatal(err)
		}
	}
	if b.count() != 3 || len(naps.taken) != 0 {
		t.Errorf("%d requests and %d pauses, want 3 and none", b.count(), len(naps.taken))
	}
}

func TestClient_concurrent(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	b.maxTexts, b.maxRunes = 3, 64
	client, _ := open(t, configOf(b.server, 0))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			texts := []string{"a", strings.Repeat("word ", i), "b", "c", "d"}
			got, err := client.Embed(t.Context(), embed.Role(i%3), texts)
			if err == nil {
				err = embed.Check(client.Model(), len(texts), got)
			}
			if err != nil {
				t.Error(err)
				return
			}
			if diff := cmp.Diff(unitVector("d"), got[4], near()); diff != "" {
				t.Error(diff)
			}
		})
	}
	wg.Wait()
}

// TestClient_live asks the server that HIPPO_EMBED_URL names for its model
// HIPPO_EMBED_MODEL; HIPPO_EMBED_KEY is the key, if it wants one.
func TestClient_live(t *testing.T) {
	t.Parallel()
	base, model := os.Getenv("HIPPO_EMBED_URL"), os.Getenv("HIPPO_EMBED_MODEL")
	if base == "" || model == "" {
		t.Skip("HIPPO_EMBED_URL and HIPPO_EMBED_MODEL name no server")
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	t.Cleanup(transport.CloseIdleConnections)
	client, _ := open(t, openai.Config{
		URL: base, Model: model, Key: secret.New(os.Getenv("HIPPO_EMBED_KEY")), Client: &http.Client{Transport: transport},
	})
	texts := []string{
		"A man is playing the guitar.", "Someone makes music on a guitar.", "The stock market fell today.",
		"caf\u00e9 \u4f60\u597d \U0001f980 \u0645\u0631\u062d\u0628\u0627", "", strings.Repeat("A long text about rivers and lakes. ", 2000),
	}
	for range 40 {
		texts = append(texts, "filler")
	}
	got, err := client.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	if err := embed.Check(client.Model(), len(texts), got); err != nil {
		t.Fatal(err)
	}
	same, other := dot(got[0], got[1]), dot(got[0], got[2])
	t.Logf("model %+v: like %.3f, unlike %.3f", client.Model(), same, other)
	if same <= other {
		t.Errorf("what is alike has %.3f, what is not %.3f", same, other)
	}
	alone, err := client.Embed(t.Context(), embed.Passage, texts[:1])
	if err != nil {
		t.Fatal(err)
	}
	if d := dot(alone[0], got[0]); d < .999 {
		t.Errorf("alone and in a batch have %.5f", d)
	}
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// unitVectors is what a client makes of the backend's answer.
func unitVectors(texts []string) [][]float32 {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = unitVector(t)
	}
	return out
}

func unitVector(text string) []float32 {
	v := backendVector(text)
	length := float32(math.Sqrt(dot(v, v)))
	for i := range v {
		v[i] /= length
	}
	return v
}
