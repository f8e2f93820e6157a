package openai_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey   = "sk-test-0123456789abcdefghijklmnopqrstuvwxyz"
	testModel = "all-minilm"
	dimension = 6
)

// serve starts a server; its client keeps no connection after the test.
func serve(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

// answering is a server that always sends the same body.
func answering(t testing.TB, status int, body string) *httptest.Server {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client reports what it got
	}))
}

// config is that of a client of s, with this dimension.
func config(s *httptest.Server, dimension int) openai.Config {
	return openai.Config{URL: s.URL, Model: testModel, Dimension: dimension, Client: s.Client(), Key: secret.New(testKey)}
}

func open(t testing.TB, c openai.Config) *openai.Client {
	t.Helper()
	client, err := openai.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// fake is a server whose model computes the vector of a text from its hash.
type fake struct {
	server *httptest.Server
	// The limits of a request, unless 0: texts, characters of a text and of all.
	maxTexts, maxRunes, maxSum int

	mu       sync.Mutex
	requests []request
}

type request struct {
	*http.Request
	body   string
	inputs []string
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{}
	f.server = serve(t, f)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in struct{ Input []string }
	if err != nil || json.Unmarshal(body, &in) != nil {
		http.Error(w, "no JSON", http.StatusUnsupportedMediaType)
		return
	}
	f.mu.Lock()
	f.requests = append(f.requests, request{r, string(body), in.Input})
	f.mu.Unlock()
	if status := f.refusal(in.Input); status != 0 {
		http.Error(w, "too much", status)
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []item `json:"data"`
	}
	for i, t := range slices.Backward(in.Input) { // the order means nothing
		out.Data = append(out.Data, item{i, rawVector(t)})
	}
	_ = json.NewEncoder(w).Encode(out) // the client reports what it got
}

// refusal is the status of the answer to texts that break a limit, or 0.
func (f *fake) refusal(texts []string) int {
	sum, longest := 0, 0
	for _, t := range texts {
		n := utf8.RuneCountInString(t)
		sum, longest = sum+n, max(longest, n)
	}
	switch {
	case f.maxTexts > 0 && len(texts) > f.maxTexts:
		return http.StatusUnprocessableEntity
	case f.maxRunes > 0 && longest > f.maxRunes:
		return http.StatusInternalServerError
	case f.maxSum > 0 && sum > f.maxSum:
		return http.StatusBadRequest
	}
	return 0
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests)
}

// last is the latest request.
func (f *fake) last() request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests[len(f.requests)-1]
}

// inputs are the texts of each request.
func (f *fake) inputs() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all [][]string
	for _, r := range f.requests {
		all = append(all, r.inputs)
	}
	return all
}

// rawVector is a vector whose length is not 1.
func rawVector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	v := make([]float32, dimension)
	for i := range v {
		v[i] = float32(sum[i]) - 100.5
	}
	return v
}

// vectorsOf is what a client returns for texts that the fake accepts.
func vectorsOf(texts ...string) [][]float32 {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = rawVector(t)
		length := math.Sqrt(dot(out[i], out[i]))
		for k, x := range out[i] {
			out[i][k] = float32(float64(x) / length)
		}
	}
	return out
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// replay writes a recorded answer, with key in place of "KEY".
func replay(t testing.TB, w http.ResponseWriter, name, key string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".http"))
	if err != nil {
		t.Error(err)
		return
	}
	head, body, _ := bytes.Cut(bytes.ReplaceAll(data, []byte("KEY"), []byte(key)), []byte("\n\n"))
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(head)+"\n\n")), nil)
	if err != nil {
		t.Error(err)
		return
	}
	_ = r.Body.Close() // there is none
	maps.Copy(w.Header(), r.Header)
	w.WriteHeader(r.StatusCode)
	_, _ = w.Write(body) // the client reports what it got
}
