package memorymcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// storing returns the tools that store and change single memories.
func storing() []d.Tool {
	return []d.Tool{
		{
			Name: "store_memory", Description: "Store a memory. The result means that it is durable.", Writes: true, Call: callStore,
			Params: verb.With(verb.Table{{Name: "content", Is: verb.Required, To: verb.New[string]}, storedTypeParam()}, newParams()...),
		},
		{
			Name: "update_memory", Description: "Change a memory; what is not given stays. metadata replaces the former.", Destructive: true, Writes: true, Call: callUpdate,
			Params: verb.With(verb.Table{idParam(), {Name: "content", To: verb.New[string]}, typeParam()}, newParams()[:len(newParams())-1]...),
		},
		{Name: "delete_memory", Description: "Delete a memory.", Destructive: true, Writes: true, Call: callDelete, Params: verb.Table{idParam()}},
		{
			Name: "invalidate", Description: "End a fact now, with the reason, or with the memory that replaces it.", Destructive: true, Writes: true, Call: callInvalidate,
			Params: verb.Table{idParam(), {Name: "reason", To: verb.New[string]}, {Name: "superseded_by", Field: "Supersedes supersedes", To: verb.New[record]}},
		},
	}
}

func idParam() verb.Arg {
	return verb.Arg{Name: "id", Field: "ID IDs", Is: verb.Required, To: verb.New[record]}
}

func storedTypeParam() verb.Arg {
	p := typeParam()
	p.Rules = verb.Schema{"default": semantic}
	return p
}

// newParams are those of a new memory beside its text and type; the last one cannot be changed later.
func newParams() verb.Table {
	return verb.With(ownerParams(),
		verb.Arg{Name: "metadata", To: verb.New[verb.Metadata]},
		verb.Arg{Name: "importance_score", Field: "importance", About: "0 to 10, usually 1", Rules: verb.Between(0, maxScore), To: verb.New[float64]},
		verb.Arg{Name: "valid_from", About: "ISO 8601", To: verb.New[verb.Time]},
		verb.Arg{Name: "valid_until", To: verb.New[verb.Time]},
		verb.Arg{Name: "event_time", To: verb.New[verb.Time]})
}

// stored is the result of storing.
type stored struct {
	ID string `json:"id"`
}

func callStore(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := newMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	if m, err = memory.Record(ctx, c.Memories, m); err != nil {
		return d.Result{}, err
	}
	return d.JSON(stored{keyOf(m.ID)}, 1)
}

// newMemory returns the memory that the arguments describe.
func newMemory(ctx context.Context, c *d.Call) (*hippo.Memory, error) {
	m := &hippo.Memory{
		Content: c.Text("content"), Type: cmp.Or(c.Text("memory_type"), semantic),
		Source:    hippo.Source{Kind: hippo.SourceAgent, Author: c.Text("user_id"), Client: c.Text("agent_id"), Session: c.Text("run_id")},
		Namespace: c.Scope.Namespace,
		Trust:     hippo.TrustDefault, Importance: hippo.Importance{Base: importanceOf(c.Number("importance_score", 1))},
	}
	m.Project = c.Scope.ProjectUnsaid(m)
	err := c.Project("namespace").Into(ctx, c.Memories, &m.Project)
	if err != nil {
		return nil, err
	}
	if m.Metadata, err = metadataOf(c); err != nil {
		return nil, err
	}
	err = verb.Read(c.Now, c.Time("valid_from").Into(&m.ValidFrom), c.Time("valid_until").Into(&m.ValidUntil), c.Time("event_time").Into(&m.EventTime))
	if m.ValidFrom.IsZero() {
		m.ValidFrom = c.Now.UTC()
	}
	return m, err
}

