package store_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/store"
)

// imported returns a memory of another program.
func imported(content string) *hippo.Memory {
	m := memory(content)
	m.ID = hippo.ID{15: 7}
	m.Source.Kind, m.Source.URI, m.Trust = hippo.SourceImport, "notes.md#1", hippo.TrustLow
	m.Metadata = map[string]json.RawMessage{"colour": json.RawMessage(`"` + content + `"`)}
	return m
}

func TestImport_follows_the_source_until_somebody_here_changes_the_memory(t *testing.T) {
	t.Parallel()
	s := open(t, start())
	run := func(content string, want store.Outcome) {
		t.Helper()
		preview, err := store.PreviewImport(t.Context(), local(s), &store.Batch{Memories: []*hippo.Memory{imported(content)}})
		if err != nil || preview[0] != want {
			t.Fatalf("%s: the preview is %v (%v), want %v", content, preview, err, want)
		}
		done, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported(content)})
		if d := cmp.Diff([]store.Outcome{want}, done); err != nil || d != "" {
			t.Fatalf("%s: error %v (-want +got):\n%s", content, err, d)
		}
	}
	content := func() string { return get(t, s, hippo.ID{15: 7}).Content }

	run("one", store.Added)
	run("one", store.Present)
	run("two", store.Updated)
	if m := get(t, s, hippo.ID{15: 7}); m.Content != "two" || m.ContentHash != hippo.HashContent("two") || m.Version != 2 || string(m.Metadata["colour"]) != `"two"` {
		t.Errorf("the memory is %+v", m)
	}
	run("two", store.Present)
	run("three", store.Updated)

	_, err := local(s).Update(t.Context(), []hippo.ID{{15: 7}}, func(m *hippo.Memory, _ hippo.Day) error {
		m.Content = "mine"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	run("four", store.Kept)
	run("mine", store.Present)
	if content() != "mine" {
		t.Errorf("the import replaced what was changed here: %q", content())
	}
}

func TestImport_leaves_a_forgotten_memory_forgotten(t *testing.T) {
	t.Parallel()
	c := start()
	s := open(t, c)
	if _, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported("one")}); err != nil {
		t.Fatal(err)
	}
	_, err := local(s).Update(t.Context(), []hippo.ID{{15: 7}}, func(m *hippo.Memory, _ hippo.Day) error {
		m.ForgottenAt = c.t
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := local(s).Import(t.Context(), hippo.Calendar{}, []*hippo.Memory{imported("two")})
	if err != nil || done[0] != store.Forgotten || get(t, s, hippo.ID{15: 7}).Content != "one" {
		t.Errorf("got %v (%v)", done, err)
	}
}
