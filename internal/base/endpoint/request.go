package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/secret"
)

const (
	// maxError bounds the bytes that are read of the body of an error, maxQuoted those that an error of this package
	// repeats.
	maxError  = 64 << 10
	maxQuoted = 200
)

// Fault is the failure of a request.
type Fault struct {
	text string // without secrets
	kind error  // a sentinel of package hippo
	// Refusal says that the server read the request and did not process its texts: fewer or shorter ones may succeed.
	Refusal bool
	// Passing says that the same request may succeed later.
	Passing bool
}

func (f *Fault) Error() string { return f.text + ": " + f.kind.Error() }
func (f *Fault) Unwrap() error { return f.kind }

// Fault returns a failure with an explanation, which may be empty or hold secrets.
func (c *Client) Fault(kind error, what, explanation string) *Fault {
	text := c.name + ": " + c.host + ": " + what
	if explanation = quoted(secret.Redact(explanation, c.secrets...)); explanation != "" {
		text += ": " + explanation
	}
	return &Fault{text: text, kind: kind}
}

// Cancelled returns the error of a context as one of the server.
func (c *Client) Cancelled(err error) error { return fmt.Errorf("%s: %s: %w", c.name, c.host, err) }

// Post sends a request and returns the answer to it, of up to limit bytes. The error is a [Fault], or that of ctx. A
// request takes up to timeout.
func (c *Client) Post(ctx context.Context, timeout time.Duration, request any, limit int64) ([]byte, error) {
	body, err := json.Marshal(request)
	if err != nil {
		return nil, fmt.Errorf("%s: request: %w", c.name, err)
	}
	attempt, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(attempt, http.MethodPost, c.endpoint.Reveal(), bytes.NewReader(body))
	if err != nil {
		return nil, c.Fault(hippo.ErrInvalid, "request", "")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "hippo")
	if key := c.key.Reveal(); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
		if strings.HasSuffix(r.URL.Hostname(), ".azure.com") { // its deployments take a key in no other header
			r.Header.Set("Api-Key", key)
		}
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.broken(ctx, attempt, timeout, "no answer", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, c.status(ctx, resp)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, attempt, timeout, "the answer broke off", err)
	}
	if int64(len(answer)) > limit {
		return nil, c.Fault(hippo.ErrUnsupported, fmt.Sprintf("the answer has more than %d bytes", limit), "")
	}
	return answer, nil
}

// broken returns the error of a connection that failed.
func (c *Client) broken(ctx, attempt context.Context, timeout time.Duration, what string, err error) error {
	switch u, ok := errors.AsType[*url.Error](err); {
	case ctx.Err() != nil:
		return c.Cancelled(ctx.Err())
	case attempt.Err() != nil:
		return c.passing(what, fmt.Sprintf("took longer than %v", timeout))
	case ok:
		err = u.Err // its own text has the whole URL
	}
	return c.passing(what, err.Error())
}

// passing returns a failure of the network.
func (c *Client) passing(what, explanation string) error {
	f := c.Fault(hippo.ErrUnavailable, what, explanation)
	f.Passing = true
	return f
}

// status returns the error of an answer with a status other than 200.
func (c *Client) status(ctx context.Context, r *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxError)) // what can be read explains enough
	if ctx.Err() != nil {
		return c.Cancelled(ctx.Err())
	}
	what, text := strings.TrimSpace(fmt.Sprintf("%d %s", r.StatusCode, http.StatusText(r.StatusCode))), Explanation(body)
	switch s := r.StatusCode; {
	case s == http.StatusBadRequest, s == http.StatusRequestEntityTooLarge, s == http.StatusUnprocessableEntity:
		f := c.Fault(hippo.ErrInvalid, what, text)
		f.Refusal = true
		return f
	case s == http.StatusInternalServerError: // some answer so to a text that is too long
		f := c.Fault(hippo.ErrUnsupported, what, text)
		f.Refusal, f.Passing = true, true
		return f
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed: // the path may be the mistake
		what += " at " + secret.Redact(r.Request.URL.Path, c.secrets...)
	case s >= 300 && s < 400:
		text = "redirects are not followed"
		if to, err := r.Location(); err == nil {
			to.User, to.RawQuery, to.Fragment = nil, "", ""
			text += "; if this one is right, set the URL to " + to.String()
		}
	}
	f := c.Fault(hippo.ErrUnavailable, what, text)
	f.Passing = r.StatusCode == http.StatusTooManyRequests || r.StatusCode > http.StatusInternalServerError
	return f
}

// Explanation returns the message in the body of an error, whatever its shape:
//
//	{"error": {"message": "..."}}          OpenAI, Ollama, llama.cpp, vLLM
//	{"error": "..."}                       Ollama's own API, LM Studio
//	{"object": "error", "message": "..."}  older vLLM, Mistral
//	{"detail": [{"msg": "..."}]}           FastAPI
//
// Of anything else it returns the text.
func Explanation(body []byte) string {
	var v any
	if json.Unmarshal(body, &v) == nil {
		if text := message(v); text != "" {
			return text
		}
	}
	return string(body)
}

func message(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		if len(v) > 0 {
			return message(v[0])
		}
	case map[string]any:
		for _, key := range []string{"error", "message", "detail", "msg"} {
			if text := message(v[key]); text != "" {
				return text
			}
		}
	}
	return ""
}

// quoted returns the beginning of a text in one line.
func quoted(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.C, r) }), " ")
	if len(s) > maxQuoted {
		s = strings.ToValidUTF8(s[:maxQuoted], "") + "..."
	}
	return s
}
