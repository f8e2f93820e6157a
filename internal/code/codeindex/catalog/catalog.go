// Package catalog keeps what is known of the files of a source tree: their hashes, definitions,
// references and chunks, as of the last update that was completed. It is a journal: an update is
// appended, and counts when its last frame is there, so that a process that is killed leaves the
// former state.
package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hippo-memory/hippo"
	"github.com/hippo-memory/hippo/internal/code/codeindex/chunk"
	"github.com/hippo-memory/hippo/internal/code/codeindex/syntax"
)

// Hash identifies the content of a file.
type Hash [16]byte

// HashOf returns the hash of a content.
func HashOf(b []byte) Hash {
	sum := sha256.Sum256(b)
	return Hash(sum[:])
}

// Stamp says which content of a file an entry is of.
type Stamp struct {
	Hash Hash
	// Size is in bytes; 0: the parser could not run, and the next update parses the content again.
	Size     int64
	Modified time.Time
}

// Entry is a file of the tree. It is immutable.
type Entry struct {
	Path string
	Stamp
	// First is the revision of the first chunk; the others follow, and then those that are gone.
	First hippo.Revision
	// Chunks and Symbols are their numbers.
	Chunks, Symbols int
	Language        string
	// Gone are the chunks that former contents had, and this one does not have.
	Gone []hippo.ID
	// Deleted: the file is not in the tree any more.
	Deleted bool
	body    string
}

// Last is the revision of the last thing that the entry says.
func (e *Entry) Last() hippo.Revision {
	return e.First + hippo.Revision(max(1, e.Chunks+len(e.Gone))) - 1
}

// Read returns what a parser found in the file, without references, and the chunks. They are only read.
func (e *Entry) Read() (*syntax.File, []chunk.Chunk, error) { return decodeBody(e.body, false) }

// ReadAll is [Entry.Read] with the references.
func (e *Entry) ReadAll() (*syntax.File, []chunk.Chunk, error) { return decodeBody(e.body, true) }

// Mentions reports whether the file has one of the names anywhere. Cost: a pass over its different strings.
func (e *Entry) Mentions(names map[string]bool) bool { return mentions(e.body, names) }

// Catalog is one state of the files. It is immutable; see [Draft] for the next one.
type Catalog struct {
	// Store names the history that revisions belong to.
	Store string
	// Content is the version of what is in it: see [Content].
	Content  int
	Revision hippo.Revision
	// Updated is when the last update was completed; zero: none was.
	Updated time.Time
	files   map[string]*Entry
	byKey   map[uint64]*Entry
}

// newCatalog returns an empty catalog.
func newCatalog(store string, content int) *Catalog {
	return &Catalog{Store: store, Content: content, files: make(map[string]*Entry), byKey: make(map[uint64]*Entry)}
}

// Entry returns the entry of a file in the tree; nil if there is none.
func (c *Catalog) Entry(path string) *Entry {
	if e := c.files[path]; e != nil && !e.Deleted {
		return e
	}
	return nil
}

// Entries returns the files in the tree, in the order of paths.
func (c *Catalog) Entries() []*Entry {
	list := make([]*Entry, 0, len(c.files))
	for _, e := range c.files {
		if !e.Deleted {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *Entry) int { return cmp.Compare(a.Path, b.Path) })
	return list
}

// Since returns the entries that say something after a revision, in the order of revisions, deleted
// files too.
func (c *Catalog) Since(r hippo.Revision) []*Entry {
	var list []*Entry
	for _, e := range c.files {
		if e.Last() > r {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *Entry) int { return cmp.Compare(a.First, b.First) })
	return list
}

// Totals counts what is in the tree; Gone the chunks that are not any more.
type Totals struct{ Files, Chunks, Symbols, Gone int }

// Totals returns the numbers. Cost: a pass over the entries.
func (c *Catalog) Totals() (t Totals) {
	for _, e := range c.files {
		t.Gone += len(e.Gone)
		if !e.Deleted {
			t.Files++
			t.Chunks += e.Chunks
			t.Symbols += e.Symbols
		}
	}
	return t
}

// fileKey is the first half of the IDs of the chunks of a file.
func fileKey(path string) uint64 {
	sum := sha256.Sum256([]byte("file\x00" + path))
	return binary.BigEndian.Uint64(sum[:])
}

