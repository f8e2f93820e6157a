package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
)

func TestDiskError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ err, want error }{
		{&fs.PathError{Op: "write", Err: syscall.EACCES}, hippo.ErrReadOnly},
		{fmt.Errorf("x: %w", fs.ErrNotExist), fs.ErrNotExist},
		{nil, nil},
	} {
		if got := diskError(c.err); !errors.Is(got, c.want) {
			t.Errorf("diskError(%v) = %v, want %v", c.err, got, c.want)
		}
	}
}

// TestToken checks where a token may go.
func TestToken(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base, to string
		want     bool
	}{
		{"https://hub.example", "https://hub.example/a", true},
		{"https://hub.example", "https://HUB.example/a", true},
		{"https://hub.example", "https://cdn.hub.example/a", false},
		{"https://hub.example", "https://hub.example:8443/a", false},
		{"https://hub.example", "http://hub.example/a", false},
		{"http://hub.example", "http://hub.example/a", false},
		{"http://127.0.0.1:80", "http://127.0.0.1:80/a", true},
		{"http://localhost", "http://localhost/a", true},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		var sent string
		b := &bearer{base: base, token: "t", next: roundTrip(func(r *http.Request) {
			sent = r.Header.Get("Authorization")
		})}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.to, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.RoundTrip(req); err != nil { //nolint:bodyclose // there is none
			t.Fatal(err)
		}
		if got := sent != ""; got != c.want {
			t.Errorf("from %s to %s: token sent: %t, want %t", c.base, c.to, got, c.want)
		}
	}
}

type roundTrip func(*http.Request)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		after, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"7", "", 7 * time.Second},
		{"-7", "", 0},
		{"9223372036854775807", "", (1 << 30) * time.Second},
		{"Sat, 21 Nov 2026 10:00:30 GMT", "Sat, 21 Nov 2026 10:00:00 GMT", 30 * time.Second},
		{"Sat, 21 Nov 2026 10:00:00 GMT", "Sat, 21 Nov 2026 10:00:30 GMT", 0},
		{"Sat, 21 Nov 2026 10:00:00 GMT", "", 0},
		{"soon", "", 0},
	} {
		h := http.Header{"Retry-After": {c.after}, "Date": {c.date}}
		if got := retryAfter(h); got != c.want {
			t.Errorf("retryAfter(%q at %q) = %v, want %v", c.after, c.date, got, c.want)
		}
	}
}

func TestContentRange(t *testing.T) {
	t.Parallel()
	if start, total, err := contentRange("bytes 5-9/10"); start != 5 || total != 10 || err != nil {
		t.Errorf("contentRange = %d, %d, %v", start, total, err)
	}
	for _, s := range []string{"", "bytes 5-9", "bytes 5-9/*", "bytes 5-8/10", "bytes 9-5/6", "bytes */10", "bytes -5-9/10", "items 0-9/10"} {
		if _, _, err := contentRange(s); !errors.Is(err, hippo.ErrUnavailable) {
			t.Errorf("contentRange(%q): %v, want unavailable", s, err)
		}
	}
}

// FuzzManifest checks that no manifest leads out of its folder.
func FuzzManifest(f *testing.F) {
	const sum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	file := func(name, size, sum string) string {
		return fmt.Sprintf(`{"format":1,"id":"a","repo":"b","revision":"c","files":[{"name":%q,"size":%s,"sha256":%q}]}`, name, size, sum)
	}
	for _, s := range []string{
		"", "{}", "[]", "null", `{"format":2}`, `{"format":1}`, `{"format":1,"files":[{}]}`, `{"format":1e9}`,
		file("config.json", "0", sum), file("../x", "0", sum), file(`..\x`, "0", sum), file("C:x", "1", sum), file("/x", "1", sum),
		file("a.partial", "1", sum), file("", "1", sum), file(".", "1", sum), file("x.", "1", sum), file("x\x00", "1", sum),
		file("x", "-1", sum), file("x", "1e99", sum), file("x", "1", strings.ToUpper(sum)), file("x", "1", ""),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data)
		if err != nil {
			if !errors.Is(err, hippo.ErrCorrupt) && !errors.Is(err, hippo.ErrUnsupported) {
				t.Errorf("the error is of no known kind: %v", err)
			}
			return
		}
		for _, f := range m.Files {
			if !filepath.IsLocal(f.Name) || filepath.Base(f.Name) != f.Name || strings.ContainsAny(f.Name, `/\:`) || f.Size < 0 || len(f.SHA256) != 64 {
				t.Errorf("the file %+v came through", f)
			}
		}
		dir := t.TempDir()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close() //nolint:errcheck // only what is in it counts
		if err := m.write(root); err != nil {
			t.Fatal(err)
		}
		back, err := readManifest(root)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(m) {
			t.Errorf("read back %v, %v, want %v", back, err, m)
		}
	})
}
