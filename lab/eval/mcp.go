package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/retrieval/eval"
	"github.com/hippo-memory/hippo/lab/judge"
)

// server is a program that is measured as an agent uses it: over MCP, with default arguments.
type server struct {
	// command is the program with its arguments; those of a new store are added.
	command []string
	// wait is how long embedding in the background may make no progress.
	wait time.Duration
}

const (
	// pollInterval is the time between two requests for the progress of embedding.
	pollInterval = 100 * time.Millisecond
	// bytesPerToken is the usual estimate for English.
	bytesPerToken = 4
)

// writeMCP measures the server on all sets, and writes tables or JSON.
func (m *measurement) writeMCP(ctx context.Context, w io.Writer, o *options) error {
	sets, err := m.load()
	if err != nil {
		return err
	}
	program, err := filepath.Abs(o.mcp) // it runs in another directory
	if err != nil {
		return err
	}
	s := server{command: []string{program, "serve"}, wait: o.wait}
	r, err := judge.All(ctx, sets, []eval.System{s.system()})
	switch {
	case err != nil:
		return err
	case o.json:
		return eval.WriteJSON(w, r)
	default:
		return eval.WriteTable(w, r, &eval.TableOptions{Categories: true, Confidence: true})
	}
}

func (s *server) system() eval.System {
	return eval.System{Name: "mcp", Confident: true, Open: func(ctx context.Context, docs []*hippo.Memory) (eval.Searcher, error) {
		return s.open(ctx, docs)
	}}
}

// open starts the server on a new store, records the documents in their order over one
// connection, and waits until they are embedded.
func (s *server) open(ctx context.Context, docs []*hippo.Memory) (_ *client, err error) {
	dir, err := os.MkdirTemp("", "hippo-eval")
	if err != nil {
		return nil, err
	}
	c := &client{dir: dir, names: make(map[string]string)}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	args := append(s.command[1:len(s.command):len(s.command)], "--store", "sqlite:"+filepath.Join(dir, "store.db"))
	command := exec.Command(s.command[0], args...)
	command.Dir, command.Env, command.Stderr = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir), os.Stderr
	c.session, err = mcp.NewClient(&mcp.Implementation{Name: "eval", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.command[0], err)
	}
	for _, m := range docs {
		if err := c.record(ctx, m); err != nil {
			return nil, fmt.Errorf("record %s: %w", eval.Name(m), err)
		}
	}
	return c, c.embedded(ctx, s.wait)
}

// client is a connection to a server on a store of its own.
type client struct {
	session *mcp.ClientSession
	dir     string
	names   map[string]string // by the UUID that the server gave
}

// Close implements [eval.Searcher].
func (c *client) Close() error {
	var err error
	if c.session != nil {
		err = c.session.Close()
	}
	return errors.Join(err, os.RemoveAll(c.dir))
}

// record records a document with what an agent knows of it.
func (c *client) record(ctx context.Context, m *hippo.Memory) error {
	args := map[string]any{"content": m.Content, "situation": append([]string{}, m.Situation...), "importance": m.Importance.Base}
	if m.Type != "" {
		args["type"] = m.Type
	}
	r, err := c.call(ctx, "hippo_record_insight", args)
	if err != nil {
		return err
	}
	for _, id := range r.ids() {
		c.names[id] = eval.Name(m)
	}
	return nil
}

// Search implements [eval.Searcher]. By default it gives nothing but the query.
func (c *client) Search(ctx context.Context, r eval.Request) (eval.Reply, error) {
	args := map[string]any{"query": r.Text}
	if r.Unbounded {
		args["relevance_range"], args["limit"] = map[string]any{"min": 0}, r.Count
		args["max_tokens"] = 100_000
	}
	out, err := c.call(ctx, "hippo_search_insights", args)
	if err != nil {
		return eval.Reply{}, err
	}
	ids := out.ids()
	weak, _ := out.meta["weak"].(string)
	reply := eval.Reply{Weak: eval.Weak(len(ids), weak), Tokens: float64(len(out.text)) / bytesPerToken}
	for _, id := range ids {
		name, ok := c.names[id]
		if !ok {
			return reply, fmt.Errorf("search returned %s, which was not recorded", id)
		}
		reply.Names = append(reply.Names, name)
	}
	return reply, nil
}

// embedded waits until each model has embedded all documents, as long as it makes progress. The
// first search starts it.
func (c *client) embedded(ctx context.Context, wait time.Duration) error {
	first := map[string]any{"query": "a", "limit": 1}
	if _, err := c.call(ctx, "hippo_search_insights", first); err != nil {
		return err
	}
	last, since := -1, time.Now()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		var status struct {
			Models []struct {
				ID, Error          string
				Embedded, Memories int
			}
		}
		r, err := c.call(ctx, "hippo_status", map[string]any{"format": "json"})
		if err == nil {
			err = json.Unmarshal([]byte(r.text), &status)
		}
		if err != nil {
			return err
		}
		done, missing := 0, 0
		for _, m := range status.Models {
			if m.Error != "" {
				return fmt.Errorf("model %s: %s", m.ID, m.Error)
			}
			done += m.Embedded
			missing += m.Memories - m.Embedded
		}
		if missing == 0 {
			return nil
		}
		if done != last {
			last, since = done, time.Now()
		} else if time.Since(since) > wait {
			return fmt.Errorf("%d documents were not embedded within %v", missing, wait)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// result is what a tool returned: the text for a model, and what programs read.
type result struct {
	text string
	meta map[string]any
}

// ids returns the IDs of the memories that were returned or recorded.
func (r *result) ids() []string {
	var out []string
	list, _ := r.meta["ids"].([]any)
	for _, id := range list {
		out = append(out, fmt.Sprint(id))
	}
	return out
}

// call calls a tool.
func (c *client) call(ctx context.Context, name string, args map[string]any) (*result, error) {
	r, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for _, x := range r.Content {
		if t, ok := x.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	if r.IsError {
		return nil, fmt.Errorf("%s: %s", name, text.String())
	}
	meta, _ := r.Meta["hippo"].(map[string]any)
	return &result{text: text.String(), meta: meta}, nil
}
