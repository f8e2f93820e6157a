// Package far carries the files of a shelf to and from a folder on another machine: one that hippo serve has, one that ssh reaches, where
// hippo sync --stdio serves it, and a bucket of a service that speaks S3. The first two speak the same protocol over HTTP, see [Server].
// Nothing is decrypted at the other end, which need not be trusted.
package far

import (
	"context"
	"encoding/json"
	"os"

	"github.com/hippo-memory/hippo/internal/base/atomicfile"
)

// maxKept is how many bytes a file may have that is kept on this machine.
const maxKept = 64 << 10

// listed is a file of a list.
type listed struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	// Tag changes with the content. It is empty for files of replicas, which are read once.
	Tag string `json:"tag,omitempty"`
}

// place is a folder on another machine.
type place interface {
	// list returns all files and the tag of the list. Same: the list still has the given tag, and no files are returned.
	list(ctx context.Context, tag string) (files []listed, newTag string, same bool, err error)
	get(ctx context.Context, name string) ([]byte, error)
	// put writes a file as a whole, unless there is one of that name.
	put(ctx context.Context, name string, data []byte) error
	remove(ctx context.Context, name string) error
	close() error
}

// Folder is a folder on another machine. It remembers the last list and small files, so that an exchange without changes is one round
// trip, and a small one costs a second. Its methods must not be called at once.
type Folder struct {
	at    place
	path  string // of the file with what is remembered
	memo  memo
	files map[string]listed
}

// memo is what is remembered of a folder.
type memo struct {
	Tag   string   `json:"tag,omitempty"`
	Files []listed `json:"files,omitempty"`
	// Contents are those of small files by their tags.
	Contents map[string][]byte `json:"contents,omitempty"`
}

// open returns the folder at a place. Path is a file for what is remembered, which nobody else uses and which can be lost.
func open(at place, path string) *Folder {
	f := &Folder{at: at, path: path}
	if b, err := os.ReadFile(path); err != nil || json.Unmarshal(b, &f.memo) != nil {
		f.memo = memo{}
	}
	if f.memo.Contents == nil {
		f.memo.Contents = make(map[string][]byte)
	}
	return f
}

// save keeps what is remembered. If that fails, more is asked for next time.
func (f *Folder) save() {
	if b, err := json.Marshal(f.memo); err == nil {
		_ = atomicfile.Write(f.path, b)
	}
}

// List implements the interface of package shelf.
func (f *Folder) List(ctx context.Context) (map[string]int64, error) {
	files, tag, same, err := f.at.list(ctx, f.memo.Tag)
	if err != nil {
		return nil, err
	}
	if !same {
		f.memo.Tag, f.memo.Files = tag, files
		kept := make(map[string][]byte)
		for _, x := range files {
			if b, ok := f.memo.Contents[x.Tag]; ok {
				kept[x.Tag] = b
			}
		}
		f.memo.Contents = kept
		f.save()
	}
	f.files = make(map[string]listed, len(f.memo.Files))
	sizes := make(map[string]int64, len(f.memo.Files))
	for _, x := range f.memo.Files {
		f.files[x.Name], sizes[x.Name] = x, x.Size
	}
	return sizes, nil
}

// Get implements the interface.
func (f *Folder) Get(ctx context.Context, name string) ([]byte, error) {
	tag := f.files[name].Tag
	if b, ok := f.memo.Contents[tag]; ok && tag != "" {
		return b, nil
	}
	b, err := f.at.get(ctx, name)
	if err == nil && tag != "" && len(b) <= maxKept {
		f.memo.Contents[tag] = b
		f.save()
	}
	return b, err
}

// Put implements the interface.
func (f *Folder) Put(ctx context.Context, name string, data []byte) error {
	if _, ok := f.files[name]; ok {
		return nil
	}
	return f.at.put(ctx, name, data)
}

// Remove implements the interface.
func (f *Folder) Remove(ctx context.Context, name string) error {
	delete(f.files, name)
	return f.at.remove(ctx, name)
}

// Commit implements the interface. There is nothing left to send.
func (f *Folder) Commit(context.Context) error { return nil }

// Close ends the connection.
func (f *Folder) Close() error { return f.at.close() }
