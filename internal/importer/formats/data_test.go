package formats_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
)

// TestOpen_evaluation_data reads real conversations and corpora whole.
func TestOpen_evaluation_data(t *testing.T) {
	t.Parallel()
	root := cmp.Or(os.Getenv("HIPPO_DATA"), filepath.Join("..", "..", "..", "..", "shared", "data"))
	if _, err := os.Stat(root); err != nil {
		t.Skip("evaluation data not there")
	}
	for _, c := range []struct {
		file      string
		kind      formats.Kind
		good, bad int
	}{
		{"locomo/conversations.jsonl", formats.KindTurns, 2760, 0},
		{"locomo/observations.jsonl", formats.KindTurns, 1210, 0},
		{"realtalk/conversations.jsonl", formats.KindTurns, 2423, 0},
		{"beam/100K/conversations.jsonl", formats.KindTurns, 3212, 0},
		{"cosqa_dev/corpus.jsonl", formats.KindLines, 6267, 0},
		{"xquad_sentences/corpus.jsonl", formats.KindLines, 1228, 0},
	} {
		s, err := formats.Open(filepath.Join(root, filepath.FromSlash(c.file)))
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		good, bad := 0, 0
		ids := make(map[hippo.ID]bool)
		for m, err := range s.Entries() {
			if err != nil {
				bad++
				t.Log(err)
				continue
			}
			good++
			ids[m.ID] = true
		}
		if s.Kind != c.kind || good != c.good || bad != c.bad || len(ids) != good || s.Count != good+bad {
			t.Errorf("%s: got %q, %d good, %d bad, %d IDs, count %d; want %q, %d, %d", c.file, s.Kind, good, bad, len(ids), s.Count, c.kind, c.good, c.bad)
		}
	}
}
