package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The repository and revision of nomic, the model that the registry knows no sums
// of: any encoder with its dimension can take its place.
const (
	nomicPath      = "/nomic-ai/nomic-embed-text-v1.5/resolve/e9b6763023c676ca8431644204f50c2b100d9aab/"
	nomicDimension = 768
)

type hubKey struct{}

// hubServer plays the hub. It has nomic, and of all other models nothing but junk.
type hubServer struct {
	server *httptest.Server
	files  map[string][]byte

	mu    sync.Mutex
	fault string
	log   []string
	half  chan struct{} // closed when half a file was sent
}

// hubCommand plays the hub:
//
//	hub start         begins, and sets HUB to its address
//	hub fault KIND    from now on answers wrongly: corrupt (other bytes than those of
//	                  the checksum that it announces), hang (half of the weights, then nothing),
//	                  html (a web page), none (rightly)
//	hub half FILE     waits until half of the weights were sent and FILE has some of them
//	hub log           prints how many requests there were, and a line for each, and forgets them
func hubCommand(ts *testscript.TestScript, neg bool, args []string) {
	h, ok := ts.Value(hubKey{}).(*hubServer)
	if neg || !ok || len(args) == 0 {
		ts.Fatalf("usage: hub start|fault|half|log ...")
	}
	switch args[0] {
	case "start":
		var err error
		h.files, err = modelFiles(nomicDimension)
		ts.Check(err)
		h.half = make(chan struct{}, 1)
		h.server = httptest.NewServer(h)
		ts.Defer(func() {
			h.server.CloseClientConnections()
			h.server.Close()
		})
		ts.Setenv("HUB", h.server.URL)
	case "fault":
		h.setFault(args[1])
	case "half":
		<-h.half
		awaitContent(ts, ts.MkAbs(args[1]))
	case "log":
		lines := h.takeLog()
		_, err := fmt.Fprintf(ts.Stdout(), "%d requests\n%s\n", len(lines), strings.Join(lines, "\n"))
		ts.Check(err)
	default:
		ts.Fatalf("hub %s is unknown", args[0])
	}
}

// awaitContent waits until a file that another process writes is not empty: what
// was sent to a program is not yet what it has stored.
func awaitContent(ts *testscript.TestScript, path string) {
	for end := time.After(patience); ; {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		select {
		case <-end:
			ts.Fatalf("%s stays empty", path)
		case <-time.After(time.Millisecond):
		}
	}
}

func (h *hubServer) setFault(kind string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fault = kind
}

func (h *hubServer) takeLog() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := h.log
	h.log = nil
	return lines
}

// ServeHTTP implements [http.Handler].
func (h *hubServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, known := strings.CutPrefix(r.URL.Path, nomicPath)
	data, has := h.files[name]
	h.mu.Lock()
	fault := h.fault
	h.log = append(h.log, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
	h.mu.Unlock()
	if !known {
		data, has = []byte("{}"), !strings.Contains(r.URL.Path, "e5-base")
	}
	if !has {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	sum := sha256.Sum256(data)
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:])+`"`)
	switch weights := strings.HasSuffix(name, "safetensors"); {
	case fault == "html":
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>please log in</html>"))
		return
	case fault == "corrupt" && weights:
		data = bytes.Clone(data)
		data[len(data)-1] ^= 1
	case fault == "hang" && weights && r.Method == http.MethodGet:
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:len(data)/2])
		_ = http.NewResponseController(w).Flush()
		h.half <- struct{}{}
		<-r.Context().Done()
		return
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
