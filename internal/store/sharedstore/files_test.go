package sharedstore_test

import (
	"slices"
	"testing"
)

// A file of the memory tool has its path as situation, whoever made or moved it.
func TestShared_files_of_the_memory_tool(t *testing.T) {
	t.Parallel()
	p := newPeer(t, "rust")
	s := p.open()
	for i, c := range []struct {
		metadata string
		want     []string
	}{
		{`{"_hippo":{"memory_tool":{"path":"/memories/a.md"}}}`, []string{"/memories/a.md"}},
		{`{"_hippo":{"memory_tool":{"path":"/memories/b.md"}}}`, []string{"/memories/b.md"}},
		{`{"_hippo":{"memory_tool":{"path":5}}}`, []string{"/memories/b.md"}}, // it keeps what it has
		{`{}`, []string{"/memories/b.md"}},
	} {
		if i == 0 {
			p.store(redis, "", "MemoryToolFile", c.metadata, 1e9)
		} else {
			p.exec("UPDATE memories SET metadata = ?, updated_at = updated_at + 1", c.metadata)
		}
		if m := all(t, s)[redis]; !slices.Equal(m.Situation, c.want) {
			t.Errorf("%s: situation %q, want %q", c.metadata, m.Situation, c.want)
		}
	}
}
