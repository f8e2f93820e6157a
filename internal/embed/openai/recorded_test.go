package openai_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
)

// recordedOK lists the recordings of success; all hold the vectors of two texts.
func recordedOK() []string {
	return []string{"openai_ok", "openai_ok_base64", "ollama_ok", "vllm_ok", "llamacpp_ok", "infinity_ok", "tei_ok", "lmstudio_ok"}
}

// recordedFault is a recording of a failure and what becomes of it.
type recordedFault struct {
	name  string
	kind  error
	want  string // part of the error
	tries int    // requests for two texts; 1 if it is not retried
}

func recordedFaults() []recordedFault {
	const all = 3 // a try and two retries
	return []recordedFault{
		{"openai_401", hippo.ErrUnavailable, "401 Unauthorized: Incorrect API key provided: [redacted]. You can", 1},
		{"openai_404_model", hippo.ErrUnavailable, "404 Not Found at /v1/embeddings: The model `text-embedding-9` does not exist", 1},
		{"openai_429", hippo.ErrUnavailable, "429 Too Many Requests: Rate limit reached", all},
		{"openai_429_quota", hippo.ErrUnavailable, "You exceeded your current quota", 1},
		{"openai_400_empty", hippo.ErrInvalid, "'$.input' is invalid", 1},
		{"openai_400_long", hippo.ErrInvalid, "maximum context length is 8192", 2},
		{"openai_400_tokens", hippo.ErrInvalid, "max 300000 tokens", 2},
		{"openai_400_array", hippo.ErrInvalid, "array too long", 2},
		{"ollama_404_model", hippo.ErrUnavailable, `model "all-minilm" not found, try pulling it first`, 1},
		{"ollama_400_long", hippo.ErrInvalid, "exceeds the context length", 2},
		{"ollama_400_compat_long", hippo.ErrInvalid, "exceeds the context length", 2},
		{"ollama_500_nan", hippo.ErrUnsupported, "unsupported value: NaN", all},
		{"ollama_503_busy", hippo.ErrUnavailable, "server busy, please try again. maximum", all},
		{"vllm_400_long", hippo.ErrInvalid, "maximum context length is 512", 2},
		{"vllm_400_long_nested", hippo.ErrInvalid, "maximum context length is 512", 2},
		{"vllm_404_model", hippo.ErrUnavailable, "The model `x` does not exist.", 1},
		{"vllm_401", hippo.ErrUnavailable, "401 Unauthorized: Unauthorized", 1},
		{"llamacpp_500_long", hippo.ErrInvalid, "is too large to process", 2},
		{"llamacpp_400_long", hippo.ErrInvalid, "exceeds the available context size", 2},
		{"llamacpp_503_loading", hippo.ErrUnavailable, "503 Service Unavailable: Loading model", all},
		{"llamacpp_401", hippo.ErrUnavailable, "Invalid API Key", 1},
		{"llamacpp_501_off", hippo.ErrUnavailable, "Start it with `--embeddings`", all},
		{"llamacpp_pooling_none", hippo.ErrUnsupported, "item 0 of the vector is no number", 1},
		{"llamacpp_null", hippo.ErrUnsupported, "item 0 of the vector is no number", 1},
		{"tei_413_long", hippo.ErrInvalid, "must have less than 512 tokens", 2},
		{"tei_413_body", hippo.ErrInvalid, "length limit exceeded", 2},
		{"tei_422_batch", hippo.ErrInvalid, "batch size 64 > maximum allowed batch size 32", 2},
		{"tei_429_overloaded", hippo.ErrUnavailable, "Model is overloaded", all},
		{"tei_424_backend", hippo.ErrUnavailable, "424 Failed Dependency: Inference error: out of memory", 1},
		{"lmstudio_200_error", hippo.ErrUnsupported, "an error with status 200: Unexpected endpoint", 1},
		{"lmstudio_404_model", hippo.ErrUnavailable, "Model does not exist.", 1},
		{"mistral_400_tokens", hippo.ErrInvalid, "Too many tokens in batch", 2},
		{"dashscope_400_batch", hippo.ErrInvalid, "batch size is invalid", 2},
		{"infinity_422_format", hippo.ErrInvalid, "body.text.encoding_format Input should be 'float' or 'base64'", 2},
		{"infinity_404_path", hippo.ErrUnavailable, "404 Not Found at /v1/embeddings: Not Found", 1},
		{"fastapi_422_format", hippo.ErrInvalid, "body.encoding_format Extra inputs are not permitted", 2},
		{"fastapi_422_input", hippo.ErrInvalid, "body.input.0 Input should be a valid string", 1},
		{"nginx_413", hippo.ErrInvalid, `413 Request Entity Too Large: "<html>`, 2},
		{"nginx_502", hippo.ErrUnavailable, `502 Bad Gateway: "<html>`, all},
		{"portal_200_html", hippo.ErrUnsupported, `not JSON, it begins with "<!DOCTYPE html><html><head><title>Sign in`, 1},
	}
}

func TestRecorded_ok(t *testing.T) {
	t.Parallel()
	want := [][]float32{
		{-.2480440, -.1910251, .8608161, .4012222},
		{.1213192, -.4906205, .8309488, -.2325882},
	}
	for _, name := range recordedOK() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { replay(w, name, testKey) }))
			client, _ := open(t, configOf(s, 4))
			got, err := client.Embed(t.Context(), embed.Passage, []string{"a", "b"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, near()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRecorded_faults(t *testing.T) {
	t.Parallel()
	for _, c := range recordedFaults() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var tries atomic.Int64
			s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				tries.Add(1)
				replay(w, c.name, testKey)
			}))
			config := configOf(s, 4)
			config.Retries = 2
			client, naps := open(t, config)
			_, err := client.Embed(t.Context(), embed.Passage, []string{"a", "b"})
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q that is %v", err, c.want, c.kind)
			}
			if int(tries.Load()) != c.tries {
				t.Errorf("%d requests, want %d", tries.Load(), c.tries)
			}
			if retried := c.tries == 3; retried != (len(naps.taken) == 2) {
				t.Errorf("%d pauses", len(naps.taken))
			}
			if len(err.Error()) > 400 {
				t.Errorf("the error has %d bytes: %v", len(err.Error()), err)
			}
		})
	}
}

// TestRecorded_all are in one of the lists.
func TestRecorded_all(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, name := range recordedOK() {
		listed[name] = true
	}
	for _, f := range recordedFaults() {
		listed[f.name] = true
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.http"))
	if err != nil || len(files) != len(listed) {
		t.Errorf("%d recordings, %d listed, %v", len(files), len(listed), err)
	}
	for name := range listed {
		if _, err := os.Stat(filepath.Join("testdata", name+".http")); err != nil {
			t.Error(err)
		}
	}
}
