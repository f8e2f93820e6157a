package shodh

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// remembered is RememberResponse of the document.
type remembered struct {
	Success     bool     `json:"success"`
	ID          hippo.ID `json:"id"`
	ContentHash string   `json:"content_hash"`
}

// duplicate is what remember answers if a memory with the same content is there.
type duplicate struct {
	Success    bool     `json:"success"`
	Error      string   `json:"error"`
	ExistingID hippo.ID `json:"existing_id"`
}

func remember(ctx context.Context, c *call) (reply, error) {
	m, err := newMemory(c)
	if err != nil {
		return reply{}, err
	}
	same, err := record(ctx, c, m)
	switch {
	case err != nil:
		return reply{}, err
	case !same.IsZero():
		return reply{http.StatusConflict, duplicate{Error: "Memory already exists", ExistingID: same}}, nil
	default:
		return created(remembered{true, m.ID, hex.EncodeToString(m.ContentHash[:])}), nil
	}
}

// newMemory returns the memory that the arguments of remember describe. Members of the request that are
// not known become metadata.
func newMemory(c *call) (*hippo.Memory, error) {
	for name, raw := range c.unknown {
		if isNull(raw) {
			continue
		}
		if err := addMetadata(c.Input, name, raw); err != nil {
			return nil, err
		}
	}
	if err := liftMetadata(c.Input); err != nil {
		return nil, err
	}
	m := &hippo.Memory{
		Content: c.Text("content"), Tags: verb.Of[[]string](c.Input, "tags", nil), Type: verb.Of(c.Input, "type", memoryTypes()[0]),
		CreatedAt:  verb.Of(c.Input, "created_at", time.Time{}),
		Importance: hippo.Importance{Base: verb.Of(c.Input, "quality_score", hippo.DefaultImportance)},
		Metadata:   c.Object("metadata"),
		Project:    c.scope.Project, Namespace: c.scope.Namespace,
	}
	defaults := verb.Input{"source_type": sourceTypes()[0].name, "credibility": 1.0}
	for _, f := range keptFields() {
		v, ok := c.Input[f.Name]
		if !ok {
			v, ok = defaults[f.Name]
		}
		if !ok {
			continue
		}
		if f.put != nil {
			f.put(m, v)
		}
		if raw := f.metadata(m, v); !isNull(raw) {
			setMetadata(m, f.Name, raw)
		}
	}
	m.Project = c.scope.ProjectUnsaid(m)
	return m, nil
}

func setMetadata(m *hippo.Memory, name string, raw json.RawMessage) {
	if m.Metadata == nil {
		m.Metadata = make(map[string]json.RawMessage)
	}
	m.Metadata[name] = raw
}

// addMetadata adds a member of a request to the metadata in its arguments.
func addMetadata(a verb.Input, name string, raw json.RawMessage) error {
	metadata := a.Object("metadata")
	if metadata == nil {
		metadata = make(map[string]json.RawMessage)
		a["metadata"] = verb.Metadata(metadata)
	}
	if old, ok := metadata[name]; ok && !bytes.Equal(old, raw) {
		return hippo.Fieldf("metadata", "must not have another value of %.60q than the request", name)
	}
	metadata[name] = raw
	return nil
}

// liftMetadata moves fields of a memory from the metadata in the arguments to the arguments: some clients keep them
// there. A field with null stays, which removes it in an update.
func liftMetadata(a verb.Input) error {
	metadata := a.Object("metadata")
	fields := verb.Table{qualityParam()}
	for _, f := range keptFields() {
		fields = append(fields, f.Arg)
	}
	for i := range fields {
		f := &fields[i]
		raw, ok := metadata[f.Name]
		if !ok || verb.IsBlank(raw) {
			continue
		}
		v, err := f.Value(verb.SHODH, "metadata."+f.Name, raw)
		if err != nil {
			return err
		}
		if given, ok := a[f.Name]; ok && given != v {
			return hippo.Fieldf("metadata."+f.Name, "must be the same as %s", f.Name)
		}
		a[f.Name] = v
		delete(metadata, f.Name)
	}
	return nil
}