// IDs returns the IDs of chunks: they stay while path and key of the chunk do.
func IDs(path string, f *syntax.File, chunks []chunk.Chunk) []hippo.ID {
	key := fileKey(path)
	out := make([]hippo.ID, len(chunks))
	for i, k := range chunk.PartKeys(chunks, chunk.Keys(f.Symbols)) {
		sum := sha256.Sum256([]byte(k))
		binary.BigEndian.PutUint64(out[i][:], key)
		copy(out[i][8:], sum[:8])
	}
	return out
}

// Place is a chunk and the file that it is in.
type Place struct {
	Entry *Entry
	File  *syntax.File // without references
	Chunk chunk.Chunk
}

// Holder returns the file that a chunk is or was in; nil if that is not in the tree. Cost: one look into a map, where [Catalog.Find]
// decodes what is known of the file.
func (c *Catalog) Holder(id hippo.ID) *Entry {
	if e := c.byKey[binary.BigEndian.Uint64(id[:])]; e != nil && !e.Deleted {
		return e
	}
	return nil
}

// Find returns the place of a chunk; not ok: it is gone.
func (c *Catalog) Find(id hippo.ID) (Place, bool) {
	e := c.Holder(id)
	if e == nil {
		return Place{}, false
	}
	f, chunks, err := e.Read()
	if err != nil {
		return Place{}, false
	}
	i := slices.Index(IDs(e.Path, f, chunks), id)
	if i < 0 {
		return Place{}, false
	}
	return Place{e, f, chunks[i]}, true
}

// with returns a catalog with other entries for some files.
func (c *Catalog) with(list []*Entry, revision hippo.Revision, at time.Time) *Catalog {
	next := &Catalog{Store: c.Store, Content: c.Content, Revision: revision, Updated: at, files: maps.Clone(c.files), byKey: maps.Clone(c.byKey)}
	for _, e := range list {
		next.files[e.Path] = e
		next.byKey[fileKey(e.Path)] = e
	}
	return next
}

// Draft collects the changes of an update.
type Draft struct {
	base     *Catalog
	revision hippo.Revision
	entries  []*Entry
}

// Draft returns an empty draft of the next state.
func (c *Catalog) Draft() *Draft { return &Draft{base: c, revision: c.Revision} }

// Put adds a file with a new content.
func (d *Draft) Put(path string, s Stamp, f *syntax.File, chunks []chunk.Chunk) {
	e := &Entry{Path: path, Stamp: s, Chunks: len(chunks), Symbols: len(f.Symbols), Language: f.Language, body: string(encodeBody(f, chunks))}
	d.add(e, IDs(path, f, chunks))
}

// Delete adds that a file is not in the tree any more.
func (d *Draft) Delete(path string) {
	if d.base.Entry(path) != nil {
		d.add(&Entry{Path: path, Deleted: true}, nil)
	}
}

// Touch adds that a file has another time and the same content.
func (d *Draft) Touch(old *Entry, s Stamp) {
	e := *old
	e.Stamp = s
	d.entries = append(d.entries, &e)
}

// Repeat is [Draft.Touch] with new revisions, so that who follows the catalog reads the chunks once more. The error is
// [hippo.ErrCorrupt].
func (d *Draft) Repeat(old *Entry, s Stamp) error {
	f, chunks, err := old.Read()
	if err != nil {
		return err
	}
	e := *old
	e.Stamp = s
	d.add(&e, IDs(old.Path, f, chunks))
	return nil
}

// Empty reports whether nothing changes.
func (d *Draft) Empty() bool { return len(d.entries) == 0 }

func (d *Draft) add(e *Entry, live []hippo.ID) {
	e.First = d.revision + 1
	if old := d.base.files[e.Path]; old != nil {
		e.Gone = gone(old, live)
	}
	d.entries = append(d.entries, e)
	d.revision = e.Last()
}

// gone returns the chunks that an entry had, or that were gone with it, but for the live ones.
func gone(old *Entry, live []hippo.ID) []hippo.ID {
	former := slices.Clone(old.Gone)
	if f, chunks, err := old.Read(); err == nil && !old.Deleted {
		former = append(former, IDs(old.Path, f, chunks)...)
	}
	set := make(map[hippo.ID]bool, len(live))
	for _, id := range live {
		set[id] = true
	}
	former = slices.DeleteFunc(former, func(id hippo.ID) bool { return set[id] })
	slices.SortFunc(former, hippo.ID.Compare)
	return slices.Compact(former)
}

// problem is the error of a file that is no catalog, or is damaged.
func problem(path, why string) error {
	return fmt.Errorf("%w: %s: %s: index the tree again with hippo code index", hippo.ErrCorrupt, path, why)
}
