package openai

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/hippo-memory/hippo"
)

const (
	// firstPause and maxPause bound the time between attempts, which doubles.
	// A minute is the longest that rate limits per minute ask for.
	firstPause = 500 * time.Millisecond
	maxPause   = time.Minute
	// maxFault is how much is read of the body of an error.
	maxFault = 64 << 10
	// maxAnswer and maxVector bound what is read of an answer: 8,192 numbers of 25
	// characters and the space around them for each vector.
	maxAnswer = 1 << 20
	maxVector = 256 << 10
)

// request returns the vectors of texts, which go in one request.
func (c *Client) request(ctx context.Context, texts []string) ([][]float32, error) {
	plain := c.plain.Load()
	data, err := c.persist(ctx, texts, plain)
	if f, ok := errors.AsType[*fault](err); ok && f.format && !plain {
		c.plain.Store(true)
		data, err = c.persist(ctx, texts, true)
	}
	if err != nil {
		return nil, err
	}
	vectors, err := decode(data, len(texts), int(c.dim.Load()))
	if err == nil {
		return vectors, nil
	}
	text := cut(c.redact(err.Error()))
	if errors.Is(err, errNotJSON) {
		text += fmt.Sprintf(", it begins with %q", cut(c.redact(string(data))))
	}
	return nil, &fault{host: c.host, what: "model " + c.config.Model, text: text, kind: hippo.ErrUnsupported}
}

// persist sends a request as often as it takes, and returns the answer.
func (c *Client) persist(ctx context.Context, texts []string, plain bool) ([]byte, error) {
	body, err := encode(c.config.Model, texts, plain)
	if err != nil {
		return nil, err
	}
	limit := int64(maxAnswer + maxVector*len(texts))
	for attempt := 0; ; attempt++ {
		data, err := c.send(ctx, body, limit)
		f, ok := errors.AsType[*fault](err)
		if !ok || !f.again || attempt == c.config.Retries {
			return data, err
		}
		if err := c.config.Sleep(ctx, pause(attempt, f.after)); err != nil {
			return nil, fmt.Errorf("openai: %s: waiting to try again after %s: %w", c.host, f.what, err)
		}
	}
}

// encode returns the body of a request.
func encode(model string, texts []string, plain bool) ([]byte, error) {
	r := struct {
		Model  string   `json:"model"`
		Input  []string `json:"input"`
		Format string   `json:"encoding_format,omitempty"`
	}{model, texts, "float"}
	if plain {
		r.Format = ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // which would make code half as long again
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("openai: request: %w", err)
	}
	return b.Bytes(), nil
}

// pause returns how long to wait after the given attempt: what the server asks
// for, or half to one and a half times 2^attempt, so that clients spread.
func pause(attempt int, after time.Duration) time.Duration {
	if after > 0 {
		return after
	}
	d := min(firstPause<<min(attempt, 16), maxPause)
	return min(d/2+rand.N(d), maxPause)
}

// send makes one attempt.
func (c *Client) send(ctx context.Context, body []byte, limit int64) ([]byte, error) {
	attempt, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(attempt, http.MethodPost, c.endpoint.Reveal(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("openai: %s: request: %w", c.host, hippo.ErrInvalid)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "hippo")
	if key := c.config.Key.Reveal(); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.broken(ctx, attempt, "no answer", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		// What can be read of the body is good enough to explain.
		data, _ := io.ReadAll(io.LimitReader(resp.Body, maxFault))
		if ctx.Err() != nil {
			return nil, c.ended(ctx.Err())
		}
		return nil, c.judge(resp, data)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, attempt, "the answer broke off", err)
	}
	if int64(len(data)) > limit {
		return nil, &fault{host: c.host, what: fmt.Sprintf("the answer has more than %d bytes", limit), kind: hippo.ErrUnsupported}
	}
	return data, nil
}

// broken returns the error of a connection that failed.
func (c *Client) broken(ctx, attempt context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return c.ended(ctx.Err())
	}
	f := &fault{host: c.host, what: what, kind: hippo.ErrUnavailable, again: true}
	if attempt.Err() != nil {
		f.text = fmt.Sprintf("took longer than %v", c.config.Timeout)
		return f
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // its text has the whole URL
	}
	f.text = cut(c.redact(err.Error()))
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		f.again = false
	}
	return f
}

// ended returns the error of a context that is over.
func (c *Client) ended(err error) error { return fmt.Errorf("openai: %s: %w", c.host, err) }