// record records a memory unless the same content is there: then it returns the ID of that memory, and nothing
// is recorded. Of requests with the same content at a time, one is recorded; processes that share a store do
// not wait for one another.
func record(ctx context.Context, c *call, m *hippo.Memory) (same hippo.ID, err error) {
	m.ContentHash = hippo.HashContent(m.Content)
	unlock, err := c.recording.lock(ctx, contentKey{m.Namespace, m.Project, m.ContentHash})
	if err != nil {
		return hippo.ID{}, err
	}
	defer unlock()
	if same, err = findSame(ctx, c, m); err != nil || !same.IsZero() {
		return same, err
	}
	_, err = memory.Record(ctx, c.Memories, m)
	return hippo.ID{}, err
}

// findSame returns a live memory of the same project with the same content; the zero ID if there is none.
func findSame(ctx context.Context, c *call, m *hippo.Memory) (hippo.ID, error) {
	scope := c.scope
	scope.Projects = []string{m.Project}
	if !c.scope.Contains(m.Namespace, m.Project) {
		return hippo.ID{}, nil // recording it is refused
	}
	in := c.In(scope)
	hash := hex.EncodeToString(m.ContentHash[:])
	id, err := memory.Resolve(ctx, in, hash, api.PreferLive)
	if several, ok := errors.AsType[*hippo.AmbiguousError](err); ok { // other front ends store a text twice
		id, err = memory.Resolve(ctx, in, several.Candidates[0][0], api.PreferLive)
	}
	switch {
	case errors.Is(err, hippo.ErrNotFound):
		return hippo.ID{}, nil
	case err != nil:
		return hippo.ID{}, err
	}
	ms, err := memory.Get(ctx, in, []hippo.ID{id})
	if err != nil || ms[0].Forgotten() || ms[0].ContentHash != m.ContentHash {
		return hippo.ID{}, err
	}
	return id, nil
}

// contentKey identifies a text in a project.
type contentKey struct {
	namespace, project string
	hash               hippo.Hash
}

// inFlight are the texts that are being recorded.
type inFlight struct {
	mu   sync.Mutex
	done map[contentKey]chan struct{} // closed when it is recorded
}

// lock waits until no other request records a text, and returns the function that ends recording it.
func (f *inFlight) lock(ctx context.Context, k contentKey) (unlock func(), err error) {
	for {
		f.mu.Lock()
		busy, ok := f.done[k]
		if !ok {
			if f.done == nil {
				f.done = make(map[contentKey]chan struct{})
			}
			own := make(chan struct{})
			f.done[k] = own
			f.mu.Unlock()
			return func() {
				f.mu.Lock()
				defer f.mu.Unlock()
				delete(f.done, k)
				close(own)
			}, nil
		}
		f.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// moment is a time of RFC 3339, or in seconds since 1970.
type moment time.Time

// maxSeconds is the last second that RFC 3339 can express, since 1970: 9999-12-31T23:59:59Z.
const maxSeconds = 253_402_300_799

// ReadArg implements [verb.Value].
func (m *moment) ReadArg(_ verb.Door, name string, raw json.RawMessage) error {
	var seconds float64
	var t time.Time
	err := json.Unmarshal(raw, &t)
	if json.Unmarshal(raw, &seconds) == nil {
		t, err = time.UnixMicro(int64(seconds*1e6)).UTC(), nil
	}
	if err != nil || seconds < 0 || seconds > maxSeconds || t.Unix() < 0 || t.Unix() > maxSeconds {
		return verb.Misshapen(name, "must be a time, such as 2026-03-01T12:00:00Z, or seconds since 1970, got %.40s", raw)
	}
	*m = moment(t)
	return nil
}

// Schema implements [verb.Value].
func (*moment) Schema() verb.Schema { return verb.Schema{"type": []string{"string", "number"}} }

// Plain returns where the time is.
func (m *moment) Plain() any { return (*time.Time)(m) }
