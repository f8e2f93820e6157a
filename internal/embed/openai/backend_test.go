package openai_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

const backendDimension = 6

// backend plays a server whose model makes a vector of a text's hash.
type backend struct {
	server       *httptest.Server
	maxTexts     int // of a request, if it is above 0
	maxRunes     int // of a text, likewise
	maxSum       int // of all texts together, likewise
	refuseFormat bool

	mu       sync.Mutex
	requests []received
}

type received struct {
	*http.Request
	body  []byte
	input []string
}

func newBackend(t testing.TB) *backend {
	t.Helper()
	b := &backend{}
	b.server = serve(t, b)
	return b
}

func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var in struct {
		Input  []string `json:"input"`
		Format string   `json:"encoding_format"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	b.requests = append(b.requests, received{r, body, in.Input})
	b.mu.Unlock()
	if name := b.refusal(in.Input, in.Format); name != "" {
		replay(w, name, "")
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []item `json:"data"`
	}
	for i, t := range slices.Backward(in.Input) { // the order says nothing
		out.Data = append(out.Data, item{i, backendVector(t)})
	}
	_ = json.NewEncoder(w).Encode(out) // the client tells if it got it
}

// refusal names the recorded answer to a request that is over a limit.
func (b *backend) refusal(texts []string, format string) string {
	sum, long := 0, false
	for _, t := range texts {
		n := utf8.RuneCountInString(t)
		sum += n
		long = long || b.maxRunes > 0 && n > b.maxRunes
	}
	switch {
	case b.refuseFormat && format != "":
		return "fastapi_422_format"
	case b.maxTexts > 0 && len(texts) > b.maxTexts:
		return "tei_422_batch"
	case long:
		return "llamacpp_500_long"
	case b.maxSum > 0 && sum > b.maxSum:
		return "openai_400_tokens"
	}
	return ""
}

func (b *backend) last() received {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.requests[len(b.requests)-1]
}

func (b *backend) lastInput() []string { return b.last().input }

func (b *backend) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.requests)
}

// inputs returns the texts of each request.
func (b *backend) inputs() [][]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all [][]string
	for _, r := range b.requests {
		all = append(all, r.input)
	}
	return all
}

// backendVector returns a vector that is not of length 1.
func backendVector(text string) []float32 {
	sum := sha256.Sum256([]byte(text))
	v := make([]float32, backendDimension)
	for i := range v {
		v[i] = float32(sum[i]) - 100.5
	}
	return v
}

// replay writes a recorded response, with key in place of "KEY".
func replay(w http.ResponseWriter, name, key string) {
	data, err := os.ReadFile(filepath.Join("testdata", name+".http"))
	if err != nil {
		panic(err)
	}
	data = bytes.ReplaceAll(data, []byte("KEY"), []byte(key))
	head, body, _ := bytes.Cut(data, []byte("\n\n"))
	r, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(head)+"\n\n")), nil)
	if err != nil {
		panic(err)
	}
	_ = r.Body.Close() // there is none
	maps.Copy(w.Header(), r.Header)
	w.WriteHeader(r.StatusCode)
	_, _ = w.Write(body) // the client tells if it got it
}
