package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

// leaks reports whether v, formatted, shows a good part of the key.
func leaks(v any) bool {
	text := fmt.Sprintf("%v %+v %#v %s %q", v, v, v, v, v)
	const part = 12
	for i := 0; i+part <= len(testKey); i++ {
		if strings.Contains(text, testKey[i:i+part]) {
			return true
		}
	}
	return false
}

// Servers repeat the key, in the header or in the query of the URL, in every place that
// a client reads; neither errors nor the client show it.
func TestClient_shows_no_key(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 190) // puts the key where errors are cut off
	bodies := map[string]string{
		"text":    long + testKey,
		"url":     "POST http://127.0.0.1/v1/embeddings?version=1&api_key=" + testKey,
		"message": `{"error":{"message":"` + long + testKey + `"}}`,
		"string":  `{"error":"` + testKey + `"}`,
		"detail":  `{"detail":[{"loc":["` + testKey + `"],"msg":"` + testKey + `"}]}`,
		"shape":   `{"data":"` + testKey + `"}`,
		"vector":  `{"data":[{"index":0,"embedding":["` + testKey + `"]}]}`,
	}
	for _, code := range []int{200, 302, 400, 401, 404, 413, 422, 429, 500, 503} {
		for name, body := range bodies {
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/"+strings.Repeat("y", 120)+testKey+"?key="+testKey)
				w.WriteHeader(code)
				_, _ = io.WriteString(w, body) // the client reports what it got
			}))
			inHeader, inQuery := config(s, 0), config(s, 0)
			inQuery.Key, inQuery.URL = secret.Value{}, s.URL+"/v1?version=1&api_key="+testKey
			for _, c := range []int{0, 4} {
				inHeader.Dimension, inQuery.Dimension = c, c
				for _, client := range []embed.Waiter{open(t, inHeader), open(t, inQuery)} {
					err := client.Wait(t.Context())
					if c > 0 {
						_, err = client.Embed(t.Context(), embed.Query, []string{"a", "b"})
					}
					if err == nil || leaks(err) || leaks(client) {
						t.Errorf("%d %s: want an error that shows no key, got %v from %+v", code, name, err, client)
					}
				}
			}
		}
	}
}

func TestClient_follows_no_redirect(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		other := newFake(t)
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.server.URL+"/elsewhere?token=1", code)
		}))
		c := config(s, dimension)
		c.Client = &http.Client{
			Transport:     s.Client().Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return nil },
		}
		_, err := open(t, c).Embed(t.Context(), embed.Query, []string{"a"})
		want := "set the URL to " + other.server.URL + "/elsewhere:"
		if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), want) || other.count() != 0 {
			t.Errorf("%d: got %v, want unavailable with %q and no request there", code, err, want)
		}
	}
}
