package hub_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hippo-memory/hippo/internal/retrieval/embed/hub"
)

const (
	repo     = "owner/tiny"
	revision = "0123456789abcdef"
)

// fault may answer the n-th request (from 1) for a file, and says whether it did.
type fault func(w http.ResponseWriter, r *http.Request, name string, n int) bool

// server plays the hub for one model.
type server struct {
	*httptest.Server
	files map[string][]byte

	mu    sync.Mutex
	plain bool
	fault fault
	seen  []http.Header
	asks  map[string]int
}

func content() map[string][]byte {
	weights := binary.LittleEndian.AppendUint64(nil, 2)
	weights = append(weights, "{}"...)
	weights = append(weights, bytes.Repeat([]byte("0123456789abcdef"), 60_000)...)
	return map[string][]byte{
		hub.ConfigFile:    []byte(`{"model_type":"bert","hidden_size":8,"max_position_embeddings":512}`),
		hub.TokenizerFile: []byte(`{"model":{"type":"WordPiece","vocab":{"a":0}}}`),
		hub.WeightsFile:   weights,
	}
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{files: content(), asks: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	name, ok := strings.CutPrefix(r.URL.Path, "/"+repo+"/resolve/"+revision+"/")
	data, has := s.files[name]
	if !ok || !has {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, r.Header.Clone())
	s.asks[name]++
	n, plain, wrong := s.asks[name], s.plain, s.fault
	s.mu.Unlock()
	if wrong != nil && wrong(w, r, name, n) {
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if w.Header().Get("ETag") == "" {
		tag := sum(data)
		if plain {
			tag = tag[:40]
		}
		w.Header().Set("ETag", `"`+tag+`"`)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// setPlain has the hub keep files outside large storage: no sums as tags.
func (s *server) setPlain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plain = true
}

// setFault has f answer from now on; nil is a hub that is well.
func (s *server) setFault(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// put sends data; a client that is gone already is not this side's business.
func put(w http.ResponseWriter, data []byte) {
	_, _ = w.Write(data)
}

// putOpen sends data without saying how much it is.
func putOpen(w http.ResponseWriter, data []byte) {
	_ = http.NewResponseController(w).Flush()
	put(w, data)
}

// putPart sends the beginning of data and says that it is all of it.
func putPart(w http.ResponseWriter, data []byte, n int) {
	w.Header().Set("ETag", `"`+sum(data)+`"`)
	w.Header().Set("Content-Length", itoa(len(data)))
	put(w, data[:n])
	_ = http.NewResponseController(w).Flush()
}

// count is the number of requests for a file so far.
func (s *server) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asks[name]
}

// headers are those of all requests so far.
func (s *server) headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]http.Header(nil), s.seen...)
}

// tiny is the model, as a registry that knows no sums has it.
func tiny() hub.Spec {
	return hub.Spec{
		ID: "tiny", Aliases: []string{"small"}, Repo: repo, Revision: revision,
		Files:     []hub.File{{Name: hub.ConfigFile}, {Name: hub.TokenizerFile}, {Name: hub.WeightsFile}},
		Dimension: 8, Size: 1_000_000, Encoding: hub.Encoding{Pooling: hub.Mean, MaxTokens: 512},
	}
}

// pinned is the model, as a registry that knows all has it.
func pinned() hub.Spec {
	s := tiny()
	for i, f := range s.Files {
		data := content()[f.Name]
		s.Files[i] = hub.File{Name: f.Name, Size: int64(len(data)), SHA256: sum(data)}
	}
	return s
}

func newCache(t *testing.T, s hub.Spec) *hub.Cache {
	t.Helper()
	return cacheIn(filepath.Join(t.TempDir(), "models"), s)
}

func cacheIn(dir string, s hub.Spec) *hub.Cache {
	return hub.New(&hub.Options{
		Dir:    dir,
		Specs:  []hub.Spec{{ID: hub.Builtin}, s},
		Getenv: func(string) string { return "" },
	})
}

func (s *server) options() *hub.PullOptions {
	return &hub.PullOptions{Endpoint: s.URL, Pause: time.Millisecond, Client: s.Client()}
}

// half sends the first half of what was asked for and hangs up.
func half(w http.ResponseWriter, data []byte) {
	putPart(w, data, len(data)/2)
	panic(http.ErrAbortHandler)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// folder is a directory with the model's files.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "converted")
	for name, data := range files {
		write(t, filepath.Join(dir, name), data)
	}
	return dir
}

// check fails the test unless the files of the model are those of the server.
func check(t *testing.T, l hub.Local) {
	t.Helper()
	for name, want := range content() {
		got, err := os.ReadFile(filepath.Join(l.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s has %d bytes, want the %d of the hub", name, len(got), len(want))
		}
	}
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 4 {
		t.Errorf("the folder has %v, want 3 files and the manifest", entries)
	}
}
