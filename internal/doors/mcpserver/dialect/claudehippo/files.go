package claudehippo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/api"
	d "github.com/hippo-memory/hippo/internal/doors/mcpserver/dialect"
	"github.com/hippo-memory/hippo/internal/engine"
	"github.com/hippo-memory/hippo/internal/engine/memory"
)

// file is a file of the memory tool: a memory of type [fileType], whose text is the content. Its situation is its path, so
// that it is found by it.
type file struct {
	*hippo.Memory
	path, text string
	// hidden are older memories of the project with the same path, which two programs made at once.
	hidden []*hippo.Memory
}

// toolKey is the key, below [reserved], of what is kept of a file.
const toolKey = "memory_tool"

// place is what is kept of a file in the metadata of its memory.
type place struct {
	Path string `json:"path"`
	// Text is that of a file which is empty or blank, as no memory may be.
	Text *string `json:"text,omitempty"`
	// Previous is the content hash before the last edit.
	Previous string `json:"previous_hash,omitempty"`
}

// fileOf returns the file that a memory is; nil if it is none. Its path is in its situation, or else in its
// metadata.
func fileOf(m *hippo.Memory) *file {
	var p place
	if json.Unmarshal(ownOf(m)[toolKey], &p) != nil {
		return nil
	}
	given := append(slices.DeleteFunc(slices.Clone(m.Situation), func(s string) bool { return !isBelow(s, root) }), p.Path)[0]
	path, err := pathOf("path", given)
	if err != nil || path == root {
		return nil
	}
	f := &file{Memory: m, path: path, text: m.Content}
	if p.Text != nil && m.Content == emptyText(path) {
		f.text = *p.Text
	}
	return f
}

// emptyText is the content of the memory of an empty file.
func emptyText(path string) string { return "(empty file " + path + ")" }

// contentOf returns the content of the memory of a file, and what is kept of it beside that.
func contentOf(path, text, previous string) (content string, p place) {
	p = place{Path: path, Previous: previous}
	if strings.Trim(text, " \t\r\n") != "" {
		return text, p
	}
	p.Text = &text
	return emptyText(path), p
}

// metadataWith returns the change of the metadata of a memory for a place.
func metadataWith(m *hippo.Memory, p place) map[string]json.RawMessage {
	own := ownOf(m)
	own[toolKey], _ = json.Marshal(p) // texts marshal
	raw, _ := json.Marshal(own)       // what was read as JSON marshals
	return map[string]json.RawMessage{reserved: raw}
}

