package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// api is an interface of the server. A method returns an error for any answer but that of success.
type api interface {
	// begin prepares a client.
	begin(c *client) error
	search(c *client, query string) error
	// record returns the ID of the memory that the server has acknowledged.
	record(c *client, text string) (id string, err error)
	// find looks for a memory that was recorded.
	find(c *client, id, text string) error
}

func apis() map[string]api { return map[string]api{"shodh": shodh{}, "rest": rest{}, "mcp": mcp{}} }

// client is a client with one connection that is kept alive.
type client struct {
	http        *http.Client
	base, token string
	session     string // of MCP
	id          int    // of the last message of MCP
}

// timeout is how long a client waits for an answer.
const timeout = 30 * time.Second

func (o *options) client() *client {
	return &client{
		http: &http.Client{Timeout: timeout, Transport: &http.Transport{
			MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, DialContext: (&net.Dialer{Timeout: timeout}).DialContext,
		}},
		base: o.base.String(), token: o.token,
	}
}

// do sends a request and returns the body of the answer, whose status must be the one that is wanted.
func (c *client) do(want int, method, path string, body any) ([]byte, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequest(method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	a, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close() //nolint:errcheck // it was read to its end
	text, err := io.ReadAll(a.Body)
	if err != nil {
		return nil, err
	}
	if a.StatusCode != want {
		err := fmt.Errorf("%s %s: %d %.200s", method, path, a.StatusCode, text)
		if a.StatusCode == http.StatusTooManyRequests {
			err = errors.Join(errBusy, err)
		}
		return nil, err
	}
	if id := a.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return text, nil
}

// content checks that the JSON object in an answer has a content.
func content(raw []byte, text string) error {
	var m struct{ Content string }
	if json.Unmarshal(raw, &m) != nil || m.Content != text {
		return fmt.Errorf("got %.200s, want the content %.80q", raw, text)
	}
	return nil
}

// object is a JSON object.
type object = map[string]any

// shodh is SHODH REST.
type shodh struct{}

func (shodh) begin(*client) error { return nil }

func (shodh) search(c *client, query string) error {
	_, err := c.do(http.StatusOK, http.MethodPost, "/api/recall", object{"query": query, "limit": 10})
	return err
}

func (shodh) record(c *client, text string) (string, error) {
	raw, err := c.do(http.StatusCreated, http.MethodPost, "/api/remember", object{"content": text})
	return idOf(raw, err)
}

func (shodh) find(c *client, id, text string) error {
	raw, err := c.do(http.StatusOK, http.MethodGet, "/api/memories/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	return content(raw, text)
}

// idOf returns the ID in an answer of either REST.
func idOf(raw []byte, err error) (string, error) {
	if err != nil {
		return "", err
	}
	var m struct {
		ID      string
		Insight struct{ UUID string }
	}
	if json.Unmarshal(raw, &m) != nil || m.ID+m.Insight.UUID == "" {
		return "", fmt.Errorf("there is no ID in %.200s", raw)
	}
	return m.ID + m.Insight.UUID, nil
}

// rest is the native REST.
type rest struct{}

func (rest) begin(*client) error { return nil }

func (rest) search(c *client, query string) error {
	_, err := c.do(http.StatusOK, http.MethodPost, "/api/v1/search", object{"query": query})
	return err
}

func (rest) record(c *client, text string) (string, error) {
	raw, err := c.do(http.StatusCreated, http.MethodPost, "/api/v1/memories", object{"content": text})
	return idOf(raw, err)
}

func (rest) find(c *client, id, text string) error {
	raw, err := c.do(http.StatusOK, http.MethodGet, "/api/v1/memories/"+url.PathEscape(id), nil)
	if err != nil {
		return err
	}
	return content(raw, text)
}

// mcp is MCP over streamable HTTP, in a session.
type mcp struct{}

func (mcp) begin(c *client) error {
	_, err := c.message("initialize", object{
		"protocolVersion": "2025-06-18", "capabilities": object{}, "clientInfo": object{"name": "httpload", "version": "1"},
	})
	if err != nil {
		return err
	}
	_, err = c.do(http.StatusAccepted, http.MethodPost, "/mcp", object{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return err
}

func (mcp) search(c *client, query string) error {
	_, err := c.tool("hippo_search_insights", object{"query": query})
	return err
}

func (mcp) record(c *client, text string) (string, error) {
	raw, err := c.tool("hippo_record_insight", object{"content": text, "situation": []string{"a measurement"}, "importance": .5})
	if err != nil {
		return "", err
	}
	var m struct {
		Result struct {
			Meta struct{ Hippo struct{ IDs []string } } `json:"_meta"`
		}
	}
	if json.Unmarshal(raw, &m) != nil || len(m.Result.Meta.Hippo.IDs) != 1 {
		return "", fmt.Errorf("there is no ID in %.200s", raw)
	}
	return m.Result.Meta.Hippo.IDs[0], nil
}

func (mcp) find(c *client, id, text string) error {
	raw, err := c.tool("hippo_get", object{"uuids": []string{id}})
	if err == nil && !bytes.Contains(raw, []byte(text)) {
		err = fmt.Errorf("got %.200s, want the content %.80q", raw, text)
	}
	return err
}

func (c *client) tool(name string, args object) ([]byte, error) {
	raw, err := c.message("tools/call", object{"name": name, "arguments": args})
	if err == nil && bytes.Contains(raw, []byte(`"isError":true`)) {
		err = fmt.Errorf("%s: %.200s", name, raw)
	}
	return raw, err
}

// message sends a request of MCP and returns the message that answers it.
func (c *client) message(method string, params object) ([]byte, error) {
	c.id++
	raw, err := c.do(http.StatusOK, http.MethodPost, "/mcp", object{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(raw)) { // an event stream, or JSON
		line = strings.TrimSpace(strings.TrimPrefix(line, "data:"))
		var m struct {
			ID    int
			Error json.RawMessage
		}
		if json.Unmarshal([]byte(line), &m) != nil || m.ID != c.id {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %.200s", method, m.Error)
		}
		return []byte(line), nil
	}
	return nil, fmt.Errorf("%s: no answer in %.200s", method, raw)
}