func callUpdate(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := findMemory(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	if err := sameOwner(c, m); err != nil {
		return d.Result{}, err
	}
	change, err := changeOf(c, m)
	if err != nil {
		return d.Result{}, err
	}
	if m, err = memory.Modify(ctx, c.Memories, m.ID, change); err != nil {
		return d.Result{}, err
	}
	return d.JSON(rowOf(m, c.Now), 1)
}

// sameOwner checks that the arguments name the owner that a memory has: that does not change.
func sameOwner(c *d.Call, m *hippo.Memory) error {
	is := rowOf(m, c.Now).owner
	for _, x := range []struct{ name, is string }{{"user_id", is.User}, {"agent_id", is.Agent}, {"run_id", is.Run}, {"namespace", is.Namespace}} {
		if given := c.Text(x.name); given != "" && given != x.is {
			return hippo.Fieldf(x.name, "is %.60q and cannot be changed, got %.60q: store a new memory instead", x.is, given)
		}
	}
	return nil
}

// changeOf returns the change that the arguments describe.
func changeOf(c *d.Call, m *hippo.Memory) (change api.Change, err error) {
	if text := c.Text("content"); c.Has("content") {
		if strings.TrimSpace(text) == "" {
			return change, hippo.Fieldf("content", "is empty")
		}
		change.Content = &text
	}
	if kind := c.Text("memory_type"); kind != "" {
		change.Type = &kind
	}
	if c.Has("importance_score") {
		change.Importance = new(importanceOf(c.Number("importance_score", 1)))
	}
	if c.Has("metadata") {
		given, err := metadataOf(c)
		if err != nil {
			return change, err
		}
		change.Metadata = replacement(m, given)
	}
	for _, end := range []struct {
		name string
		to   **time.Time
	}{{"valid_from", &change.ValidFrom}, {"valid_until", &change.ValidUntil}} {
		var t time.Time
		if err := verb.Read(c.Now, c.Time(end.name).Into(&t)); err != nil {
			return change, err
		}
		if !t.IsZero() {
			*end.to = &t
		}
	}
	return change, nil
}

// replacement returns the change that gives a memory other metadata; what is reserved stays, and so does what is null. Without any key
// nothing changes.
func replacement(m *hippo.Memory, metadata map[string]json.RawMessage) *map[string]json.RawMessage {
	out := maps.Clone(metadata)
	maps.DeleteFunc(out, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	if len(out) == 0 {
		return nil
	}
	for key := range m.Metadata {
		if _, kept := metadata[key]; !kept && key != reserved {
			out[key] = json.RawMessage("null")
		}
	}
	return &out
}

// deleted is the result of a deletion.
type deleted struct {
	Deleted bool `json:"deleted"`
}

func callDelete(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := findMemory(ctx, c)
	if errors.Is(err, hippo.ErrNotFound) {
		return d.JSON(deleted{}, 0)
	}
	if err != nil {
		return d.Result{}, err
	}
	if _, err := memory.Forget(ctx, c.Memories, []hippo.ID{m.ID}); err != nil {
		return d.Result{}, err
	}
	return d.JSON(deleted{true}, 1)
}

// invalidated is the result of ending a fact.
type invalidated struct {
	Invalidated bool `json:"invalidated"`
}

// callInvalidate ends a fact. One that has ended stays as it is.
func callInvalidate(ctx context.Context, c *d.Call) (d.Result, error) {
	m, err := findMemory(ctx, c)
	if errors.Is(err, hippo.ErrNotFound) {
		return d.JSON(invalidated{}, 0)
	}
	if err != nil {
		return d.Result{}, err
	}
	if !m.ValidUntil.IsZero() && !m.ValidUntil.After(c.Now) {
		return d.JSON(invalidated{}, 0)
	}
	if err := end(ctx, c, m); err != nil {
		return d.Result{}, err
	}
	return d.JSON(invalidated{true}, 1)
}

// end ends a fact, as one operation: when its successor begins, if one is given, else now.
func end(ctx context.Context, c *d.Call, m *hippo.Memory) error {
	reason := c.Text("reason")
	in := engine.Because(c.Memories, reason)
	var metadata map[string]json.RawMessage
	if reason != "" {
		value, err := withReason(m, reason)
		if err != nil {
			return err
		}
		metadata = map[string]json.RawMessage{reserved: value}
	}
	if c.Has("superseded_by") {
		next, err := find(ctx, c, aMemory, "superseded_by")
		if err != nil {
			return err
		}
		_, err = memory.Supersede(ctx, in, memory.Succession{ID: m.ID, By: next.ID, Metadata: metadata})
		return err
	}
	change := api.Change{ValidUntil: new(c.Now.UTC()), Vote: api.VoteNone}
	if metadata != nil {
		change.Metadata = &metadata
	}
	_, err := memory.Modify(ctx, in, m.ID, change)
	return err
}
