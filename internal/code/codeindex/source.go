package codeindex

import (
	"context"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/catalog"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
	"github.com/hippo-memory/hippo/internal/code/codeindex/walk"
	"github.com/hippo-memory/hippo/internal/store/driver"
)

// source makes a catalog what an [index.Index] follows: chunks are its memories. Their texts are read
// from the files, whose hashes say whether they are still the same.
type source struct {
	root    string
	current *atomic.Pointer[catalog.Catalog]
}

// documents is the version of what [memoryOf] makes of a chunk. Another one rebuilds the words.
const documents = "4"

// Head implements [index.Source].
func (s *source) Head(context.Context) (driver.Head, error) {
	c := s.current.Load()
	return driver.Head{Store: c.Store + "/" + documents, Revision: c.Revision, Memories: c.Totals().Chunks}, nil
}

// Changes implements [index.Source]. A file that is not what the catalog says, or cannot be read, has no chunks:
// the next update adds those of its new content, or these again if its content has come back.
func (s *source) Changes(ctx context.Context, since hippo.Revision) iter.Seq2[driver.Change, error] {
	return func(yield func(driver.Change, error) bool) {
		root, err := os.OpenRoot(s.root)
		if err != nil {
			yield(driver.Change{}, fmt.Errorf("%w: %w", hippo.ErrUnavailable, err))
			return
		}
		defer root.Close() //nolint:errcheck // it was only read
		files := walk.NewReader(root)
		for _, e := range s.current.Load().Since(since) {
			if err := ctx.Err(); err != nil {
				yield(driver.Change{}, err)
				return
			}
			list, err := changes(files, e)
			if err != nil {
				yield(driver.Change{}, err)
				return
			}
			for _, c := range list {
				if c.Revision > since && !yield(c, nil) {
					return
				}
			}
		}
	}
}

// Uses implements [index.Source]: uses of code are not counted.
func (s *source) Uses(context.Context, hippo.Day) iter.Seq2[driver.Use, error] {
	return func(func(driver.Use, error) bool) {}
}

// changes returns what an entry changes, one change a revision.
func changes(files *walk.Reader, e *catalog.Entry) ([]driver.Change, error) {
	var out []driver.Change
	at := e.First
	add := func(id hippo.ID, m *hippo.Memory) {
		out = append(out, driver.Change{ID: id, Revision: at, Memory: m})
		at++
	}
	if !e.Deleted {
		f, chunks, err := e.Read()
		if err != nil {
			return nil, err
		}
		text, _, err := files.Read(e.Path)
		known := err == nil && catalog.HashOf(text) == e.Hash
		for i, id := range catalog.IDs(e.Path, f, chunks) {
			if known {
				add(id, memoryOf(id, e.Path, f, &chunks[i], text))
			} else {
				add(id, nil)
			}
		}
	}
	for _, id := range e.Gone {
		add(id, nil)
	}
	return out, nil
}

// beginning is when all chunks were made, as far as the ranking knows: they do not age.
func beginning() time.Time { return time.Unix(1, 0).UTC() }

// neutral is the importance of every chunk.
const neutral = .5

// memoryOf returns the memory that a chunk is for the index: its header and its text; the kind of its
// symbol as type; the file and the folders that hold it as tags; the language as author.
func memoryOf(id hippo.ID, path string, f *syntax.File, c *chunk.Chunk, text []byte) *hippo.Memory {
	m := &hippo.Memory{
		ID: id, Content: strings.ToValidUTF8(chunk.Header(f, c)+string(text[c.From:c.Until]), "\uFFFD"), Type: kindOf(f, c), Tags: folders(path),
		Source: hippo.Source{Author: f.Language}, CreatedAt: beginning(), UpdatedAt: beginning(), Version: 1,
		Importance: hippo.Importance{Base: neutral, Value: neutral, SetDay: 1, SetAt: beginning()},
	}
	m.ContentHash = hippo.HashContent(m.Content)
	return m
}

// textKind is the kind of what is between definitions.
const textKind = "text"

// kindOf is the kind of the symbol of a chunk; [textKind] for what is between definitions.
func kindOf(f *syntax.File, c *chunk.Chunk) string {
	if c.Symbol < 0 {
		return textKind
	}
	return string(f.Symbols[c.Symbol].Kind)
}

// folders returns the paths by which a file can be filtered: its own and those of the folders above, without
// the root.
func folders(path string) []string {
	list := []string{path}
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			list = append(list, path[:i])
		}
	}
	return list
}
