package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/embed/openai"
	"github.com/hippo-memory/hippo/internal/secret"
)

// shown returns v in every form that logs and errors have.
func shown(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&b, verb+"\n", v)
	}
	slog.New(slog.NewTextHandler(&b, nil)).Info("text", "value", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("json", "value", v)
	data, err := json.Marshal(v)
	if _, ok := errors.AsType[*json.UnsupportedTypeError](err); err != nil && !ok {
		t.Error(err)
	}
	b.Write(data)
	return b.String()
}

// leaks tells whether text has the key or a good part of it, also in hexadecimal.
func leaks(text string) bool {
	const part = 12
	for i := 0; i+part <= len(testKey); i++ {
		if p := testKey[i : i+part]; strings.Contains(text, p) || strings.Contains(text, fmt.Sprintf("%x", p)) {
			return true
		}
	}
	return false
}

// TestClient_is_not_shown formats what holds the secrets.
func TestClient_is_not_shown(t *testing.T) {
	t.Parallel()
	config := openai.Config{URL: "http://127.0.0.1:1?api_key=" + testKey, Model: "m", Dimension: 3, Key: secret.New(testKey)}
	client, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if text := shown(t, client); leaks(text) {
		t.Errorf("the client shows the key: %s", text)
	}
	if text := shown(t, config.Key); leaks(text) {
		t.Errorf("the key is shown: %s", text)
	}
}

// TestKey_is_not_shown has servers say the key in all that a client reads.
func TestKey_is_not_shown(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 190) // puts the key where texts are cut
	handlers := map[string]http.HandlerFunc{}
	for _, code := range []int{200, 302, 307, 400, 401, 404, 413, 422, 429, 500, 503} {
		for kind, body := range map[string]string{
			"text":    testKey,
			"at_cut":  long + testKey,
			"message": `{"error":{"message":"` + long + testKey + `","type":"` + testKey + `","code":"` + testKey + `"}}`,
			"string":  `{"error":"` + testKey + `"}`,
			"object":  `{"object":"error","message":"` + testKey + `"}`,
			"detail":  `{"detail":[{"loc":["` + testKey + `"],"msg":"` + testKey + `"}]}`,
			"shape":   `{"data":"` + testKey + `"}`,
			"vector":  `{"data":[{"index":0,"embedding":["` + testKey + `"]}]}`,
			"base64":  `{"data":[{"index":0,"embedding":"` + testKey + `"}]}`,
		} {
			handlers[fmt.Sprint(code, "_", kind)] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/"+strings.Repeat("y", 120)+testKey+"?key="+testKey)
				w.WriteHeader(code)
				_, _ = io.WriteString(w, body)
			}
		}
	}
	handlers["aborted"] = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, f := range recordedFaults() {
		handlers[f.name] = func(w http.ResponseWriter, _ *http.Request) { replay(w, f.name, testKey) }
	}
	for name, h := range handlers {
		for _, place := range []string{"header", "query"} {
			t.Run(name+"/"+place, func(t *testing.T) {
				t.Parallel()
				s := serve(t, h)
				config := configOf(s, 0)
				config.Retries = -1
				if place == "query" {
					config.Key, config.URL = secret.Value{}, config.URL+"/v1?version=1&api_key="+testKey
				}
				config.Model = testModel
				unknown, err := openai.New(config)
				if err != nil {
					t.Fatal(err)
				}
				if err = unknown.Wait(t.Context()); err == nil {
					t.Fatal("want an error")
				}
				config.Dimension = 4
				client, _ := open(t, config)
				_, err2 := client.Embed(t.Context(), embed.Query, []string{"a", "b"})
				if err2 == nil {
					t.Fatal("want an error")
				}
				for _, v := range []any{err, err2, client} {
					if text := shown(t, v); leaks(text) {
						t.Errorf("the key is shown: %s", text)
					}
				}
			})
		}
	}
}

func TestClient_follows_no_redirect(t *testing.T) {
	t.Parallel()
	for _, code := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			other := newBackend(t)
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, other.server.URL+"/elsewhere?token=1", code)
			}))
			config := configOf(s, backendDimension)
			config.Client = &http.Client{
				Transport:     s.Client().Transport,
				CheckRedirect: func(*http.Request, []*http.Request) error { return nil },
			}
			client, naps := open(t, config)
			_, err := client.Embed(t.Context(), embed.Query, []string{"a"})
			want := "set the URL to " + other.server.URL + "/elsewhere:"
			if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want an ErrUnavailable with %q", err, want)
			}
			if other.count() != 0 || len(naps.taken) != 0 {
				t.Errorf("%d requests to the other host, %d pauses", other.count(), len(naps.taken))
			}
		})
	}
}

// serveTLS is serve with a certificate that nobody knows.
func serveTLS(t testing.TB, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}
