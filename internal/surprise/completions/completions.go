// Package completions asks a language model behind an OpenAI-compatible endpoint how badly it predicts a
// text: the legacy completions with echo and log probabilities, which vLLM, llama.cpp and others answer.
// Source of the request and the scale: the design of claude-hippo, May 2026.
package completions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/secret"
	"github.com/hippo-memory/hippo/internal/surprise"
)

const (
	// scale is the mean negative log likelihood, in nats a token, that counts as 1.
	scale = 6
	// unknown is the loss of a text of a single token, which has no context.
	unknown = .5
	// leastLoss is above 0, which says that there is none.
	leastLoss = 1e-6
	// requestTimeout bounds one request, retries the number of further ones after a failure of the
	// server or the network, which wait firstWait, and then twice as long each time, up to maxWait.
	requestTimeout = 5 * time.Second
	retries        = 3
	firstWait      = 200 * time.Millisecond
	maxWait        = 5 * time.Second
	// maxAnswer bounds an answer, in bytes, and maxPrompt a prompt.
	maxAnswer, maxPrompt = 8 << 20, 8192
	// maxQuoted is how much of an error of the server is repeated.
	maxQuoted = 200
	// pause is how long a server that failed is left alone, so that memories do not wait for it one
	// after the other.
	pause = time.Minute
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
	endpoint, key secret.Value
	secrets       []secret.Value
	host, name    string
	http          *http.Client
	timeout       time.Duration
	now           func() time.Time
	// failed is why the server is left alone until then.
	failed error
	until  time.Time
}

var _ surprise.Predictor = (*Client)(nil)

// New returns a Client, without a request. A Config that breaks a rule is a [hippo.ErrInvalid].
func New(c Config) (*Client, error) {
	u, err := url.Parse(strings.TrimSpace(c.URL))
	switch {
	case err != nil:
		return nil, hippo.Fieldf("prediction-loss", "must be a URL")
	case u.User != nil:
		return nil, hippo.Fieldf("prediction-loss", "must not hold a user or password")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, hippo.Fieldf("prediction-loss", "must be like http://127.0.0.1:8000/v1#MODEL, got %q", secret.RedactURL(c.URL))
	case strings.TrimSpace(c.Model) == "":
		return nil, hippo.Fieldf("prediction-loss", "must name a model after the #")
	}
	u.Fragment, u.RawFragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	if path == "" {
		path = "/v1"
	}
	u.Path, u.RawPath = strings.TrimSuffix(path, "/completions")+"/completions", ""
	out := &Client{
		endpoint: secret.New(u.String()), key: c.Key, secrets: append(secret.InURL(u), c.Key), host: strings.ToLower(u.Host), name: c.Model,
		http: withoutRedirects(c.Client), timeout: c.Timeout, now: c.Now,
	}
	if out.timeout <= 0 {
		out.timeout = requestTimeout
	}
	if out.now == nil {
		out.now = time.Now //nolint:forbidigo // the system clock is the default
	}
	return out, nil
}

// withoutRedirects returns a copy of c that follows no redirect, which could take the key and the texts anywhere.
func withoutRedirects(c *http.Client) *http.Client {
	var copied http.Client
	if c != nil {
		copied = *c
	}
	copied.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &copied
}

// Loss implements [surprise.Predictor]: the mean negative log likelihood of the tokens over 6 nats, at most
// 1. A server that failed is asked again after a minute, and its error is repeated until then.
func (c *Client) Loss(ctx context.Context, text string) (float64, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	if c.failed != nil && c.now().Before(c.until) {
		return 0, c.failed
	}
	loss, err := c.ask(ctx, text)
	if c.failed = nil; err != nil && ctx.Err() == nil {
		c.failed, c.until = err, c.now().Add(pause)
	}
	return loss, err
}

// ask sends a request, and sends it again after failures that may pass.
func (c *Client) ask(ctx context.Context, text string) (loss float64, err error) {
	wait := firstWait
	for attempt := 0; ; attempt++ {
		var again bool
		if loss, again, err = c.post(ctx, text); err == nil || !again || attempt == retries {
			return loss, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return 0, fmt.Errorf("completions: %s: %w", c.host, ctx.Err())
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

// post sends one request; again: the failure may pass.
func (c *Client) post(ctx context.Context, text string) (loss float64, again bool, err error) {
	body, err := json.Marshal(request{Model: c.name, Prompt: strings.ToValidUTF8(text[:min(len(text), maxPrompt)], ""), Echo: true, Logprobs: 1})
	if err != nil {
		return 0, false, fmt.Errorf("completions: request: %w", err)
	}
	attempt, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(attempt, http.MethodPost, c.endpoint.Reveal(), bytes.NewReader(body))
	if err != nil {
		return 0, false, c.fault(hippo.ErrInvalid, "the request cannot be made")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "hippo")
	if key := c.key.Reveal(); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return 0, true, c.broken(attempt, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch s := resp.StatusCode; {
	case err != nil:
		return 0, true, c.broken(attempt, err)
	case s != http.StatusOK:
		again = s == http.StatusTooManyRequests || s >= http.StatusInternalServerError
		return 0, again, c.fault(hippo.ErrUnavailable, fmt.Sprintf("%d %s: %s", s, http.StatusText(s), string(data[:min(len(data), maxQuoted)])))
	case len(data) > maxAnswer:
		return 0, false, c.fault(hippo.ErrUnsupported, fmt.Sprintf("the answer has more than %d bytes", maxAnswer))
	}
	loss, err = c.read(data)
	return loss, false, err
}

// read returns the loss that an answer says.
func (c *Client) read(data []byte) (float64, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return 0, c.fault(hippo.ErrUnsupported, "the answer is no JSON of completions: "+err.Error())
	}
	if len(a.Choices) == 0 || a.Choices[0].Logprobs == nil || len(a.Choices[0].Logprobs.Tokens) == 0 {
		return 0, c.fault(hippo.ErrUnsupported, "the answer has no log probabilities of the prompt: the server must support echo with logprobs")
	}
	sum, n := 0.0, 0
	for _, x := range a.Choices[0].Logprobs.Tokens {
		switch {
		case x == nil: // the first token has no context
		case math.IsNaN(*x) || *x > leastLoss:
			return 0, c.fault(hippo.ErrUnsupported, fmt.Sprintf("a log probability is %v, and must not be above 0", *x))
		default:
			sum -= *x
			n++
		}
	}
	if n == 0 {
		return unknown, nil
	}
	return min(max(sum/float64(n)/scale, leastLoss), 1), nil
}

// broken returns the error of a connection that failed.
func (c *Client) broken(attempt context.Context, err error) error {
	if attempt.Err() != nil {
		return c.fault(hippo.ErrUnavailable, fmt.Sprintf("no answer within %v", c.timeout))
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // its own text has the whole URL
	}
	return c.fault(hippo.ErrUnavailable, err.Error())
}

func (c *Client) fault(kind error, text string) error {
	return fmt.Errorf("%s: %s: %w", c.host, secret.Redact(text, c.secrets...), kind)
}
