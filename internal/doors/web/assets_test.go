package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestAssets: every file that a page names is there, may be kept for ever, and changes its name with its content.
func TestAssets(t *testing.T) {
	t.Parallel()
	s := open(t)
	b := s.owner()
	size := 0
	for _, path := range []string{"/", "/ui/status"} {
		p := b.open(path)
		names := make(map[string]bool)
		for _, tag := range []string{"script", "link"} {
			for _, n := range p.all(tag) {
				names[attribute(n, "src")+attribute(n, "href")] = true
			}
		}
		if len(names) < 4 {
			t.Errorf("%s names %v only", path, names)
		}
		for name := range names {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+name, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "identity")
			plain := s.browser().do(r)
			if plain.status != http.StatusOK || !strings.Contains(plain.header.Get("Cache-Control"), "immutable") || plain.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %d %v", name, plain.status, plain.header)
			}
			r.Header.Set("Accept-Encoding", "gzip")
			packed := s.browser().do(r)
			z, err := gzip.NewReader(strings.NewReader(packed.body))
			if err != nil {
				t.Fatal(err)
			}
			unpacked, err := io.ReadAll(z)
			if err != nil || !bytes.Equal(unpacked, []byte(plain.body)) || packed.header.Get("Content-Type") != plain.header.Get("Content-Type") {
				t.Errorf("%s: compressed it is something else (%v)", name, err)
			}
			if path == "/" {
				size += len(plain.body)
			}
		}
		size += len(p.body)
	}
	if size > 150<<10 {
		t.Errorf("two pages and what the first loads have %d bytes", size)
	}
	if p := b.open("/ui/static/style.css"); p.status != http.StatusNotFound {
		t.Errorf("without a hash: %d", p.status)
	}
}
