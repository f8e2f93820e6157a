package claudehippo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// hashField is the argument that is a content hash.
const hashField = "content_hash"

// find returns the live memories that an argument means: a content hash and a number all that share it, an ID one.
func find(ctx context.Context, c *d.Call, field, ref string) ([]*hippo.Memory, error) {
	byID, err := byRef(ctx, c, field, ref)
	if field == hashField || ref == "" || strings.Trim(ref, "0123456789") != "" {
		return byID, err
	}
	// Digits in a text may be a number, or the digits of an ID. They must not mean two memories.
	byNumber, bad := d.Find(ctx, c, field, "#"+ref)
	switch {
	case errors.Is(bad, hippo.ErrNotFound) || errors.Is(bad, hippo.ErrInvalid):
		return byID, err
	case bad != nil || errors.Is(err, hippo.ErrNotFound) || errors.Is(err, hippo.ErrInvalid):
		return byNumber, bad
	case err != nil:
		return nil, err
	case byID[0].ID != byNumber[0].ID:
		return nil, hippo.Fieldf(field, "%q is the number of one memory and in the ID of another: give the number as a number, or the whole ID", ref)
	}
	return byNumber, nil
}

// byRef is [d.Find] that also accepts the hash of the unchanged text, which claude-hippo uses. Cost: a read of all memories, if
// nothing else has the hash.
func byRef(ctx context.Context, c *d.Call, field, ref string) ([]*hippo.Memory, error) {
	ms, err := d.Find(ctx, c, field, ref)
	if !errors.Is(err, hippo.ErrNotFound) || len(ref) != hex.EncodedLen(sha256.Size) {
		return ms, err
	}
	all, bad := (&d.Selection{Filter: hippo.Filter{Archived: true}}).Every(ctx, c)
	if bad != nil {
		return nil, bad
	}
	all = slices.DeleteFunc(all, func(m *hippo.Memory) bool {
		sum := sha256.Sum256([]byte(m.Content))
		return !strings.EqualFold(hex.EncodeToString(sum[:]), ref)
	})
	if len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// findOne returns the newest of the memories that an argument means.
func findOne(ctx context.Context, c *d.Call, field string) (*hippo.Memory, error) {
	ms, err := find(ctx, c, field, c.Text(field))
	if err != nil {
		return nil, err
	}
	return slices.MaxFunc(ms, func(a, b *hippo.Memory) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
}

// forgotten returns the forgotten memory that an argument means.
func forgotten(ctx context.Context, c *d.Call, field, ref string) (*hippo.Memory, error) {
	id, err := memory.Resolve(ctx, c.Memories, ref, api.PreferForgotten)
	if errors.Is(err, hippo.ErrNotFound) && field != hashField && strings.Trim(ref, "0123456789") == "" {
		id, err = memory.Resolve(ctx, c.Memories, "#"+ref, api.PreferForgotten)
	}
	if err != nil {
		return nil, verb.Renamed(err, field)
	}
	ms, err := memory.Get(ctx, c.Memories, []hippo.ID{id})
	if err != nil {
		return nil, err
	}
	return ms[0], nil
}
