package project

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/hippo-memory/hippo/internal/atomicfile"
)

// Cache remembers the identities of repositories in a folder, because git takes some 10 ms to find
// one, and seconds in a very long history. An entry counts while the configuration of the
// repository, which has its remotes, is the same file of the same time.
type Cache struct {
	// Dir is the folder; it is created when it is needed.
	Dir string
}

// Identify is [Identify] with the cache. That an entry cannot be written is no error: the next
// call asks git again.
func (c Cache) Identify(ctx context.Context, dir string) string {
	r, ok := Find(dir)
	if !ok {
		return ""
	}
	info, err := os.Stat(filepath.Join(r.Common, "config"))
	if err != nil {
		return Identify(ctx, dir)
	}
	sum := sha256.Sum256([]byte(r.Common))
	path := filepath.Join(c.Dir, hex.EncodeToString(sum[:12]))
	_, shallow := os.Stat(filepath.Join(r.Common, "shallow"))
	stamp := fmt.Sprintf("%d %d %t", info.ModTime().UnixNano(), info.Size(), shallow == nil)
	if text, err := readSmall(path); err == nil {
		if of, name, _ := strings.Cut(strings.TrimSpace(text), "\n"); of == stamp && name != "" {
			return name
		}
	}
	name := Identify(ctx, dir)
	if name != "" {
		_ = c.write(path, stamp+"\n"+name+"\n")
	}
	return name
}

// write replaces an entry at once: others may read it meanwhile.
func (c Cache) write(path, text string) error {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, []byte(text))
}
