// Package openai provides an embedder over any server that speaks OpenAI's
// embeddings endpoint: OpenAI, Ollama, vLLM, llama.cpp, LM Studio,
// text-embeddings-inference and others.
//
// It refuses an answer that it cannot put in its place without doubt: too few or
// too many vectors, another dimension, numbers that are none, a body that is not
// JSON. It follows no redirect, so that texts and key go to the configured host
// and to no other.
//
// Invariant: the key is in the Authorization header of requests and nowhere else, and
// the query of the URL in their address; no error, log line or formatted value shows
// either.
package openai

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/embed"
	"github.com/hippo-memory/hippo/internal/secret"
)

// Defaults of [Config].
const (
	// DefaultBatch is below what the servers take that take the least but for
	// those that say so, to which the client adapts.
	DefaultBatch = 64
	// DefaultBatchBytes is some 64,000 tokens; OpenAI takes 300,000 in a request.
	DefaultBatchBytes = 256 << 10
	// DefaultTimeout is enough for a batch on a processor.
	DefaultTimeout = 30 * time.Second
	// DefaultRetries last some 7 seconds altogether.
	DefaultRetries = 4
)

// Config says which server and model to use. URL and Model are needed.
type Config struct {
	// URL is the base of the server with or without /v1, or all of it with
	// /embeddings: "http://127.0.0.1:11434", "https://api.openai.com/v1".
	URL string
	// Model is the server's name of the model.
	Model string
	// Key is sent as bearer token if there is one.
	Key secret.Value
	// Dimension is how many numbers a vector has; any other is an error. If it is
	// 0, [Client.Wait] asks the server for a vector and learns it.
	Dimension int
	// QueryPrefix and PassagePrefix are put before texts of these roles; before
	// sentences goes that of queries, as the models want it that have one.
	QueryPrefix, PassagePrefix string
	// MaxRunes is how long a text the model takes whole; of a longer one, pieces
	// are embedded. 0 leaves it to the server to complain. Some, such as Ollama,
	// cut texts off without a word; for these it should be set.
	MaxRunes int
	// Batch is the most texts of a request; [DefaultBatch] if it is 0.
	Batch int
	// BatchBytes is the most bytes of text of a request, but for a text that alone
	// has more; [DefaultBatchBytes] if it is 0.
	BatchBytes int
	// Timeout is how long one attempt of a request may take; [DefaultTimeout] if
	// it is 0.
	Timeout time.Duration
	// Retries is how often a request is sent again that failed for a reason that
	// may pass; [DefaultRetries] if it is 0, none if it is negative.
	Retries int
	// Client sends the requests; nil is one like [http.DefaultClient]. Its
	// CheckRedirect is not used.
	Client *http.Client
	// Sleep waits between attempts, and returns early with the error of a context
	// that ends; nil waits for real. Tests replace it.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Client is an [embed.Embedder]. It is safe for concurrent use, and Embed sends
// one request at a time.
type Client struct {
	config   Config
	endpoint secret.Value   // the URL, whose query may hold a key
	secrets  []secret.Value // what errors must not repeat
	host     string         // what errors call the server
	http     *http.Client
	id       string
	dim      atomic.Int64 // 0 until it is known
	most     atomic.Int64 // texts of a request, as far as the server takes them
	plain    atomic.Bool  // the server does not know encoding_format
}

// New returns a Client for a server, without a request. A Config that breaks a rule is
// a [hippo.ErrInvalid].
func New(c Config) (*Client, error) {
	u, err := endpoint(c.URL)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	c.Batch = cmp.Or(c.Batch, DefaultBatch)
	c.BatchBytes = cmp.Or(c.BatchBytes, DefaultBatchBytes)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	c.Retries = max(0, cmp.Or(c.Retries, DefaultRetries))
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	secrets := secret.InURL(u)
	if c.Key.Reveal() != "" {
		secrets = append([]secret.Value{c.Key}, secrets...)
	}
	c.URL = ""
	cl := &Client{config: c, endpoint: secret.New(u.String()), secrets: secrets, host: strings.ToLower(u.Host), http: direct(c.Client)}
	cl.most.Store(int64(c.Batch))
	cl.id = identity(cl.host, c)
	cl.dim.Store(int64(c.Dimension))
	return cl, nil
}

// Wait implements [embed.Waiter]: it asks for a vector if the dimension is not known.
// The errors are those of [Client.Embed].
func (c *Client) Wait(ctx context.Context) error {
	if c.dim.Load() > 0 {
		return nil
	}
	probe, err := c.request(ctx, []string{"dimension"})
	if err != nil {
		return err
	}
	c.dim.CompareAndSwap(0, int64(len(probe[0])))
	return nil
}

// check returns the first rule that c breaks.
func (c *Config) check() error {
	for _, n := range []struct {
		field string
		value int64
	}{
		{"Dimension", int64(c.Dimension)},
		{"MaxRunes", int64(c.MaxRunes)},
		{"Batch", int64(c.Batch)},
		{"BatchBytes", int64(c.BatchBytes)},
		{"Timeout", int64(c.Timeout)},
	} {
		if n.value < 0 {
			return hippo.Fieldf(n.field, "must not be negative, got %d", n.value)
		}
	}
	if strings.TrimSpace(c.Model) == "" {
		return hippo.Fieldf("Model", "must not be empty")
	}
	if strings.ContainsFunc(c.Key.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return hippo.Fieldf("Key", "must be of visible ASCII characters")
	}
	return nil
}

// identity names the model of c. Prefixes decide about vectors, so those that
// have some get a revision of their own.
func identity(host string, c Config) string {
	id := "openai:" + host + "/" + c.Model
	if c.QueryPrefix == "" && c.PassagePrefix == "" {
		return id
	}
	sum := sha256.Sum256([]byte(c.QueryPrefix + "\x00" + c.PassagePrefix))
	return id + "@" + hex.EncodeToString(sum[:4])
}

// version is a segment of a path that says which version of an interface is meant.
var version = regexp.MustCompile(`/v[0-9][0-9a-z]*(/|$)`)

// endpoint returns the URL that takes texts.
func endpoint(base string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	switch {
	case err != nil: // the error would quote the URL, and a password in it
		return nil, hippo.Fieldf("URL", "must be a URL")
	case u.User != nil:
		return nil, hippo.Fieldf("URL", "must not hold a user or password; give the key apart")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return nil, hippo.Fieldf("URL", "must be like http://127.0.0.1:11434/v1, got %q", secret.RedactURL(base))
	}
	u.Fragment, u.RawFragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, "/embeddings"):
	case version.MatchString(path):
		path += "/embeddings"
	default:
		path += "/v1/embeddings"
	}
	u.Path, u.RawPath = path, ""
	return u, nil
}

