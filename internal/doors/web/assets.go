package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

// staticFiles are the styles, scripts and icon, with the licences of what others wrote.
//
//go:embed static
var staticFiles embed.FS

// assets serves static files under names with a hash of their content, so that browsers may keep them for ever.
type assets struct {
	paths  map[string]string // by the name of the file
	served map[string]asset  // by the name with the hash
}

// path returns where a file is served.
func (a *assets) path(name string) string { return a.paths[name] }

// asset is one file, also compressed.
type asset struct {
	kind       string
	body, gzip []byte
}

// newAssets hashes and compresses the files. Cost: some milliseconds.
func newAssets() *assets {
	a := &assets{paths: make(map[string]string), served: make(map[string]asset)}
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic(err) // embedded
	}
	kinds := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml", ".LICENSE": "text/plain; charset=utf-8",
	}
	for _, e := range entries {
		body, err := staticFiles.ReadFile("static/" + e.Name())
		if err != nil {
			panic(err) // embedded
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(e.Name())
		hashed := strings.TrimSuffix(e.Name(), ext) + "." + hex.EncodeToString(sum[:8]) + ext
		a.paths[e.Name()] = "/ui/static/" + hashed
		a.served[hashed] = asset{kinds[ext], body, compress(body)}
	}
	return a
}

func compress(body []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(body) // to RAM
	_ = w.Close()
	return b.Bytes()
}

// ServeHTTP serves a file to everyone.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := a.served[r.PathValue("name")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Vary", "Accept-Encoding")
	body := f.body
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.gzip
	}
	_, _ = w.Write(body) // the browser went away
}
