package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/importer/formats"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// importWithdrawn is the key of the metadata of a memory that an import has forgotten, because its source does not say it any
// more. If the source says it again, it comes back.
const importWithdrawn = "import_withdrawn"

func isWithdrawn(m *hippo.Memory) bool { return m.Metadata[importWithdrawn] != nil }

// Said is a memory that an import has made of what a file said.
type Said struct {
	ID      hippo.ID
	File    string
	Section []string
	Type    string
	// Content is there if the memory was forgotten by somebody here; else empty.
	Content string `json:",omitempty"`
	// Forgotten: the memory is forgotten. Changed: somebody here has edited, voted for, pinned, confirmed or superseded it.
	Forgotten, Changed bool
}

// SaidBy returns what former imports have made of a file, or of the files of a folder, but for what an import has withdrawn.
// Cost: a pass over the memories.
func SaidBy(ctx context.Context, s Scoped, path string) ([]Said, error) {
	var out []Said
	for m, err := range s.All(ctx) {
		if driver.Readable(err) != nil {
			return nil, wrap("import", err)
		}
		if m == nil || m.Source.Kind != hippo.SourceImport || isWithdrawn(m) {
			continue
		}
		file := FileOf(m)
		if file == "" || file != path && !strings.HasPrefix(file, strings.TrimSuffix(path, "/")+"/") {
			continue
		}
		x := Said{ID: m.ID, File: file, Section: m.Situation, Type: m.Type, Forgotten: m.Forgotten(), Changed: changedHere(m)}
		if x.Forgotten {
			x.Content = m.Content
		}
		out = append(out, x)
	}
	return out, nil
}

// FileOf returns the file that an imported memory is from; empty if it is not known, or a part of the file says nothing of
// the others.
func FileOf(m *hippo.Memory) string {
	var file string
	switch err := json.Unmarshal(m.Metadata[formats.ImportFile], &file); {
	case err == nil:
		return file
	case m.Source.Client == "document" || m.Source.Client == "notes": // whose URI is that of the file
		return m.Source.URI
	}
	return ""
}

// changedHere reports whether somebody has changed an imported memory since, other than by forgetting it.
func changedHere(m *hippo.Memory) bool {
	return m.Version != importedVersion(m) || m.Pinned || len(m.Feedback) > 0 || m.Importance.Value != m.Importance.Base ||
		m.Trust > hippo.DefaultTrust(hippo.SourceImport) || !m.SupersededBy.IsZero()
}

// Withdrawal is what an import forgets, because its source does not say it any more.
type Withdrawal struct {
	IDs []hippo.ID
	// Before is [Batch.Before].
	Before map[string]int
	// Former are memories that those supersede. Release makes one hold again, and prepares one of those that are forgotten.
	Former  []hippo.ID
	Release func(*hippo.Memory)
}

// Withdraw forgets memories that an import has made of what their source does not say any more, and gives back what they supersede.
// It returns those that it has forgotten, and those that it has given back, as they were. What somebody here has changed, or
// forgotten, stays as it is.
func Withdraw(ctx context.Context, s Scoped, w *Withdrawal) (gone, back []*hippo.Memory, err error) {
	if err := s.Allow(hippo.RightWrite); err != nil {
		return nil, nil, err
	}
	op, err := newOperation(s, hippo.VerbImport)
	if err != nil {
		return nil, nil, err
	}
	err = write(ctx, s.store, driver.Durable, func(tx driver.Tx) error {
		gone, back = nil, nil
		ms, err := tx.Get(w.IDs...)
		if driver.Readable(err) != nil {
			return err
		}
		gone = slices.DeleteFunc(visibleMemories(s, ms), func(m *hippo.Memory) bool { return m.Forgotten() || changedHere(m) })
		list := make([]change, len(gone))
		forgotten := make(map[hippo.ID]bool, len(gone))
		for i, m := range gone {
			list[i] = change{before: m, after: withdrawn(m, s.store.now().UTC())}
			w.Release(list[i].after)
			forgotten[m.ID] = true
		}
		former, err := changeOthers(s, tx, w.Former, func(m *hippo.Memory) {
			if forgotten[m.SupersededBy] {
				w.Release(m)
			}
		})
		if err != nil {
			return err
		}
		for _, c := range former {
			back = append(back, c.before)
		}
		return putKeptAfter(s.store, tx, op, append(list, former...), w.Before)
	})
	return gone, back, wrap("import", err)
}

// withdrawn returns a memory as an import forgets it.
func withdrawn(m *hippo.Memory, at time.Time) *hippo.Memory {
	c := m.Clone()
	c.ForgottenAt, c.UpdatedAt = at, at
	formats.SetMeta(c, importWithdrawn, true)
	normalise(c)
	return c
}