// redact returns text without the key and the secrets of the URL.
func (c *Client) redact(text string) string { return secret.Redact(text, c.secrets...) }

// direct returns a copy of c that follows no redirect: net/http would take the
// key along to a subdomain, and the texts anywhere.
func direct(c *http.Client) *http.Client {
	d := &http.Client{}
	if c != nil {
		*d = *c
	}
	d.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return d
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Model implements [embed.Embedder]. The ID and the space are
// "openai:HOST/MODEL", with "@" and a hash of the prefixes if there are any. The
// dimension is 0 until it is known.
func (c *Client) Model() embed.Model {
	return embed.Model{ID: c.id, Space: c.id, Dimension: int(c.dim.Load())}
}

// Embed implements [embed.Embedder]. Texts go in requests of a limited size; one
// that the server finds too large is cut in halves, and a text that is too long
// by itself into overlapping pieces whose vectors are averaged. A text of nothing
// but space gets a vector of zeros and is not sent.
//
// An error is a [hippo.ErrUnavailable] when the server cannot be reached, refuses
// the key, does not know the model or still asks for patience after the retries;
// a [hippo.ErrInvalid] when it refuses the texts; a [hippo.ErrUnsupported] when
// its answer cannot be used; or that of ctx.
func (c *Client) Embed(ctx context.Context, role embed.Role, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, c.ended(err)
	}
	dimension := c.Model().Dimension
	if dimension == 0 {
		return nil, fmt.Errorf("openai: %s: the dimension is not known yet: %w", c.host, embed.ErrNotReady)
	}
	out := make([][]float32, len(texts))
	var send []string
	var place []int
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			out[i] = make([]float32, dimension)
			continue
		}
		send, place = append(send, t), append(place, i)
	}
	vectors, err := c.texts(c.prefix(role)).embed(ctx, send)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		out[place[i]] = v
	}
	return out, nil
}

func (c *Client) prefix(role embed.Role) string {
	if role == embed.Passage {
		return c.config.PassagePrefix
	}
	return c.config.QueryPrefix
}
