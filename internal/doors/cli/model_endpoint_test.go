package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

type endpointKey struct{}

// endpoint plays an OpenAI-compatible server. Its model knows the words of topics.
type endpoint struct {
	mu        sync.Mutex
	dimension int
	refuses   bool
	echoes    bool
	choosy    bool // refuses texts of several words
	busy      bool
	keys      map[string]bool // the Authorization headers
	requests  int
}

// endpointCommand plays an OpenAI-compatible server:
//
//	endpoint start            begins, and sets ENDPOINT to its address; its model is words
//	endpoint dimension N      from now on answers vectors of N numbers
//	endpoint refuse           from now on answers 401 and repeats the key
//	endpoint choosy           from now on answers 401 to texts of several words
//	endpoint busy             from now on answers 503
//	endpoint echo             from now on answers 401 and repeats the URL of the request
//	endpoint accept           answers again
//	endpoint log              prints how many requests there were, and with which keys
func endpointCommand(ts *testscript.TestScript, neg bool, args []string) {
	e, ok := ts.Value(endpointKey{}).(*endpoint)
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: endpoint start|dimension|refuse|choosy|busy|echo|accept|log")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch args[0] {
	case "start":
		e.dimension, e.keys = 16, map[string]bool{}
		server := httptest.NewServer(e)
		ts.Defer(server.Close)
		ts.Setenv("ENDPOINT", server.URL+"/v1")
	case "dimension":
		e.dimension = number(ts, args[1])
	case "refuse", "choosy", "busy", "echo", "accept":
		e.refuses, e.choosy, e.busy, e.echoes = args[0] == "refuse", args[0] == "choosy", args[0] == "busy", args[0] == "echo"
	case "log":
		_, err := fmt.Fprintf(ts.Stdout(), "%d requests\n", e.requests)
		ts.Check(err)
		for key := range e.keys {
			_, err := fmt.Fprintf(ts.Stdout(), "%s\n", key)
			ts.Check(err)
		}
		e.requests, e.keys = 0, map[string]bool{}
	default:
		ts.Fatalf("endpoint %s is unknown", args[0])
	}
}

// ServeHTTP implements [http.Handler].
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	key := r.Header.Get("Authorization")
	e.keys[key] = true
	var in struct {
		Model string
		Input []string
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	switch {
	case err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "words":
		http.NotFound(w, r)
		return
	case e.busy:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case e.echoes:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"http://%s%s is refused, %q: %s"}}`, r.Host, r.URL, r.URL.Query(), r.URL.RawQuery)
		return
	case e.refuses, e.choosy && strings.Contains(strings.Join(in.Input, ""), " "):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"the key %s is not welcome"}}`, key)
		return
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []item `json:"data"`
	}
	for i, text := range in.Input {
		out.Data = append(out.Data, item{i, wordVector(text, e.dimension)})
	}
	_ = json.NewEncoder(w).Encode(out) // the client reports a failure
}

// wordVector counts the words of each topic.
func wordVector(text string, dimension int) []float32 {
	v := make([]float32, dimension)
	v[dimension-1] = 0.1 // so that no text is nothing
	for word := range strings.FieldsSeq(strings.ToLower(strings.Trim(text, "."))) {
		for i, line := range topics()[:2] {
			for known := range strings.FieldsSeq(line) {
				if known == word {
					v[i]++
				}
			}
		}
	}
	return v
}
