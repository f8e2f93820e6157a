// Package openai embeds texts with any server that implements OpenAI's embeddings
// endpoint: OpenAI, Ollama, vLLM, llama.cpp, LM Studio, text-embeddings-inference and
// others.
//
// It refuses an answer that does not fit the request beyond doubt: another number of
// vectors, another dimension, values that are not finite numbers. See package endpoint for
// what is sent where.
package openai

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/base/endpoint"
	"github.com/hippo-memory/hippo/internal/base/secret"
	"github.com/hippo-memory/hippo/internal/retrieval/embed"
)

const (
	// maxTexts is the largest number of texts in a request. Servers that accept fewer
	// refuse the request, which is then halved.
	maxTexts = 64
	// maxRunes is the length in characters from which a text is embedded in windows,
	// about 500 tokens: every model in use accepts that, and some servers, such as
	// Ollama, truncate longer texts silently.
	maxRunes = 2000
	// requestTimeout bounds a request; a batch on a slow CPU needs some seconds.
	requestTimeout = 30 * time.Second
)

// Config says which server and model to use. URL and Model are required.
type Config struct {
	// URL is the base address of the server, with or without /v1, or the whole address
	// with /embeddings: "http://127.0.0.1:11434", "https://api.openai.com/v1". The address of
	// Ollama's own route, /api/embed, stands for its server.
	URL string
	// Model is the server's name of the model.
	Model string
	// Key is sent as bearer token unless it is empty.
	Key secret.Value
	// Dimension is the length of a vector; a vector of another length is an error. If it
	// is 0, [Client.Wait] learns it from the server.
	Dimension int
	// Client sends the requests; nil means one like [http.DefaultClient]. Its
	// CheckRedirect is not used.
	Client *http.Client
}

// Client is an [embed.Waiter] over a server. It is safe for concurrent use. A call sends
// one request at a time.
type Client struct {
	server    *endpoint.Client
	name      string       // the server's name of the model
	dimension atomic.Int64 // 0 until it is known
}

// New returns a Client for a server, without a request. A Config that breaks a rule is
// a [hippo.ErrInvalid].
func New(c Config) (*Client, error) {
	switch {
	case strings.TrimSpace(c.Model) == "":
		return nil, hippo.Fieldf("Model", "must not be empty")
	case c.Dimension < 0:
		return nil, hippo.Fieldf("Dimension", "must not be negative, got %d", c.Dimension)
	}
	server, err := endpoint.New(endpoint.Config{
		Name: "openai", URL: serverOf(c.URL), Path: "/embeddings", Key: c.Key, URLField: "URL", KeyField: "Key", Client: c.Client,
	})
	if err != nil {
		return nil, err
	}
	client := &Client{server: server, name: c.Model}
	client.dimension.Store(int64(c.Dimension))
	return client, nil
}

// serverOf returns the URL without the route by which Ollama's own documentation embeds: every
// version that has it answers at /v1/embeddings as well.
func serverOf(url string) string {
	url = strings.TrimRight(strings.TrimSpace(url), "/")
	for _, own := range []string{"/api/embed", "/api/embeddings"} {
		if server, ok := strings.CutSuffix(url, own); ok {
			return server
		}
	}
	return url
}

// Model implements [embed.Embedder]. The ID and the space are "openai:HOST/MODEL". The
// dimension is 0 until it is known.
func (c *Client) Model() embed.Model {
	id := "openai:" + c.server.Host() + "/" + c.name
	return embed.Model{ID: id, Space: id, Dimension: int(c.dimension.Load())}
}

// Wait implements [embed.Waiter]: it requests a vector if the dimension is not known.
// The errors are those of [Client.Embed].
func (c *Client) Wait(ctx context.Context) error {
	if c.dimension.Load() > 0 {
		return nil
	}
	vectors, err := c.post(ctx, []string{"dimension"})
	if err != nil {
		return err
	}
	c.dimension.CompareAndSwap(0, int64(len(vectors[0])))
	return nil
}

// Embed implements [embed.Embedder]. A request that the server refuses as too large is
// halved; a text that is too long by itself is embedded in overlapping windows, and its
// vector is their mean. A text of white space gets a vector of zeros and is not sent.
// The role is not used: these servers have no prefixes.
//
// An error is a [hippo.ErrUnavailable] if the server cannot be reached, refuses the key,
// does not know the model or is busy; a [hippo.ErrInvalid] if it refuses the texts; a
// [hippo.ErrUnsupported] if it fails on them or its answer cannot be used; an
// [embed.ErrNotReady] if the dimension is not known; or that of ctx.
func (c *Client) Embed(ctx context.Context, _ embed.Role, texts []string) ([][]float32, error) {
	dimension := int(c.dimension.Load())
	if dimension == 0 {
		return nil, fmt.Errorf("openai: %s: the dimension is not known yet: %w", c.server.Host(), embed.ErrNotReady)
	}
	if err := ctx.Err(); err != nil {
		return nil, c.server.Cancelled(err)
	}
	out := make([][]float32, len(texts))
	var short []string
	var at []int // the places of the short texts
	for i, t := range texts {
		switch {
		case strings.TrimSpace(t) == "":
			out[i] = make([]float32, dimension)
		case len(t) > maxRunes && utf8.RuneCountInString(t) > maxRunes:
			v, err := c.windowed(ctx, t, maxRunes)
			if err != nil {
				return nil, err
			}
			out[i] = v
		default:
			short, at = append(short, t), append(at, i)
		}
	}
	vectors, err := c.batches(ctx, short, true)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		out[at[i]] = v
	}
	return out, nil
}

// batches returns the vectors of any number of texts. windows allows a text that the
// server refuses to be embedded in windows.
func (c *Client) batches(ctx context.Context, texts []string, windows bool) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for batch := range slices.Chunk(texts, maxTexts) {
		vectors, err := c.batch(ctx, batch, windows)
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	return out, nil
}

// batch returns the vectors of texts, in one request or, if the server refuses that, in
// two halves. Which limit a request breaks (texts, tokens of all, tokens of one, bytes)
// servers say in many ways, or not at all; so it does not matter here.
func (c *Client) batch(ctx context.Context, texts []string, windows bool) ([][]float32, error) {
	vectors, err := c.post(ctx, texts)
	if !isRefusal(err) {
		return vectors, err
	}
	if len(texts) == 1 {
		size := utf8.RuneCountInString(texts[0]) / 2
		if !windows || size < minWindow {
			return nil, err
		}
		v, smaller := c.windowed(ctx, texts[0], size)
		if isRefusal(smaller) {
			return nil, err
		}
		return [][]float32{v}, smaller
	}
	first, err := c.batch(ctx, texts[:len(texts)/2], windows)
	if err != nil {
		return nil, err
	}
	second, err := c.batch(ctx, texts[len(texts)/2:], windows)
	if err != nil {
		return nil, err
	}
	return append(first, second...), nil
}
