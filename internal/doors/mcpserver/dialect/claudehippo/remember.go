package claudehippo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/hippo-memory/hippo"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// defaultType is the type of a memory for which none is given.
const defaultType = "Observation"

func rememberParams() verb.Table {
	return verb.Table{
		{Name: "content", Is: verb.Required, To: verb.New[string]},
		d.TagsArg(), d.TypeArg(),
		{Name: "importance", About: "0 to 1", Rules: verb.Between(0, 1), To: verb.New[float64]},
		{Name: "metadata", To: verb.New[verb.Metadata]},
	}
}

// remembered is the result of storing.
type remembered struct {
	Success     bool       `json:"success"`
	ID          int64      `json:"id"`
	ContentHash string     `json:"content_hash"`
	Duplicate   bool       `json:"duplicate"`
	Score       float32    `json:"surprise_score"`
	Components  components `json:"surprise_components"`
}

// rememberedBoth is that with the field of mcp-memory-service.
type rememberedBoth struct {
	remembered
	Message string `json:"message"`
}

func callRemember(ctx context.Context, c *d.Call) (d.Result, error) {
	out, err := remember(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	return d.JSON(out, changed(out))
}

// callStore is callRemember for the name that mcp-memory-service also has.
func callStore(ctx context.Context, c *d.Call) (d.Result, error) {
	out, err := remember(ctx, c)
	if err != nil {
		return d.Result{}, err
	}
	message := "Memory stored successfully"
	if out.Duplicate {
		message = "Duplicate content detected (exact match)"
	}
	return d.JSON(rememberedBoth{*out, message}, changed(out))
}

// changed is the number of memories that were stored.
func changed(r *remembered) int {
	if r.Duplicate {
		return 0
	}
	return 1
}

func remember(ctx context.Context, c *d.Call) (*remembered, error) {
	m, err := newMemory(c)
	if err != nil {
		return nil, err
	}
	if host := c.Text("client_hostname"); host != "" {
		if m.Metadata == nil {
			m.Metadata = make(map[string]json.RawMessage)
		}
		m.Metadata["client_hostname"], _ = json.Marshal(host) // a text marshals
	}
	m, duplicate, err := storeOnce(ctx, c, m)
	if err != nil {
		return nil, err
	}
	numbers, err := numbersOf(ctx, c, []*hippo.Memory{m})
	return &remembered{
		Success: true, ID: numbers[m.ID], ContentHash: d.HashOf(m), Duplicate: duplicate,
		Score: float32(m.Surprise.Score), Components: componentsOf(&m.Surprise),
	}, err
}

// newMemory returns the memory that the arguments describe.
func newMemory(c *d.Call) (*hippo.Memory, error) {
	metadata := c.Object("metadata")
	if _, ok := metadata[reserved]; ok {
		return nil, hippo.Fieldf("metadata."+reserved, "is reserved: leave it out")
	}
	m := &hippo.Memory{
		Content: c.Text("content"), Tags: c.Texts("tags"), Type: cmp.Or(c.Text("memory_type"), defaultType), Metadata: metadata,
		Source:  hippo.Source{Kind: hippo.SourceAgent},
		Project: c.Scope.Project, Namespace: c.Scope.Namespace, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	}
	m.Project = c.Scope.ProjectUnsaid(m)
	if c.Has("importance") {
		SetImportance(m, c.Number("importance", 0))
	}
	return m, nil
}

// fileType is the type of a file of the memory tool.
const fileType = hippo.FileType

// storeOnce records a memory with its surprise, unless a live one of the project has the same text: it returns that then.
// A file does not count: it may change.
func storeOnce(ctx context.Context, c *d.Call, m *hippo.Memory) (stored *hippo.Memory, duplicate bool, err error) {
	if err = memory.Screen(m); err != nil {
		return nil, false, err
	}
	m.ContentHash = hippo.HashContent(m.Content)
	same, err := d.Find(ctx, c, "content", d.HashOf(m))
	if err != nil && !errors.Is(err, hippo.ErrNotFound) {
		return nil, false, err
	}
	if i := slices.IndexFunc(same, func(x *hippo.Memory) bool { return x.Project == m.Project && x.Type != fileType }); i >= 0 {
		return same[i], true, nil
	}
	stored, err = record(ctx, c, m)
	return stored, false, err
}

// record records a memory, and returns it with its surprise.
func record(ctx context.Context, c *d.Call, m *hippo.Memory) (*hippo.Memory, error) {
	stored, err := memory.Record(ctx, c.Memories, m)
	if err != nil {
		return nil, err
	}
	return scored(ctx, c, stored), nil
}
