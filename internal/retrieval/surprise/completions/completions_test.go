package completions_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise/completions"
)

func serve(t *testing.T, answer http.HandlerFunc) (*completions.Client, *int) {
	t.Helper()
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	c, err := completions.New(completions.Config{
		URL: s.URL + "/v1?token=QUERYSECRET", Model: "m", Key: secret.New("KEYSECRET"), Client: s.Client(), Timeout: 200 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, &requests
}

func TestLoss(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body string
		want       float64
	}{
		{"mean over the scale", `{"choices":[{"logprobs":{"token_logprobs":[null,-1.5,-4.5]}}]}`, .5},
		{"capped", `{"choices":[{"logprobs":{"token_logprobs":[null,-30]}}]}`, 1},
		{"one token", `{"choices":[{"logprobs":{"token_logprobs":[null]}}]}`, .5},
		{"certain", `{"choices":[{"logprobs":{"token_logprobs":[null,0]}}]}`, 1e-6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got map[string]any
			c, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/v1/completions" || r.Header.Get("Authorization") != "Bearer KEYSECRET" {
					t.Errorf("got %v with %v", r.URL, r.Header)
				}
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				_, _ = w.Write([]byte(tc.body))
			})
			loss, err := c.Loss(t.Context(), "some text")
			if err != nil || math.Abs(loss-tc.want) > 1e-9 {
				t.Errorf("got %v (%v), want %v", loss, err, tc.want)
			}
			if got["prompt"] != "some text" || got["echo"] != true || got["max_tokens"] != 0. || got["logprobs"] != 1. || got["temperature"] != 0. {
				t.Errorf("request: %v", got)
			}
		})
	}
	c, requests := serve(t, func(http.ResponseWriter, *http.Request) {})
	if loss, err := c.Loss(t.Context(), "  "); loss != 0 || err != nil || *requests != 0 {
		t.Errorf("blank: %v (%v) after %d requests", loss, err, *requests)
	}
}

// Whatever a server does, the error says what is wrong, repeats no secret, and the server is left alone for a while.
func TestLoss_Faults(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body string
		status     int
		kind       error
		want       string
		requests   int
	}{
		{"no log probabilities", `{"choices":[{"text":"x","logprobs":null}]}`, 200, hippo.ErrUnsupported, "no log probabilities", 1},
		{"no choices", `{}`, 200, hippo.ErrUnsupported, "no log probabilities", 1},
		{"no JSON", `<html>QUERYSECRET`, 200, hippo.ErrUnsupported, "no JSON", 1},
		{"a lie", `{"choices":[{"logprobs":{"token_logprobs":[null,7]}}]}`, 200, hippo.ErrUnsupported, "must not be above 0", 1},
		{"refused", `bad key KEYSECRET`, 401, hippo.ErrUnavailable, "401 Unauthorized", 1},
		{"redirected", ``, 302, hippo.ErrUnavailable, "302", 1},
		{"overloaded", `later`, 503, hippo.ErrUnavailable, "503", 4},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			for range 2 {
				loss, err := c.Loss(t.Context(), "text")
				if loss != 0 || !errors.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SECRET") {
					t.Errorf("got %v (%v)", loss, err)
				}
			}
			if *requests != tc.requests {
				t.Errorf("%d requests, want %d", *requests, tc.requests)
			}
		})
	}
}

func TestLoss_Hangs(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // else the server does not notice that the client is gone
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := c.Loss(ctx, "text"); err == nil {
		t.Error("no error")
	}
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []completions.Config{{URL: "ftp://h", Model: "m"}, {URL: "http://h"}, {URL: "http://a:b@h", Model: "m"}, {URL: "http://%zz", Model: "m"}} {
		if _, err := completions.New(c); !errors.Is(err, hippo.ErrInvalid) || !strings.Contains(err.Error(), "prediction-loss") {
			t.Errorf("%v: got %v", c.URL, err)
		}
	}
}
