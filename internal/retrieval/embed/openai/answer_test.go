package openai_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
	"github.com/hippo-memory/hippo/internal/retrieval/embed/openai"
)

// faults are the recorded answers that are failures, and how they are classified.
func faults() map[string]struct {
	kind     error
	want     string
	requests int // for two texts; more than 1 if halves and windows are tried
} {
	return map[string]struct {
		kind     error
		want     string
		requests int
	}{
		"openai_401":         {hippo.ErrUnavailable, "401 Unauthorized: Incorrect API key provided: [redacted]. You can", 1},
		"openai_429":         {hippo.ErrUnavailable, "429 Too Many Requests: Rate limit reached", 1},
		"openai_400_long":    {hippo.ErrInvalid, "400 Bad Request: This model's maximum context length is 8192", 2},
		"ollama_404_model":   {hippo.ErrUnavailable, `404 Not Found at /v1/embeddings: model "all-minilm" not found, try pulling it first`, 1},
		"llamacpp_500_long":  {hippo.ErrUnsupported, "is too large to process", 2},
		"llamacpp_null":      {hippo.ErrUnsupported, "a vector has a number that is null", 1},
		"vllm_400_long":      {hippo.ErrInvalid, "maximum context length is 512", 2},
		"fastapi_422_input":  {hippo.ErrInvalid, "422 Unprocessable Entity: Input should be a valid string", 2},
		"lmstudio_200_error": {hippo.ErrUnsupported, "got 0 vectors for 2 texts: Unexpected endpoint", 1},
		"nginx_502":          {hippo.ErrUnavailable, "502 Bad Gateway: <html>", 1},
	}
}

func TestRecorded(t *testing.T) {
	t.Parallel()
	want := [][]float32{
		{-.2480440, -.1910251, .8608161, .4012222},
		{.1213192, -.4906205, .8309488, -.2325882},
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.http"))
	if err != nil || len(files) != len(faults())+2 {
		t.Fatalf("%d recordings (%v), want those of faults and two more", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".http")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requests := 0
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests++
				replay(t, w, name, testKey)
			}))
			got, err := open(t, config(s, 4)).Embed(t.Context(), embed.Passage, []string{"a", "b"})
			c, fails := faults()[name]
			if !fails {
				if diff := cmp.Diff(want, got, near()); err != nil || diff != "" {
					t.Errorf("got %v: %s", err, diff)
				}
				return
			}
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 400 {
				t.Errorf("got %v, want %v with %q", err, c.kind, c.want)
			}
			if requests != c.requests {
				t.Errorf("%d requests, want %d", requests, c.requests)
			}
		})
	}
}

func TestClient_refuses_answers(t *testing.T) {
	t.Parallel()
	const a, b = `{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[3,4]}`
	data := func(items ...string) string { return `{"data":[` + strings.Join(items, ",") + `]}` }
	vector := func(v string) string { return data(a, `{"index":1,"embedding":`+v+`}`) }
	for _, c := range []struct{ name, body, want string }{
		{"too_few", data(a), "got 1 vectors for 2 texts"},
		{"too_many", data(a, b, `{"index":2,"embedding":[5,6]}`), "got 3 vectors for 2 texts"},
		{"no_data", `{"data":null,"error":null}`, "got 0 vectors for 2 texts"},
		{"same_index", data(a, a), "index 0 of a vector is out of range or repeated"},
		{"no_index", data(a, `{"embedding":[3,4]}`), "a vector without index"},
		{"large_index", data(a, `{"index":2,"embedding":[3,4]}`), "index 2 of a vector"},
		{"negative_index", data(a, `{"index":-1,"embedding":[3,4]}`), "index -1 of a vector"},
		{"dimension", vector("[3,4,5]"), "vector 1 has 3 dimensions, want 2"},
		{"no_vector", data(a, `{"index":1}`), "vector 1 has 0 dimensions, want 2"},
		{"null_vector", vector("null"), "a number that is null"},
		{"nested_vector", vector("[[3,4]]"), "not a list of embeddings"},
		{"null_in_vector", vector("[3,null]"), "a number that is null"},
		{"infinite", vector("[3,1e99]"), "number 1e99"},
		{"overflow", vector("[3e38,3e38,3e38]"), "has 3 dimensions"},
		{"zero", vector("[0,-0.0]"), "vector 1 is all zero"},
		{"nan", vector("[NaN,1]"), "not a list of embeddings"},
		{"base64_too_short", vector(`"AACAPw=="`), "vector 1 has 1 dimensions, want 2"},
		{"base64_odd", vector(`"AACAPwA="`), "no number of 32-bit floats"},
		{"base64_nan", vector(`"AACAPwAAwH8="`), "vector 1 is all zero or overflows"},
		{"text", vector(`"one, two"`), "not a list of embeddings"},
		{"half", data(a, b)[:30], "not a list of embeddings"},
		{"empty", "", "not a list of embeddings"},
		{"html", "<html>" + strings.Repeat("x", 1000), "<html>x"},
		{"error", `{"error":{"message":"out of credit","code":402}}`, "for 2 texts: out of credit"},
		{"endless", strings.Repeat(" ", 2<<20), "more than 1572864 bytes"},
	} {
		s := answering(t, http.StatusOK, c.body)
		got, err := open(t, config(s, 2)).Embed(t.Context(), embed.Query, []string{"a", "b"})
		if !errors.Is(err, hippo.ErrUnsupported) || !strings.Contains(err.Error(), c.want) || got != nil || len(err.Error()) > 400 {
			t.Errorf("%s: got %v, %v, want unsupported with %q", c.name, got, err, c.want)
		}
	}
	s := answering(t, http.StatusOK, "{\"data\":[{\"embedding\":[ 3 ,\n\t4e0 ]}]}")
	if got, err := open(t, config(s, 2)).Embed(t.Context(), embed.Query, []string{"a"}); err != nil || fmt.Sprint(got) != "[[0.6 0.8]]" {
		t.Errorf("a single vector without index: got %v, %v", got, err)
	}
	s = answering(t, http.StatusOK, `{"data":[{"embedding":"AABAQAAAgEA="}]}`)
	if got, err := open(t, config(s, 2)).Embed(t.Context(), embed.Query, []string{"a"}); err != nil || fmt.Sprint(got) != "[[0.6 0.8]]" {
		t.Errorf("a vector in base64: got %v, %v", got, err)
	}
}

func TestClient_no_server(t *testing.T) {
	t.Parallel()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	client := open(t, openai.Config{URL: "http://" + address + "/secret-path", Model: "m", Dimension: 4})
	_, err = client.Embed(t.Context(), embed.Query, []string{"a"})
	if !errors.Is(err, hippo.ErrUnavailable) || !strings.Contains(err.Error(), address+": no answer: ") || strings.Contains(err.Error(), "secret-path") {
		t.Errorf("got %v, want unavailable with the address", err)
	}
}
