package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
	"github.com/hippo-memory/hippo/internal/verb"
)

// Operation is an operation as JSON.
type Operation struct {
	UUID      hippo.ID     `json:"uuid"`
	At        string       `json:"at"`
	ActiveDay hippo.Day    `json:"active_day"`
	Verb      hippo.Verb   `json:"verb"`
	By        hippo.Source `json:"by,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	Undoes    *hippo.ID    `json:"undoes,omitempty"`
	// Insights are those that it changed.
	Insights []hippo.ID `json:"insights,omitempty"`
}

// OperationOf returns an operation as JSON, with the memories that it changed.
func OperationOf(o *hippo.Operation, memories []hippo.ID) Operation {
	out := Operation{
		UUID: o.ID, At: o.At.Format(time.RFC3339Nano), ActiveDay: o.Day, Verb: o.Verb, By: o.By, Reason: o.Reason, Insights: memories,
	}
	if !o.Undoes.IsZero() {
		out.Undoes = &o.Undoes
	}
	return out
}

// Sides returns the two versions of a memory that a diff compares; nil for what it was before it was recorded.
func Sides(ctx context.Context, m *engine.Memories, d *verb.Diff) (sides [2]*hippo.Memory, err error) {
	id, err := d.ID.Resolve(ctx, m, api.PreferNone)
	if err != nil {
		return sides, err
	}
	now, err := memory.Get(ctx, m, []hippo.ID{id})
	if err != nil {
		return sides, err
	}
	vs, err := memory.Versions(ctx, m, api.Versions{Memory: id})
	if err != nil {
		return sides, err
	}
	if len(vs) == 0 {
		return sides, fmt.Errorf("%w: %s was not changed, or its former versions are not kept", hippo.ErrNotFound, id.Short())
	}
	for i, n := range [...]int{d.From, d.To} {
		if n < 0 || n > len(vs) {
			return sides, hippo.Fieldf([...]string{"from", "to"}[i], "must be from 0 to %d, got %d", len(vs), n)
		}
		sides[i] = FormerOf(vs[:n], now[0])
	}
	return sides, nil
}

// FormerOf returns what a memory was before the last of some versions, the newest first; nil if that recorded it. now is what it
// is.
func FormerOf(vs []hippo.Version, now *hippo.Memory) *hippo.Memory {
	for _, v := range slices.Backward(vs) {
		if !v.Unchanged { // an operation that changed only relations has no version of its own
			return v.Before
		}
	}
	return now
}

// ChangedKeys returns the keys in which two memories, each as [Stored] returns it, differ, but for the time of the change and
// the uses, of which versions keep none, in alphabetical order. Nil stands for a memory that is not there.
func ChangedKeys(a, b json.RawMessage) ([]string, error) {
	sides := [2]map[string]json.RawMessage{}
	for i, raw := range [...]json.RawMessage{a, b} {
		if raw == nil {
			continue
		}
		var plain bytes.Buffer // without the spaces, which depend on how deep a value is
		if err := json.Compact(&plain, raw); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(plain.Bytes(), &sides[i]); err != nil {
			return nil, err
		}
	}
	all := make(map[string]json.RawMessage, len(sides[0])+len(sides[1]))
	maps.Copy(all, sides[0])
	maps.Copy(all, sides[1])
	out := []string{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if key != "updated_at" && key != "state" && key != "daily_access_counts" && !bytes.Equal(sides[0][key], sides[1][key]) {
			out = append(out, key)
		}
	}
	return out, nil
}
