package engine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

func TestModify(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		c    api.Change
		want float64
	}{
		{"reworked_text_is_an_upvote", api.Change{Content: new("new")}, .75},
		{"reworked_situation_is_an_upvote", api.Change{Situation: &[]string{"b"}}, .75},
		{"same_text_is_none", api.Change{Content: new("old")}, .5},
		{"tags_are_none", api.Change{Tags: &[]string{"x"}}, .5},
		{"none_is_none", api.Change{Content: new("new"), Vote: api.VoteNone}, .5},
		{"downvote", api.Change{Content: new("new"), Vote: api.VoteDown}, .25},
		{"importance_is_set", api.Change{Importance: new(.4)}, .4},
		{"importance_with_text_is_set", api.Change{Content: new("new"), Importance: new(.4)}, .4},
		{"importance_then_vote", api.Change{Importance: new(.4), Vote: api.VoteUp}, .6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := open(t, options{})
			m, err := memory.Modify(t.Context(), f.Memories, f.record("old", .5, "a"), tc.c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fmt.Sprintf("%.6f", tc.want), fmt.Sprintf("%.6f", m.Importance.Value)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestModify_Refuses(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("kept", .5)
	for name, c := range map[string]api.Change{
		"nothing":    {},
		"importance": {Importance: new(1.5)},
		"vote":       {Vote: "sideways"},
	} {
		if _, err := memory.Modify(t.Context(), f.Memories, id, c); !errors.Is(err, hippo.ErrInvalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
}

// Metadata is merged by key, null removes a key, and a secret in it is refused.
func TestModify_Metadata(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id := f.record("kept", .5)
	change := func(set map[string]json.RawMessage) *hippo.Memory {
		t.Helper()
		m, err := memory.Modify(t.Context(), f.Memories, id, api.Change{Metadata: &set})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	change(map[string]json.RawMessage{"a": json.RawMessage(`1`), "b": json.RawMessage(`"x"`)})
	m := change(map[string]json.RawMessage{"b": json.RawMessage(`null`), "c": json.RawMessage(`[2]`)})
	if diff := cmp.Diff(map[string]json.RawMessage{"a": json.RawMessage(`1`), "c": json.RawMessage(`[2]`)}, m.Metadata); diff != "" {
		t.Error(diff)
	}
	for name, change := range map[string]api.Change{"alone": {}, "beside": {Content: new("kept well")}} {
		change.SetMetadata(map[string]json.RawMessage{"a": json.RawMessage("null")})
		if change.Metadata != nil {
			t.Errorf("%s: null sets %v", name, *change.Metadata)
		}
		if err := change.Clear([]string{"metadata.a", "metadata.c"}); err != nil {
			t.Fatal(err)
		}
		if m, err := memory.Modify(t.Context(), f.Memories, id, change); err != nil || len(m.Metadata) != 0 {
			t.Errorf("%s: got %v (%v), want no metadata", name, m, err)
		}
	}
	both := api.Change{}
	both.SetMetadata(map[string]json.RawMessage{"a": json.RawMessage("1")})
	if err := both.Clear([]string{"metadata.a"}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a key that is set and cleared: got %v", err)
	}
	if err := new(api.Change).Clear([]string{"metadata."}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("no key: got %v", err)
	}
	secret := map[string]json.RawMessage{"note": json.RawMessage(`"password = hunter2x9QzLw7Rt"`)}
	if _, err := memory.Modify(t.Context(), f.Memories, id, api.Change{Metadata: &secret}); !errors.Is(err, hippo.ErrSecret) {
		t.Errorf("got %v, want a secret refused", err)
	}
}

// TestModify_ofAVersion: a modification of a version that is no longer there changes nothing.
func TestModify_ofAVersion(t *testing.T) {
	t.Parallel()
	f := open(t, options{})
	id, other := f.record("one", .5), f.record("other", .5)
	f.modify(id, api.Change{Content: new("two"), IfVersion: 1})
	for name, c := range map[string]api.Change{
		"text":       {Content: new("three"), IfVersion: 1},
		"supersedes": {Content: new("three"), Supersedes: &[]hippo.ID{other}, IfVersion: 1},
	} {
		_, err := memory.Modify(t.Context(), f.Memories, id, c)
		if !errors.Is(err, engine.ErrVersion) || !errors.Is(err, hippo.ErrConflict) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if m := f.get(id); m.Content != "two" || m.Version != 2 {
		t.Errorf("got %q, version %d", m.Content, m.Version)
	}
	if _, err := memory.Modify(t.Context(), f.Memories, id, api.Change{IfVersion: 2}); !errors.Is(err, hippo.ErrInvalid) {
		t.Errorf("a version alone: got %v", err)
	}
}
