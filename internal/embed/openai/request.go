package openai

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
	"unicode"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/secret"
)

const (
	// maxError bounds the bytes that are read of the body of an error, maxQuoted those
	// that an error of this package repeats.
	maxError  = 64 << 10
	maxQuoted = 200
	// maxAnswer and maxVector bound the bytes that are read of an answer: 8,192 numbers of
	// 25 characters, and the white space around them, for each vector.
	maxAnswer = 1 << 20
	maxVector = 256 << 10
)

// fault is the failure of a request.
type fault struct {
	text string // without secrets
	kind error  // a sentinel of package hippo
	// refusal says that the server read the request and did not process its texts: fewer
	// or shorter ones may succeed.
	refusal bool
}

func (f *fault) Error() string { return f.text + ": " + f.kind.Error() }
func (f *fault) Unwrap() error { return f.kind }

func isRefusal(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return ok && f.refusal
}

// fault returns a failure with an explanation, which may be empty or hold secrets.
func (c *Client) fault(kind error, what, explanation string) *fault {
	text := "openai: " + c.host + ": " + what
	if explanation = quoted(secret.Redact(explanation, c.secrets...)); explanation != "" {
		text += ": " + explanation
	}
	return &fault{text: text, kind: kind}
}

func (c *Client) cancelled(err error) error { return fmt.Errorf("openai: %s: %w", c.host, err) }

// post returns the vectors of texts, which it sends in one request.
func (c *Client) post(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(struct {
		Model string   `json:"model"`
		Input []string `json:"input"`
	}{c.name, texts})
	if err != nil {
		return nil, fmt.Errorf("openai: request: %w", err)
	}
	attempt, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(attempt, http.MethodPost, c.endpoint.Reveal(), bytes.NewReader(body))
	if err != nil {
		return nil, c.fault(hippo.ErrInvalid, "request", "")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "hippo")
	if key := c.key.Reveal(); key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, c.broken(ctx, attempt, "no answer", err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode != http.StatusOK {
		return nil, c.status(ctx, resp)
	}
	limit := int64(maxAnswer + maxVector*len(texts))
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, attempt, "the answer broke off", err)
	}
	if int64(len(answer)) > limit {
		return nil, c.fault(hippo.ErrUnsupported, fmt.Sprintf("the answer has more than %d bytes", limit), "")
	}
	vectors, err := decode(answer, len(texts), int(c.dimension.Load()))
	if err != nil {
		return nil, c.fault(hippo.ErrUnsupported, "model "+c.name, err.Error())
	}
	return vectors, nil
}

// broken returns the error of a connection that failed.
func (c *Client) broken(ctx, attempt context.Context, what string, err error) error {
	switch u, ok := errors.AsType[*url.Error](err); {
	case ctx.Err() != nil:
		return c.cancelled(ctx.Err())
	case attempt.Err() != nil:
		return c.fault(hippo.ErrUnavailable, what, fmt.Sprintf("took longer than %v", requestTimeout))
	case ok:
		err = u.Err // its own text has the whole URL
	}
	return c.fault(hippo.ErrUnavailable, what, err.Error())
}

// status returns the error of an answer with a status other than 200.
func (c *Client) status(ctx context.Context, r *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxError)) // what can be read explains enough
	if ctx.Err() != nil {
		return c.cancelled(ctx.Err())
	}
	what, text := strings.TrimSpace(fmt.Sprintf("%d %s", r.StatusCode, http.StatusText(r.StatusCode))), explanation(body)
	switch s := r.StatusCode; {
	case s == http.StatusBadRequest, s == http.StatusRequestEntityTooLarge, s == http.StatusUnprocessableEntity:
		f := c.fault(hippo.ErrInvalid, what, text)
		f.refusal = true
		return f
	case s == http.StatusInternalServerError: // some answer so to a text that is too long
		f := c.fault(hippo.ErrUnsupported, what, text)
		f.refusal = true
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
	return c.fault(hippo.ErrUnavailable, what, text)
}

// explanation returns the message in the body of an error, whatever its shape:
//
//	{"error": {"message": "..."}}          OpenAI, Ollama, llama.cpp, vLLM
//	{"error": "..."}                       Ollama's own API, LM Studio
//	{"object": "error", "message": "..."}  older vLLM, Mistral
//	{"detail": [{"msg": "..."}]}           FastAPI
//
// Of anything else it returns the text.
func explanation(body []byte) string {
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

// vector is a JSON list of numbers. Unlike a slice it does not read null as 0: some
// servers write NaN so.
type vector []float32

// UnmarshalJSON implements [json.Unmarshaler].
func (v *vector) UnmarshalJSON(data []byte) error {
	if bytes.Contains(data, []byte("null")) {
		return errors.New("a vector has a number that is null")
	}
	return json.Unmarshal(data, (*[]float32)(v))
}

// decode returns the n vectors of an answer in the order of the texts, each of length 1
// and of this dimension; 0 means any, but the same for all.
func decode(answer []byte, n, dimension int) ([][]float32, error) {
	var a struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("the answer is not a list of embeddings (%w): %s", err, answer)
	}
	if len(a.Data) != n { // gateways send errors with status 200
		return nil, fmt.Errorf("got %d vectors for %d texts: %s", len(a.Data), n, explanation(answer))
	}
	out := make([][]float32, n)
	for i, d := range a.Data {
		if d.Index != nil {
			i = *d.Index
		} else if n > 1 {
			return nil, errors.New("a vector without index")
		}
		if i < 0 || i >= n || out[i] != nil {
			return nil, fmt.Errorf("index %d of a vector is out of range or repeated, for %d texts", i, n)
		}
		if dimension == 0 {
			dimension = len(d.Embedding)
		}
		if len(d.Embedding) != dimension || dimension == 0 {
			return nil, fmt.Errorf("vector %d has %d dimensions, want %d", i, len(d.Embedding), dimension)
		}
		if !normalize(d.Embedding) {
			return nil, fmt.Errorf("vector %d is all zero or overflows", i)
		}
		out[i] = d.Embedding
	}
	return out, nil
}

// normalize scales v to length 1, and reports whether it can.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	length := math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) / length)
	}
	return true
}
