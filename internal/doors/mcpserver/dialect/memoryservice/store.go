package memoryservice

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// sessionChunk is the length above which a session is split between turns, in bytes.
const sessionChunk = 1500

// storing returns the tools that store memories.
func storing() []d.Tool {
	return []d.Tool{
		{
			Name: "memory_store", Description: "Store a memory. The result means that it is durable.", Writes: true, Call: callStore,
			Params: verb.Table{
				{Name: "content", Is: verb.Required, To: verb.New[string]},
				{Name: "metadata", About: "tags: list, type: text, any other keys", To: verb.New[verb.Metadata]},
				d.TagsArg(), d.TypeArg(),
				{Name: "conversation_id", To: verb.New[string]},
				{Name: "client_hostname", To: verb.New[string]},
				agentParam(), storeParam(),
			},
		},
		{
			Name: "memory_store_session", Description: "Store the turns of a conversation.", Writes: true, Call: callStoreSession,
			Params: verb.Table{
				{Name: "turns", Is: verb.Required, To: verb.Many(verb.Table{{Name: "role", Is: verb.Required, To: verb.New[string]}, {Name: "content", Is: verb.Required, To: verb.New[string]}})},
				{Name: "session_id", Field: "source.session", To: verb.New[string]},
				d.TagsArg(),
				{Name: "metadata", To: verb.New[verb.Metadata]},
				storeParam(),
			},
		},
		{
			Name: "commit_session_legacy", Description: "Store the summary, decisions, errors and corrections of a session.", Writes: true, Call: callCommitSession,
			Params: verb.Table{
				{Name: "session_id", Field: "source.session", Is: verb.Required, To: verb.New[string]},
				{Name: "agent_id", Field: "Author source.author", Is: verb.Required, To: verb.New[string]},
				{Name: "task_summary", Field: "Prompt", Is: verb.Required, To: verb.New[string]},
				{Name: "outcome", Values: []string{"success", "partial", "failure"}, Is: verb.Required, To: verb.New[string]},
				{Name: "decisions", To: verb.New[[]string]},
				{Name: "errors", To: verb.New[[]string]},
				{Name: "user_corrections", To: verb.New[[]string]},
				{Name: "belief_updates", To: verb.Many(nil)},
			},
		},
	}
}

func callStore(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := newMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	_, r, err := storeOnce(ctx, c, m)
	return r, err
}

// storeOnce stores a memory, unless a live one of the project has the same text: it returns that then.
func storeOnce(ctx context.Context, c *d.Call, m *hippo.Memory) (*hippo.Memory, d.Result, error) {
	out := storeOutcome{Success: true, Message: "Memory stored successfully", ContentHash: hashText(m.Content)}
	same, err := sameText(ctx, c, m)
	if err != nil {
		return nil, d.Result{}, err
	}
	if same != nil {
		out.Success, out.Message = false, "Duplicate content detected (exact match)"
		text := fmt.Sprintf("Error storing memory: %s: it is stored with hash %s, whose tags and type stay; memory_update changes them", out.Message, out.ContentHash)
		return same, d.Result{Text: text, Data: out}, nil
	}
	if m, err = memory.Record(ctx, c.Memories, m); err != nil {
		return nil, d.Result{}, err
	}
	return m, d.Result{Text: fmt.Sprintf("Memory stored successfully (hash: %s)", out.ContentHash), Data: out, Count: 1}, nil
}

// storeOutcome is the result of storing for programs.
type storeOutcome struct {
	Success     bool   `json:"success"`
	Message     string `json:"message"`
	ContentHash string `json:"content_hash"`
}

func hashText(content string) string {
	m := hippo.Memory{ContentHash: hippo.HashContent(content)}
	return d.HashOf(&m)
}

// sameText returns a live memory of the same project with the same text; nil: there is none.
func sameText(ctx context.Context, c *d.Call, m *hippo.Memory) (*hippo.Memory, error) {
	ms, err := d.Find(ctx, c, "content_hash", hashText(m.Content))
	if errors.Is(err, hippo.ErrNotFound) {
		return nil, nil
	}
	if i := slices.IndexFunc(ms, func(x *hippo.Memory) bool { return x.Project == m.Project }); i >= 0 {
		return ms[i], err
	}
	return nil, err
}

// newMemory returns the memory that the arguments describe. Tags and type may lie in the metadata.
func newMemory(ctx context.Context, c *d.Call) (*hippo.Memory, error) {
	metadata := maps.Clone(c.Object("metadata"))
	inner, err := decodeInner(metadata)
	if err != nil {
		return nil, err
	}
	kind := c.Text("memory_type")
	switch other := inner.Text("type"); {
	case kind == "":
		kind = other
	case other != "" && other != kind:
		return nil, hippo.Fieldf("metadata.type", "must be the same as memory_type, got %.40q and %.40q", other, kind)
	}
	for _, key := range []string{"conversation_id", "client_hostname"} {
		if text := c.Text(key); text != "" {
			metadata = withText(metadata, key, text)
		}
	}
	p := c.Scope.Project
	err = storeOf(c, "store").Into(ctx, c.Memories, &p)
	return &hippo.Memory{
		Content: c.Text("content"), Tags: normalTags(slices.Concat(c.Texts("tags"), inner.Texts("tags"))), Type: kind, Metadata: metadata,
		Source:  hippo.Source{Kind: hippo.SourceAgent, Author: c.Text("agent_id"), Session: c.Text("conversation_id")},
		Project: p, Namespace: c.Scope.Namespace, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	}, err
}

