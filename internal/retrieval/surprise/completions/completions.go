// Package completions asks a language model behind an OpenAI-compatible endpoint how badly it predicts a
// text: the legacy completions with echo and log probabilities, which vLLM, llama.cpp and others answer.
// Source of the request and the scale: the design of claude-hippo, May 2026.
package completions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/endpoint"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/surprise"
)

const (
	// tolerance is how far above 0 a log probability may be.
	tolerance = 1e-6
	// requestTimeout bounds one request, retries the number of further ones after a failure of the
	// server or the network, which wait firstWait, and then twice as long each time, up to maxWait.
	requestTimeout = 5 * time.Second
	retries        = 3
	firstWait      = 200 * time.Millisecond
	maxWait        = 5 * time.Second
	// maxAnswer bounds an answer, in bytes, and maxPrompt a prompt.
	maxAnswer, maxPrompt = 8 << 20, 8192
)

// Config describes an endpoint.
type Config struct {
	// URL is the base address of the API, with or without its version; its query may hold a secret.
	URL string
	// Model is the server's name of the model.
	Model string
	Key   secret.Value
	// Client is the HTTP client; nil means one like [http.DefaultClient]. Its CheckRedirect is not used.
	Client *http.Client
	// Timeout of one request; 0 means five seconds.
	Timeout time.Duration
	// Now is the clock; nil means the system's.
	Now func() time.Time
}

// Client is a [surprise.Predictor] over a server. It is for one goroutine at a time.
type Client struct {
	server  *endpoint.Client
	name    string
	timeout time.Duration
	pause   surprise.Pause
}

var _ surprise.Predictor = (*Client)(nil)

// New returns a Client, without a request. A Config that breaks a rule is a [hippo.ErrInvalid].
func New(c Config) (*Client, error) {
	if strings.TrimSpace(c.Model) == "" {
		return nil, hippo.Fieldf("prediction-loss", "must name a model after the #")
	}
	server, err := endpoint.New(endpoint.Config{
		Name: "completions", URL: c.URL, Path: "/completions", Key: c.Key, URLField: "prediction-loss", KeyField: "HIPPO_PREDICTION_KEY", Client: c.Client,
	})
	if err != nil {
		return nil, err
	}
	out := &Client{server: server, name: c.Model, timeout: c.Timeout, pause: surprise.Pause{Now: c.Now}}
	if out.timeout <= 0 {
		out.timeout = requestTimeout
	}
	return out, nil
}

// Loss implements [surprise.Predictor]: the mean negative log likelihood of the tokens over 6 nats, at most
// 1. A server that failed is asked again after a minute, and its error is repeated until then.
func (c *Client) Loss(ctx context.Context, text string) (float64, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	return c.pause.Ask(ctx, func() (float64, error) { return c.ask(ctx, text) })
}

// ask sends a request, and sends it again after failures that may pass.
func (c *Client) ask(ctx context.Context, text string) (float64, error) {
	wait := firstWait
	r := request{Model: c.name, Prompt: strings.ToValidUTF8(text[:min(len(text), maxPrompt)], ""), Echo: true, Logprobs: 1}
	for attempt := 0; ; attempt++ {
		answer, err := c.server.Post(ctx, c.timeout, r, maxAnswer)
		if err == nil {
			return c.read(answer)
		}
		if f, ok := errors.AsType[*endpoint.Fault](err); !ok || !f.Passing || attempt == retries {
			return 0, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return 0, c.server.Cancelled(ctx.Err())
		}
		wait = min(2*wait, maxWait)
	}
}

// request is the body of a request: nothing is generated, and the log probabilities of the prompt come back.
type request struct {
	Model       string `json:"model"`
	Prompt      string `json:"prompt"`
	MaxTokens   int    `json:"max_tokens"`
	Echo        bool   `json:"echo"`
	Logprobs    int    `json:"logprobs"`
	Temperature int    `json:"temperature"`
}

// answer is the part of an answer that is read.
type answer struct {
	Choices []struct {
		Logprobs *struct {
			Tokens []*float64 `json:"token_logprobs"`
		} `json:"logprobs"`
	} `json:"choices"`
}

// read returns the loss that an answer says.
func (c *Client) read(data []byte) (float64, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return 0, c.server.Fault(hippo.ErrUnsupported, "the answer is no JSON of completions", err.Error())
	}
	if len(a.Choices) == 0 || a.Choices[0].Logprobs == nil || len(a.Choices[0].Logprobs.Tokens) == 0 {
		return 0, c.server.Fault(hippo.ErrUnsupported, "the answer has no log probabilities of the prompt: the server must support echo with logprobs", "")
	}
	sum, n := 0.0, 0
	for _, x := range a.Choices[0].Logprobs.Tokens {
		switch {
		case x == nil: // the first token has no context
		case math.IsNaN(*x) || *x > tolerance:
			return 0, c.server.Fault(hippo.ErrUnsupported, fmt.Sprintf("a log probability is %v, and must not be above 0", *x), "")
		default:
			sum -= *x
			n++
		}
	}
	return surprise.LossOf(sum/float64(max(n, 1)), n), nil
}