// readFiles returns the files at paths, those below them, and those whose path one of them goes through; files without a
// situation, which other programs write, are among them. Of several files with one path, that of the project comes first, and
// the last changed one before others. Cost: a read of these files.
func readFiles(ctx context.Context, c *d.Call, paths ...string) (directory, error) {
	s := d.Selection{Filter: hippo.Filter{Types: []string{fileType}, Archived: true}, Place: api.Place{Root: root + "/"}}
	for _, path := range paths {
		s.Place.Below = append(s.Place.Below, path+"/")
		for ; path != root; path = path[:strings.LastIndexByte(path, '/')] {
			s.Place.At = append(s.Place.At, path)
		}
	}
	ms, err := s.Every(ctx, c)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(ms, func(a, b *hippo.Memory) int {
		return cmp.Or(-cmp.Compare(boolean(a.Project == c.Scope.Project), boolean(b.Project == c.Scope.Project)), b.UpdatedAt.Compare(a.UpdatedAt), a.ID.Compare(b.ID))
	})
	var out directory
	at := make(map[string]*file, len(ms))
	for _, m := range ms {
		f := fileOf(m)
		if f == nil {
			continue
		}
		if known := at[f.path]; known == nil {
			out, at[f.path] = append(out, f), f
		} else if known.Project == f.Project {
			known.hidden = append(known.hidden, m)
		}
	}
	return out, nil
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// create records a new file. Of two that are created at once, the other one must not exist.
func create(ctx context.Context, c *d.Call, path, text string) error {
	content, p := contentOf(path, text, "")
	m := &hippo.Memory{
		Content: content, Type: fileType, Tags: c.Texts("tags"), Situation: []string{path}, Metadata: metadataWith(&hippo.Memory{}, p),
		Source:  hippo.Source{Kind: hippo.SourceAgent},
		Project: c.Scope.Project, Namespace: c.Scope.Namespace, Trust: hippo.TrustDefault, Importance: hippo.Importance{Base: hippo.DefaultImportance},
	}
	m, err := record(ctx, c, m)
	if err != nil {
		return err
	}
	files, err := readFiles(ctx, c, path)
	if err != nil {
		return err
	}
	f := files.at(path)
	if f == nil || f.Project != m.Project || !slices.ContainsFunc(append(f.hidden, f.Memory), func(x *hippo.Memory) bool { return x.ID != m.ID && before(x, m) }) {
		return nil
	}
	if _, err := memory.Forget(ctx, c.Memories, []hippo.ID{m.ID}); err != nil {
		return err
	}
	return refusef("Error: File %s already exists", path)
}

// before reports whether a memory was stored before another one; where revisions are not shown, by their IDs.
func before(a, b *hippo.Memory) bool {
	if a.Revision != 0 && b.Revision != 0 {
		return a.Revision < b.Revision
	}
	return a.ID.Compare(b.ID) < 0
}

// attempts is how often an edit begins again because the file was changed meanwhile.
const attempts = 32

// edit changes the text of the file of the argument path. change gets nil if there is no such file, and may be called
// again.
func edit(ctx context.Context, c *d.Call, change func(*file) (string, error)) (err error) {
	for range attempts {
		path, files, err := opened(ctx, c, "path")
		if err != nil {
			return err
		}
		f := files.at(path)
		text, err := change(f)
		if err != nil {
			return err
		}
		content, p := contentOf(path, text, d.HashOf(f.Memory))
		metadata := metadataWith(f.Memory, p)
		_, err = memory.Modify(ctx, c.Memories, f.ID, api.Change{Content: &content, Metadata: &metadata, Vote: api.VoteNone, IfVersion: f.Version})
		if !errors.Is(err, engine.ErrVersion) {
			return err
		}
	}
	return engine.ErrVersion
}

func idsOf(ms []*hippo.Memory) []hippo.ID {
	ids := make([]hippo.ID, len(ms))
	for i, m := range ms {
		ids[i] = m.ID
	}
	return ids
}

// remove forgets files.
func remove(ctx context.Context, c *d.Call, ids []hippo.ID) error {
	for batch := range slices.Chunk(ids, hippo.MaxIDs) {
		if _, err := memory.Forget(ctx, c.Memories, batch); err != nil {
			return err
		}
	}
	return nil
}

// move gives a file, or all files of a directory, another path, in one operation: all of them or none.
func move(ctx context.Context, c *d.Call, files directory, from, to string) error {
	var list []api.Modify
	for _, f := range files {
		if f.path != from && !isBelow(f.path, from) {
			continue
		}
		path, err := pathOf("new_path", to+f.path[len(from):])
		if err != nil {
			return err
		}
		list = append(list, api.Modify{ID: f.ID, Change: moved(f, path)})
		for _, m := range f.hidden { // they must not become files of the old path
			if old := fileOf(m); old != nil {
				list = append(list, api.Modify{ID: m.ID, Change: moved(old, path)})
			}
		}
	}
	_, err := memory.ModifyAll(ctx, c.Memories, list)
	return err
}

// moved returns what gives a file another path.
func moved(f *file, path string) api.Change {
	content, p := contentOf(path, f.text, "")
	metadata := metadataWith(f.Memory, p)
	change := api.Change{Metadata: &metadata, Situation: &[]string{path}, Vote: api.VoteNone, IfVersion: f.Version}
	if content != f.Content {
		change.Content = &content
	}
	return change
}