// decodeInner takes tags and type out of the metadata.
func decodeInner(metadata map[string]json.RawMessage) (verb.Input, error) {
	params := verb.Table{d.TagsArg(), {Name: "type", Also: "memory_type", To: verb.New[string]}}
	in, _, err := params.Take(verb.MCP, metadata)
	if bad, ok := errors.AsType[*hippo.FieldError](err); ok {
		return nil, hippo.Fieldf("metadata."+bad.Field, "%s", bad.Why)
	}
	return in, err
}

// withText returns metadata with a text under a key.
func withText(metadata map[string]json.RawMessage, key, text string) map[string]json.RawMessage {
	if metadata == nil {
		metadata = make(map[string]json.RawMessage)
	}
	metadata[key], _ = json.Marshal(text) // a text always marshals
	return metadata
}

func callStoreSession(ctx context.Context, c *d.Call) (d.Result, error) {
	turns := c.Items("turns")
	first, err := newMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	session := c.Text("session_id")
	if session == "" {
		session = strings.ToLower(rand.Text()[:12])
	}
	first.Type = "session"
	first.Source.Session = session
	first.Tags = normalTags(append(first.Tags, "session:"+session))
	chunks := chunksOf(turns)
	ms := make([]*hippo.Memory, len(chunks))
	for i, text := range chunks {
		ms[i] = first.Clone()
		ms[i].Content, ms[i].Source.Seq = text, i+1
		if len(chunks) > 1 {
			ms[i].Tags = append(ms[i].Tags, fmt.Sprintf("chunk:%d/%d", i+1, len(chunks)))
		}
	}
	if err := recordAll(ctx, c, ms); err != nil {
		return d.Result{}, err
	}
	text := fmt.Sprintf("Session stored successfully (session_id: %s, hash: %s, turns: %d)", session, hashText(chunks[0]), len(turns))
	if n := len(chunks); n > 1 {
		text = fmt.Sprintf("Session stored successfully (session_id: %s, chunks: %d/%d, turns: %d)", session, n, n, len(turns))
	}
	return d.Result{Text: text, Count: len(chunks)}, nil
}

// chunksOf joins turns to texts of at most [sessionChunk] bytes; a longer turn is a text of its own.
func chunksOf(turns []verb.Input) []string {
	var out []string
	for _, t := range turns {
		line := fmt.Sprintf("[%s] %s", t.Text("role"), t.Text("content"))
		if n := len(out); n > 0 && len(out[n-1])+1+len(line) <= sessionChunk {
			out[n-1] += "\n" + line
			continue
		}
		out = append(out, line)
	}
	return out
}

// recordAll records memories after all were checked: a bad one refuses all.
func recordAll(ctx context.Context, c *d.Call, ms []*hippo.Memory) error {
	for _, m := range ms {
		if err := m.Validate(); err != nil {
			return err
		}
		if err := memory.Screen(m); err != nil {
			return err
		}
	}
	for i, m := range ms {
		if _, err := memory.Record(ctx, c.Memories, m); err != nil {
			return fmt.Errorf("%d of %d were stored: %w", i, len(ms), err)
		}
	}
	return nil
}

func callCommitSession(ctx context.Context, c *d.Call) (d.Result, error) {
	if len(c.Items("belief_updates")) > 0 {
		return d.Result{}, d.Missing("belief_updates are not kept; record what was learned with memory_store and replace what is wrong with memory_resolve")
	}
	session := c.Text("session_id")
	var ms []*hippo.Memory
	add := func(kind string, texts ...string) {
		for _, text := range texts {
			ms = append(ms, &hippo.Memory{
				Content: text, Type: kind, Tags: normalTags([]string{"session:" + session, "outcome:" + c.Text("outcome")}), Project: c.Scope.Project, Namespace: c.Scope.Namespace,
				Source: hippo.Source{Kind: hippo.SourceAgent, Author: c.Text("agent_id"), Session: session, Seq: len(ms) + 1},
				Trust:  hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
			})
		}
	}
	add("session", c.Text("task_summary"))
	add("decision", c.Texts("decisions")...)
	add("error", c.Texts("errors")...)
	add("learning", c.Texts("user_corrections")...)
	if err := recordAll(ctx, c, ms); err != nil {
		return d.Result{}, err
	}
	return d.Result{Text: fmt.Sprintf("Session committed (session_id: %s, memories: %d)", session, len(ms)), Count: len(ms)}, nil
}
