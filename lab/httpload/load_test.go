package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is a server of SHODH REST and of MCP that may lose memories and refuse searches.
type fake struct {
	mu           sync.Mutex
	texts        map[string]string
	lose, refuse bool
	busy         int // the number of reads that are refused first
}

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/recall", func(w http.ResponseWriter, _ *http.Request) {
		if f.refuse {
			http.Error(w, "too many", http.StatusTooManyRequests)
		}
	})
	mux.HandleFunc("POST /api/remember", func(w http.ResponseWriter, r *http.Request) {
		var m struct{ Content string }
		if json.NewDecoder(r.Body).Decode(&m) != nil {
			http.Error(w, "no JSON", http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"id":%q}`, f.keep(m.Content))
	})
	mux.HandleFunc("GET /api/memories/{id}", func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.busy > 0 {
			f.busy--
			http.Error(w, "try again", http.StatusTooManyRequests)
			return
		}
		text, ok := f.texts[r.PathValue("id")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(object{"content": text})
	})
	mux.HandleFunc("POST /mcp", f.mcp)
	return mux
}

// keep keeps a text, or loses it if it is the first one, and returns its ID.
func (f *fake) keep(text string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id := fmt.Sprint("id", len(f.texts))
	f.texts[id] = text
	if f.lose && len(f.texts) == 1 {
		f.texts[id] = ""
	}
	return id
}

// mcp answers as an event stream, in a session.
func (f *fake) mcp(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     int
		Method string
		Params struct {
			Name      string
			Arguments struct {
				Content string
				UUIDs   []string
			}
		}
	}
	switch err := json.NewDecoder(r.Body).Decode(&m); {
	case err != nil, m.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != "s1":
		http.Error(w, "no session", http.StatusNotFound)
		return
	case m.ID == 0:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Mcp-Session-Id", "s1")
	result := object{}
	switch m.Params.Name {
	case "hippo_record_insight":
		result["_meta"] = object{"hippo": object{"ids": []string{f.keep(m.Params.Arguments.Content)}}}
	case "hippo_get":
		f.mu.Lock()
		result["content"] = f.texts[m.Params.Arguments.UUIDs[0]]
		f.mu.Unlock()
	}
	raw, _ := json.Marshal(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\nevent: message\ndata: %s\n\n", raw)
}

// TestLoad: a load that goes well is no error, and one in which answers are wrong or memories are lost is one.
func TestLoad(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		api  api
		fake *fake
		says string
	}{
		"well":    {shodh{}, &fake{}, ""},
		"mcp":     {mcp{}, &fake{}, ""},
		"lost":    {shodh{}, &fake{lose: true}, "want the content"},
		"refused": {shodh{}, &fake{refuse: true}, "429 too many"},
		"busy":    {shodh{}, &fake{busy: 3}, ""},
		"lostMCP": {mcp{}, &fake{lose: true}, "want the content"},
	} {
		tc.fake.texts = make(map[string]string)
		s := httptest.NewServer(tc.fake.handler())
		base, err := url.Parse(s.URL)
		if err != nil {
			t.Fatal(err)
		}
		o := options{base: base, api: tc.api, clients: 4, length: 50 * time.Millisecond, searches: .5, words: []string{"alpha", "beta", "gamma", "delta"}}
		_, err = o.load("")
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%s: got %v, want %q", name, err, tc.says)
		}
		s.Close()
	}
}

// TestLoad_NoServer: a server that is not there is an error, and not a load of 0 requests a second.
func TestLoad_NoServer(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	base, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	o := options{base: base, api: shodh{}, clients: 1, length: time.Millisecond, searches: .5, words: []string{"alpha", "beta"}}
	if _, err := o.load(""); err == nil {
		t.Error("there is no error")
	}
}
